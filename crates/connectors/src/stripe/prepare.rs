//! What comes before a confirmation: the intent, the method and what belongs to it. None of it can charge.

use connector::{Answer, CallError, CardData, FundingSource, StoredCardData};
use futures_util::future::try_join;

use super::{
    answers,
    api::{Api, Form, Outcome, Refusal},
    authorise::Asked,
    declines::Said,
    methods, stored,
    wire::{Intent, Made},
};

/// What a request for an authorisation brought before anything could charge.
pub(super) enum Prepared {
    /// The intent, and what to confirm it with.
    Intent(Box<Intent>, PaysWith),
    /// The card was refused when it was handed over.
    Declined(Box<Answer>),
}

/// What confirms an intent.
#[derive(Default)]
pub(super) struct PaysWith {
    /// A payment method. `None`: one within the confirmation.
    pub(super) method: Option<String>,
    /// A token of the security code that was typed for a stored card.
    pub(super) code: Option<String>,
}

/// Makes the intent and, beside it, the method: neither can charge.
pub(super) async fn prepare(api: Api<'_>, asked: &Asked<'_>) -> Result<Prepared, CallError> {
    match asked.call.funding_source {
        FundingSource::Card(card) => prepare_card(api, asked, card).await,
        FundingSource::StoredCard(card) => prepare_stored(api, asked, card).await,
        FundingSource::NetworkToken { .. }
        | FundingSource::Token(_)
        | FundingSource::Account(_)
        | FundingSource::Page => {
            let intent = uncharged(asked.make_intent(api, None).await)?;
            let intent = Box::new(intent.map_err(Refusal::rejected)?);
            Ok(Prepared::Intent(intent, PaysWith::default()))
        }
    }
}

/// The same for a card by its number. One that is to be stored needs a customer first.
async fn prepare_card(
    api: Api<'_>,
    asked: &Asked<'_>,
    card: &CardData,
) -> Result<Prepared, CallError> {
    let reference = asked.call.reference.as_str();
    let customer = if asked.stores() {
        Some(stored::customer(api, reference).await?)
    } else {
        None
    };
    let (key, form) = (format!("{reference}-method"), card_form(card));
    let (intent, method) = try_join(
        async { uncharged(asked.make_intent(api, customer.as_deref()).await) },
        async { uncharged(api.post::<Made>("/v1/payment_methods", &key, &form).await) },
    )
    .await?;
    let intent = intent.map_err(Refusal::rejected)?;
    match method {
        Ok(method) => {
            let pays = PaysWith {
                method: Some(method.id),
                code: None,
            };
            Ok(Prepared::Intent(Box::new(intent), pays))
        }
        Err(refusal) => declined(refusal, &intent),
    }
}

/// The same for a card that Stripe stores.
async fn prepare_stored(
    api: Api<'_>,
    asked: &Asked<'_>,
    card: &StoredCardData,
) -> Result<Prepared, CallError> {
    let customer = card.token.customer.as_deref();
    let (intent, code) = try_join(
        async { uncharged(asked.make_intent(api, customer).await) },
        stored::code_token(api, asked.call.reference.as_str(), card),
    )
    .await?;
    let intent = intent.map_err(Refusal::rejected)?;
    let code = match code.transpose() {
        Ok(code) => code.map(|code| code.id),
        Err(refusal) => return declined(refusal, &intent),
    };
    let pays = PaysWith {
        method: Some(card.token.value.clone()),
        code,
    };
    Ok(Prepared::Intent(Box::new(intent), pays))
}

/// What was refused before an intent could be confirmed.
fn declined(refusal: Refusal, intent: &Intent) -> Result<Prepared, CallError> {
    match refusal {
        Refusal::Declined(error) => Ok(Prepared::Declined(Box::new(Answer::Declined {
            decline: Said::by_error(&error).decline(),
            approval: answers::approval(intent),
        }))),
        refusal => Err(refusal.rejected()),
    }
}

/// A request that can't charge has no unknown outcome that matters. (That another one under the same reference is under way is a refusal,
/// and stays unknown.)
pub(super) fn uncharged<T>(made: Result<Outcome<T>, CallError>) -> Result<Outcome<T>, CallError> {
    match made {
        Err(CallError::Unknown { reason, known }) => Err(CallError::NotSent {
            reason: format!("nothing that could charge was sent: {reason}").into(),
            again_after: known.again_after,
        }),
        other => other,
    }
}

/// The card as a payment method. Source: docs/processors/stripe.md, "Calls".
pub(super) fn card_form(card: &CardData) -> Form {
    let mut form = Form::default()
        .with("type", "card")
        .with("card[number]", card.number.expose())
        .with("card[exp_month]", card.expiry.month().to_string())
        .with("card[exp_year]", card.expiry.year().to_string())
        .with_some(
            "card[cvc]",
            card.cvc
                .as_ref()
                .map(domain::card_number::SecurityCode::expose),
        )
        .with_some("billing_details[name]", card.name.as_deref());
    if let Some(address) = &card.address {
        form = methods::address(form, "billing_details", address);
    }
    form
}
