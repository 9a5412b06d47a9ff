//! Responses to disputes: what the simulator takes, and what it makes of them.

use std::time::Duration;

use base64::{Engine as _, prelude::BASE64_STANDARD as STANDARD};
use connector::{CallError, FoundResponse, Link, Reference, Respond, SubmitEvidence};
use domain::{
    Timestamp,
    dispute::{DisputeReason, DisputeReport, DisputeStatus, evidence::EvidenceLimits},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    Simulator,
    cards::Behaviour,
    disputes::{DisputeState, SimulatedDispute},
    entry::{DECIDES_AFTER, Entry},
    is_another_request, of_a_read, rejected,
};

/// A response in the books.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulatedResponse {
    /// Under which it was sent.
    pub reference: Reference,
    /// Whether the dispute was accepted; else it is evidence.
    pub accepts: bool,
    /// The SHA-256 of all that was sent, in base64.
    pub content: String,
    /// How many texts.
    pub texts: usize,
    /// The files: names and lengths in bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<(String, u64)>,
    /// When it was taken.
    pub at: Timestamp,
}

/// What became of a response that is sent.
enum Noted {
    /// It was taken, now or before.
    Taken,
    /// Why it was not.
    Not(CallError),
}

impl SimulatedResponse {
    fn acceptance(call: &Respond<'_>, at: Timestamp) -> Self {
        Self {
            reference: call.reference.clone(),
            accepts: true,
            content: String::new(),
            texts: 0,
            files: Vec::new(),
            at,
        }
    }

    fn evidence(call: &SubmitEvidence<'_>, at: Timestamp) -> Self {
        let mut hash = Sha256::new();
        for one in call.texts {
            hash.update(one.kind.code().as_bytes());
            hash.update([0]);
            hash.update(one.text.as_bytes());
            hash.update([0]);
        }
        for one in call.files {
            hash.update(one.name.as_bytes());
            hash.update([0]);
            hash.update(Sha256::digest(&one.content));
        }
        let files = call.files.iter();
        Self {
            reference: call.respond.reference.clone(),
            accepts: false,
            content: STANDARD.encode(hash.finalize()),
            texts: call.texts.len(),
            files: files
                .map(|one| (one.name.clone(), one.content.len() as u64))
                .collect(),
            at,
        }
    }
}

/// Whether evidence is within the limits. The error is a clause.
fn check(call: &SubmitEvidence<'_>, limits: &EvidenceLimits) -> Result<(), &'static str> {
    let lengths = || call.texts.iter().map(|one| one.text.chars().count());
    let bytes = || call.files.iter().map(|one| one.content.len() as u64);
    if lengths().any(|length| length > limits.text_chars) {
        return Err("a text is too long");
    }
    if lengths().sum::<usize>() > limits.all_chars {
        return Err("the texts are too long together");
    }
    if call.files.len() > limits.files {
        return Err("there are too many files");
    }
    if bytes().any(|bytes| bytes > limits.file_bytes) || bytes().sum::<u64>() > limits.all_bytes {
        return Err("the files are too large");
    }
    if call
        .files
        .iter()
        .any(|one| !limits.types.contains(&one.kind))
    {
        return Err("a file is of a type that is not taken");
    }
    if call.texts.is_empty() && call.files.is_empty() {
        return Err("there is no evidence");
    }
    Ok(())
}

impl Behaviour {
    /// How a dispute of a payment with this card ends once there is evidence; `None`: the sandbox's desk decides.
    const fn verdict(self) -> Option<DisputeStatus> {
        match self {
            Self::Disputed(DisputeReason::Fraud) => Some(DisputeStatus::Won),
            Self::Disputed(_) => Some(DisputeStatus::Lost),
            _ => None,
        }
    }
}

impl SimulatedDispute {
    fn has(&self, reference: &Reference) -> Option<&SimulatedResponse> {
        self.responses
            .iter()
            .find(|one| one.reference == *reference)
    }
}

impl Entry {
    /// Notes a response to a dispute, once for its reference.
    fn note_response(&mut self, id: &str, response: &SimulatedResponse, now: Timestamp) -> Noted {
        let verdict = self.behaviour.verdict();
        let Some(dispute) = self.disputes.iter_mut().find(|one| one.id == id) else {
            return Noted::Not(rejected("there is no such dispute"));
        };
        if let Some(known) = dispute.has(&response.reference) {
            let is_same = known.accepts == response.accepts && known.content == response.content;
            return if is_same {
                Noted::Taken
            } else {
                Noted::Not(is_another_request())
            };
        }
        let Some(state) = dispute.at(now).cloned() else {
            return Noted::Not(rejected("there is no such dispute"));
        };
        if state.status != DisputeStatus::NeedsResponse {
            return Noted::Not(rejected("the dispute does not wait for a response"));
        }
        if !response.accepts && state.respond_by.is_some_and(|by| by <= now) {
            return Noted::Not(rejected("the time to respond has ended"));
        }
        dispute.responses.push(response.clone());
        let steps: &[(Option<DisputeStatus>, Duration)] = if response.accepts {
            &[(Some(DisputeStatus::Lost), Duration::ZERO)]
        } else {
            &[
                (Some(DisputeStatus::SentForReview), Duration::ZERO),
                (Some(DisputeStatus::UnderReview), DECIDES_AFTER),
                (verdict, DECIDES_AFTER.saturating_mul(2)),
            ]
        };
        for (status, after) in steps {
            if let Some(status) = status {
                let next = DisputeState {
                    from: now.after(*after),
                    status: *status,
                    ..state.clone()
                };
                self.move_dispute(id, next);
            }
        }
        Noted::Taken
    }

    /// How a dispute stands, for the processor's answer.
    fn report_of(&self, id: &str, at: Timestamp) -> Option<DisputeReport> {
        let dispute = self.disputes.iter().find(|one| one.id == id)?;
        let state = dispute.at(at)?;
        Some(dispute.report(state, &self.reference))
    }
}

impl Simulator {
    pub(super) async fn play_submit(
        &self,
        link: &Link<'_>,
        call: &SubmitEvidence<'_>,
        limits: &EvidenceLimits,
    ) -> Result<DisputeReport, CallError> {
        check(call, limits).map_err(rejected)?;
        let response = SimulatedResponse::evidence(call, self.world.now());
        self.take_response(link, call.respond.dispute, response)
            .await
    }

    pub(super) async fn play_accept(
        &self,
        link: &Link<'_>,
        call: &Respond<'_>,
    ) -> Result<DisputeReport, CallError> {
        let response = SimulatedResponse::acceptance(call, self.world.now());
        self.take_response(link, call.dispute, response).await
    }

    async fn take_response(
        &self,
        link: &Link<'_>,
        id: &str,
        response: SimulatedResponse,
    ) -> Result<DisputeReport, CallError> {
        let known = self.entry_of_dispute(id).await?;
        let Some(known) = known.filter(|entry| entry.connection == *link.connection) else {
            return Err(rejected("there is no such dispute"));
        };
        let refused = parking_lot::Mutex::new(None);
        let now = self.world.now();
        let note = |entry: &mut Entry| {
            let before = entry.clone();
            let noted = entry.note_response(id, &response, now);
            *refused.lock() = match noted {
                Noted::Taken => None,
                Noted::Not(error) => Some(error),
            };
            *entry != before
        };
        let entry = self.change(known, note).await?;
        if let Some(error) = refused.into_inner() {
            return Err(error);
        }
        entry
            .report_of(id, self.world.now())
            .ok_or_else(|| rejected("there is no such dispute"))
    }

    pub(super) async fn play_find_response(
        &self,
        link: &Link<'_>,
        call: &Respond<'_>,
    ) -> Result<FoundResponse, CallError> {
        let found = self.find_taken(link, call).await?;
        if matches!(found, FoundResponse::Taken(_)) {
            return Ok(found);
        }
        // The write of a call whose caller has gone may still be under way.
        if let Some(entry) = self.entry_of_dispute(call.dispute).await? {
            self.books
                .catch_up(entry.reference.as_str())
                .await
                .map_err(of_a_read)?;
        }
        self.find_taken(link, call).await
    }

    async fn find_taken(
        &self,
        link: &Link<'_>,
        call: &Respond<'_>,
    ) -> Result<FoundResponse, CallError> {
        let entry = self.entry_of_dispute(call.dispute).await?;
        let Some(entry) = entry.filter(|entry| entry.connection == *link.connection) else {
            return Ok(FoundResponse::Absent(None));
        };
        let report = entry.report_of(call.dispute, self.world.now());
        let dispute = entry.disputes.iter().find(|one| one.id == call.dispute);
        let is_there = dispute.is_some_and(|one| one.has(call.reference).is_some());
        Ok(match report {
            Some(report) if is_there => FoundResponse::Taken(report),
            report => FoundResponse::Absent(report),
        })
    }
}
