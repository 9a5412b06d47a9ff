//! Authorising, and completing what the customer was asked for.

use connector::{Answer, Approval, Authorise, CallError, Complete, FundingSource, Reference};
use serde_json::json;

use super::{
    address::Service,
    amounts,
    answers::{self, Asked, Captures, unknown},
    api::{Api, Refusal},
    declines, request, stored,
    wire::Paid,
};

/// The parameter with which the customer's browser comes back. Source: docs/processors/adyen.md, "Results".
const REDIRECT_RESULT: &str = "redirectResult";

/// Asks for an authorisation.
pub(super) async fn authorise(api: Api<'_>, call: &Authorise<'_>) -> Result<Answer, CallError> {
    let payment = request::of(call, api.account())?;
    let key = api.key(call.reference.as_str(), "payments")?;
    let paid = api
        .post::<Paid>(Service::Checkout, "payments", Some(&key), &payment.body)
        .await?;
    let asked = Asked {
        reference: call.reference,
        captures: Captures::of(call.capture, api.takes_several_captures()),
        is_present: call.three_ds.return_url.is_some() && !call.merchant_initiated,
        is_card: payment.is_card,
    };
    let is_stored = matches!(call.funding_source, FundingSource::StoredCard(_));
    match paid {
        Ok(paid) if is_stored && stored::is_gone(&paid) => Err(stored::gone()),
        Ok(paid) => answers::answer(&paid, asked),
        Err(refusal) if is_stored => Err(stored::refused(refusal)),
        Err(refusal) => declined(refusal),
    }
}

/// A refused request: a decline where it is about what the customer typed.
fn declined(refusal: Refusal) -> Result<Answer, CallError> {
    match refusal.code.as_deref().and_then(declines::by_validation) {
        Some(decline) => Ok(Answer::Declined {
            decline,
            approval: Approval::default(),
        }),
        None => Err(refusal.rejected()),
    }
}

/// Completes an authorisation with what the customer's browser brought back. Anybody can have made that up, or brought that of another
/// payment: what Adyen says of it must be about this one, and this amount.
///
/// A refused or unsent completion leaves the payment waiting for the customer. Where an earlier round of it has authorised all the same,
/// Adyen's notification tells.
pub(super) async fn complete(api: Api<'_>, call: &Complete<'_>) -> Result<Answer, CallError> {
    let reference = call.authorisation.reference;
    let result = call
        .returned
        .and_then(|returned| returned.get(REDIRECT_RESULT));
    let Some(result) = result.filter(|result| !result.is_empty()) else {
        return Err(CallError::rejected(
            "the customer has not come back with a result",
        ));
    };
    let body = json!({"details": {REDIRECT_RESULT: result}});
    // A challenge may be followed by another, with a result of its own.
    let key = api.key(reference.as_str(), &format!("details {result}"))?;
    let paid = api
        .post::<Paid>(Service::Checkout, "payments/details", Some(&key), &body)
        .await?
        .map_err(Refusal::rejected)?;
    check_about(&paid, reference)?;
    let asked = Asked {
        reference,
        captures: Captures::of(call.capture, api.takes_several_captures()),
        is_present: true,
        // Where Adyen does not say what is paid with, it may be a method whose page takes the money.
        is_card: false,
    };
    let answer = answers::answer(&paid, asked)?;
    let authorised = paid
        .amount
        .as_ref()
        .and_then(|amount| amounts::from_wire(amount.value, &amount.currency));
    match answer {
        Answer::Approved { .. } if authorised.is_none() => Err(unknown(
            paid.psp_reference,
            "the answer does not say how much it is about",
        )),
        answer => Ok(answer),
    }
}

/// Whether an answer is about this payment.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(AdyenResultOfAnotherPayment = super::bugs::about_any)
)]
fn check_about(paid: &Paid, reference: &Reference) -> Result<(), CallError> {
    match paid.merchant_reference.as_deref() {
        Some(about) if about == reference.as_str() => Ok(()),
        Some(_) => Err(CallError::rejected(
            "the customer came back with the result of another payment",
        )),
        None => Err(unknown(
            None,
            "the answer does not say which payment it is about",
        )),
    }
}
