//! The facet of notices: events of a webhook endpoint. Source: docs/processors/stripe.md, "Events and signatures".
//!
//! The whole body is signed, so what it says of a charge or a refund is taken as it stands. What it does not say is asked for
//! ([`super::resolve`]): a dispute names an intent and not our reference.

use connector::{
    Answer, CallError, Called, Delivery, Link, NotGenuine, Notice, NoticeContent, Notices,
    Reference, Subject, Unreadable,
};
use domain::caller::Mode;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    Stripe, amounts,
    answers::{self, CONNECTION, Standing},
    api::Api,
    descriptor::{VERSION, WEBHOOK_SECRET},
    marks::{self, Mark, Marks},
    resolve, signature,
    wire::{Charge, Intent, Metadata, Refund},
};

/// The header with the signatures.
const SIGNATURE: &str = "stripe-signature";

/// `Event`. All versions of the API have these members.
#[derive(Debug, Deserialize)]
pub(super) struct Event {
    id: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) created: i64,
    api_version: Option<String>,
    /// The connected account that it is about, where it is not the own one.
    account: Option<String>,
    /// The request that caused it, where one did.
    request: Option<Cause>,
    data: Data,
}

/// The request that caused an event.
#[derive(Debug, Deserialize)]
struct Cause {
    idempotency_key: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Data {
    object: Value,
}

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    Charge,
    Intent,
    Refund,
    Dispute,
    Warning,
}

impl Event {
    /// What it is about; `None`: nothing that is of interest. Among that is `charge.failed`: one try of an intent, which may go on.
    /// `payment_intent.payment_failed` tells its end.
    pub(super) fn about(&self) -> Option<About> {
        Some(match self.kind.as_str() {
            "charge.succeeded" | "charge.captured" => About::Charge,
            "payment_intent.succeeded"
            | "payment_intent.amount_capturable_updated"
            | "payment_intent.payment_failed"
            | "payment_intent.canceled" => About::Intent,
            "refund.created" | "refund.updated" | "refund.failed" => About::Refund,
            "charge.dispute.created"
            | "charge.dispute.updated"
            | "charge.dispute.closed"
            | "charge.dispute.funds_withdrawn"
            | "charge.dispute.funds_reinstated" => About::Dispute,
            "radar.early_fraud_warning.created" => About::Warning,
            _ => return None,
        })
    }

    /// Whether its object has the form that is read here. An endpoint of another version of the API sends others.
    pub(super) fn is_of_our_version(&self) -> bool {
        self.api_version.as_deref() == Some(VERSION)
    }

    /// The id of its object, in every version.
    pub(super) fn object_id(&self) -> Option<&str> {
        self.data.object.get("id").and_then(Value::as_str)
    }

    /// Its object.
    pub(super) fn object<T: DeserializeOwned>(&self) -> Result<T, Unreadable> {
        T::deserialize(&self.data.object).map_err(|_| Unreadable("its object can't be read"))
    }

    /// The reference under which we sent the request that caused it, whatever became of the metadata since.
    fn caused_by(&self) -> Option<Reference> {
        let key = self.request.as_ref()?.idempotency_key.as_deref()?;
        let key = key.split_once("-complete-").map_or(key, |(own, _)| own);
        Reference::parse(key).map(|(payment, n)| Reference::new(payment, n))
    }
}

/// What of an event says for which mode it is.
#[derive(Debug, Deserialize)]
struct OfMode {
    livemode: bool,
}

/// What a merchant does at Stripe, with the events that are read.
const SET_UP: &str = "In Stripe's dashboard under Developers, Webhooks: add an endpoint with this address, for events on your own account, \
    snapshot payload, API version 2026-10-28.endive, and these events: charge.succeeded, charge.captured, payment_intent.succeeded, \
    payment_intent.payment_failed, payment_intent.canceled, payment_intent.amount_capturable_updated, refund.created, refund.updated, \
    refund.failed, charge.dispute.created, charge.dispute.updated, charge.dispute.closed, charge.dispute.funds_withdrawn, \
    charge.dispute.funds_reinstated, radar.early_fraud_warning.created. Then put its signing secret (whsec_…) into webhookSecret.";

impl Notices for Stripe {
    fn set_up(&self) -> &'static str {
        SET_UP
    }

    fn prove(&self, link: &Link<'_>, delivery: &Delivery<'_>) -> Result<(), NotGenuine> {
        let secret = link
            .credential(WEBHOOK_SECRET)
            .ok_or(NotGenuine::NoSecret)?;
        let header = delivery.header(SIGNATURE).ok_or(NotGenuine::Unsigned)?;
        signature::check(secret, header, delivery.body, link.now)?;
        let of = serde_json::from_slice::<OfMode>(delivery.body);
        match of {
            Ok(of) if of.livemode != (link.mode == Mode::Live) => Err(NotGenuine::OtherMode),
            // What says nothing of its mode is read as what it is, and is no event then.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn read(&self, delivery: &Delivery<'_>) -> Result<Vec<Notice>, Unreadable> {
        let event = event(delivery)?;
        if is_of_another_account(&event) {
            return Err(Unreadable(
                "it is about a connected account: the endpoint must be one for events on your own account",
            ));
        }
        Ok(match event.about() {
            None => vec![notice(&event, Subject::default(), NoticeContent::Other)],
            Some(_) if !event.is_of_our_version() => vec![unresolved(&event)],
            Some(about) => notices(&event, about)?,
        })
    }

    fn resolve<'a>(
        &'a self,
        link: &'a Link<'a>,
        delivery: &'a Delivery<'a>,
    ) -> Called<'a, Vec<Notice>> {
        Box::pin(async move {
            let event = event(delivery).map_err(|why| CallError::rejected(why.to_string()))?;
            resolve::resolve(Api::of(link), &event).await
        })
    }
}

/// Whether it is about a connected account.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(StripeOtherAccountBelieved = super::bugs::every_account_is_own)
)]
fn is_of_another_account(event: &Event) -> bool {
    event.account.is_some()
}

fn event(delivery: &Delivery<'_>) -> Result<Event, Unreadable> {
    let body: Value =
        serde_json::from_slice(delivery.body).map_err(|_| Unreadable("it is no JSON"))?;
    match body.get("object").and_then(Value::as_str) {
        Some("event") => {}
        Some("v2.core.event") => {
            return Err(Unreadable(
                "it is a thin event: the endpoint must be one for snapshot events",
            ));
        }
        _ => return Err(Unreadable("it is no event")),
    }
    serde_json::from_value(body).map_err(|_| Unreadable("it is no event"))
}

fn notices(event: &Event, about: About) -> Result<Vec<Notice>, Unreadable> {
    Ok(match about {
        About::Charge => vec![of_charge(event, &event.object()?)],
        About::Intent => of_intent(event, &event.object()?),
        About::Refund => vec![of_refund(event, &event.object()?)?],
        About::Dispute | About::Warning => vec![unresolved(event)],
    })
}

pub(super) fn notice(event: &Event, subject: Subject, content: NoticeContent) -> Notice {
    Notice {
        id: event.id.clone(),
        word: event.kind.clone(),
        subject,
        content,
    }
}

/// What Stripe must be asked about.
fn unresolved(event: &Event) -> Notice {
    notice(event, Subject::default(), NoticeContent::Unresolved)
}

fn subject_in(metadata: &Metadata, processor_id: Option<&str>) -> Subject {
    Subject {
        reference: answers::reference_in(metadata).map(|reference| reference.as_str().to_owned()),
        processor_id: processor_id.map(str::to_owned),
        sent_by: metadata.get(CONNECTION).cloned(),
    }
}

pub(super) fn subject(intent: &Intent) -> Subject {
    subject_in(&intent.metadata, Some(&intent.id))
}

/// With the reference under which we caused the event, where the metadata have none.
fn or_caused_by(subject: Subject, event: &Event) -> Subject {
    let caused_by = || {
        event
            .caused_by()
            .map(|reference| reference.as_str().to_owned())
    };
    Subject {
        reference: subject.reference.or_else(caused_by),
        ..subject
    }
}

/// An approval. Of a charge without a reference Stripe is asked, since metadata can be removed: its intent may have one.
pub(super) fn of_charge(event: &Event, charge: &Charge) -> Notice {
    let subject = or_caused_by(subject_in(&charge.metadata, charge.intent()), event);
    if subject.reference.is_none() {
        // An authorisation of others is theirs, and a charge without an intent is none that is made here.
        let may_count = charge.captured && charge.intent().is_some();
        let content = if may_count {
            NoticeContent::Unresolved
        } else {
            NoticeContent::Other
        };
        return notice(event, subject, content);
    }
    if event.kind == "charge.captured" {
        // The intent's own event has the marks of captures.
        return notice(event, subject, NoticeContent::Other);
    }
    let mut approval = answers::facts_of(charge);
    approval.processor_id.clone_from(&subject.processor_id);
    approval.booked = amounts::from_wire(charge.amount, &charge.currency);
    let answer = Answer::Approved {
        captured: charge.captured,
        approval,
    };
    notice(event, subject, NoticeContent::Authorisation(answer))
}

/// The captures of an intent by their marks; of one that failed, the decline: a challenge that was not passed makes no charge.
pub(super) fn of_intent(event: &Event, intent: &Intent) -> Vec<Notice> {
    let about = subject(intent);
    let Some(reference) = answers::reference_in(&intent.metadata) else {
        return vec![notice(event, about, NoticeContent::Other)];
    };
    if event.kind == "payment_intent.canceled" {
        return vec![notice(event, about, NoticeContent::Ended)];
    }
    if event.kind == "payment_intent.payment_failed" {
        let content = match answers::standing(intent) {
            Standing::Stands(answer) => NoticeContent::Authorisation(*answer),
            Standing::Unconfirmed | Standing::Unclear => NoticeContent::Changed,
        };
        return vec![notice(event, about, content)];
    }
    let Some((payment, _)) = Reference::parse(reference.as_str()) else {
        return Vec::new();
    };
    let marks = match marks::marks(intent) {
        Marks::Backed { marks, others: 0 } => marks,
        // Somebody else has captured, or has written marks: Stripe is asked.
        Marks::Backed { .. } | Marks::Unbacked => {
            return vec![notice(event, about, NoticeContent::Changed)];
        }
    };
    if marks.is_empty() {
        return vec![notice(event, about, NoticeContent::Other)];
    }
    let of = |mark: &Mark| {
        let own = Subject {
            reference: Some(Reference::new(payment, mark.n).as_str().to_owned()),
            processor_id: None,
            sent_by: about.sent_by.clone(),
        };
        let money = amounts::from_wire(mark.amount, &intent.currency);
        notice(event, own, NoticeContent::Later(answers::captured(money)))
    };
    marks.iter().map(of).collect()
}

/// Of a refund without a reference Stripe is asked: somebody else made it, of a payment that may be ours.
pub(super) fn of_refund(event: &Event, refund: &Refund) -> Result<Notice, Unreadable> {
    let nothing = Metadata::new();
    let metadata = refund.metadata.as_ref().unwrap_or(&nothing);
    let subject = subject_in(metadata, Some(&refund.id));
    if subject.reference.is_some() {
        let answer =
            answers::refunded(refund).ok_or(Unreadable("the refund stands in an unknown way"))?;
        return Ok(notice(event, subject, NoticeContent::Later(answer)));
    }
    // Each refund of ours has a reference. One that another request of ours caused is what a capture, or a cancellation, has released.
    let is_release = event.caused_by().is_some() || refund.balance_transaction.is_none();
    let content = if is_release {
        NoticeContent::Other
    } else {
        NoticeContent::Unresolved
    };
    Ok(notice(event, Subject::default(), content))
}
