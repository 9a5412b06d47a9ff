//! What a payment is paid with: found, checked for ownership, and turned into what the payment keeps of it.

use domain::{
    Code, Fault,
    caller::{Caller, Credential, Mode},
    customer::{self, CardInput, Customer, FieldsInput, StoredMethod},
    id::{BlobId, CustomerId, MethodId, PaymentId, TeamId, VaultToken},
    method::{CardFunding, Method},
    payment::{PaidAccount, PaidWith, Payer as KeptPayer},
};
use vault::Holder;

use super::tokenised::of_fields;
use crate::{
    Engine,
    card_facts::method_of_brand,
    faults::{EngineError, customer_not_found, method_not_found},
    settings::not_a_test_number,
    wallets::{OneUse, Opened, TokenMoney, WalletInput},
};

/// What the merchant wants to be paid with.
pub enum Instrument {
    /// A vault token of a card, as sent.
    Token(String),
    /// A stored method, charged as what is named.
    Stored(Stored),
    /// A raw card.
    Card(Box<CardInput>),
    /// A wallet's token, as sent.
    Wallet(Box<WalletInput>),
    /// What a processor's own fields gave for a card.
    OfFields(Box<FieldsInput>),
    /// An alternative method, which the customer approves at its own page.
    Method(Method),
}

/// A stored method that is charged as what the request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// A direct debit, or CARD.
    pub method: Method,
    /// Its vault token, as sent; the customer's default method when absent.
    pub token: Option<String>,
}

/// What a payment is to be paid with, before anything is looked up or sealed. A wallet's token is verified and open by
/// then, so that what it says of money is known.
pub(crate) enum GivenMethod {
    /// Nothing named: the customer's default.
    Default,
    /// A vault token, as sent.
    Token(String),
    /// A stored method, charged as what is named.
    Stored(Stored),
    /// A raw card.
    Card(Box<CardInput>),
    /// What was in a wallet's token.
    Wallet(Box<Opened>),
    /// What a processor's own fields gave for a card.
    OfFields(Box<FieldsInput>),
    /// An alternative method.
    Method(Method),
}

impl GivenMethod {
    /// What it says itself of amount and currency.
    pub(crate) fn money(&self) -> TokenMoney {
        match self {
            Self::Wallet(opened) => opened.money,
            Self::Default
            | Self::Token(_)
            | Self::Stored(_)
            | Self::Card(_)
            | Self::OfFields(_)
            | Self::Method(_) => TokenMoney::default(),
        }
    }
}

/// What the payment keeps of its instrument and its payer.
pub(crate) struct Paying {
    /// The instrument.
    pub(crate) method: PaidWith,
    /// The payer.
    pub(crate) payer: Option<KeptPayer>,
    /// Of an instrument that can be used once: the first commit is refused when it was used before.
    pub(crate) once: Option<OneUse>,
}

/// Who pays, as sent.
#[derive(Debug, Clone, Default)]
pub struct Payer {
    /// The id of a customer in the vault, as sent.
    pub id: Option<String>,
    /// The customer's details besides; used when there is no id.
    pub details: KeptPayer,
}

/// Under what the security code of a stored card is kept.
pub(crate) fn token_holder(team: TeamId, token: &VaultToken) -> String {
    format!("{team}/{token}")
}

/// Under what the security code of a raw card is kept: its sealed number, which is there before its payment has an id.
pub(crate) fn blob_holder(blob: BlobId) -> String {
    blob.key()
}

impl Engine {
    /// Verifies and opens a wallet's token; anything else stays as it was sent. Nothing is kept yet.
    pub(crate) async fn given_method(
        &self,
        caller: &Caller,
        instrument: Option<Instrument>,
    ) -> Result<GivenMethod, EngineError> {
        Ok(match instrument {
            None => GivenMethod::Default,
            Some(Instrument::Token(token)) => GivenMethod::Token(token),
            Some(Instrument::Stored(stored)) => GivenMethod::Stored(stored),
            Some(Instrument::Card(card)) => GivenMethod::Card(card),
            Some(Instrument::OfFields(given)) => GivenMethod::OfFields(given),
            Some(Instrument::Method(method)) => GivenMethod::Method(method),
            Some(Instrument::Wallet(input)) => {
                GivenMethod::Wallet(Box::new(Box::pin(self.open_wallet(caller, &input)).await?))
            }
        })
    }

    /// What the payment keeps of its instrument and its payer. Seals the number of a raw card or a wallet in the vault.
    pub(crate) async fn instrument(
        &self,
        caller: &Caller,
        given_method: GivenMethod,
        payer: Option<Payer>,
    ) -> Result<Paying, EngineError> {
        let id = payer.as_ref().and_then(|payer| payer.id.as_deref());
        let customer = match id {
            Some(id) => Some(self.paying_customer(caller, id).await?),
            None => None,
        };
        let wanted = match &given_method {
            GivenMethod::Stored(stored) => Some(stored.method),
            _ => None,
        };
        let mut once = None;
        let (method, payer) = match given_method {
            GivenMethod::Token(token)
            | GivenMethod::Stored(Stored {
                token: Some(token), ..
            }) => {
                let method = self
                    .usable_method(caller, &token, customer.as_ref())
                    .await?;
                if let Some(facts) = of_fields(&method).filter(|_| is_card(wanted)) {
                    let sealed = self.stored_by_fields(&method, facts).await?;
                    return Ok(Paying {
                        method: sealed.method,
                        payer: known_payer(customer.as_ref(), payer),
                        once: Some(sealed.once),
                    });
                }
                let owner = self.owner(caller, customer, &method).await?;
                let details = payer.map(|payer| payer.details);
                let wanted = wanted.unwrap_or(Method::Card);
                (
                    kept_of(&method, Some(wanted))?,
                    owner.as_ref().map(payer_of).or(details),
                )
            }
            GivenMethod::Card(card) => {
                let kept = self.raw_card(caller.team, *card).await?;
                (kept, known_payer(customer.as_ref(), payer))
            }
            GivenMethod::OfFields(given) => {
                let sealed = self.given_by_fields(caller.team, *given).await?;
                once = Some(sealed.once);
                (sealed.method, known_payer(customer.as_ref(), payer))
            }
            GivenMethod::Wallet(mut opened) => {
                once = opened.once.take();
                let kept = self.wallet_card(caller.team, *opened).await?;
                (kept, known_payer(customer.as_ref(), payer))
            }
            GivenMethod::Method(method) => {
                let kept = self.without_card(method);
                (kept, known_payer(customer.as_ref(), payer))
            }
            GivenMethod::Default | GivenMethod::Stored(Stored { token: None, .. }) => {
                let Some(customer) = customer else {
                    let reason = "must be given, unless a customer's stored method is to be used";
                    return Err(Fault::invalid("paymentMethod", reason).into());
                };
                let method = self.default_method(caller, &customer).await?;
                (kept_of(&method, wanted)?, Some(payer_of(&customer)))
            }
        };
        Ok(Paying {
            method,
            payer,
            once,
        })
    }

    /// The customer named in the request. A browser names only those that its token was made for, or that it made.
    async fn paying_customer(&self, caller: &Caller, id: &str) -> Result<Customer, EngineError> {
        let id = CustomerId::parse(id).ok_or_else(customer_not_found)?;
        let found = store::customer::of_team(&self.inner.store, caller.team, id).await?;
        found
            .filter(|customer| may_use(caller, customer))
            .ok_or_else(|| EngineError::Fault(customer_not_found()))
    }

    /// The token's record, if it is nobody's or the customer's.
    async fn usable_method(
        &self,
        caller: &Caller,
        token: &str,
        customer: Option<&Customer>,
    ) -> Result<StoredMethod, EngineError> {
        let token = VaultToken::parse(token).ok_or_else(method_not_found)?;
        let found = store::method::of_team(&self.inner.store, caller.team, &token).await?;
        let method = found.ok_or_else(method_not_found)?;
        let foreign = matches!((method.customer, customer), (Some(owner), Some(customer)) if owner != customer.id);
        if foreign {
            Err(method_not_found().into())
        } else {
            Ok(method)
        }
    }

    /// Who pays with a stored method: the customer named, else its owner.
    async fn owner(
        &self,
        caller: &Caller,
        named: Option<Customer>,
        method: &StoredMethod,
    ) -> Result<Option<Customer>, EngineError> {
        let (Some(owner), None) = (method.customer, &named) else {
            return Ok(named);
        };
        let found = store::customer::of_team(&self.inner.store, caller.team, owner).await?;
        match found {
            Some(customer) if !may_use(caller, &customer) => Err(method_not_found().into()),
            found => Ok(found),
        }
    }

    async fn default_method(
        &self,
        caller: &Caller,
        customer: &Customer,
    ) -> Result<StoredMethod, EngineError> {
        let none = || Fault::invalid("customer.id", "the customer has no stored payment method");
        let token = customer.default_method.as_ref().ok_or_else(none)?;
        let found = store::method::of_team(&self.inner.store, caller.team, token).await?;
        Ok(found.ok_or_else(none)?)
    }

    /// An alternative method: there is no number, here or anywhere.
    fn without_card(&self, method: Method) -> PaidWith {
        PaidWith {
            method: method.canonical(),
            token: None,
            id: MethodId::new(self.inner.world.uuid_v7()),
            blob: None,
            hidden: false,
            masked: None,
            bin: None,
            expiry: None,
            brand: None,
            account: None,
            wallet: None,
            holder: None,
            address: None,
            fingerprint: None,
            funding: CardFunding::Undefined,
            card_country: None,
            fields_token: None,
            product: None,
            network: None,
            network_weight: None,
        }
    }

    async fn raw_card(&self, team: TeamId, card: CardInput) -> Result<PaidWith, EngineError> {
        let field = |name: &str| format!("paymentMethod.card.{name}");
        if card.expiry.expired_at(self.inner.world.now()) {
            return Err(Fault::invalid(field("expYear"), "the card has expired").into());
        }
        if !self.inner.settings.takes(&card.number) {
            return Err(not_a_test_number(field("number")).into());
        }
        let brand = card.number.brand();
        let live = self.inner.settings.mode == Mode::Live;
        if live && card.cvc.as_ref().is_some_and(|cvc| !cvc.fits(brand)) {
            return Err(Fault::invalid(
                field("cvc"),
                "has not the length that the card's brand uses",
            )
            .into());
        }
        let preferred = card.preferred_brand.as_deref();
        let known = self.card_known(&card.number, preferred, &field("preferredBrand"))?;
        let id = MethodId::new(self.inner.world.uuid_v7());
        let holder = Holder::hidden(id);
        let blob = self
            .inner
            .vault
            .seal_card(team, &holder, &card.number)
            .await?;
        if let Some(cvc) = card.cvc {
            self.inner.vault.keep_cvc(&blob_holder(blob), &cvc).await?;
        }
        Ok(PaidWith {
            method: known.method(),
            token: None,
            id,
            blob: Some(blob),
            hidden: true,
            masked: Some(card.number.masked()),
            bin: Some(card.number.bin()),
            expiry: Some(card.expiry),
            brand: Some(known.brand),
            account: None,
            wallet: None,
            holder: card.holder,
            address: card.address,
            fingerprint: Some(self.inner.vault.fingerprint(team, &card.number)),
            funding: known.funding,
            card_country: known.country,
            fields_token: None,
            product: None,
            network: None,
            network_weight: None,
        })
    }
}

/// Whether the credential may name the customer: a browser's only those it was made for, or that it made.
pub(crate) fn may_use(caller: &Caller, customer: &Customer) -> bool {
    match &caller.credential {
        Credential::Secret => true,
        Credential::Public => false,
        Credential::Client(grant) => {
            grant.customer == Some(customer.id) || customer.made_by == Some(caller.key)
        }
    }
}

/// What a payment keeps of a stored method that is charged as `wanted`; as what it is charged usually when nothing is said.
///
/// Errors: `error.validation` when the two don't fit.
fn kept_of(method: &StoredMethod, wanted: Option<Method>) -> Result<PaidWith, EngineError> {
    let fits = match &method.instrument {
        customer::Instrument::Card { .. } => wanted.is_none_or(|wanted| wanted == Method::Card),
        customer::Instrument::BankAccount { kind, .. } => {
            wanted.is_none_or(|wanted| kind.methods().contains(&wanted))
        }
        // Those that fit are sealed again for their payment.
        customer::Instrument::OfFields(_) => false,
    };
    if !fits {
        return Err(misfit(&method.instrument).into());
    }
    let mut paid = PaidWith {
        method: Method::Card,
        token: Some(method.token.clone()),
        id: method.id,
        blob: Some(method.blob),
        hidden: false,
        masked: Some(method.masked.clone()),
        bin: None,
        expiry: None,
        brand: None,
        account: None,
        wallet: None,
        holder: method.holder.clone(),
        address: method.address.clone(),
        fingerprint: Some(method.fingerprint.clone()),
        funding: method.funding,
        card_country: method.card_country.clone(),
        fields_token: None,
        product: method.product.clone(),
        network: method.network.clone(),
        network_weight: None,
    };
    match &method.instrument {
        customer::Instrument::Card { expiry, brand, bin } => {
            paid.method = method_of_brand(brand);
            paid.bin = Some(bin.clone());
            paid.expiry = Some(*expiry);
            paid.brand = Some(brand.clone());
        }
        customer::Instrument::BankAccount { kind, mandate, .. } => {
            paid.method = wanted.unwrap_or(kind.usual_method());
            paid.account = Some(PaidAccount {
                kind: kind.clone(),
                mandate: mandate.clone(),
            });
        }
        customer::Instrument::OfFields(_) => {}
    }
    Ok(paid)
}

/// Whether a stored method is to be charged as a card.
fn is_card(wanted: Option<Method>) -> bool {
    wanted.is_none_or(|wanted| wanted == Method::Card)
}

/// The fault of a type by which the stored method can't be charged.
fn misfit(instrument: &customer::Instrument) -> Fault {
    let reason = match instrument {
        customer::Instrument::Card { .. } | customer::Instrument::OfFields(_) => {
            "must be CARD: the stored payment method is a card".to_owned()
        }
        customer::Instrument::BankAccount { kind, .. } => {
            let codes: Vec<&str> = kind.methods().iter().map(|method| method.code()).collect();
            format!(
                "must be {}: the stored payment method is a bank account with {}",
                codes.join(" or "),
                kind.words()
            )
        }
    };
    Fault::invalid("paymentMethod.type", reason)
}

/// The customer as a payer; without one, the details that the request gives.
fn known_payer(customer: Option<&Customer>, given: Option<Payer>) -> Option<KeptPayer> {
    customer.map(payer_of).or(given.map(|payer| payer.details))
}

fn payer_of(customer: &Customer) -> KeptPayer {
    KeptPayer {
        id: Some(customer.id),
        email: customer.email.clone(),
        name: Some(customer.name.clone()),
        phone: customer.phone.clone(),
        description: customer.description.clone(),
        billing: customer.billing.clone(),
        shipping: customer.shipping.clone(),
        company: customer.company.clone(),
    }
}

/// The fault for a client token that has a live or paid payment already.
pub(crate) fn already_authorised(payment: PaymentId) -> Fault {
    let message = "There is a live or paid payment already.";
    Fault::new(Code::AlreadyAuthorised, message).about(payment)
}
