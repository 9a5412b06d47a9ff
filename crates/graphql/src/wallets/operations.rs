//! Setting wallets up.

use domain::Fault;

use super::inputs;
use crate::{
    executor::{Arguments, Out},
    operations::{Call, Operation, done, plain},
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::plain("setupWallet", |call, given| plain(set_up(call, given))),
    Operation::plain("saveWallet", |call, given| plain(save(call, given))),
];

async fn set_up(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let request = arguments.coerced.and_then(inputs::parse)?;
    call.engine
        .setup_wallet(call.caller, request)
        .await
        .map(Out::Scalar)
}

async fn save(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let (wallet, settings) = arguments.coerced.and_then(inputs::parse_save)?;
    done(
        call.engine
            .save_wallet(call.caller, wallet, &settings)
            .await,
    )
}
