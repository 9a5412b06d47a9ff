//! The books in the words of the port.

use connector::{
    Action, Answer, Approval, Booked, Booking, Finding, Found, LaterAnswer, Reference, ThreeDs,
    Tokenised,
};
use domain::{
    Timestamp,
    decline::{Decline, DeclineCode},
    money::{Currency, Money},
};

use super::{
    agreement::own_token,
    challenge::Progress,
    entry::{Entry, Standing},
    later::{BookingKind, Later, Now},
};

/// What the ids of the simulator begin with.
const ID_PREFIX: &str = "sim_";

/// Risk in hundredths of a point of a hundred, with its word.
const NORMAL: Risk = Risk {
    level: "normal",
    score_hundredths: 1_200,
};
const HIGHEST: Risk = Risk {
    level: "highest",
    score_hundredths: 9_300,
};

/// How risky a payment looks.
#[derive(Clone, Copy)]
struct Risk {
    level: &'static str,
    score_hundredths: i64,
}

/// An authorisation's status, the simulator's own and the card network's.
#[derive(Clone, Copy)]
struct ReportedStatus<'a> {
    processor: &'a str,
    network: Option<&'a str>,
}

impl<'a> ReportedStatus<'a> {
    /// One of which the network knows nothing.
    const fn own(processor: &'a str) -> Self {
        Self {
            processor,
            network: None,
        }
    }
}

/// How the authorisation stands. `base`: of the addresses of pages.
pub(super) fn authorisation(entry: &Entry, at: Timestamp, base: &str) -> Answer {
    match entry.standing(at) {
        Standing::Approved => {
            let status = if entry.sale { "captured" } else { "authorised" };
            let status = ReportedStatus {
                processor: status,
                network: Some("approved_by_network"),
            };
            let mut approval = approval(entry, status, NORMAL);
            approval.scheme_transaction_id = entry
                .is_of_card()
                .then(|| format!("simnet_{}", entry.reference.as_str()));
            let stored = entry.agreement.as_ref();
            let stored = stored.and_then(|agreement| agreement.token.as_deref());
            approval.stored_card = stored.map(|token| own_token(&entry.reference, token));
            Answer::Approved {
                captured: entry.sale,
                approval,
            }
        }
        Standing::Held => {
            let status = if entry.is_debit() {
                "collecting"
            } else {
                "in_review"
            };
            Answer::Held {
                approval: approval(entry, ReportedStatus::own(status), NORMAL),
            }
        }
        Standing::Asks { ready } => match action(entry, ready, base) {
            Some(action) => {
                let status = ReportedStatus::own("requires_action");
                let approval = approval(entry, status, NORMAL);
                Answer::ActionRequired { action, approval }
            }
            None => failed(),
        },
        Standing::Declined(code) => {
            let risk = if code == DeclineCode::SuspectedFraud {
                HIGHEST
            } else {
                NORMAL
            };
            let status = ReportedStatus {
                processor: "declined",
                network: Some("declined_by_network"),
            };
            let approval = approval(entry, status, risk);
            Answer::Declined {
                decline: decline(code),
                approval,
            }
        }
        Standing::Failed => failed(),
    }
}

fn failed() -> Answer {
    Answer::Failed {
        reason: "the processor had a technical failure".into(),
    }
}

/// How the request for a token stands; `None` when the processor failed.
pub(super) fn token(entry: &Entry, at: Timestamp, base: &str) -> Option<Tokenised> {
    match entry.standing(at) {
        Standing::Approved | Standing::Held => {
            let token = entry.token.as_deref()?;
            Some(Tokenised::Token(own_token(&entry.reference, token)))
        }
        Standing::Asks { ready } => action(entry, ready, base).map(Tokenised::ActionRequired),
        Standing::Declined(code) => Some(Tokenised::Declined(decline(code))),
        Standing::Failed => None,
    }
}

fn action(entry: &Entry, ready: bool, base: &str) -> Option<Action> {
    let challenge = entry.challenge.as_ref()?;
    let url = challenge.url(base, &entry.reference);
    Some(Action::new(challenge.kind, url, ready))
}

/// How a capture, cancellation or refund stands.
pub(super) fn later(later: &Later, currency: Currency, at: Timestamp) -> LaterAnswer {
    let processor_id = Some(processor_id(&later.reference));
    let booked = Some(Booked {
        what: match later.kind {
            BookingKind::Capture => Booking::Capture,
            BookingKind::Cancel => Booking::Cancellation,
            BookingKind::Refund => Booking::Refund,
        },
        money: Money::new(later.amount, currency),
    });
    match later.state.at(at) {
        Now::Done => LaterAnswer::Done {
            processor_id,
            booked,
        },
        Now::Pending => LaterAnswer::Pending {
            processor_id,
            booked,
        },
        Now::Failed => LaterAnswer::Refused {
            reason: undone(later.kind).into(),
            booked,
        },
        Now::Undone => LaterAnswer::Reversed {
            reason: undone(later.kind).into(),
            booked,
        },
        Now::Refused(refusal) => LaterAnswer::Refused {
            reason: refusal.reason().into(),
            booked,
        },
    }
}

/// Why something that was to take effect, or had, did not.
const fn undone(kind: BookingKind) -> &'static str {
    match kind {
        BookingKind::Refund => "the customer's bank returned the refund",
        BookingKind::Capture | BookingKind::Cancel => {
            "the customer's bank did not pay what was authorised"
        }
    }
}

/// The authorisation with everything that followed it.
pub(super) fn finding(entry: &Entry, at: Timestamp, base: &str) -> Finding {
    let found = |operation: &Later| Found {
        reference: Some(operation.reference.clone()),
        processor_id: Some(processor_id(&operation.reference)),
        answer: later(operation, entry.money.currency(), at),
    };
    Finding {
        authorisation: Some(authorisation(entry, at, base)),
        operations: entry.later.iter().map(found).collect(),
    }
}

fn approval(entry: &Entry, status: ReportedStatus<'_>, risk: Risk) -> Approval {
    let of_card = |text: &str| entry.is_of_card().then(|| text.into());
    Approval {
        processor_id: Some(processor_id(&entry.reference)),
        processor_status: Some(status.processor.into()),
        network_status: status.network.map(Into::into),
        risk_level: Some(risk.level.into()),
        risk_score_hundredths: Some(risk.score_hundredths),
        funding: Some(entry.funding),
        issuing_bank: of_card("Simulated Bank"),
        card_country: of_card("US"),
        receipt_url: None,
        scheme_transaction_id: None,
        several_captures: (!entry.takes_several_captures()).then_some(false),
        three_ds: authenticated(entry),
        booked: Some(entry.money),
        ..Approval::default()
    }
}

/// What 3D Secure brought so far.
fn authenticated(entry: &Entry) -> Option<ThreeDs> {
    let three_ds = entry.three_ds.as_ref()?;
    match entry.challenge.as_ref().map(|challenge| challenge.state) {
        None | Some(Progress::Completed) => Some(three_ds.clone()),
        Some(Progress::Failed) => Some(ThreeDs {
            eci: None,
            version: three_ds.version.clone(),
            result: Some("FAILED".into()),
        }),
        Some(Progress::Waiting | Progress::Passed | Progress::Over) => None,
    }
}

/// Our code, and the word that a processor might have for it.
fn decline(code: DeclineCode) -> Decline {
    let mut decline = Decline::of(code);
    decline.processor_code = Some(code.code().to_ascii_lowercase().into());
    let kind = decline.kind.code().to_ascii_lowercase();
    decline.processor_type = Some(format!("{kind}_decline").into());
    decline
}

/// The simulator's own id of what was asked for under a reference.
pub(super) fn processor_id(reference: &Reference) -> String {
    format!("{ID_PREFIX}{}", reference.as_str())
}

/// The reference of an id of the simulator's; `None` for another's.
pub(super) fn reference_in(id: &str) -> Option<&str> {
    id.strip_prefix(ID_PREFIX)
}
