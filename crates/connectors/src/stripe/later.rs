//! Captures, cancellations and refunds.

use connector::{
    CallError, Cancel, Capture, Earlier, LaterAnswer, Reference, Refund as RefundCall,
};

use super::{
    amounts, answers,
    api::{Api, Form, Outcome, Refusal, reason},
    look_up,
    marks::{self, CAPTURE_MARK},
    requests,
    wire::{Intent, Refund},
};

/// Captures, whole or in part. The mark of the capture is written by the same request.
pub(super) async fn capture(api: Api<'_>, call: &Capture<'_>) -> Result<LaterAnswer, CallError> {
    let amount = wire_amount(call.money)?;
    let Some(id) = id_of(api, call.authorisation).await? else {
        return Ok(no_authorisation());
    };
    let form = Form::default()
        .with("amount_to_capture", amount.clone())
        .with(mark_of(call.reference)?, amount.clone());
    // Stripe takes a capture for the last one unless the request says otherwise.
    let form = if call.is_final {
        form
    } else {
        form.with("final_capture", "false")
    };
    let path = format!("/v1/payment_intents/{id}/capture");
    let captured = api.post::<Intent>(&path, call.reference.as_str(), &form);
    match settled(captured.await)? {
        Ok(intent) if intent.id == id && has_mark(&intent, call.reference, &amount) => {
            Ok(answers::captured(Some(call.money)))
        }
        Ok(_) => Err(CallError::unknown("the answer does not show the capture")),
        Err(refused) => Ok(refused),
    }
}

/// Cancels an authorisation, or gives up one that waits for the customer.
pub(super) async fn cancel(api: Api<'_>, call: &Cancel<'_>) -> Result<LaterAnswer, CallError> {
    let Some(id) = id_of(api, call.authorisation).await? else {
        return Ok(no_authorisation());
    };
    let path = format!("/v1/payment_intents/{id}/cancel");
    let cancelled = api
        .post::<Intent>(&path, call.reference.as_str(), &Form::default())
        .await;
    match settled(cancelled)? {
        Ok(intent) if intent.id == id && marks::is_released(&intent) => {
            Ok(answers::cancelled(&intent))
        }
        Ok(_) => Err(CallError::unknown(
            "the answer does not show the cancellation",
        )),
        Err(refused) => {
            // It is no refusal where there is nothing left to cancel.
            let authorisation = Earlier {
                processor_id: Some(&id),
                ..call.authorisation
            };
            let now = look_up::intent(api, authorisation, look_up::until(api.now())).await?;
            let cancelled = now.filter(marks::is_released);
            Ok(cancelled.map_or(refused, |intent| answers::cancelled(&intent)))
        }
    }
}

/// Refunds captured money. Stripe has one charge for all captures of an intent, so a refund names the intent.
pub(super) async fn refund(api: Api<'_>, call: &RefundCall<'_>) -> Result<LaterAnswer, CallError> {
    let amount = wire_amount(call.money)?;
    let id = match call.capture {
        None => id_of(api, call.authorisation).await?,
        Some(capture) => captured_under(api, call.authorisation, capture).await?,
    };
    let Some(id) = id else {
        return Ok(no_authorisation());
    };
    let form = Form::default()
        .with("payment_intent", id)
        .with("amount", amount);
    let form = requests::marked(form, api, call.reference);
    let refunded = api.post::<Refund>("/v1/refunds", call.reference.as_str(), &form);
    match settled(refunded.await)? {
        Ok(refund) => answers::refunded(&refund)
            .ok_or_else(|| CallError::unknown("the refund stands in an unknown way")),
        Err(refused) => Ok(refused),
    }
}

/// What an answer says for certain: what was made, or that nothing was.
fn settled<T>(answer: Result<Outcome<T>, CallError>) -> Result<Result<T, LaterAnswer>, CallError> {
    match answer? {
        Ok(made) => Ok(Ok(made)),
        Err(Refusal::Impossible(error) | Refusal::Declined(error)) => {
            Ok(Err(LaterAnswer::Refused {
                reason: reason(&error).into(),
                booked: None,
            }))
        }
        Err(running @ Refusal::Running) => Err(running.rejected()),
    }
}

/// The id of the intent of an authorisation.
async fn id_of(api: Api<'_>, authorisation: Earlier<'_>) -> Result<Option<String>, CallError> {
    if let Some(id) = authorisation.processor_id {
        return look_up::checked(id).map(|id| Some(id.to_owned()));
    }
    let found = look_up::intent(api, authorisation, look_up::until(api.now())).await?;
    Ok(found.map(|intent| intent.id))
}

/// The id of the intent, where it has this capture.
async fn captured_under(
    api: Api<'_>,
    authorisation: Earlier<'_>,
    capture: Earlier<'_>,
) -> Result<Option<String>, CallError> {
    let intent = look_up::intent(api, authorisation, look_up::until(api.now())).await?;
    let number = Reference::parse(capture.reference.as_str()).map(|(_, n)| n);
    let mark = number.map(|n| format!("{CAPTURE_MARK}{n}"));
    let has_it = |intent: &Intent| {
        mark.as_ref()
            .is_some_and(|mark| intent.metadata.contains_key(mark))
    };
    Ok(intent.filter(has_it).map(|intent| intent.id))
}

/// Whether an intent shows the capture of this amount under this reference.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(StripeCaptureUnproven = super::bugs::believe_any_capture)
)]
fn has_mark(intent: &Intent, reference: &Reference, amount: &str) -> bool {
    let number = Reference::parse(reference.as_str()).map(|(_, n)| n);
    number
        .and_then(|n| intent.metadata.get(&format!("{CAPTURE_MARK}{n}")))
        .is_some_and(|marked| marked == amount)
}

fn no_authorisation() -> LaterAnswer {
    LaterAnswer::Refused {
        reason: "Stripe has no such payment".into(),
        booked: None,
    }
}

fn wire_amount(money: domain::money::Money) -> Result<String, CallError> {
    amounts::to_wire(money)
        .map(|amount| amount.to_string())
        .map_err(|why| CallError::rejected(format!("the amount {why}")))
}

/// The parameter that marks a capture.
fn mark_of(reference: &Reference) -> Result<String, CallError> {
    Reference::parse(reference.as_str())
        .map(|(_, n)| format!("metadata[{CAPTURE_MARK}{n}]"))
        .ok_or_else(|| CallError::rejected("the reference is none of a payment"))
}
