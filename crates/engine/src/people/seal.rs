//! A new method on its way into the store: checked, its number sealed.

use domain::{
    Fault,
    caller::Mode,
    card_number::SecurityCode,
    customer::{
        AccountInput, CardInput, Customer, FieldsInput, Instrument, NewMethod, StoredMethod,
    },
    id::{BlobId, MethodId, TeamId, VaultToken},
    method::CardFunding,
};
use vault::Holder;

use crate::{Engine, faults::EngineError, payments::token_holder, settings::not_a_test_number};

/// Length of a vault token. Unit: characters of just under six bits; 24 have 142 bits.
const TOKEN_LENGTH: usize = 24;

/// A method whose number is sealed and whose record is not stored yet.
pub(super) struct Sealed {
    /// The record to be.
    pub(super) method: StoredMethod,
    cvc: Option<SecurityCode>,
    make_default: bool,
}

/// What tells a record from all others.
struct Identity {
    id: MethodId,
    token: VaultToken,
}

impl Identity {
    fn holder(&self) -> Holder {
        Holder::token(self.id, &self.token)
    }
}

/// What the record keeps of a number.
struct Number {
    blob: BlobId,
    masked: String,
    fingerprint: String,
}

impl Sealed {
    /// The method as the customer's: the default when it is the first, or is to be.
    pub(super) fn given_to(&self, customer: &mut Customer) -> StoredMethod {
        let mut method = self.method.clone();
        method.customer = Some(customer.id);
        if self.make_default || customer.default_method.is_none() {
            customer.default_method = Some(method.token.clone());
        }
        method.is_default = customer.default_method.as_ref() == Some(&method.token);
        method
    }
}

impl Engine {
    /// Checks an instrument and seals its number. `field` is where it begins in a fault's `field`.
    pub(super) async fn seal(
        &self,
        team: TeamId,
        new: NewMethod,
        field: &str,
    ) -> Result<Sealed, EngineError> {
        match new {
            NewMethod::Card(card) => self.seal_card(team, card, field).await,
            NewMethod::Account(account) => self.seal_account(team, account).await,
            NewMethod::OfFields(given) => self.seal_fields_token(team, given).await,
        }
    }

    async fn seal_card(
        &self,
        team: TeamId,
        card: CardInput,
        field: &str,
    ) -> Result<Sealed, EngineError> {
        if card.expiry.expired_at(self.inner.world.now()) {
            return Err(Fault::invalid(format!("{field}.expYear"), "the card has expired").into());
        }
        if !self.inner.settings.takes(&card.number) {
            return Err(not_a_test_number(format!("{field}.number")).into());
        }
        let brand = card.number.brand();
        let live = self.inner.settings.mode == Mode::Live;
        if live && card.cvc.as_ref().is_some_and(|cvc| !cvc.fits(brand)) {
            let reason = "has not the length that the card's brand uses";
            return Err(Fault::invalid(format!("{field}.cvc"), reason).into());
        }
        let preferred = card.preferred_brand.as_deref();
        let known = self.card_known(&card.number, preferred, &format!("{field}.preferredBrand"))?;
        let identity = self.identity()?;
        let (vault, holder) = (&self.inner.vault, identity.holder());
        let number = Number {
            blob: vault.seal_card(team, &holder, &card.number).await?,
            masked: card.number.masked(),
            fingerprint: vault.fingerprint(team, &card.number),
        };
        let instrument = Instrument::Card {
            expiry: card.expiry,
            brand: known.brand,
            bin: card.number.bin(),
        };
        let mut method = self.record(team, identity, instrument, number);
        method.holder = card.holder;
        method.funding = known.funding;
        method.card_country = known.country;
        method.address = card.address;
        Ok(Sealed {
            method,
            cvc: card.cvc,
            make_default: card.make_default,
        })
    }

    async fn seal_account(
        &self,
        team: TeamId,
        account: AccountInput,
    ) -> Result<Sealed, EngineError> {
        let identity = self.identity()?;
        let (vault, holder) = (&self.inner.vault, identity.holder());
        let number = Number {
            blob: vault.seal_account(team, &holder, &account.number).await?,
            masked: account.number.masked(),
            fingerprint: vault.account_fingerprint(team, &account.kind, &account.number),
        };
        let mut method = self.record(
            team,
            identity,
            Instrument::BankAccount {
                bank_name: account.bank_name,
                kind: account.kind,
                mandate: account.mandate,
            },
            number,
        );
        method.holder = Some(account.holder);
        method.funding = account.funding;
        method.product = account.product;
        Ok(Sealed {
            method,
            cvc: None,
            make_default: false,
        })
    }

    /// Seals the token of a processor's fields. It is not a number, so nothing of it is shown.
    async fn seal_fields_token(
        &self,
        team: TeamId,
        given: FieldsInput,
    ) -> Result<Sealed, EngineError> {
        let field = "data.paymentMethod.processorToken.connectionId";
        let facts = self.fields_token(team, &given.connection, field).await?;
        let identity = self.identity()?;
        let (vault, holder) = (&self.inner.vault, identity.holder());
        let number = Number {
            blob: vault.seal_token(team, &holder, &given.token).await?,
            masked: String::new(),
            fingerprint: vault.token_fingerprint(team, &facts.connection, &given.token),
        };
        let mut method = self.record(team, identity, Instrument::OfFields(facts), number);
        method.holder = given.holder;
        method.address = given.address;
        Ok(Sealed {
            method,
            cvc: None,
            make_default: false,
        })
    }

    fn identity(&self) -> Result<Identity, Fault> {
        let world = &self.inner.world;
        Ok(Identity {
            id: MethodId::new(world.uuid_v7()),
            token: VaultToken::parse(&world.token(TOKEN_LENGTH)).ok_or_else(Fault::unknown)?,
        })
    }

    fn record(
        &self,
        team: TeamId,
        identity: Identity,
        instrument: Instrument,
        number: Number,
    ) -> StoredMethod {
        let now = self.inner.world.now();
        StoredMethod {
            id: identity.id,
            team,
            token: identity.token,
            customer: None,
            blob: number.blob,
            instrument,
            masked: number.masked,
            holder: None,
            funding: CardFunding::Undefined,
            card_country: None,
            product: None,
            fingerprint: number.fingerprint,
            external_id: None,
            metadata: None,
            address: None,
            created_at: now,
            updated_at: now,
            is_default: false,
            network: None,
        }
    }

    /// Ends a method's way into the store: its security code is kept when its record was written; its number is erased
    /// when another request had the key. What another end leaves behind, the job for orphans finds: it may be in use.
    pub(super) async fn keep_or_discard<T>(
        &self,
        sealed: Sealed,
        made: Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let Sealed { method, cvc, .. } = sealed;
        match (&made, cvc) {
            (Ok(_), Some(cvc)) => {
                // The record is written, so that the method is returned; its code can be attached again.
                if let Err(error) = self
                    .inner
                    .vault
                    .keep_cvc(&token_holder(method.team, &method.token), &cvc)
                    .await
                {
                    tracing::warn!(error = %error, "the security code of a stored card was not kept");
                }
            }
            (Err(EngineError::Taken), _) => {
                if let Err(error) = self.inner.vault.erase(method.team, method.blob).await {
                    tracing::warn!(error = %error, "a number that is not needed is left to the job for orphans");
                }
            }
            (Ok(_), None) | (Err(EngineError::Fault(_) | EngineError::Outdated), _) => {}
        }
        made
    }
}
