//! The checker: says which invariants a played world has broken.
//!
//! It shares no code with the engine. What it sees is JSON: the answers that clients got, the payments as the public interface
//! lists them, the processors' books at the end and after each of their changes, and the rows of events. What is right is
//! written down here a second time, from the contract.

mod acknowledged;
mod case;
mod checkouts;
mod deliveries;
mod disputes;
mod events;
mod feed;
mod flows;
mod imports;
mod keys;
mod money;
mod responses;
mod states;
#[cfg(test)]
mod tests;
mod turns;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::shop::Followed;
use case::Case;
pub(crate) use deliveries::{Deliveries, Rows, lacking};
pub(crate) use disputes::{Disputes, unreported};
pub(crate) use imports::{ANNOUNCED, QUIET, unimported};
pub(crate) use responses::is_responding;
pub(crate) use states::may_follow;

/// A request and its answer.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    /// When it was sent, and when its answer came, in the order of everything that was said.
    pub(crate) began: u64,
    pub(crate) ended: u64,
    /// The root field.
    pub(crate) verb: &'static str,
    /// Its variables.
    pub(crate) asked: Value,
    /// Its idempotency key.
    pub(crate) key: Option<String>,
    /// The checkout that takes one live payment.
    pub(crate) checkout: Option<String>,
    /// The body of the answer; none when the connection broke.
    pub(crate) answer: Option<Value>,
    /// Whether the answer was marked as remembered.
    pub(crate) replayed: bool,
}

/// All that there is to judge a world by.
pub(crate) struct Evidence {
    /// The answers that clients got.
    pub(crate) said: Vec<Exchange>,
    /// Every payment at the end, as the interface lists it.
    pub(crate) payments: Vec<Value>,
    /// The processors' books at the end.
    pub(crate) entries: Vec<Value>,
    /// The entry of the books after each change, in order.
    pub(crate) notes: Vec<Value>,
    /// The rows of events, in order of stream and number.
    pub(crate) events: Vec<Value>,
    /// Those of another team.
    pub(crate) neighbours: Vec<Value>,
    /// What was sent to webhook endpoints.
    pub(crate) deliveries: Deliveries,
    /// Disputes, and how notifications of processors were answered.
    pub(crate) disputes: Disputes,
    /// What clients have seen that followed the list of payments while these were made.
    pub(crate) followed: Vec<Followed>,
    /// The events that clients have taken from the feed, in order, while they happened.
    pub(crate) taken: Vec<Vec<Value>>,
}

impl Evidence {
    /// The rows of all teams.
    fn rows(&self) -> Rows<'_> {
        Rows {
            own: &self.events,
            neighbours: &self.neighbours,
        }
    }
}

/// A broken invariant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Which one.
    pub invariant: &'static str,
    /// The payment or the checkout.
    pub subject: String,
    /// What was found.
    pub detail: String,
}

/// Collects what is broken.
#[derive(Default)]
struct Findings(Vec<Broken>);

impl Findings {
    fn add(&mut self, invariant: &'static str, subject: &str, detail: impl Into<String>) {
        self.0.push(Broken {
            invariant,
            subject: subject.to_owned(),
            detail: detail.into(),
        });
    }
}

/// Judges a world after its end.
pub(crate) fn check(evidence: &Evidence) -> Vec<Broken> {
    let mut findings = Findings::default();
    let cases = cases(evidence, &mut findings);
    for case in cases.values() {
        money::at_the_end(case, &mut findings);
        money::at_every_instant(case, &mut findings);
        events::of_a_payment(case, &mut findings);
        acknowledged::of_a_payment(case, &mut findings);
        money::what_was_asked(case, &mut findings);
        money::fits_at_the_processor(case, &mut findings);
        flows::steps_are_made(case, &mut findings);
        turns::capture_excludes_cancel(case, &mut findings);
        turns::sent_in_time(case, &mut findings);
    }
    events::numbers(evidence, &mut findings);
    keys::same_key_same_answer(evidence, &mut findings);
    keys::one_payment_for_each_order(evidence, &mut findings);
    checkouts::one_charge_for_each(evidence, &cases, &mut findings);
    checkouts::freed_without_money(evidence, &mut findings);
    nothing_missed(evidence, &mut findings);
    feed::taken_whole(evidence, &mut findings);
    deliveries::check(&evidence.deliveries, evidence.rows(), &mut findings);
    disputes::check(evidence, &cases, &mut findings);
    imports::check(evidence, &cases, &mut findings);
    defects(evidence, &mut findings);
    findings.0
}

/// Sorts everything by payment. What belongs to none is lost, or a charge without a payment.
fn cases<'a>(evidence: &'a Evidence, findings: &mut Findings) -> BTreeMap<&'a str, Case<'a>> {
    let mut cases: BTreeMap<&str, Case<'_>> = BTreeMap::new();
    for payment in &evidence.payments {
        let id = uuid_of(text(payment, "id"));
        if cases.insert(id, Case::of(id, payment)).is_some() {
            findings.add("listed-once", id, "the payment is listed twice");
        }
    }
    for entry in &evidence.entries {
        let reference = text(entry, "reference");
        match cases.get_mut(imports::payment_of(entry, evidence)) {
            Some(case) => case.entries.push(entry),
            // Whether it must be there is judged with the imports.
            None if imports::is_one(entry) => {}
            None => findings.add(
                "charge-has-payment",
                reference,
                format!("no payment explains {entry}"),
            ),
        }
    }
    for note in &evidence.notes {
        if let Some(case) = cases.get_mut(imports::payment_of(note, evidence)) {
            case.notes.push(note);
        }
    }
    for event in evidence
        .events
        .iter()
        .filter(|event| text(event, "kind") == "payment")
    {
        let stream = text(event, "stream");
        match cases.get_mut(stream) {
            Some(case) => case.events.push(event),
            None => findings.add(
                "event-has-payment",
                stream,
                "there are events of a payment that is not listed",
            ),
        }
    }
    for said in &evidence.said {
        if let Some(case) = cases.get_mut(uuid_of(text(&said.asked, "id"))) {
            case.asked.push(said);
        }
        let Some(id) = said.answer.as_ref().and_then(id_in) else {
            continue;
        };
        match cases.get_mut(uuid_of(id)) {
            Some(case) => case.said.push(said),
            // Whether it was made is what nobody knew: to be read by its id.
            None if is_unconfirmed(said) => {}
            None => findings.add(
                "acknowledged-stays",
                id,
                format!("reported by {} and not there any more", said.verb),
            ),
        }
    }
    cases
}

/// Who follows a list by date sees every payment.
fn nothing_missed(evidence: &Evidence, findings: &mut Findings) {
    for followed in &evidence.followed {
        for payment in &evidence.payments {
            let id = text(payment, "id");
            // Imports have dates of long ago.
            if !followed.seen.contains(id) && !imports::is_imported(payment) {
                let detail = format!(
                    "it was never shown to the one who followed the list by {}",
                    followed.by
                );
                findings.add("a-followed-list-never-misses", id, detail);
            }
        }
    }
}

/// What nobody should ever be answered.
fn defects(evidence: &Evidence, findings: &mut Findings) {
    for said in &evidence.said {
        let Some(code) = said.answer.as_ref().and_then(code_in) else {
            continue;
        };
        if code == "error.unknown"
            || code.starts_with("error.graphql")
            || code == "api.key.unauthorized"
        {
            findings.add("no-defect", said.verb, format!("{code} to {}", said.asked));
        }
    }
}

/// Whether a payment's outcome, or that of one of its refunds, is still to come.
pub(crate) fn is_unsettled(payment: &Value) -> bool {
    has_pending_refund(payment) || states::is_open(text(payment, "status"))
}

/// Whether the outcome of one of a payment's refunds is still to come.
pub(crate) fn has_pending_refund(payment: &Value) -> bool {
    let mut refunds = list(payment, "refunds").iter();
    refunds.any(|refund| text(refund, "status") == "PENDING")
}

/// The payment that an answer tells of.
pub(crate) fn payment_of(answer: &Value) -> Option<&Value> {
    let data = answer.get("data")?.as_object()?;
    let payment = data.values().next()?;
    payment
        .get("id")?
        .as_str()
        .filter(|id| id.starts_with("payments:"))
        .map(|_| payment)
}

/// The id of the payment that an answer tells of, also as an error.
fn id_in(answer: &Value) -> Option<&str> {
    let payment = payment_of(answer).and_then(|payment| payment.get("id")?.as_str());
    let error = || {
        answer
            .pointer("/errors/0/extensions/id")
            .and_then(Value::as_str)
    };
    payment
        .or_else(error)
        .filter(|id| id.starts_with("payments:"))
}

/// Whether an answer names what may have been made, without saying that it was: no acknowledgement.
fn is_unconfirmed(said: &Exchange) -> bool {
    let answer = said.answer.as_ref();
    let payment = answer.and_then(payment_of);
    payment.is_none() && answer.and_then(code_in) == Some("error.unavailable")
}

/// Whether a client without a key got the answer that nothing was done, so that it may ask again: our failure, without an id.
fn is_reported_undone(said: &Exchange) -> bool {
    let answer = said.answer.as_ref();
    said.key.is_none()
        && answer.and_then(code_in) == Some("error.unavailable")
        && answer.and_then(id_in).is_none()
}

/// Whether a step of the payment's flow is to be tried again, by the rows of events.
pub(crate) fn waits_for_its_flow(payment: &Value, rows: &[Value]) -> bool {
    let stream = uuid_of(text(payment, "id"));
    let rows = rows.iter().filter(|row| text(row, "stream") == stream);
    let mut waits = false;
    for event in rows.flat_map(case::happened_in) {
        if text(event, "kind") == "payment.step_retried" {
            waits = true;
        } else if case::begins(event, "refund")
            || case::begins(event, "cancel")
            || text(event, "kind") == "payment.step_left_out"
        {
            waits = false;
        }
    }
    waits
}

/// Whether an operation of the payment still has no answer, by the rows of events: also a cancellation, during which its status stays.
pub(crate) fn awaits_an_answer(payment: &Value, rows: &[Value]) -> bool {
    let stream = uuid_of(text(payment, "id"));
    let rows = rows.iter().filter(|row| text(row, "stream") == stream);
    let last = rows.flat_map(case::happened_in).last();
    last.is_some_and(is_unanswered)
}

/// Whether an event says that an operation has begun, or has got no answer.
fn is_unanswered(event: &Value) -> bool {
    matches!(
        text(event, "kind"),
        "payment.operation_started" | "payment.unknown"
    )
}

/// The code of an error.
fn code_in(answer: &Value) -> Option<&str> {
    answer
        .pointer("/errors/0/extensions/code")
        .and_then(Value::as_str)
}

/// A text; empty when there is none.
fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A number; 0 when there is none.
fn number(value: &Value, name: &str) -> i64 {
    value.get(name).and_then(Value::as_i64).unwrap_or(0)
}

/// The elements of a list; none when there is no list.
fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value
        .get(name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn uuid_of(id: &str) -> &str {
    id.strip_prefix("payments:").unwrap_or(id)
}

/// The payment in a reference, `{uuid}-{n}`.
fn payment_behind(reference: &str) -> &str {
    reference
        .rsplit_once('-')
        .map_or("", |(payment, _)| payment)
}
