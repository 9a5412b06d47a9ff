//! Opening a token, and sealing what was in it.

use domain::{
    Fault,
    caller::{Caller, Mode},
    id::{MethodId, PaymentId, TeamId},
    method::CardFunding,
    payment::PaidWith,
};
use wallet::WalletError;

use super::{Opened, WalletInput, bad_token, unsigned};
use crate::{Engine, faults::Stop, payments::payment_holder};

impl Engine {
    /// Verifies and opens a token. Nothing is kept yet. Errors: `error.wallet.invalid-token` with a reason.
    pub(crate) async fn open_wallet(&self, caller: &Caller, input: &WalletInput) -> Result<Opened, Stop> {
        if self.inner.settings.mode == Mode::Test && wallet::form(&input.token).is_none() {
            return unsigned::read(input.wallet, &input.token).map_err(|error| refused(error).into());
        }
        let _ = caller;
        Err(bad_token("can't be opened: this wallet is not set up for your team").into())
    }

    /// What a payment keeps of an open token: its number goes into the vault for the authorisation alone, its cryptogram
    /// is kept in memory.
    pub(crate) async fn wallet_card(
        &self,
        team: TeamId,
        payment: PaymentId,
        opened: Opened,
    ) -> Result<PaidWith, Stop> {
        let brand = opened.number.brand();
        let blob = self.inner.vault.seal_card(team, &opened.number).await?;
        if let Some(cryptogram) = &opened.cryptogram {
            let eci = opened.eci.as_deref();
            self.inner.vault.keep_cryptogram(&payment_holder(payment), cryptogram.expose(), eci);
        }
        Ok(PaidWith {
            method: opened.wallet.method(),
            token: None,
            id: MethodId::new(self.inner.world.uuid_v7()),
            blob,
            hidden: true,
            masked: opened.number.masked(),
            bin: Some(opened.number.bin()),
            expiry: opened.expiry,
            brand: brand.code().to_owned(),
            holder: None,
            address: None,
            fingerprint: self.inner.vault.fingerprint(team, &opened.number),
            funding: CardFunding::Undefined,
            product: None,
        })
    }
}

/// A token is used once, whatever came of the payment.
pub(crate) fn used_before() -> Fault {
    bad_token("was used before: each token pays once")
}

fn refused(error: WalletError) -> Fault {
    bad_token(error.to_string())
}
