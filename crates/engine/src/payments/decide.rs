//! A person's decision about what a flow wants approved.

use domain::{
    Code, Fault,
    caller::Caller,
    id::{PaymentId, TeamId},
    payment::{Line, Payment, Why},
};
use uuid::Uuid;

use super::{
    steps::{not_given, paused, released},
    triggers::Before,
};
use crate::{
    Engine,
    commit::Ended,
    faults::{Stop, database},
    once::only_fault,
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
    /// `api.key.forbidden`, `error.flow.not-found`; `error.flow.invalid-status` when it does not wait (any more).
    pub async fn decide_approval(&self, caller: &Caller, decide: Decide) -> Result<(), Fault> {
        caller.require_server()?;
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
    ) -> Result<(Payment, Option<Uuid>), Stop> {
        loop {
            let _turn = self.inner.turns.take(id.uuid()).await;
            let mut payment = self.load(team, id).await?;
            let which = payment.named(decide.instance);
            let waits = paused(&payment, which)
                .is_some_and(|pause| matches!(pause.why, Why::Approval { .. }));
            if !waits {
                return Err(waits_no_more(decide.instance).into());
            }
            let (at, before) = (self.inner.world.now(), Before::of(&payment));
            let ruled = payment.rule.is_some();
            let mut lines = if decide.approve {
                if let Some(pause) = payment.run_mut(which).and_then(|run| run.pause.as_mut()) {
                    pause.why = Why::Step;
                    pause.due = Some(at);
                }
                vec![Line::new(at, "Approved")]
            } else {
                not_given(&mut payment, which, "Not approved", at).lines
            };
            if let Some(first) = lines.first_mut() {
                let by = "Decided with a secret key.".to_owned();
                first.message = Some(
                    decide
                        .note
                        .as_ref()
                        .map_or(by.clone(), |note| format!("{by} Note: {note}")),
                );
            }
            self.trigger(&mut payment, &before, None, &mut lines)
                .await?;
            payment.version += 1;
            if self
                .commit_payment(&payment, &lines, released(&payment))
                .await?
                == Ended::Done
            {
                self.ended_early(&payment, ruled);
                return Ok((payment, which));
            }
        }
    }

    /// Goes on with a run at once, as far as a request's time allows. What is left is found by recovery.
    pub(super) async fn go_on(&self, payment: Payment, which: Option<Uuid>) {
        let (engine, id) = (self.clone(), payment.id);
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
