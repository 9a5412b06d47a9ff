//! Finding out what became of a call.
//!
//! An intent is read by its id, which is always known but for calls whose answer nobody could store. Those are found in the list of the
//! intents of that time, by our reference in their metadata.

use std::time::Duration;

use connector::{Booking, CallError, Earlier, Finding, Found, LookUp, Reference, SentBetween};
use domain::{Timestamp, id::PaymentId};

use super::{
    amounts,
    answers::{self, Marks, Standing},
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

/// An authorisation of which nobody knows when it was sent: from when its payment was made until now.
pub(super) const fn until(now: Timestamp) -> SentBetween {
    SentBetween {
        from: Timestamp::from_micros(0),
        until: now,
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
    let mut operations = captures(&intent, call.authorisation.reference)?;
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
    let listed = match authorisation.processor_id {
        Some(_) => None,
        None => listed(api, authorisation.reference, sent).await?,
    };
    let Some(id) = authorisation.processor_id.or(listed.as_deref()) else {
        return Ok(None);
    };
    let path = format!("/v1/payment_intents/{}", checked(id)?);
    match api.get::<Intent>(&path, &expanded(Form::default())).await? {
        Ok(intent) if intent.id == id => Ok(Some(intent)),
        Ok(_) => Err(CallError::unknown("the answer is about another intent")),
        // It was there: the key may be of another account by now. That proves nothing.
        Err(refusal) if is_missing(&refusal) => {
            Err(CallError::unknown("the account does not know the intent"))
        }
        Err(refusal) => Err(refusal.rejected()),
    }
}

/// Whether Stripe says that it has no such thing.
pub(super) fn is_missing(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Impossible(error) if error.code.as_deref() == Some("resource_missing"))
}

/// An id as Stripe makes them: nothing else gets into a path.
pub(super) fn checked(id: &str) -> Result<&str, CallError> {
    let is_one = (1..=255).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_one {
        Ok(id)
    } else {
        Err(CallError::rejected("the id is none of Stripe's"))
    }
}

/// The only one. Several under one reference: somebody has copied its metadata, and nobody can tell which is ours.
fn one_of(ids: Vec<String>) -> Result<Option<String>, CallError> {
    let mut ids = ids.into_iter();
    match (ids.next(), ids.next()) {
        (only, None) => Ok(only),
        (_, Some(_)) => Err(CallError::unknown("several intents have the reference")),
    }
}

/// The id of the intent with our reference, among those of the time at which it was made.
async fn listed(
    api: Api<'_>,
    reference: &Reference,
    sent: SentBetween,
) -> Result<Option<String>, CallError> {
    // A payment's id has the time at which it was made: nothing was sent for it before.
    let since = Reference::parse(reference.as_str())
        .and_then(|(payment, _)| made_at(payment))
        .map_or(sent.from, |made_at| made_at.max(sent.from));
    let (mut after, mut ours) = (None::<String>, Vec::new());
    for _ in 0..PAGES_MAX {
        let form = Form::default()
            .with("limit", PAGE)
            .with("created[gte]", seconds(since.before(SKEW)))
            .with("created[lte]", seconds(sent.until.after(SKEW)))
            .with_some("starting_after", after.as_deref());
        let page = api
            .get::<List<Intent>>("/v1/payment_intents", &form)
            .await?;
        let page = page.map_err(Refusal::rejected)?;
        let is_ours =
            |intent: &&Intent| answers::reference_in(&intent.metadata).as_ref() == Some(reference);
        ours.extend(page.data.iter().filter(is_ours).map(|one| one.id.clone()));
        after = page.data.last().map(|intent| intent.id.clone());
        match (page.has_more, &after) {
            (true, Some(_)) => {}
            (true, None) => return Err(CallError::unknown("a page of the list is empty")),
            (false, _) => return one_of(ours),
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

/// The captures, by their marks. What somebody else captured is listed without a reference: a capture of ours without an answer may be it.
fn captures(intent: &Intent, authorisation: &Reference) -> Result<Vec<Found>, CallError> {
    let Some((payment, _)) = Reference::parse(authorisation.as_str()) else {
        return Ok(Vec::new());
    };
    let Marks::Backed { marks, others } = answers::marks(intent) else {
        return Err(CallError::unknown(
            "the intent has marks of more captures than money",
        ));
    };
    let found = |reference: Option<Reference>, amount: i64| Found {
        reference,
        processor_id: None,
        answer: answers::captured(amounts::from_wire(amount, &intent.currency)),
    };
    let mut captures: Vec<Found> = marks
        .iter()
        .map(|mark| found(Some(Reference::new(payment, mark.n)), mark.amount))
        .collect();
    if others > 0 {
        captures.push(found(None, others));
    }
    Ok(captures)
}

/// The cancellation that is asked about, where the intent is cancelled. Stripe keeps nothing of who wanted it.
fn cancellation(intent: &Intent, call: &LookUp<'_>) -> Option<Found> {
    let is_asked = call.what == Booking::Cancellation && answers::is_released(intent);
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
