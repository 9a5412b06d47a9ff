//! Cards that Stripe stores: a payment method that is attached to a customer of the account.
//!
//! Facts and their sources: docs/processors/stripe.md, "Stored credentials and wallets". Each card gets a customer object of its own, which
//! holds nothing of the person: payments name the card together with it.

use connector::{
    Action, ActionKind, CallError, Called, Cause, Link, OwnToken, Stored, StoredCardData, Tokenise,
    Tokenised,
};
use domain::{
    card_number::SecurityCode,
    decline::{Decline, DeclineCode},
};

use super::{
    Stripe,
    answers::OUR_REFERENCE,
    api::{Api, Form, Outcome, Refusal},
    declines::Said,
    prepare::{card_form, uncharged},
    wire::{Error, Expandable, Intent, Made, Setup},
};

/// Beginnings of messages that say that a method is nobody's any more; they come without a code.
/// Source: issues #323 of Automattic/woocommerce-payments and #3826 of getlago/lago-api.
const DETACHED: [&str; 2] = [
    "The provided PaymentMethod was previously used",
    "The customer does not have a payment method with the ID",
];

impl Stored for Stripe {
    fn tokenise<'a>(&'a self, link: &'a Link<'a>, call: &'a Tokenise<'a>) -> Called<'a, Tokenised> {
        Box::pin(tokenise(Api::of(link), call))
    }
}

/// Stores a card by a setup intent: made without the card, read as it stands now, and confirmed where it was not before.
async fn tokenise(api: Api<'_>, call: &Tokenise<'_>) -> Result<Tokenised, CallError> {
    let customer = customer(api, call.reference).await?;
    let form = Form::default()
        .with("customer", customer)
        .with("usage", "off_session")
        .with("payment_method_types[0]", "card")
        .with(format!("metadata[{OUR_REFERENCE}]"), call.reference);
    let key = format!("{}-setup", call.reference);
    let made = api
        .post_moneyless::<Made>("/v1/setup_intents", &key, &form)
        .await?;
    // Under a known key this is the setup as it was when it was made.
    let id = made.map_err(Refusal::rejected)?.id;
    let path = format!("/v1/setup_intents/{id}");
    let setup = api.get::<Setup>(&path, &Form::default()).await?;
    let setup = setup.map_err(Refusal::rejected)?;
    if setup.status != "requires_payment_method" || setup.last_setup_error.is_some() {
        return standing(&setup);
    }
    confirm(api, call, &setup.id).await
}

async fn confirm(api: Api<'_>, call: &Tokenise<'_>, id: &str) -> Result<Tokenised, CallError> {
    let key = format!("{}-method", call.reference);
    let form = card_form(call.card);
    let method = api
        .post_moneyless::<Made>("/v1/payment_methods", &key, &form)
        .await?;
    let method = match method {
        Ok(method) => method.id,
        Err(refusal) => return refused(refusal),
    };
    let form = Form::default()
        .with("payment_method", method)
        .with_some("return_url", call.return_url);
    let (path, key) = (
        format!("/v1/setup_intents/{id}/confirm"),
        format!("{}-confirm", call.reference),
    );
    match api.post_moneyless::<Setup>(&path, &key, &form).await? {
        Ok(setup) => standing(&setup),
        Err(refusal) => refused(refusal),
    }
}

fn refused(refusal: Refusal) -> Result<Tokenised, CallError> {
    match refusal {
        Refusal::Declined(error) => Ok(Tokenised::Declined(Said::by_error(&error).decline())),
        other => Err(other.rejected()),
    }
}

/// How a setup stands. Source: docs/processors/stripe.md, "States".
fn standing(setup: &Setup) -> Result<Tokenised, CallError> {
    let unclear = || CallError::unknown(format!("the setup is {}", setup.status));
    match setup.status.as_str() {
        "succeeded" => own(setup.payment_method.as_ref(), setup.customer.as_ref())
            .map(Tokenised::Token)
            .ok_or_else(unclear),
        "requires_action" => {
            let page = setup.next_action.as_ref();
            let page = page.and_then(|action| action.redirect_to_url.as_ref());
            Ok(match page.and_then(|page| page.url.clone()) {
                Some(url) => {
                    Tokenised::ActionRequired(Action::new(ActionKind::ThreeDSecure, url, false))
                }
                // Nobody is there who could be sent to a page.
                None => Tokenised::Declined(Decline::of(DeclineCode::AuthorizationRequired)),
            })
        }
        "requires_payment_method" => {
            let error = setup.last_setup_error.as_ref().ok_or_else(unclear)?;
            Ok(Tokenised::Declined(Said::by_error(error).decline()))
        }
        "canceled" => Ok(Tokenised::Declined(Decline::of(
            DeclineCode::PaymentCancelled,
        ))),
        _ => Err(unclear()),
    }
}

/// The stored card of an intent whose customer agreed to later payments, once it is attached.
pub(super) fn of_intent(intent: &Intent) -> Option<OwnToken> {
    let is_kept = intent.setup_future_usage.as_deref() == Some("off_session")
        && matches!(intent.status.as_str(), "succeeded" | "requires_capture")
        && intent
            .payment_method_types
            .iter()
            .any(|kind| kind == "card");
    let own = own(intent.payment_method.as_ref(), intent.customer.as_ref());
    own.filter(|_| is_kept)
}

fn own(method: Option<&Expandable<Made>>, customer: Option<&Expandable<Made>>) -> Option<OwnToken> {
    Some(OwnToken {
        value: method?.id().to_owned(),
        customer: Some(customer?.id().to_owned()),
        reusable: true,
    })
}

/// A customer object for one card.
pub(super) async fn customer(api: Api<'_>, reference: &str) -> Result<String, CallError> {
    let form = Form::default().with(format!("metadata[{OUR_REFERENCE}]"), reference);
    let key = format!("{reference}-customer");
    let made = uncharged(
        api.post_moneyless::<Made>("/v1/customers", &key, &form)
            .await,
    )?;
    made.map(|made| made.id).map_err(Refusal::rejected)
}

/// A token of the security code that the customer has typed for a stored card, for one confirmation.
pub(super) async fn code_token(
    api: Api<'_>,
    reference: &str,
    card: &StoredCardData,
) -> Result<Option<Outcome<Made>>, CallError> {
    let Some(code) = card.cvc.as_ref().map(SecurityCode::expose) else {
        return Ok(None);
    };
    let form = Form::default().with("cvc_update[cvc]", code);
    let key = format!("{reference}-cvc");
    uncharged(api.post_moneyless::<Made>("/v1/tokens", &key, &form).await).map(Some)
}

/// What was wrong with a request that Stripe refused: it may have named a card that is not stored any more.
pub(super) fn cause(error: &Error) -> Cause {
    let is_missing = error.code.as_deref() == Some("resource_missing")
        && matches!(error.param.as_deref(), Some("payment_method" | "customer"));
    let message = error.message.as_deref().unwrap_or_default();
    let is_detached = DETACHED.iter().any(|start| message.starts_with(start));
    if is_missing || is_detached {
        Cause::StoredCardGone
    } else {
        Cause::Request
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: Option<&str>, param: Option<&str>, message: &str) -> Error {
        Error {
            code: code.map(str::to_owned),
            param: param.map(str::to_owned),
            message: Some(message.to_owned()),
            ..Error::default()
        }
    }

    #[test]
    fn a_stored_card_is_gone_only_where_stripe_says_so() {
        let gone = [
            error(
                Some("resource_missing"),
                Some("payment_method"),
                "No such payment_method",
            ),
            error(
                Some("resource_missing"),
                Some("customer"),
                "No such customer",
            ),
            error(
                None,
                None,
                "The provided PaymentMethod was previously used with a PaymentIntent",
            ),
        ];
        for error in gone {
            assert_eq!(cause(&error), Cause::StoredCardGone, "{error:?}");
        }
        let others = [
            error(
                Some("resource_missing"),
                Some("intent"),
                "No such payment_intent",
            ),
            error(
                Some("parameter_unknown"),
                Some("payment_method"),
                "Received unknown parameter",
            ),
            Error::default(),
        ];
        for error in others {
            assert_eq!(cause(&error), Cause::Request, "{error:?}");
        }
    }
}
