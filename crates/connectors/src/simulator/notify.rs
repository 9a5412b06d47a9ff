//! What the simulator sends by itself: what is to be sent, and how it is signed and read.
//!
//! The form is that of Standard Webhooks: an id, a time and a signature in headers, HMAC-SHA256 over id, time and body.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use connector::{Delivery, Link, NotGenuine, Notice, NoticeContent, Notices, Subject, Unreadable};
use domain::{
    Timestamp,
    answer::{Answer, LaterAnswer},
    caller::Mode,
    dispute::{DisputeReason, DisputeReport, DisputeStage, DisputeStatus, DisputedFunds},
    money::Money,
    processor_text::ProcessorText,
};
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    Simulator, answers,
    descriptor::NOTIFICATION_SECRET,
    elsewhere::PostedPayment,
    entry::{Entry, Standing},
};

/// What a secret's text begins with. Source: Standard Webhooks, "Signature scheme".
pub(super) const SECRET_PREFIX: &str = "whsec_";
/// What a signature's text begins with.
const SIGNATURE_PREFIX: &str = "v1,";
/// How far the time of a delivery may be from ours.
const TOLERANCE: Duration = Duration::from_mins(5);
/// The most signatures of a delivery that are looked at.
const SIGNATURES_MAX: usize = 8;

/// Where notifications of an authorisation go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notify {
    /// The address.
    pub url: String,
    /// The connection's own secret, where its credentials have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// A notification that is to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outgoing {
    /// Its id, the same whenever it is sent.
    pub id: String,
    /// When it is sent (again).
    pub at: Timestamp,
    /// How often that was tried.
    #[serde(default)]
    pub tries: u32,
    /// What it is about.
    pub about: Matter,
}

/// What a notification is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matter {
    /// The authorisation.
    Authorisation,
    /// The operation with this place among the later ones.
    Later(usize),
    /// A state of a dispute: its place among the disputes, and the state's place.
    Dispute(usize, usize),
    /// A payment that another system made.
    Made,
}

/// The body of a notification.
#[derive(Debug, Serialize, Deserialize)]
struct Posted {
    id: String,
    #[serde(rename = "type")]
    word: String,
    mode: String,
    /// The reference under which the operation was sent; of a dispute that of the authorisation.
    reference: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    processor_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<Answer>,
    /// How much is authorised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    booked: Option<Money>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    operation: Option<LaterAnswer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dispute: Option<PostedDispute>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    payment: Option<PostedPayment>,
}

/// What of the body tells for which mode it is.
#[derive(Deserialize)]
struct PostedMode {
    mode: String,
}

/// A dispute in the body of a notification.
#[derive(Debug, Serialize, Deserialize)]
struct PostedDispute {
    id: String,
    status: DisputeStatus,
    stage: DisputeStage,
    #[serde(default)]
    reason: Option<DisputeReason>,
    money: Money,
    disputed_at: Timestamp,
    #[serde(default)]
    respond_by: Option<Timestamp>,
    #[serde(default)]
    processor_status: Option<ProcessorText>,
    #[serde(default)]
    processor_reason: Option<ProcessorText>,
    #[serde(default)]
    funds: Option<DisputedFunds>,
    #[serde(default)]
    as_of: Option<Timestamp>,
}

impl PostedDispute {
    fn of(report: DisputeReport) -> Self {
        Self {
            id: report.source_id,
            status: report.status,
            stage: report.stage,
            reason: report.reason,
            money: report.money,
            disputed_at: report.disputed_at,
            respond_by: report.respond_by,
            processor_status: report.processor_status,
            processor_reason: report.processor_reason,
            funds: report.funds,
            as_of: report.as_of,
        }
    }

    fn report(self, source_payment: Option<String>) -> DisputeReport {
        DisputeReport {
            source_id: self.id,
            source_payment,
            status: self.status,
            stage: self.stage,
            reason: self.reason,
            money: self.money,
            disputed_at: self.disputed_at,
            respond_by: self.respond_by,
            processor_status: self.processor_status,
            processor_reason: self.processor_reason,
            funds: self.funds,
            as_of: self.as_of,
        }
    }
}

/// The key of a secret: its bytes, or the text itself where it is no base64.
fn key_of(secret: &str) -> Vec<u8> {
    let text = secret.strip_prefix(SECRET_PREFIX).unwrap_or(secret);
    STANDARD
        .decode(text)
        .unwrap_or_else(|_| text.as_bytes().to_vec())
}

/// The secret of a connection that has none of its own: made of the random token in its address, which the simulator and the
/// service alone know besides those who may read the connection.
pub fn derived_secret(url: &str) -> String {
    let token = url.rsplit('/').next().unwrap_or_default();
    let mut hash = Sha256::new();
    hash.update(b"pointsman simulator\0");
    hash.update(token.as_bytes());
    format!("{SECRET_PREFIX}{}", STANDARD.encode(hash.finalize()))
}

/// The signature of a delivery.
pub fn sign(secret: &str, id: &str, seconds: i64, body: &[u8]) -> String {
    let code = mac(secret, id, seconds, body).map(|mac| mac.finalize().into_bytes());
    format!(
        "{SIGNATURE_PREFIX}{}",
        STANDARD.encode(code.unwrap_or_default())
    )
}

/// The keyed hash of a delivery; `None` where no key can be made of the secret.
fn mac(secret: &str, id: &str, seconds: i64, body: &[u8]) -> Option<Hmac<Sha256>> {
    // A key of any length is taken. Source: RFC 2104.
    let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(&key_of(secret)).ok()?;
    mac.update(format!("{id}.{seconds}.").as_bytes());
    mac.update(body);
    Some(mac)
}

impl Entry {
    /// Where the processor of this link is to send notifications.
    pub(super) fn notify_from(&mut self, link: &Link<'_>) {
        let notify = link.notification_url.map(|url| Notify {
            url: url.to_owned(),
            secret: link.credential(NOTIFICATION_SECRET).map(str::to_owned),
        });
        self.notify = notify.or(self.notify.take());
    }

    /// Writes ahead what will be notified of the authorisation: how a review or a debit ends, and the dispute that the test number
    /// brings when its money is captured at once.
    pub(super) fn begin_notifying(&mut self, now: Timestamp) {
        let decided = match self.standing(now) {
            Standing::Held => self.held_until.unwrap_or(now),
            Standing::Approved => now,
            Standing::Asks { .. } | Standing::Declined(_) | Standing::Failed => return,
        };
        if decided > now {
            self.notify_authorisation(decided);
        }
        if self.sale && self.standing(decided) == Standing::Approved {
            self.dispute_captured(self.money, decided);
        }
    }

    /// Has the authorisation notified at a time.
    pub(super) fn notify_authorisation(&mut self, at: Timestamp) {
        self.push(at, Matter::Authorisation);
    }

    /// Has the last of the later operations notified at a time.
    pub(super) fn notify_later(&mut self, at: Timestamp) {
        if let Some(place) = self.later.len().checked_sub(1) {
            self.push(at, Matter::Later(place));
        }
    }

    /// Has the payment of another system notified.
    pub(super) fn notify_made(&mut self, at: Timestamp) {
        self.push(at, Matter::Made);
    }

    /// Has the last state of a dispute notified.
    pub(super) fn notify_dispute(&mut self, id: &str) {
        let place = self.disputes.iter().position(|one| one.id == id);
        let Some((place, dispute)) =
            place.and_then(|place| Some((place, self.disputes.get(place)?)))
        else {
            return;
        };
        if let (Some(state), Some(last)) = (dispute.states.len().checked_sub(1), dispute.last()) {
            self.push(last.from, Matter::Dispute(place, state));
        }
    }

    fn push(&mut self, at: Timestamp, about: Matter) {
        if self.notify.is_none() {
            return;
        }
        let n = self
            .sent
            .saturating_add(u32::try_from(self.outbox.len()).unwrap_or(u32::MAX));
        let id = format!("simmsg_{}_{n}", self.reference.as_str());
        // One in four comes late, so that others overtake it.
        let late = if whim(&id) == 1 {
            Duration::from_millis(700)
        } else {
            Duration::ZERO
        };
        self.outbox.push(Outgoing {
            id,
            at: at.after(late),
            tries: 0,
            about,
        });
    }

    /// When the next notification is to be sent.
    pub fn send_at(&self) -> Option<Timestamp> {
        self.outbox.iter().map(|one| one.at).min()
    }

    /// The body of a notification as of `at`, and its words.
    pub(super) fn posted(&self, outgoing: &Outgoing, at: Timestamp, base: &str) -> Option<String> {
        let mut posted = Posted {
            id: outgoing.id.clone(),
            word: String::new(),
            mode: "test".to_owned(),
            reference: Some(self.reference.as_str().to_owned()),
            processor_id: Some(answers::processor_id(&self.reference)),
            answer: None,
            booked: None,
            operation: None,
            dispute: None,
            payment: None,
        };
        if let Some(known) = &self.elsewhere {
            posted.reference = Some(known.order.clone());
        }
        match outgoing.about {
            Matter::Authorisation => {
                "authorisation.updated".clone_into(&mut posted.word);
                let mut answer = answers::authorisation(self, at, base);
                posted.booked = answer.approval_mut().and_then(|approval| approval.booked);
                posted.answer = Some(answer);
            }
            Matter::Later(place) => {
                let later = self.later.get(place)?;
                "operation.updated".clone_into(&mut posted.word);
                posted.reference = Some(later.reference.as_str().to_owned());
                posted.processor_id = Some(answers::processor_id(&later.reference));
                posted.operation = Some(answers::later(later, self.money.currency(), at));
            }
            Matter::Made => {
                "payment.made".clone_into(&mut posted.word);
                posted.payment = Some(self.posted_payment(at)?);
            }
            Matter::Dispute(place, state) => {
                let dispute = self.disputes.get(place)?;
                let state = dispute.states.get(state)?;
                "dispute.updated".clone_into(&mut posted.word);
                posted.dispute = Some(PostedDispute::of(dispute.report(state, &self.reference)));
            }
        }
        serde_json::to_string(&posted).ok()
    }
}

/// What is done with a notification besides: the same for the same id. One in four is sent twice (0), one in four late (1).
pub(super) fn whim(id: &str) -> u8 {
    let mut hash = Sha256::new();
    hash.update(id.as_bytes());
    hash.finalize().first().map_or(2, |byte| byte % 4)
}

/// What is signed of a delivery, and with what.
pub(super) struct Signed<'a> {
    id: &'a str,
    seconds: i64,
    body: &'a [u8],
    signatures: &'a str,
}

impl Signed<'_> {
    /// Whether one of the signatures is that of the secret. In constant time.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(ForgedNotificationTaken = super::bugs::believe)
    )]
    fn fits(&self, secret: &str) -> bool {
        let fits = |text: &str| {
            let Some(code) = text.strip_prefix(SIGNATURE_PREFIX) else {
                return false;
            };
            let Ok(code) = STANDARD.decode(code) else {
                return false;
            };
            mac(secret, self.id, self.seconds, self.body)
                .is_some_and(|mac| mac.verify_slice(&code).is_ok())
        };
        self.signatures.split(' ').take(SIGNATURES_MAX).any(fits)
    }
}

impl Notices for Simulator {
    fn prove(&self, link: &Link<'_>, delivery: &Delivery<'_>) -> Result<(), NotGenuine> {
        let derived = link.notification_url.map(derived_secret);
        let own = link.credential(NOTIFICATION_SECRET).map(str::to_owned);
        let secret = own.or(derived).ok_or(NotGenuine::NoSecret)?;
        let id = delivery.header("webhook-id").ok_or(NotGenuine::Unsigned)?;
        let seconds: i64 = delivery
            .header("webhook-timestamp")
            .and_then(|text| text.parse().ok())
            .ok_or(NotGenuine::Unsigned)?;
        let signatures = delivery
            .header("webhook-signature")
            .ok_or(NotGenuine::Unsigned)?;
        let signed = Signed {
            id,
            seconds,
            body: delivery.body,
            signatures,
        };
        if !signed.fits(&secret) {
            return Err(NotGenuine::Forged);
        }
        let sent_at = Timestamp::from_micros(seconds.saturating_mul(1_000_000));
        if sent_at.since(link.now).max(link.now.since(sent_at)) > TOLERANCE {
            return Err(NotGenuine::Untimely);
        }
        let mode = match link.mode {
            Mode::Test => "test",
            Mode::Live => "live",
        };
        // What has no mode can't be read either.
        match serde_json::from_slice::<PostedMode>(delivery.body) {
            Ok(posted) if posted.mode != mode => Err(NotGenuine::OtherMode),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn read(&self, delivery: &Delivery<'_>) -> Result<Vec<Notice>, Unreadable> {
        let id = delivery
            .header("webhook-id")
            .ok_or(Unreadable("it has no id"))?;
        let posted: Posted = serde_json::from_slice(delivery.body)
            .map_err(|_| Unreadable("its body has not the form of a notification"))?;
        // The id that is signed counts, not that of the body.
        Ok(vec![notice(id, posted)])
    }
}

fn notice(id: &str, mut posted: Posted) -> Notice {
    // An answer is written without it, since it is not kept.
    if let Some(approval) = posted.answer.as_mut().and_then(Answer::approval_mut) {
        approval.booked = posted.booked;
    }
    let subject = Subject {
        reference: posted.reference,
        processor_id: posted.processor_id.clone(),
        sent_by: None,
    };
    let pieces = (posted.answer, posted.operation, posted.dispute);
    let content = match (pieces, posted.payment, posted.processor_id) {
        ((None, None, None), Some(payment), Some(id)) => {
            NoticeContent::Made(Box::new(payment.report(id)))
        }
        ((Some(answer), None, None), None, _) => NoticeContent::Authorisation(answer),
        ((None, Some(answer), None), None, _) => NoticeContent::Later(answer),
        ((None, None, Some(dispute)), None, id) => NoticeContent::Dispute(dispute.report(id)),
        ((None, None, None), None, _) if posted.word.ends_with(".changed") => {
            NoticeContent::Changed
        }
        _ => NoticeContent::Other,
    };
    Notice {
        id: id.to_owned(),
        word: posted.word,
        subject,
        content,
    }
}
