//! Captures, cancellations and refunds. Adyen accepts each of them, and tells how it ended by a notification.

use connector::{
    ActionKind, Booked, Booking, CallError, Cancel, Capture, Earlier, LaterAnswer, Refund,
};
use domain::money::Money;
use serde_json::{Value, json};

use super::{
    address::Service,
    amounts,
    api::{Api, checked},
    methods::one_line,
    wire::Received,
};

/// Reasons of refunds that Adyen knows. Source: docs/processors/adyen.md, "Results".
const REASONS: [&str; 5] = ["FRAUD", "CUSTOMER REQUEST", "RETURN", "DUPLICATE", "OTHER"];

/// A change of a payment.
pub(super) struct Change<'a> {
    what: Booking,
    /// The payment.
    pub(super) authorisation: Earlier<'a>,
    /// Our reference for the change.
    reference: &'a str,
    path: String,
    purpose: &'static str,
    body: Value,
}

/// Captures, whole or in part. What a capture leaves Adyen releases, unless the account takes several.
pub(super) async fn capture(api: Api<'_>, call: &Capture<'_>) -> Result<LaterAnswer, CallError> {
    let Some(id) = call.authorisation.processor_id else {
        return Ok(no_payment());
    };
    let amount = wire_amount(call.money)?;
    let body = json!({
        "merchantAccount": api.account(),
        "reference": call.reference.as_str(),
        "amount": {"value": amount, "currency": call.money.currency().code()},
        "lineItems": one_line(amount, "Capture"),
    });
    let change = Change {
        what: Booking::Capture,
        authorisation: call.authorisation,
        reference: call.reference.as_str(),
        path: format!("payments/{}/captures", checked(id)?),
        purpose: "captures",
        body,
    };
    send(api, change).await
}

/// Cancels an authorisation: by Adyen's id, or by our reference where Adyen gave none (the customer has not come back, or the answer is
/// lost). A card whose customer has not come back from the bank's page has no authorisation: Adyen asks for one when it gets what the
/// customer came back with, and nobody brings that any more.
pub(super) async fn cancel(api: Api<'_>, call: &Cancel<'_>) -> Result<LaterAnswer, CallError> {
    if call.asked == Some(ActionKind::ThreeDSecure) && call.authorisation.processor_id.is_none() {
        return Ok(LaterAnswer::Done {
            processor_id: None,
            booked: None,
        });
    }
    let (account, reference) = (api.account(), call.reference.as_str());
    let (path, body) = match call.authorisation.processor_id {
        Some(id) => (
            format!("payments/{}/cancels", checked(id)?),
            json!({"merchantAccount": account, "reference": reference}),
        ),
        None => (
            "cancels".to_owned(),
            json!({
                "merchantAccount": account,
                "reference": reference,
                "paymentReference": call.authorisation.reference.as_str(),
            }),
        ),
    };
    let change = Change {
        what: Booking::Cancellation,
        authorisation: call.authorisation,
        reference,
        path,
        purpose: "cancels",
        body,
    };
    send(api, change).await
}

/// Cancels whatever stands under our reference. Always by that, so that a repeat is the same request though Adyen's id became known
/// meanwhile. How it ended the notification `TECHNICAL_CANCEL` tells.
pub(super) async fn abandon(api: Api<'_>, call: &Cancel<'_>) -> Result<LaterAnswer, CallError> {
    let authorisation = Earlier {
        processor_id: None,
        ..call.authorisation
    };
    let call = Cancel {
        authorisation,
        asked: None,
        ..*call
    };
    cancel(api, &call).await
}

/// Refunds captured money. Adyen refunds a payment, and not one of its captures.
pub(super) async fn refund(api: Api<'_>, call: &Refund<'_>) -> Result<LaterAnswer, CallError> {
    let Some(id) = call.authorisation.processor_id else {
        return Ok(no_payment());
    };
    let amount = wire_amount(call.money)?;
    let mut body = json!({
        "merchantAccount": api.account(),
        "reference": call.reference.as_str(),
        "amount": {"value": amount, "currency": call.money.currency().code()},
        "lineItems": one_line(amount, "Refund"),
    });
    let reason = call.reason.map(str::to_ascii_uppercase);
    let reason = reason.filter(|reason| REASONS.contains(&reason.as_str()));
    if let (Some(members), Some(reason)) = (body.as_object_mut(), reason) {
        members.insert("merchantRefundReason".to_owned(), reason.into());
    }
    let change = Change {
        what: Booking::Refund,
        authorisation: call.authorisation,
        reference: call.reference.as_str(),
        path: format!("payments/{}/refunds", checked(id)?),
        purpose: "refunds",
        body,
    };
    send(api, change).await
}

async fn send(api: Api<'_>, change: Change<'_>) -> Result<LaterAnswer, CallError> {
    let key = api.key(change.reference, change.purpose)?;
    let received = api
        .post::<Received>(Service::Checkout, &change.path, Some(&key), &change.body)
        .await?;
    match received {
        Ok(received) => accepted(received, &change),
        Err(refusal) => Ok(LaterAnswer::Refused {
            reason: refusal.reason().into(),
            booked: None,
        }),
    }
}

/// What Adyen accepted, under its own id of the change.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(AdyenPaymentNamedForChange = super::bugs::name_the_payment)
)]
fn accepted(received: Received, change: &Change<'_>) -> Result<LaterAnswer, CallError> {
    let is_same = |said: Option<&String>, asked: &str| said.is_none_or(|said| said == asked);
    let payment = change.authorisation;
    let is_asked = received.status == "received"
        && is_same(received.reference.as_ref(), change.reference)
        && is_same(
            received.payment_reference.as_ref(),
            payment.reference.as_str(),
        )
        && payment
            .processor_id
            .is_none_or(|id| is_same(received.payment_psp_reference.as_ref(), id));
    if !is_asked {
        return Err(CallError::unknown("the answer is about something else"));
    }
    let money = received
        .amount
        .and_then(|amount| amounts::from_wire(amount.value, &amount.currency));
    Ok(LaterAnswer::Pending {
        processor_id: Some(received.psp_reference),
        booked: money.map(|money| Booked {
            what: change.what,
            money,
        }),
    })
}

fn no_payment() -> LaterAnswer {
    LaterAnswer::Refused {
        reason: "Adyen has no such payment".into(),
        booked: None,
    }
}

fn wire_amount(money: Money) -> Result<i64, CallError> {
    amounts::to_wire(money).map_err(|why| CallError::rejected(format!("the amount {why}")))
}
