//! A person's decision about what a flow wants approved.

use crate::boxed;
use domain::{
    Code, Fault,
    caller::Caller,
    id::{PaymentId, TeamId},
    payment::{PauseReason, Payment, PaymentEvent},
};
use uuid::Uuid;

use super::{effects::Effects, steps::paused};
use crate::{
    Engine,
    change::{Decision, Key},
    faults::{EngineError, database, only_fault},
};

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decide {
    /// The instance of the flow.
    pub instance: Uuid,
    /// Whether the flow goes on.
    pub approve: bool,
    /// What the person says about it; kept in the timeline.
    pub note: Option<String>,
}

impl Engine {
    /// Lets a flow go on that waits for an approval, or ends it. Before an authorisation a refusal declines the payment.
    ///
    /// # Errors
    /// `error.flow.not-found`; `error.flow.invalid-status` when it does not wait (any more).
    #[boxed]
    pub async fn decide_approval(&self, caller: &Caller, decide: Decide) -> Result<(), Fault> {
        let team = caller.team;
        let found = store::flow_wait::payment(&self.inner.store, team, decide.instance).await;
        let Some(id) = found.map_err(|error| database(&error))? else {
            return self
                .decide_instance(team, &decide)
                .await
                .map_err(only_fault);
        };
        let (payment, which) = self.decided(team, id, &decide).await.map_err(only_fault)?;
        self.go_on(payment, which).await;
        Ok(())
    }

    /// Commits the decision.
    async fn decided(
        &self,
        team: TeamId,
        id: PaymentId,
        decide: &Decide,
    ) -> Result<(Payment, Option<Uuid>), EngineError> {
        let decided = |payment| async move { self.with_decision(payment, decide) };
        self.change(Key { team, id }, decided).await
    }

    /// The payment with the decision, and the run that it is about.
    fn with_decision(
        &self,
        mut payment: Payment,
        decide: &Decide,
    ) -> Result<Decision<Payment, Option<Uuid>>, EngineError> {
        let which = payment.named(decide.instance);
        let waits = paused(&payment, which)
            .is_some_and(|pause| matches!(pause.why, PauseReason::Approval { .. }));
        if !waits {
            return Err(waits_no_more(decide.instance).into());
        }
        let at = self.inner.world.now();
        let mut entries = if decide.approve {
            vec![payment.approve(which, at)]
        } else {
            payment.not_given(which, "Not approved", at)
        };
        let approved = decide.approve;
        if let Some(first) = entries.first_mut() {
            let by = "Decided with a secret key.";
            first
                .events
                .insert(0, PaymentEvent::ApprovalDecided { approved });
            first.entry.message = Some(match &decide.note {
                Some(note) => format!("{by} Note: {note}"),
                None => by.to_owned(),
            });
        }
        Ok(Decision::Write(payment, Effects::of(entries), which))
    }

    /// Goes on with a run at once, as far as a request's time allows. What is left is found by recovery.
    pub(super) async fn go_on(&self, payment: Payment, which: Option<Uuid>) {
        let (engine, id) = (self.clone(), payment.id());
        let work = self.own(Box::pin(async move {
            let gone = async {
                let payment = match which {
                    None => payment,
                    Some(_) => Box::pin(engine.flow_step(&payment, which)).await?,
                };
                // A capture that a run wants is the payment's own.
                engine.onward(payment).await
            };
            if let Err(stop) = gone.await {
                tracing::warn!(payment.id = %id, stop = ?stop, "a flow that may go on is tried again");
            }
        }));
        let world = &self.inner.world;
        let deadline = self.request_deadline();
        // Whether it came to its end in time changes nothing about what was decided.
        let _ = world.timeout(deadline.left(world.now()), work).await;
    }
}

pub(crate) fn no_such_instance() -> Fault {
    Fault::new(
        Code::FlowNotFound,
        "There is no such instance of a flow that waits, or has waited.",
    )
}

pub(crate) fn waits_no_more(instance: Uuid) -> Fault {
    let message = "The instance does not wait for an approval: it was decided, its time was over, or its payment has ended.";
    Fault::new(Code::FlowStatus, message).about(instance)
}
