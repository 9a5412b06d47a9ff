//! Responding to disputes: evidence as a draft and submitted, and acceptance.
//!
//! # How it works
//! What is refused is refused before anything is committed. The first commit takes the idempotency key, keeps the evidence and makes the
//! response one that is being sent; then the processor is asked, under the response's own reference; a second commit settles
//! what came of it. The dispute is due while that is open, so that after a crash anywhere the job (`confirm.rs`) goes on: it asks the
//! processor whether it has the response, and sends it again under the same reference only when it has not.

mod answer;
mod confirm;
mod document;
mod erase;
mod files;
mod send;

use crate::boxed;
use std::sync::Arc;

use connector::Reference;
use domain::{
    Code, Fault,
    attachment::Attachment,
    audit::{Act, Deed},
    caller::Caller,
    dispute::{
        Dispute, Evidence, EvidenceChange, NewResponse, ResponseKind, ResponseState,
        evidence::EvidenceLimits,
    },
    id::{AttachmentId, DisputeId},
    payment::Begin,
};
use store::dispute_evidence::EvidenceKey;

use super::{Case, CaseId, CaseParts, DisputeView};
use crate::{
    Engine,
    attachments::WrittenContent,
    change::{Decision, Key, Start},
    faults::{EngineError, dispute_not_found},
    idempotency::{Once, Response},
    payments::Connected,
    request::Request,
};

use answer::snapshot;

/// How often evidence is put together again because others changed the draft meanwhile.
const TRIES: u32 = 8;

/// Evidence for a dispute, as a draft or to be submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmitEvidence {
    /// The dispute.
    pub id: DisputeId,
    /// What is given; the rest is as in the draft.
    pub change: EvidenceChange,
    /// Whether it is submitted, once and for good; else it is kept as a draft.
    pub submit: bool,
}

/// A dispute that is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AcceptDispute {
    /// The dispute.
    pub id: DisputeId,
}

/// Evidence that may be sent.
struct Checked {
    dispute: Dispute,
    line: Connected,
    limits: EvidenceLimits,
    evidence: Evidence,
    files: Vec<Attachment>,
}

/// A response that is to be begun.
struct Wanted {
    dispute: Dispute,
    line: Connected,
    new: NewResponse,
    /// What is kept with it; none of an acceptance.
    evidence: Option<Evidence>,
    /// The file that was made here, where there is one.
    document: Option<WrittenContent>,
    deed: Deed,
}

/// What a request's first commit makes of a dispute.
struct Begun {
    dispute: Dispute,
    n: u32,
}

impl Engine {
    /// Keeps evidence as a draft, or submits it to the processor.
    ///
    /// Idempotency: as `capturePayment`; without a key the dispute itself refuses a second submission.
    ///
    /// # Errors
    /// `error.dispute.not-found`, `error.dispute.invalid-status`, `error.dispute.processor`, `error.payment.operation-in-progress`;
    /// `error.validation` and `error.attachment.not-found` for the evidence; `error.attachment.switched-off`.
    #[boxed]
    pub async fn submit_evidence(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<SubmitEvidence, Fault>,
    ) -> Response<DisputeView> {
        let engine = self.clone();
        let run = |command: SubmitEvidence, request: Arc<Request>| async move {
            let id = command.id;
            let work = {
                let (engine, request) = (engine.clone(), Arc::clone(&request));
                async move { Box::pin(engine.submitted(command, &request)).await }
            };
            engine.dispute_in_time(&request, id, Box::pin(work)).await
        };
        self.once(caller, once, parsed, run).await
    }

    /// Accepts a dispute at the processor: the customer keeps the money.
    ///
    /// # Errors
    /// `error.dispute.not-found`, `error.dispute.invalid-status`, `error.dispute.processor`, `error.payment.operation-in-progress`.
    #[boxed]
    pub async fn accept_dispute(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<AcceptDispute, Fault>,
    ) -> Response<DisputeView> {
        let engine = self.clone();
        let run = |command: AcceptDispute, request: Arc<Request>| async move {
            let work = {
                let (engine, request) = (engine.clone(), Arc::clone(&request));
                async move { Box::pin(engine.accepted(command, &request)).await }
            };
            engine
                .dispute_in_time(&request, command.id, Box::pin(work))
                .await
        };
        self.once(caller, once, parsed, run).await
    }

    async fn submitted(
        &self,
        command: SubmitEvidence,
        request: &Request,
    ) -> Result<DisputeView, EngineError> {
        for _ in 0..TRIES {
            let checked = self.checked_evidence(&command, request).await?;
            if command.submit {
                if let Some(begun) = self.evidence_begun(checked, request).await? {
                    return self.sent_and_settled(begun, request).await;
                }
            } else if let Some(view) = self.draft_saved(&checked, request).await? {
                return Ok(view);
            }
        }
        let message =
            "The evidence is changed by others all the time. Read the dispute and try again.";
        let fault = Fault::new(Code::OperationInProgress, message);
        Err(fault.about(command.id).into())
    }

    /// Begins to submit what was checked. `None`: the dispute was changed since, the draft perhaps too.
    async fn evidence_begun(
        &self,
        mut checked: Checked,
        request: &Request,
    ) -> Result<Option<Begun>, EngineError> {
        if checked.evidence.is_empty() {
            return Err(Fault::invalid("evidence", "must have a text or a file").into());
        }
        let document = self.document_of(&mut checked, request).await?;
        let new = NewResponse {
            kind: ResponseKind::Evidence,
            attachments: checked.files.iter().map(|one| one.id).collect(),
            document: document.as_ref().map(|written| written.attachment.id),
        };
        let wanted = Wanted {
            deed: deed(&checked.dispute, Act::DisputeResponded).with("submitted", true),
            dispute: checked.dispute,
            line: checked.line,
            evidence: Some(checked.evidence),
            document,
            new,
        };
        self.begun(&wanted, request).await
    }

    async fn accepted(
        &self,
        command: AcceptDispute,
        request: &Request,
    ) -> Result<DisputeView, EngineError> {
        let dispute = self.dispute_of(request, command.id).await?;
        dispute.may_respond(ResponseKind::Acceptance, self.inner.world.now())?;
        let line = self.line(dispute.team(), dispute.connection()).await?;
        let takes = |line: &Connected| {
            let facet = line.connector.disputes();
            facet.is_some_and(connector::Disputes::accepts)
        };
        let Some(line) = line.filter(takes) else {
            let why = "the processor lets no dispute be accepted by its API";
            return Err(refusal(&dispute, why).early().into());
        };
        let new = NewResponse {
            kind: ResponseKind::Acceptance,
            attachments: Vec::new(),
            document: None,
        };
        let wanted = Wanted {
            deed: deed(&dispute, Act::DisputeAccepted),
            dispute,
            line,
            evidence: None,
            document: None,
            new,
        };
        let begun = self.begun(&wanted, request).await?;
        let begun = begun.ok_or_else(Fault::unknown)?;
        self.sent_and_settled(begun, request).await
    }

    async fn dispute_of(&self, request: &Request, id: DisputeId) -> Result<Dispute, EngineError> {
        let team = request.caller.team;
        let found = store::dispute::of_team(&self.inner.store, team, id).await?;
        found.ok_or_else(|| dispute_not_found().into())
    }

    /// The evidence that is given, with what the draft has besides, once it is within the processor's limits.
    async fn checked_evidence(
        &self,
        command: &SubmitEvidence,
        request: &Request,
    ) -> Result<Checked, EngineError> {
        let dispute = self.dispute_of(request, command.id).await?;
        dispute.may_respond(ResponseKind::Evidence, self.inner.world.now())?;
        let line = self.line(dispute.team(), dispute.connection()).await?;
        let limits = line
            .as_ref()
            .and_then(|line| line.connector.disputes()?.limits().copied());
        let (Some(line), Some(limits)) = (line, limits) else {
            let why = "the processor takes no evidence by its API";
            return Err(refusal(&dispute, why).early().into());
        };
        let kept = self.kept_evidence(&dispute).await?;
        let evidence = kept.amended(command.change.clone());
        let files = self.files_of(&dispute, &evidence.attachments).await?;
        limits.admit(&evidence, &files)?;
        Ok(Checked {
            dispute,
            line,
            limits,
            evidence,
            files,
        })
    }

    /// The draft; without one, the evidence that was refused last, or of which nothing became known.
    pub(super) async fn kept_evidence(&self, dispute: &Dispute) -> Result<Evidence, EngineError> {
        let last = dispute.responses().last().filter(|one| {
            one.kind == ResponseKind::Evidence
                && matches!(
                    one.state,
                    ResponseState::Draft
                        | ResponseState::Refused { .. }
                        | ResponseState::Unconfirmed { .. }
                )
        });
        let Some(last) = last else {
            return Ok(Evidence::default());
        };
        let key = evidence_key(dispute, last.n);
        let found = store::dispute_evidence::find(&self.inner.store, key).await?;
        Ok(found.unwrap_or_default())
    }

    /// Keeps what was checked as the draft. `None`: the dispute was changed since, the draft perhaps too.
    async fn draft_saved(
        &self,
        checked: &Checked,
        request: &Request,
    ) -> Result<Option<DisputeView>, EngineError> {
        let files: &Vec<AttachmentId> = &checked.evidence.attachments;
        let save = |mut case: Case| async move {
            let dispute = case.dispute.as_mut().ok_or_else(dispute_not_found)?;
            if dispute.version() != checked.dispute.version() {
                return Ok(Decision::Leave(case, false));
            }
            let at = self.inner.world.now();
            let (n, occurred) = dispute.save_draft(files.clone(), at)?;
            let occurred = vec![occurred];
            let key = evidence_key(dispute, n);
            let deed = deed(dispute, Act::DisputeResponded).with("submitted", false);
            let answer = snapshot(dispute, &occurred);
            let claim = request.claim.as_ref();
            let stream = dispute.id().key();
            let parts = CaseParts {
                claim: claim.map(|claim| self.claim(claim, Some(&stream), Some(&answer))),
                statements: vec![
                    store::dispute_evidence::put(key, &checked.evidence),
                    self.audit(&deed),
                ],
                deadline: Some(request.deadline),
            };
            let effects = case.changed(occurred, at).with(parts);
            Ok(Decision::Write(case, effects, true))
        };
        let (case, is_saved) = self.change_case(&checked.dispute, request, save).await?;
        is_saved.then(|| shown(case)).transpose()
    }

    /// Commits a response that is being sent, before the processor is asked. `None`: the dispute of evidence was changed since that was
    /// put together.
    async fn begun(
        &self,
        wanted: &Wanted,
        request: &Request,
    ) -> Result<Option<Begun>, EngineError> {
        let begin = |mut case: Case| async move {
            let dispute = case.dispute.as_mut().ok_or_else(dispute_not_found)?;
            if wanted.evidence.is_some() && dispute.version() != wanted.dispute.version() {
                return Ok(Decision::Leave(case, None));
            }
            let once = request.claim.as_ref().map(|claim| claim.once.clone());
            let begin: Begin = self.begin(Some(&wanted.line), once, Some(request.deadline));
            let at = begin.at;
            let (n, occurred) = dispute.begin_response(wanted.new.clone(), begin)?;
            let key = evidence_key(dispute, n);
            let kept = match &wanted.evidence {
                Some(evidence) => store::dispute_evidence::put(key, evidence),
                // A draft that was there is of no use any more.
                None => store::dispute_evidence::delete(key),
            };
            let mut statements = vec![kept, self.audit(&wanted.deed)];
            if let Some(written) = &wanted.document {
                statements.extend(self.document_kept(written).await?);
            }
            let claim = request.claim.as_ref();
            let stream = dispute.id().key();
            let parts = CaseParts {
                claim: claim.map(|claim| self.claim(claim, Some(&stream), None)),
                statements,
                deadline: Some(request.deadline),
            };
            let effects = case.changed(vec![occurred], at).with(parts);
            Ok(Decision::Write(case, effects, Some(n)))
        };
        let (case, n) = self.change_case(&wanted.dispute, request, begin).await?;
        let dispute = case.dispute.ok_or_else(dispute_not_found)?;
        Ok(n.map(|n| Begun { dispute, n }))
    }

    /// Asks the processor, and settles what came of it.
    async fn sent_and_settled(
        &self,
        begun: Begun,
        request: &Request,
    ) -> Result<DisputeView, EngineError> {
        let Begun { dispute, n } = begun;
        let news = self.send_response(&dispute, n).await?;
        let dispute = self.settle_response(&dispute, n, &news).await?;
        self.response_answer(dispute, n, request).await
    }

    /// Changes a dispute for a request.
    async fn change_case<T, F>(
        &self,
        dispute: &Dispute,
        request: &Request,
        decide: impl Fn(Case) -> F,
    ) -> Result<(Case, T), EngineError>
    where
        F: Future<Output = Result<Decision<Case, T>, EngineError>>,
    {
        let start = Start {
            key: case_key(dispute),
            known: None,
            deadline: request.deadline,
        };
        let changed = self.change_from(start, decide).await?;
        changed.ok_or_else(|| dispute_not_found().into())
    }
}

/// What names a dispute with its payment.
fn case_key(dispute: &Dispute) -> Key<CaseId> {
    Key {
        team: dispute.team(),
        id: CaseId {
            payment: dispute.payment(),
            dispute: dispute.id(),
        },
    }
}

/// Where the evidence of a response is kept.
pub(super) fn evidence_key(dispute: &Dispute, n: u32) -> EvidenceKey {
    EvidenceKey {
        team: dispute.team(),
        dispute: dispute.id(),
        n,
    }
}

/// The reference of a response at the processor: the same whenever it is sent.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(ResponseUnderNewReference = crate::bugs::reference_of_version)
)]
fn reference(dispute: &Dispute, n: u32) -> Option<Reference> {
    Reference::other(&format!("dispute-{}-{n}", dispute.id().key()))
}

/// The fault of a response that is not taken.
fn refusal(dispute: &Dispute, why: &str) -> Fault {
    let message = format!("The processor did not take the response: {why}.");
    Fault::new(Code::DisputeProcessor, message)
        .about(dispute.id())
        .in_status(dispute.status())
        .because(why)
}

fn deed(dispute: &Dispute, act: Act) -> Deed {
    Deed::on(dispute.team(), act, "dispute", dispute.id())
        .with("payment", dispute.payment().to_string())
}

fn shown(case: Case) -> Result<DisputeView, EngineError> {
    let dispute = case.dispute.ok_or_else(dispute_not_found)?;
    Ok(DisputeView::of(dispute))
}
