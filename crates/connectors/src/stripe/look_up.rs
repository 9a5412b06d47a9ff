//! Finding out what became of a call.
//!
//! An intent is read by its id, which is always known but for calls whose answer nobody could store. Those are found in the list of the
//! intents of that time, by our reference in their metadata.

use std::time::Duration;

use connector::{Booking, CallError, Earlier, Finding, Found, LookUp, Reference, SentBetween};
use domain::{Timestamp, id::PaymentId};

use super::{
    amounts,
    answers::{self, CAPTURE_MARK, Standing},
    api::{Api, Form, Refusal},
    authorise::expanded,
    wire::{Intent, List, Refund},
};

/// How far Stripe's clock may be from ours.
const SKEW: Duration = Duration::from_mins(5);

/// Pages of a hundred that are read at most.
const PAGES_MAX: usize = 40;

/// A page of a list. Source: docs/processors/stripe.md, "Addresses and requests".
const PAGE: &str = "100";

/// An operation of which nobody knows when it was sent.
pub(super) const fn any_time() -> SentBetween {
    SentBetween {
        from: Timestamp::from_micros(0),
        until: Timestamp::from_micros(i64::MAX),
    }
}

/// What became of a call, and of all others of the same authorisation.
pub(super) async fn look_up(api: Api<'_>, call: &LookUp<'_>) -> Result<Finding, CallError> {
    let Some(intent) = intent(api, call.authorisation, call.sent).await? else {
        return Ok(Finding::nothing());
    };
    let authorisation = match answers::standing(&intent) {
        Standing::Stands(answer) => Some(*answer),
        // Without a confirmation nothing can come of it.
        Standing::Unconfirmed => None,
        Standing::Unclear => return Err(CallError::unknown("the intent stands in an unknown way")),
    };
    let mut operations = captures(&intent, call.authorisation.reference);
    operations.extend(cancellation(&intent, call));
    if intent.amount_received > 0 || call.what == Booking::Refund {
        operations.extend(refunds(api, &intent).await?);
    }
    Ok(Finding {
        authorisation,
        operations,
    })
}

/// The intent of an authorisation, with its charge. `None`: Stripe has none.
pub(super) async fn intent(
    api: Api<'_>,
    authorisation: Earlier<'_>,
    sent: SentBetween,
) -> Result<Option<Intent>, CallError> {
    let Some(id) = authorisation.processor_id else {
        return listed(api, authorisation.reference, sent).await;
    };
    let path = format!("/v1/payment_intents/{id}");
    match api.get::<Intent>(&path, &expanded(Form::default())).await? {
        Ok(intent) if intent.id == id => Ok(Some(intent)),
        Ok(_) => Err(CallError::unknown("the answer is about another intent")),
        Err(refusal) if is_missing(&refusal) => Ok(None),
        Err(refusal) => Err(refusal.rejected()),
    }
}

/// Whether Stripe says that it has no such thing.
pub(super) fn is_missing(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Impossible(error) if error.code.as_deref() == Some("resource_missing"))
}

/// The intent with our reference, among those of the time at which it was made.
async fn listed(
    api: Api<'_>,
    reference: &Reference,
    sent: SentBetween,
) -> Result<Option<Intent>, CallError> {
    // A payment's id has the time at which it was made: nothing was sent for it before.
    let since = Reference::parse(reference.as_str())
        .and_then(|(payment, _)| made_at(payment))
        .map_or(sent.from, |made_at| made_at.max(sent.from));
    let mut after: Option<String> = None;
    for _ in 0..PAGES_MAX {
        let form = Form::default()
            .with("limit", PAGE)
            .with("created[gte]", seconds(since.before(SKEW)))
            .with("created[lte]", seconds(sent.until.after(SKEW)))
            .with("expand[0]", "data.latest_charge")
            .with("expand[1]", "data.latest_charge.balance_transaction")
            .with_some("starting_after", after.as_deref());
        let page = api
            .get::<List<Intent>>("/v1/payment_intents", &form)
            .await?;
        let page = page.map_err(Refusal::rejected)?;
        let last = page.data.last().map(|intent| intent.id.clone());
        let is_ours =
            |intent: &Intent| answers::reference_in(&intent.metadata).as_ref() == Some(reference);
        if let Some(found) = page.data.into_iter().find(is_ours) {
            return Ok(Some(found));
        }
        match last.filter(|_| page.has_more) {
            Some(last) => after = Some(last),
            None => return Ok(None),
        }
    }
    Err(CallError::unknown(
        "there are too many intents of that time",
    ))
}

/// When a payment was made.
fn made_at(payment: PaymentId) -> Option<Timestamp> {
    domain::dated::date_of(payment.uuid())
}

fn seconds(at: Timestamp) -> String {
    (at.micros() / 1_000_000).to_string()
}

/// The captures, by their marks.
fn captures(intent: &Intent, authorisation: &Reference) -> Vec<Found> {
    let Some((payment, _)) = Reference::parse(authorisation.as_str()) else {
        return Vec::new();
    };
    let marks = intent.metadata.iter().filter_map(|(name, amount)| {
        let n: u32 = name.strip_prefix(CAPTURE_MARK)?.parse().ok()?;
        let money = amounts::from_wire(amount.parse().ok()?, &intent.currency);
        Some(Found {
            reference: Some(Reference::new(payment, n)),
            processor_id: None,
            answer: answers::captured(money),
        })
    });
    marks.collect()
}

/// The cancellation that is asked about, where the intent is cancelled. Stripe keeps nothing of who wanted it.
fn cancellation(intent: &Intent, call: &LookUp<'_>) -> Option<Found> {
    // After captures in part the rest may be released by an end of another name.
    let is_rest_released =
        intent.status == "succeeded" && (1..intent.amount).contains(&intent.amount_received);
    let is_asked =
        call.what == Booking::Cancellation && (intent.status == "canceled" || is_rest_released);
    is_asked.then(|| Found {
        reference: Some(call.asked.reference.clone()),
        processor_id: None,
        answer: answers::cancelled(intent),
    })
}

/// All refunds of an intent.
async fn refunds(api: Api<'_>, intent: &Intent) -> Result<Vec<Found>, CallError> {
    let mut found = Vec::new();
    let mut after: Option<String> = None;
    for _ in 0..PAGES_MAX {
        let form = Form::default()
            .with("limit", PAGE)
            .with("payment_intent", intent.id.as_str())
            .with_some("starting_after", after.as_deref());
        let page = api.get::<List<Refund>>("/v1/refunds", &form).await?;
        let page = page.map_err(Refusal::rejected)?;
        let last = page.data.last().map(|refund| refund.id.clone());
        for refund in page.data {
            let answer = answers::refunded(&refund)
                .ok_or_else(|| CallError::unknown("a refund stands in an unknown way"))?;
            found.push(Found {
                reference: refund.metadata.as_ref().and_then(answers::reference_in),
                processor_id: Some(refund.id),
                answer,
            });
        }
        match last.filter(|_| page.has_more) {
            Some(last) => after = Some(last),
            None => return Ok(found),
        }
    }
    Err(CallError::unknown("there are too many refunds"))
}
