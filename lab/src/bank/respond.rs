//! Responses to disputes on their way to a processor, with all that they hold.

use connector::{CallError, Disputes, EvidenceFile, Link, Reference, Respond, SubmitEvidence};
use connectors::simulator::Simulator;
use domain::dispute::{DisputeReport, evidence::EvidenceText};
use serde_json::{Value, json};

use super::request::Reply;

/// What is asked about a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Submit,
    Accept,
    /// Whether the processor has it.
    Find,
}

/// A call about a response.
pub(super) struct Response {
    asked: Asked,
    reference: Reference,
    dispute: String,
    stands: DisputeReport,
    texts: Vec<EvidenceText>,
    files: Vec<EvidenceFile>,
}

impl Response {
    fn about(asked: Asked, call: &Respond<'_>) -> Self {
        Self {
            asked,
            reference: call.reference.clone(),
            dispute: call.dispute.to_owned(),
            stands: call.stands.clone(),
            texts: Vec::new(),
            files: Vec::new(),
        }
    }

    pub(super) fn submit(call: &SubmitEvidence<'_>) -> Self {
        Self {
            texts: call.texts.to_vec(),
            files: call.files.to_vec(),
            ..Self::about(Asked::Submit, &call.respond)
        }
    }

    pub(super) fn accept(call: &Respond<'_>) -> Self {
        Self::about(Asked::Accept, call)
    }

    pub(super) fn find(call: &Respond<'_>) -> Self {
        Self::about(Asked::Find, call)
    }

    /// What it does, in a word or two.
    pub(super) fn verb(&self) -> &'static str {
        match self.asked {
            Asked::Submit => "evidence",
            Asked::Accept => "accept",
            Asked::Find => "find response",
        }
    }

    pub(super) fn is_look_up(&self) -> bool {
        self.asked == Asked::Find
    }

    /// What is noted of it, for the checker.
    pub(super) fn note(&self, what: &str) -> Value {
        json!({
            "what": what,
            "reference": self.reference,
            "dispute": self.dispute,
            "accepts": self.asked == Asked::Accept,
            "texts": self.texts,
        })
    }

    /// Does it.
    pub(super) async fn perform(
        &self,
        simulator: &Simulator,
        link: &Link<'_>,
    ) -> Result<Reply, CallError> {
        let respond = Respond {
            reference: &self.reference,
            dispute: &self.dispute,
            stands: &self.stands,
        };
        match self.asked {
            Asked::Submit => {
                let call = SubmitEvidence {
                    respond,
                    texts: &self.texts,
                    files: &self.files,
                };
                simulator.submit(link, &call).await.map(Reply::Responded)
            }
            Asked::Accept => simulator.accept(link, &respond).await.map(Reply::Responded),
            Asked::Find => {
                let found = simulator.find_response(link, &respond).await;
                found.map(Reply::Response)
            }
        }
    }
}
