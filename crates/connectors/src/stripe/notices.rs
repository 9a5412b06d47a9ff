//! The facet of notices: events of a webhook endpoint. Source: docs/processors/stripe.md, "Events and signatures".
//!
//! The whole body is signed, so what it says of a charge or a refund is taken as it stands. What it does not say is asked for:
//! a dispute names an intent and not our reference.

use connector::{
    Answer, CallError, Called, Delivery, Link, NotGenuine, Notice, NoticeContent, Notices,
    Reference, Subject, Unreadable,
};
use domain::{
    caller::Mode,
    dispute::{DisputeReason, DisputeReport, DisputeStage, DisputeStatus},
    method::Method,
    payment::MadeElsewhere,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    Stripe, amounts,
    answers::{self, Mark, Marks, Standing},
    api::{Api, Form, Refusal},
    authorise::expanded,
    descriptor::{VERSION, WEBHOOK_SECRET},
    disputes::Dispute,
    look_up, signature,
    wire::{Charge, Expandable, Intent, Refund},
};

/// The header with the signatures.
const SIGNATURE: &str = "stripe-signature";

/// `Event`.
#[derive(Debug, Deserialize)]
struct Event {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    created: i64,
    api_version: Option<String>,
    /// The connected account that it is about, where it is not the own one.
    account: Option<String>,
    data: Data,
}

#[derive(Debug, Deserialize)]
struct Data {
    object: Value,
}

/// What of an event says for which mode it is.
#[derive(Debug, Deserialize)]
struct OfMode {
    livemode: bool,
}

/// `radar.early_fraud_warning`.
#[derive(Debug, Deserialize)]
struct Warning {
    id: String,
    created: i64,
    fraud_type: Option<String>,
    charge: Expandable<Charge>,
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
        if event.account.is_some() {
            return Err(Unreadable(
                "it is about a connected account: the endpoint must be one for events on your own account",
            ));
        }
        // An endpoint of another version sends other objects, which can't be kept apart from those of this one.
        if event.api_version.as_deref() != Some(VERSION) {
            return Err(Unreadable(
                "the webhook endpoint has another API version than 2026-10-28.endive",
            ));
        }
        notices(&event)
    }

    fn resolve<'a>(
        &'a self,
        link: &'a Link<'a>,
        delivery: &'a Delivery<'a>,
    ) -> Called<'a, Vec<Notice>> {
        Box::pin(async move {
            let event = event(delivery).map_err(|why| CallError::rejected(why.to_string()))?;
            resolve(Api::of(link), &event).await
        })
    }
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

/// The object of an event.
fn object<T: DeserializeOwned>(event: &Event) -> Result<T, Unreadable> {
    T::deserialize(&event.data.object).map_err(|_| Unreadable("its object can't be read"))
}

fn notices(event: &Event) -> Result<Vec<Notice>, Unreadable> {
    let word = event.kind.as_str();
    Ok(match word {
        "charge.succeeded" | "charge.captured" => vec![of_charge(event, &object(event)?)],
        "payment_intent.succeeded"
        | "payment_intent.amount_capturable_updated"
        | "payment_intent.payment_failed" => of_intent(event, &object(event)?),
        "payment_intent.canceled" => {
            let about = subject(&object(event)?);
            // That of somebody else is nobody's here.
            let content = if about.reference.is_some() {
                NoticeContent::Ended
            } else {
                NoticeContent::Other
            };
            vec![notice(event, about, content)]
        }
        "refund.created" | "refund.updated" | "refund.failed" => {
            vec![of_refund(event, &object(event)?)?]
        }
        "charge.dispute.created"
        | "charge.dispute.updated"
        | "charge.dispute.closed"
        | "charge.dispute.funds_withdrawn"
        | "charge.dispute.funds_reinstated"
        | "radar.early_fraud_warning.created" => {
            vec![notice(event, Subject::default(), NoticeContent::Unresolved)]
        }
        // Among them `charge.failed`: one try of an intent, which may go on. `payment_intent.payment_failed` tells its end.
        _ => vec![notice(event, Subject::default(), NoticeContent::Other)],
    })
}

fn notice(event: &Event, subject: Subject, content: NoticeContent) -> Notice {
    Notice {
        id: event.id.clone(),
        word: event.kind.clone(),
        subject,
        content,
    }
}

fn text_of(reference: Option<Reference>) -> Option<String> {
    reference.map(|reference| reference.as_str().to_owned())
}

fn subject(intent: &Intent) -> Subject {
    Subject {
        reference: text_of(answers::reference_in(&intent.metadata)),
        processor_id: Some(intent.id.clone()),
    }
}

fn subject_of(charge: &Charge) -> Subject {
    Subject {
        reference: text_of(answers::reference_in(&charge.metadata)),
        processor_id: charge.intent().map(str::to_owned),
    }
}

/// An approval; of a charge that nobody here asked for, a payment that was made elsewhere.
fn of_charge(event: &Event, charge: &Charge) -> Notice {
    let subject = subject_of(charge);
    if subject.reference.is_none() {
        let made = made_elsewhere(charge).map_or(NoticeContent::Other, |made| {
            NoticeContent::Made(Box::new(made))
        });
        return notice(event, subject, made);
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
fn of_intent(event: &Event, intent: &Intent) -> Vec<Notice> {
    let about = subject(intent);
    let Some(reference) = answers::reference_in(&intent.metadata) else {
        return vec![notice(event, about, NoticeContent::Other)];
    };
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
    let marks = match answers::marks(intent) {
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
        };
        let money = amounts::from_wire(mark.amount, &intent.currency);
        notice(event, own, NoticeContent::Later(answers::captured(money)))
    };
    marks.iter().map(of).collect()
}

fn of_refund(event: &Event, refund: &Refund) -> Result<Notice, Unreadable> {
    let reference = refund.metadata.as_ref().and_then(answers::reference_in);
    let subject = Subject {
        reference: text_of(reference),
        processor_id: Some(refund.id.clone()),
    };
    let answer =
        answers::refunded(refund).ok_or(Unreadable("the refund stands in an unknown way"))?;
    Ok(notice(event, subject, NoticeContent::Later(answer)))
}

/// What is kept of a payment that another system made.
fn made_elsewhere(charge: &Charge) -> Option<MadeElsewhere> {
    if !charge.captured {
        return None;
    }
    let money = |amount| amounts::from_wire(amount, &charge.currency);
    let details = charge.payment_method_details.as_ref();
    let card = details.and_then(|details| details.card.as_ref());
    Some(MadeElsewhere {
        processor_id: charge.intent()?.to_owned(),
        made_at: answers::seconds(charge.created)?,
        money: money(charge.amount)?,
        captured: money(charge.amount_captured)?.minor(),
        refunded: money(charge.amount_refunded)?.minor(),
        method: match details.and_then(|details| details.kind.as_deref()) {
            Some("klarna") => Method::Bnpla,
            Some("ideal") => Method::Ideal,
            Some("bancontact") => Method::BanContact,
            Some("sepa_debit") => Method::SepaDirectDebit,
            _ => Method::Card,
        },
        last_four: card.and_then(|card| card.last4.clone()),
        order_id: charge.metadata.get("order_id").cloned(),
    })
}

/// Asks for what an event does not say.
async fn resolve(api: Api<'_>, event: &Event) -> Result<Vec<Notice>, CallError> {
    let unreadable = |why: Unreadable| CallError::rejected(why.to_string());
    let (intent, report) = if event.kind == "radar.early_fraud_warning.created" {
        let warning: Warning = object(event).map_err(unreadable)?;
        warned(api, &warning).await?
    } else {
        let dispute: Dispute = object(event).map_err(unreadable)?;
        let report = dispute.report(answers::seconds(event.created));
        (dispute.intent().map(str::to_owned), report)
    };
    let report =
        report.ok_or_else(|| CallError::unknown("the dispute stands in an unknown way"))?;
    let subject = match intent {
        Some(id) => named(api, id).await?,
        None => Subject::default(),
    };
    Ok(vec![notice(event, subject, NoticeContent::Dispute(report))])
}

/// An early warning as an alert, with the amount of its charge.
async fn warned(
    api: Api<'_>,
    warning: &Warning,
) -> Result<(Option<String>, Option<DisputeReport>), CallError> {
    let id = match &warning.charge {
        Expandable::Id(id) => id,
        Expandable::Whole(charge) => &charge.id,
    };
    let path = format!("/v1/charges/{}", look_up::checked(id)?);
    let charge = api.get::<Charge>(&path, &Form::default()).await?;
    let charge = charge.map_err(Refusal::rejected)?;
    let at = answers::seconds(warning.created);
    let report = at
        .zip(amounts::from_wire(charge.amount, &charge.currency))
        .map(|(at, money)| DisputeReport {
            source_id: warning.id.clone(),
            source_payment: charge.intent().map(str::to_owned),
            status: DisputeStatus::Notification,
            stage: DisputeStage::Inquiry,
            reason: Some(DisputeReason::Fraud),
            money,
            disputed_at: at,
            respond_by: None,
            processor_status: Some("early_fraud_warning".into()),
            processor_reason: warning.fraud_type.as_deref().map(Into::into),
            funds: None,
            as_of: Some(at),
        });
    Ok((charge.intent().map(str::to_owned), report))
}

/// What an intent is to us.
async fn named(api: Api<'_>, id: String) -> Result<Subject, CallError> {
    let path = format!("/v1/payment_intents/{}", look_up::checked(&id)?);
    let found = api.get::<Intent>(&path, &expanded(Form::default())).await?;
    match found {
        Ok(intent) => Ok(subject(&intent)),
        Err(refusal) if look_up::is_missing(&refusal) => Ok(Subject {
            reference: None,
            processor_id: Some(id),
        }),
        Err(refusal) => Err(refusal.rejected()),
    }
}
