//! What is asked for with an authorisation, and what the credential allows of it.

use domain::{
    Code, Fault,
    browser::Browser,
    caller::{Caller, ClientGrant, Credential, forbidden},
    id::IntentId,
    intent::Intent,
    money::Currency,
    payment::{Initiator, Recurring, ThreeDsWish},
    redirect::RedirectUrl,
};

use super::{Instrument, Payer};
use crate::{Engine, idempotency::Once, numbers::Number};

/// A request for a payment.
pub struct Authorise {
    /// How much, in minor units.
    pub amount: Option<i64>,
    /// In which currency.
    pub currency: Option<Currency>,
    /// Where it goes.
    pub target: Target,
    /// The checkout intent that it pays, as sent.
    pub intent: Option<String>,
    /// What it is paid with; the customer's default method when absent.
    pub instrument: Option<Instrument>,
    /// Who pays.
    pub payer: Option<Payer>,
    /// The merchant's order.
    pub order_id: Option<String>,
    /// The merchant's id of the transaction attempt.
    pub transaction_id: Option<String>,
    /// The merchant's description.
    pub description: Option<String>,
    /// Text for the customer's statement.
    pub statement_descriptor: Option<String>,
    /// The merchant's own data.
    pub metadata: Option<serde_json::Value>,
    /// Data of the merchant's fraud provider, an object.
    pub fraud: Option<serde_json::Value>,
    /// Whether 3D Secure is asked for.
    pub three_ds: ThreeDsWish,
    /// Where the customer returns to after 3D Secure.
    pub three_ds_redirect: Option<RedirectUrl>,
    /// What the customer's browser says of itself.
    pub browser: Option<Box<Browser>>,
    /// Where the customer returns to after an alternative method's page.
    pub apm_redirect: Option<RedirectUrl>,
    /// Who started it.
    pub initiator: Initiator,
    /// The agreement on a stored card that it begins or goes by.
    pub recurring: Option<Recurring>,
}

/// Where a payment goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Where the flow says, as sent; the intent's flow or the team's default when absent.
    Flow(Option<String>),
    /// To this connection, as sent: headless.
    Connection(String),
}

impl Engine {
    /// The command, bound to what the credential was made for. The outer fault is never remembered under a key.
    ///
    /// # Errors
    /// `api.key.forbidden`; `error.rate-limited` when a raw card brings too many numbers.
    pub(super) async fn admit_command(
        &self,
        caller: &Caller,
        once: Option<&Once>,
        parsed: Result<Authorise, Fault>,
    ) -> Result<Result<Box<Authorise>, Fault>, Fault> {
        let grant = grant_of(caller)?;
        let command = parsed.as_ref().ok();
        let is_headless =
            command.is_some_and(|command| matches!(command.target, Target::Connection(_)));
        if grant.is_some() && is_headless {
            return Err(forbidden());
        }
        self.count_raw_card(caller, once, command).await?;
        // Boxed, since it is large and handed on from one future to the next.
        Ok(parsed.map(Box::new).and_then(|command| {
            let command = granted(command, grant.as_ref())?;
            self.refuse_numbers_in_names(&command)?;
            Ok(command)
        }))
    }

    /// The merchant's own names must not hold a card number.
    fn refuse_numbers_in_names(&self, command: &Authorise) -> Result<(), Fault> {
        let names = [
            ("orderId", command.order_id.as_deref()),
            ("transactionId", command.transaction_id.as_deref()),
        ];
        let card = match &command.instrument {
            Some(Instrument::Card(card)) => Some(&card.number),
            _ => None,
        };
        self.refuse_numbers(&names, card)
    }

    /// Counts the number of a raw card before anything is answered, also from the key.
    async fn count_raw_card(
        &self,
        caller: &Caller,
        once: Option<&Once>,
        command: Option<&Authorise>,
    ) -> Result<(), Fault> {
        match (command, once) {
            (Some(command), _) => match &command.instrument {
                Some(Instrument::Card(card)) => {
                    self.count_number(caller, Number::Card(&card.number)).await
                }
                _ => Ok(()),
            },
            (None, Some(once)) => self.count_sent(caller, once).await,
            (None, None) => Ok(()),
        }
    }
}

/// What a browser's credential was made for; `None` for a secret key.
fn grant_of(caller: &Caller) -> Result<Option<ClientGrant>, Fault> {
    match &caller.credential {
        Credential::Secret => Ok(None),
        Credential::Client(grant)
            if grant.intent.is_some() || (grant.amount.is_some() && grant.currency.is_some()) =>
        {
            Ok(Some(grant.clone()))
        }
        Credential::Client(_) => Err(without_amount(
            "The client token was made without an amount and without an intent.",
        )),
        Credential::Public => Err(forbidden()),
    }
}

/// A client token that can't pay, and what to do.
fn without_amount(why: &str) -> Fault {
    let way_out =
        "Make it with amount and currency, or with an intentId whose amount a secret key has set.";
    Fault::new(Code::Forbidden, format!("{why} {way_out}"))
}

/// A client token without an amount pays what its intent says, if a secret key has said it.
pub(crate) fn trusts_intent(caller: &Caller, intent: Option<&Intent>) -> Result<(), Fault> {
    let Credential::Client(grant) = &caller.credential else {
        return Ok(());
    };
    let is_trusted = |intent: &Intent| {
        intent.money_is_trusted && intent.currency_is_trusted && intent.money.is_some()
    };
    if grant.amount.is_some() || intent.is_some_and(is_trusted) {
        return Ok(());
    }
    Err(without_amount(
        "The client token was made without an amount, and no secret key has set one in its intent.",
    ))
}

/// Binds a command to what a client token was made for.
fn granted(
    mut command: Box<Authorise>,
    grant: Option<&ClientGrant>,
) -> Result<Box<Authorise>, Fault> {
    let Some(grant) = grant else {
        return Ok(command);
    };
    let differs = |field: &str| Fault::invalid(field, "must be what the client token was made for");
    let currency = grant.currency.as_deref().and_then(Currency::parse);
    // Without an amount of its own the token pays what its intent says, which is compared when that is read.
    if grant.amount.is_some() {
        if command.amount.is_some() && command.amount != grant.amount {
            return Err(differs("amount"));
        }
        if command.currency.is_some() && command.currency != currency {
            return Err(differs("currencyCode"));
        }
        command.amount = grant.amount;
        command.currency = currency;
    }
    if command.initiator == Initiator::Merchant {
        let reason = "must be CUSTOMER: a browser is the customer's";
        return Err(Fault::invalid("initiator", reason));
    }
    if let Some(flow) = &grant.flow {
        if !matches!(&command.target, Target::Flow(wanted) if wanted.as_deref().is_none_or(|wanted| wanted == flow.as_str()))
        {
            return Err(differs("flowId"));
        }
        command.target = Target::Flow(Some(flow.as_str().to_owned()));
    }
    if let Some(intent) = grant.intent {
        let named = command.intent.as_deref().map(IntentId::parse);
        if named.is_some_and(|named| named != Some(intent)) {
            return Err(differs("intentId"));
        }
        command.intent = Some(intent.to_string());
    }
    Ok(command)
}
