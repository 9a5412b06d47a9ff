//! Finding out what became of a call.
//!
//! An intent is read by its id, which is always known but for calls whose answer nobody could store. Those are found by our reference in
//! their metadata. Search finds them fast however many others there are, but late, and proves nothing by what it does not find. The list of
//! the intents of that time proves it, where it can be read whole.

use std::{pin::pin, time::Duration};

use connector::{Booking, CallError, Earlier, Finding, Found, LookUp, Reference, SentBetween};
use domain::{Timestamp, id::PaymentId};
use futures_util::future::{Either, select, try_join_all};

use super::{
    amounts,
    answers::{self, OUR_REFERENCE, Standing},
    api::{Api, Form, Refusal},
    marks::{self, Marks},
    refunds,
    requests::expanded,
    wire::{Expandable, Intent, List, Refund},
};

/// How far Stripe's clock may be from ours.
const SKEW: Duration = Duration::from_mins(5);

/// Pages of a hundred that are read at most, of each list.
const PAGES_MAX: usize = 40;

/// So many parts of the time in question are listed at once. One page after the other, each half a second, a call's time would be over
/// after some 4,000 intents. Stripe takes 25 requests for lists a second: docs/processors/stripe.md, "Addresses and requests".
const PARTS: i64 = 8;

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
#[cfg_attr(
    feature = "planted",
    planted::alternatives(StripeUnknownIntentIsAbsent = super::bugs::take_unknown_for_absent)
)]
pub(super) async fn intent(
    api: Api<'_>,
    authorisation: Earlier<'_>,
    sent: SentBetween,
) -> Result<Option<Intent>, CallError> {
    let listed = match authorisation.processor_id {
        Some(_) => None,
        None => find(api, authorisation.reference, sent).await?,
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
#[cfg_attr(
    feature = "planted",
    planted::alternatives(StripeCopiedReferenceTaken = super::bugs::take_first)
)]
fn one_of(ids: Vec<String>) -> Result<Option<String>, CallError> {
    let mut ids = ids.into_iter();
    match (ids.next(), ids.next()) {
        (only, None) => Ok(only),
        (_, Some(_)) => Err(CallError::unknown("several intents have the reference")),
    }
}

/// The id of the intent with our reference, by search or by the list, whichever is sure first.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(StripeSearchProvesAbsence = super::bugs::trust_search)
)]
async fn find(
    api: Api<'_>,
    reference: &Reference,
    sent: SentBetween,
) -> Result<Option<String>, CallError> {
    let searched = pin!(searched(api, reference));
    let listed = pin!(listed(api, reference, sent));
    match select(searched, listed).await {
        Either::Left((Ok(None), listed)) => listed.await,
        Either::Left((found, _)) | Either::Right((found, _)) => found,
    }
}

/// The id of the intent with our reference, where search has it already. It lags, and Stripe does not offer it everywhere: that it finds
/// nothing, or fails, means nothing.
pub(super) async fn searched(
    api: Api<'_>,
    reference: &Reference,
) -> Result<Option<String>, CallError> {
    let query = format!("metadata['{OUR_REFERENCE}']:'{}'", reference.as_str());
    let form = Form::default().with("query", query);
    let path = "/v1/payment_intents/search";
    match api.get::<List<Intent>>(path, &form).await {
        Ok(Ok(found)) => one_of(ours(&found, reference)),
        Ok(Err(_)) | Err(_) => Ok(None),
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
    let all = Seconds {
        first: seconds(since.before(SKEW)),
        last: seconds(sent.until.after(SKEW)),
    };
    let parts = all.parts().into_iter();
    let found = try_join_all(parts.map(|part| listed_in(api, reference, part))).await?;
    one_of(found.into_iter().flatten().collect())
}

/// The ids of the intents with our reference that were made in some seconds.
async fn listed_in(
    api: Api<'_>,
    reference: &Reference,
    part: Seconds,
) -> Result<Vec<String>, CallError> {
    let (mut after, mut found) = (None::<String>, Vec::new());
    for _ in 0..PAGES_MAX {
        let form = Form::default()
            .with("limit", PAGE)
            .with("created[gte]", part.first.to_string())
            .with("created[lte]", part.last.to_string())
            .with_some("starting_after", after.as_deref());
        let page = api
            .get::<List<Intent>>("/v1/payment_intents", &form)
            .await?;
        let page = page.map_err(Refusal::rejected)?;
        found.extend(ours(&page, reference));
        after = page.data.last().map(|intent| intent.id.clone());
        match (page.has_more, &after) {
            (true, Some(_)) => {}
            (true, None) => return Err(CallError::unknown("a page of the list is empty")),
            (false, _) => return Ok(found),
        }
    }
    Err(CallError::unknown(
        "there are too many intents of that time",
    ))
}

fn ours(page: &List<Intent>, reference: &Reference) -> Vec<String> {
    let is_ours =
        |intent: &&Intent| answers::reference_in(&intent.metadata).as_ref() == Some(reference);
    let ours = page.data.iter().filter(is_ours);
    ours.map(|intent| intent.id.clone()).collect()
}

/// The seconds from the first to the last one, both included. Unit: seconds since the beginning of 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seconds {
    first: i64,
    last: i64,
}

impl Seconds {
    /// The same in parts, without a gap and without an overlap.
    fn parts(self) -> Vec<Self> {
        let count = self.last.saturating_sub(self.first).saturating_add(1);
        let each = count.saturating_add(PARTS - 1).div_euclid(PARTS).max(1);
        let part = |index: i64| {
            let first = self.first.saturating_add(each.saturating_mul(index));
            let last = first.saturating_add(each - 1).min(self.last);
            (first <= last).then_some(Self { first, last })
        };
        (0..PARTS).filter_map(part).collect()
    }
}

/// When a payment was made.
fn made_at(payment: PaymentId) -> Option<Timestamp> {
    domain::dated::date_of(payment.uuid())
}

const fn seconds(at: Timestamp) -> i64 {
    at.micros().div_euclid(1_000_000)
}

/// The captures, by their marks. What somebody else captured is listed without a reference: a capture of ours without an answer may be it.
fn captures(intent: &Intent, authorisation: &Reference) -> Result<Vec<Found>, CallError> {
    let Some((payment, _)) = Reference::parse(authorisation.as_str()) else {
        return Ok(Vec::new());
    };
    let Marks::Backed { marks, others } = marks::marks(intent) else {
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
    let is_asked = call.what == Booking::Cancellation && marks::is_released(intent);
    is_asked.then(|| Found {
        reference: Some(call.asked.reference.clone()),
        processor_id: None,
        answer: answers::cancelled(intent),
    })
}

/// The refunds of an intent: ours, and those that somebody else made.
async fn refunds(api: Api<'_>, intent: &Intent) -> Result<Vec<Found>, CallError> {
    let all = refunds_at(api, intent).await?;
    let charge = intent.latest_charge.as_ref().and_then(Expandable::whole);
    let of_others = charge.map(|charge| refunds::of_others(&all, charge));
    let ours = all.iter().filter(|refund| refund.reference().is_some());
    let found = ours.chain(of_others.into_iter().flatten()).map(|refund| {
        let answer = answers::refunded(refund)
            .ok_or_else(|| CallError::unknown("a refund stands in an unknown way"))?;
        Ok(Found {
            reference: refund.reference(),
            processor_id: Some(refund.id.clone()),
            answer,
        })
    });
    found.collect()
}

/// What Stripe lists as the refunds of an intent, the newest first.
pub(super) async fn refunds_at(api: Api<'_>, intent: &Intent) -> Result<Vec<Refund>, CallError> {
    let (mut all, mut after) = (Vec::new(), None::<String>);
    for _ in 0..PAGES_MAX {
        let form = Form::default()
            .with("limit", PAGE)
            .with("payment_intent", intent.id.as_str())
            .with_some("starting_after", after.as_deref());
        let page = api.get::<List<Refund>>("/v1/refunds", &form).await?;
        let page = page.map_err(Refusal::rejected)?;
        after = page.data.last().map(|refund| refund.id.clone());
        all.extend(page.data);
        if !page.has_more || after.is_none() {
            return Ok(all);
        }
    }
    Err(CallError::unknown("there are too many refunds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_time_leave_no_second_out_and_none_is_in_two() {
        for length in [0, 1, 6, 7, 8, 9, 660, 86_400] {
            let all = Seconds {
                first: 1000,
                last: 1000 + length,
            };
            let parts = all.parts();
            assert_eq!(parts.first().map(|part| part.first), Some(all.first));
            assert_eq!(parts.last().map(|part| part.last), Some(all.last));
            for two in parts.windows(2) {
                assert_eq!(two[0].last + 1, two[1].first, "{length}");
            }
        }
        let none = Seconds { first: 2, last: 1 };
        assert_eq!(none.parts(), []);
    }
}
