//! How the books are told in the words of the port.

use connector::{Answer, Approval, Finding, LaterAnswer, Reference};
use domain::{
    Timestamp,
    decline::{Decline, DeclineCode},
};

use super::{
    entry::{Entry, Standing},
    later::{Later, Now},
};

/// Risk in hundredths of a point of a hundred, with its word.
const NORMAL: (&str, i64) = ("normal", 1_200);
const HIGHEST: (&str, i64) = ("highest", 9_300);

/// How the authorisation stands.
pub(super) fn authorisation(entry: &Entry, at: Timestamp) -> Answer {
    match entry.standing(at) {
        Standing::Approved => {
            let status = if entry.sale { "captured" } else { "authorised" };
            let mut approval = approval(entry, (status, Some("approved_by_network")), NORMAL);
            approval.scheme_transaction_id = Some(format!("simnet_{}", entry.reference.as_str()));
            Answer::Approved { captured: entry.sale, approval }
        }
        Standing::Held => Answer::Held { approval: approval(entry, ("in_review", None), NORMAL) },
        Standing::Declined(code) => {
            let risk = if code == DeclineCode::SuspectedFraud { HIGHEST } else { NORMAL };
            let approval = approval(entry, ("declined", Some("declined_by_network")), risk);
            Answer::Declined { decline: decline(code), approval }
        }
        Standing::Failed => Answer::Failed { reason: "the processor had a technical failure".to_owned() },
    }
}

/// How a capture, cancellation or refund stands.
pub(super) fn later(later: &Later, at: Timestamp) -> LaterAnswer {
    let processor_id = Some(processor_id(&later.reference));
    match later.state.at(at) {
        Now::Done => LaterAnswer::Done { processor_id },
        Now::Pending => LaterAnswer::Pending { processor_id },
        Now::Failed => LaterAnswer::Refused { reason: "the customer's bank returned the refund".to_owned() },
        Now::Refused(refusal) => LaterAnswer::Refused { reason: refusal.reason().to_owned() },
    }
}

/// What the entry has under `reference`: the authorisation's own, or that of a later operation.
pub(super) fn finding(entry: &Entry, reference: &Reference, at: Timestamp) -> Option<Finding> {
    if entry.reference == *reference {
        return Some(Finding::Authorisation(authorisation(entry, at)));
    }
    entry.find(reference).map(|found| Finding::Later(later(found, at)))
}

fn approval(entry: &Entry, status: (&str, Option<&str>), risk: (&str, i64)) -> Approval {
    Approval {
        processor_id: Some(processor_id(&entry.reference)),
        processor_status: Some(status.0.to_owned()),
        network_status: status.1.map(str::to_owned),
        risk_level: Some(risk.0.to_owned()),
        risk_score_hundredths: Some(risk.1),
        funding: Some(entry.funding),
        issuing_bank: Some("Simulated Bank".to_owned()),
        card_country: Some("US".to_owned()),
        receipt_url: None,
        scheme_transaction_id: None,
        three_ds: None,
    }
}

/// Our code, and the word that a processor might have for it.
fn decline(code: DeclineCode) -> Decline {
    let mut decline = Decline::of(code);
    decline.processor_code = Some(code.code().to_ascii_lowercase());
    decline.processor_type = Some(format!("{}_decline", decline.kind.code().to_ascii_lowercase()));
    decline
}

fn processor_id(reference: &Reference) -> String {
    format!("sim_{}", reference.as_str())
}
