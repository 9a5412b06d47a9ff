//! What a request that responds is answered, now and when it is repeated.

use db::Change;
use domain::{
    Fault,
    dispute::{Dispute, DisputeOccurrence, DisputeResponse, ResponseKind, ResponseState},
    id::DisputeId,
};
use futures_util::future::BoxFuture;

use super::{super::DisputeView, refusal};
use crate::{
    Engine,
    deadline::GRACE,
    faults::{EngineError, dispute_not_found},
    idempotency::{Kept, Snapshot},
    request::Request,
};

impl Kept for DisputeView {
    type Stored = Box<Dispute>;

    fn stored(&self) -> Box<Dispute> {
        Box::new(self.dispute.clone())
    }

    async fn restored(_engine: &Engine, stored: Box<Dispute>) -> Result<Self, Fault> {
        Ok(Self::of(*stored))
    }

    fn id(stored: &Box<Dispute>) -> Option<String> {
        Some(stored.id().to_string())
    }

    fn ended(stored: &Box<Dispute>) -> String {
        let last = stored.responses().last();
        match last.map(|one| (one.kind, &one.state)) {
            Some((ResponseKind::Evidence, ResponseState::Draft)) => {
                "saved a draft of evidence".to_owned()
            }
            Some((ResponseKind::Acceptance, _)) => "accepted the dispute".to_owned(),
            Some((ResponseKind::Evidence, _)) | None => "submitted evidence".to_owned(),
        }
    }
}

/// What is stored of a dispute as it is once these changes are committed.
pub(super) fn snapshot(dispute: &Dispute, occurred: &[DisputeOccurrence]) -> String {
    let mut next = dispute.clone();
    next.next_version(occurred);
    Snapshot::<Box<Dispute>>::Result(Box::new(next)).text()
}

/// What is stored of a response that has an outcome.
pub(super) fn outcome(dispute: &Dispute, n: u32, occurred: &[DisputeOccurrence]) -> String {
    match verdict(dispute, n) {
        Ok(()) => snapshot(dispute, occurred),
        Err(fault) => Snapshot::<Box<Dispute>>::Fault(fault).text(),
    }
}

/// The fault of a response that was refused.
fn verdict(dispute: &Dispute, n: u32) -> Result<(), Fault> {
    match dispute.response(n).map(|one| &one.state) {
        Some(ResponseState::Refused { reason }) => Err(refusal(dispute, reason)),
        _ => Ok(()),
    }
}

impl Engine {
    /// Runs a request's work as a task of the engine's own, and waits for it until the deadline. Once the response is on disk the
    /// answer is the dispute as it stands.
    pub(super) async fn dispute_in_time(
        &self,
        request: &Request,
        id: DisputeId,
        work: BoxFuture<'static, Result<DisputeView, EngineError>>,
    ) -> Result<DisputeView, EngineError> {
        let (deadline, world) = (request.deadline, &self.inner.world);
        let _naming = self.naming(&id);
        let mut work = self.own(work);
        match world.timeout(deadline.left(world.now()), &mut work).await {
            Ok(Some(result)) => return result,
            // A panic in the task is a defect of ours; the response goes on by the job.
            Ok(None) => return Err(Fault::unknown().into()),
            Err(world::Elapsed) => {}
        }
        let team = request.caller.team;
        let read = store::dispute::of_team(&self.inner.store, team, id);
        let found = match world.timeout(GRACE, read).await {
            Ok(found) => found?.ok_or_else(dispute_not_found)?,
            Err(world::Elapsed) => return Err(Fault::unconfirmed(id).into()),
        };
        match found.response_due() {
            Some((n, _)) => self.response_answer(found, n, request).await,
            None => Err(Fault::unconfirmed(id).into()),
        }
    }

    /// The answer to the request that asked for response `n`, as that stands.
    pub(super) async fn response_answer(
        &self,
        dispute: Dispute,
        n: u32,
        request: &Request,
    ) -> Result<DisputeView, EngineError> {
        let is_open = dispute.response(n).is_some_and(DisputeResponse::is_open);
        if let Some(claim) = request.claim.as_ref().filter(|_| !is_open) {
            // Somebody else may have settled it, and more may have happened since: what is stored under the key counts.
            if let Some(stored) = self.stored_response(claim).await? {
                return Ok(stored);
            }
        }
        verdict(&dispute, n)?;
        let view = DisputeView::of(dispute);
        let Some(claim) = request.claim.as_ref().filter(|_| is_open) else {
            return Ok(view);
        };
        let meanwhile = Snapshot::Result(view.stored()).text();
        let stream = view.dispute.id().key();
        let statement = store::once::answer_meanwhile(claim.team, &claim.once, &stream, &meanwhile);
        let change = Change::new(self.change_id(), &stream).with(statement);
        // A slow database holds up no answer: its client would get none.
        let written = self
            .inner
            .world
            .timeout(GRACE, self.commit_plain(change))
            .await;
        if matches!(written, Ok(Ok(Some(_)))) {
            // Somebody was faster: what is stored by now counts.
            return Ok(self.stored_response(claim).await?.unwrap_or(view));
        }
        Ok(view)
    }
}
