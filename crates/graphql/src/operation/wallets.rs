//! Setting wallets up.

use domain::Fault;

use super::{Operations, done};
use crate::{
    execute::{Arguments, Out},
    input::setup_wallet,
};

impl Operations<'_> {
    pub(super) async fn setup_wallet(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let request = arguments.coerced.and_then(setup_wallet::parse)?;
        self.engine
            .setup_wallet(self.caller, request)
            .await
            .map(Out::Scalar)
    }

    pub(super) async fn save_wallet(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let (wallet, settings) = arguments.coerced.and_then(setup_wallet::parse_save)?;
        done(
            self.engine
                .save_wallet(self.caller, wallet, &settings)
                .await,
        )
    }
}
