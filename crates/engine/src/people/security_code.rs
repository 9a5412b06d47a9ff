//! A security code for a stored card.

use crate::boxed;
use domain::{
    Fault,
    brand::Brand,
    caller::{Caller, Mode},
    card_number::SecurityCode,
    customer::Instrument,
    id::VaultToken,
};

use crate::{
    Engine,
    faults::{EngineError, method_not_found, only_fault},
    payments::{may_use, token_holder},
};

impl Engine {
    /// Keeps a security code for a stored card, until the authorisation that uses it has ended or its life time is over;
    /// one that was kept is replaced. A client token may do so for a card of nobody's, and of the customers that it may
    /// name.
    ///
    /// # Errors
    /// `error.payment-method.not-found`; `error.validation` for a bank account, and in live mode for a
    /// code that has not the length of its brand's.
    #[boxed]
    pub async fn attach_code(
        &self,
        caller: &Caller,
        token: &VaultToken,
        code: &SecurityCode,
    ) -> Result<(), Fault> {
        self.code_attached(caller, token, code)
            .await
            .map_err(only_fault)
    }

    async fn code_attached(
        &self,
        caller: &Caller,
        token: &VaultToken,
        code: &SecurityCode,
    ) -> Result<(), EngineError> {
        let method = self.known_method(caller.team, token).await?;
        if let Some(owner) = method.customer {
            let owner = store::customer::of_team(&self.inner.store, caller.team, owner).await?;
            if !owner.is_some_and(|owner| may_use(caller, &owner)) {
                return Err(method_not_found().into());
            }
        }
        let Instrument::Card { brand, .. } = &method.instrument else {
            return Err(
                Fault::invalid("token", "is a bank account, which has no security code").into(),
            );
        };
        let brand = Brand::parse(brand).unwrap_or(Brand::Unknown);
        if self.inner.settings.mode == Mode::Live && !code.fits(brand) {
            return Err(
                Fault::invalid("cvc", "has not the length that the card's brand uses").into(),
            );
        }
        Ok(self
            .inner
            .vault
            .keep_cvc(&token_holder(caller.team, token), code)
            .await?)
    }
}
