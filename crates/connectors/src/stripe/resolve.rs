//! Asking for what an event does not say: whose payment it is about, and the object itself where the event has that of another version of
//! the API.

use connector::{CallError, Notice, NoticeContent, RefundMade, Subject, Unreadable};
use domain::{
    dispute::{DisputeReason, DisputeReport, DisputeStage, DisputeStatus},
    method::Method,
    payment::MadeElsewhere,
};
use serde::{Deserialize, de::DeserializeOwned};

use super::{
    amounts, answers,
    api::{Api, Form, Refusal},
    disputes::Dispute,
    look_up,
    notices::{self, About, Event, notice, subject},
    refunds,
    requests::expanded,
    wire::{Charge, Expandable, HasId, Intent, Refund},
};

/// `radar.early_fraud_warning`.
#[derive(Debug, Deserialize)]
struct Warning {
    id: String,
    created: i64,
    fraud_type: Option<String>,
    charge: Expandable<Charge>,
}

/// Asks for what an event does not say.
pub(super) async fn resolve(api: Api<'_>, event: &Event) -> Result<Vec<Notice>, CallError> {
    Ok(match event.about() {
        None => vec![notice(event, Subject::default(), NoticeContent::Other)],
        Some(About::Charge) => vec![of_charge(api, event).await?],
        Some(About::Intent) => {
            notices::of_intent(event, &object(api, event, "payment_intents").await?)
        }
        Some(About::Refund) => vec![of_refund(api, event).await?],
        Some(About::Dispute) => {
            let dispute: Dispute = object(api, event, "disputes").await?;
            let report = dispute.report(answers::seconds(event.created));
            vec![disputed(api, event, dispute.intent(), report).await?]
        }
        Some(About::Warning) => {
            let warning = object(api, event, "radar/early_fraud_warnings").await?;
            let (intent, report) = warned(api, &warning).await?;
            vec![disputed(api, event, intent.as_deref(), report).await?]
        }
    })
}

/// The object of an event: as it came, or as it is now where it came in the form of another version.
async fn object<T: DeserializeOwned>(
    api: Api<'_>,
    event: &Event,
    collection: &str,
) -> Result<T, CallError> {
    if event.is_of_our_version() {
        return event.object().map_err(unreadable);
    }
    let id = event.object_id().unwrap_or_default();
    let path = format!("/v1/{collection}/{}", look_up::checked(id)?);
    let found = api.get::<T>(&path, &Form::default()).await?;
    found.map_err(Refusal::rejected)
}

/// Nothing will ever be made of it.
fn unreadable(why: Unreadable) -> CallError {
    CallError::rejected(why.to_string())
}

/// A charge without a reference: its intent is asked for one, since the metadata of a charge can be changed.
async fn of_charge(api: Api<'_>, event: &Event) -> Result<Notice, CallError> {
    let charge: Charge = object(api, event, "charges").await?;
    let notice_of = notices::of_charge(event, &charge);
    let (NoticeContent::Unresolved, Some(id)) = (&notice_of.content, charge.intent()) else {
        return Ok(notice_of);
    };
    let Some(intent) = intent(api, id).await? else {
        return Err(CallError::rejected("the account does not know its intent"));
    };
    made(api, event, &intent, &charge).await
}

/// A refund that somebody else made: of a payment that was made here, or of another.
async fn of_refund(api: Api<'_>, event: &Event) -> Result<Notice, CallError> {
    let refund: Refund = object(api, event, "refunds").await?;
    let notice_of = notices::of_refund(event, &refund).map_err(unreadable)?;
    if notice_of.content != NoticeContent::Unresolved {
        return Ok(notice_of);
    }
    let nobodys = || notice(event, Subject::default(), NoticeContent::Other);
    let Some(id) = intent_of(api, &refund).await? else {
        return Ok(nobodys());
    };
    let Some(intent) = intent(api, &id).await? else {
        return Err(CallError::rejected("the account does not know its intent"));
    };
    let Some(charge) = intent.latest_charge.as_ref().and_then(Expandable::whole) else {
        return Ok(nobodys());
    };
    let about = subject(&intent);
    if about.reference.is_none() {
        return made(api, event, &intent, charge).await;
    }
    let all = look_up::refunds_at(api, &intent).await?;
    if !refunds::of_others(&all, charge).any(|other| other.id == refund.id) {
        return Ok(nobodys());
    }
    let answer = answers::refunded(&refund)
        .ok_or_else(|| CallError::rejected("the refund stands in an unknown way"))?;
    let content = NoticeContent::RefundMade(RefundMade {
        id: refund.id,
        answer,
    });
    Ok(notice(event, about, content))
}

/// The intent of a refund; `None`: its charge was made without one.
async fn intent_of(api: Api<'_>, refund: &Refund) -> Result<Option<String>, CallError> {
    if let Some(id) = &refund.payment_intent {
        return Ok(Some(id.id().to_owned()));
    }
    let Some(charge) = &refund.charge else {
        return Ok(None);
    };
    let charge = charge_at(api, charge.id()).await?;
    Ok(charge.intent().map(str::to_owned))
}

/// A charge of somebody else, as a payment that was made elsewhere. One whose intent has our reference is ours: it is looked up.
async fn made(
    api: Api<'_>,
    event: &Event,
    intent: &Intent,
    charge: &Charge,
) -> Result<Notice, CallError> {
    let about = subject(intent);
    if about.reference.is_some() {
        return Ok(notice(event, about, NoticeContent::Changed));
    }
    let refunded = if charge.amount_refunded > 0 {
        let all = look_up::refunds_at(api, intent).await?;
        refunds::of_others(&all, charge)
            .filter(|refund| refund.status.as_deref() == Some("succeeded"))
            .fold(0, |sum: i64, refund| sum.saturating_add(refund.amount))
    } else {
        0
    };
    let content = made_elsewhere(charge, refunded).map_or(NoticeContent::Other, |made| {
        NoticeContent::Made(Box::new(made))
    });
    Ok(notice(event, about, content))
}

/// What is kept of a payment that another system made.
fn made_elsewhere(charge: &Charge, refunded: i64) -> Option<MadeElsewhere> {
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
        refunded: money(refunded)?.minor(),
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

/// A dispute, or a warning, with what its intent is to us.
async fn disputed(
    api: Api<'_>,
    event: &Event,
    intent: Option<&str>,
    report: Option<DisputeReport>,
) -> Result<Notice, CallError> {
    let report =
        report.ok_or_else(|| CallError::rejected("the dispute stands in an unknown way"))?;
    let about = match intent {
        Some(id) => named(api, id).await?,
        None => Subject::default(),
    };
    Ok(notice(event, about, NoticeContent::Dispute(report)))
}

/// An early warning as an alert, with the amount of its charge.
async fn warned(
    api: Api<'_>,
    warning: &Warning,
) -> Result<(Option<String>, Option<DisputeReport>), CallError> {
    let charge = charge_at(api, warning.charge.id()).await?;
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
async fn named(api: Api<'_>, id: &str) -> Result<Subject, CallError> {
    Ok(match intent(api, id).await? {
        Some(intent) => subject(&intent),
        None => Subject {
            processor_id: Some(id.to_owned()),
            ..Subject::default()
        },
    })
}

/// An intent with its charge. `None`: the account has none.
async fn intent(api: Api<'_>, id: &str) -> Result<Option<Intent>, CallError> {
    let path = format!("/v1/payment_intents/{}", look_up::checked(id)?);
    match api.get::<Intent>(&path, &expanded(Form::default())).await? {
        Ok(intent) => Ok(Some(intent)),
        Err(refusal) if look_up::is_missing(&refusal) => Ok(None),
        Err(refusal) => Err(refusal.rejected()),
    }
}

async fn charge_at(api: Api<'_>, id: &str) -> Result<Charge, CallError> {
    let path = format!("/v1/charges/{}", look_up::checked(id)?);
    let charge = api.get::<Charge>(&path, &Form::default()).await?;
    charge.map_err(Refusal::rejected)
}
