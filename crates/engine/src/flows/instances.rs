//! Instances of flows that began without a payment: with a webhook, or with an intent that became inactive.
//!
//! They have no timeline, so that their notes are for the log alone. Each change of one is committed; what a crash cut off
//! is done again by the task that takes the instance when its lease ends.

use db::{Change, Statement};
use domain::{
    Fault, Timestamp,
    automation::Instance,
    id::{IntentId, TeamId},
    intent::Intent,
    money::Money,
    payment::{FlowRun, Pause, PauseReason, ReceivedWebhook},
};
use flow::{Effect, Facts, Position, Trigger, WebhookFacts};
use serde_json::json;
use store::overdue::Queue;
use uuid::Uuid;

use crate::{
    Engine,
    change::{Aggregate, Decision, Key},
    commit::Ended,
    faults::EngineError,
    jobs::Round,
    payments::{Decide, Hook, no_such_instance, of_intent, waits_no_more},
    webhooks::Message,
};

/// A program has at most so many steps, so a run that stops more often does not end.
const MOST_STOPS: usize = 600;

impl Aggregate for Instance {
    type Id = Uuid;
    type Before = ();
    /// What else is committed.
    type Effects = Option<Statement>;

    fn lock_id(id: Uuid) -> Uuid {
        id
    }

    async fn find(engine: &Engine, key: Key<Uuid>) -> Result<Option<Self>, EngineError> {
        Ok(store::flow_instance::of_team(&engine.inner.store, key.team, key.id).await?)
    }

    fn missing() -> Fault {
        no_such_instance()
    }

    fn before(&self) -> Self::Before {}

    async fn commit(
        &mut self,
        engine: &Engine,
        (): Self::Before,
        more: Self::Effects,
    ) -> Result<Ended, EngineError> {
        self.version += 1;
        let mut change = Change::new(engine.change_id(), &self.run.instance.to_string())
            .with(store::flow_instance::update(self));
        if let Some(statement) = more {
            change.push(statement);
        }
        Ok(match engine.commit_plain(change).await? {
            None => Ended::Done,
            Some(_) => Ended::Overtaken,
        })
    }
}

impl Engine {
    /// New instances of the published flows with a wanted trigger. They are to be inserted.
    pub(crate) async fn instances(
        &self,
        team: TeamId,
        is_wanted: impl Fn(&Trigger) -> bool + Send,
        intent: Option<IntentId>,
        received: Option<ReceivedWebhook>,
    ) -> Result<Vec<Instance>, EngineError> {
        let mut flows = self.automations(team).await?;
        flows.retain(|flow| is_wanted(flow.program.trigger()));
        let at = self.inner.world.now();
        let begun = flows.into_iter().map(|flow| {
            let pause = resting(
                Position::START,
                PauseReason::Step,
                Some(at),
                received.clone(),
            );
            let instance = self.inner.world.uuid_v7();
            let (id, name, version) = (flow.id, flow.name, flow.version);
            let run = FlowRun {
                id,
                name,
                version,
                instance,
                started_at: at,
                dispute: None,
                pause: Some(pause),
            };
            Instance {
                team,
                version: 1,
                run,
                intent,
            }
        });
        Ok(begun.collect())
    }

    /// Starts the flows that a webhook starts. Returns how many.
    pub(crate) async fn start_instances(
        &self,
        team: TeamId,
        is_wanted: impl Fn(&Trigger) -> bool + Send,
        received: &ReceivedWebhook,
        message: Option<&Message>,
    ) -> Result<usize, EngineError> {
        if self.had_effect(message).await? {
            return Ok(0);
        }
        let started = self
            .instances(team, is_wanted, None, Some(received.clone()))
            .await?;
        let Some(first) = started.first() else {
            return Ok(0);
        };
        let mut change = Change::new(self.change_id(), &first.run.instance.to_string());
        for instance in &started {
            change.push(store::flow_instance::insert(instance));
        }
        if let Some(message) = message {
            change.push(message.note(self.inner.world.now()));
        }
        match self.commit_plain(change).await? {
            None => Ok(started.len()),
            // A copy of the message has just started them.
            Some(_) if message.is_some() => Ok(0),
            Some(_) => Err(Fault::unknown().into()),
        }
    }

    /// Takes instances that are due and has tasks run them. Returns how many were taken.
    pub(crate) async fn run_instances(&self, round: &Round) -> Result<usize, EngineError> {
        let round = *round;
        let slots = &self.inner.limits.instances;
        let limit = slots.free(round.rows);
        if limit == 0 {
            return Ok(0);
        }
        let (floor, store) = (&self.inner.floors.instances, &self.inner.store);
        let look = floor.look(round.now);
        let due =
            store::flow_instance::claim_due(store, round.now, round.lease_until, look.after, limit)
                .await?;
        let taken = due.len();
        let full = i64::try_from(taken).is_ok_and(|taken| taken >= limit);
        self.batch_taken(Queue::Instances, look, full);
        for (team, id) in due {
            let engine = self.clone();
            let work = Box::pin(async move {
                if let Err(stop) = engine.step_instance(team, id).await {
                    round.item_failed(&id, stop);
                }
            });
            self.work_on(slots, work);
        }
        Ok(taken)
    }

    /// Runs an instance on until it must wait or has ended. Another task of this process that has taken it waits for its end, so that no call
    /// is made twice without need.
    async fn step_instance(&self, team: TeamId, id: Uuid) -> Result<(), EngineError> {
        for _ in 0..MOST_STOPS {
            let step = |instance| self.one_step(instance);
            let stepped = self.change_if_there(Key { team, id }, step).await?;
            if !matches!(stepped, Some((_, true))) {
                break;
            }
        }
        Ok(())
    }

    /// One step of an instance that is due. With whether another may follow.
    async fn one_step(
        &self,
        mut instance: Instance,
    ) -> Result<Decision<Instance, bool>, EngineError> {
        let now = self.inner.world.now();
        let due = |pause: &Pause| pause.due.is_some_and(|due| due <= now);
        let Some(pause) = instance.run.pause.clone().filter(due) else {
            return Ok(Decision::Leave(instance, false));
        };
        let intent = match instance.intent {
            Some(intent) => {
                store::intent::of_team(&self.inner.store, instance.team, intent).await?
            }
            None => None,
        };
        if let PauseReason::Calling { url } = &pause.why
            && !self
                .called(&instance, url, pause.next, intent.as_ref())
                .await
        {
            return Ok(Decision::Leave(instance, false));
        }
        instance.run.pause = match pause.why {
            PauseReason::Step | PauseReason::Calling { .. } | PauseReason::Outcome => {
                self.run_on(&instance, &pause, intent.as_ref()).await?
            }
            // What it waited for did not come in time: it ends.
            PauseReason::Approval { .. } | PauseReason::Webhook { .. } => None,
        };
        Ok(Decision::Write(instance, None, true))
    }

    /// Follows the program. Returns where it rests then.
    async fn run_on(
        &self,
        instance: &Instance,
        pause: &Pause,
        intent: Option<&Intent>,
    ) -> Result<Option<Pause>, EngineError> {
        let program = self
            .program(instance.team, &instance.run.id, instance.run.version)
            .await?;
        let received = pause.received.as_ref();
        let facts = Facts {
            intent: intent.map(of_intent).unwrap_or_default(),
            webhook: WebhookFacts {
                name: received.map(|received| received.name.as_str().into()),
            },
            webhook_body: received.map(|received| &received.body),
            ..Facts::default()
        };
        let at = self.inner.world.now();
        let run = program.run(Position::kept(pause.next), &facts, &mut || {
            self.inner.world.random()
        });
        for note in run.notes {
            tracing::info!(flow.instance = %instance.run.instance, note, "a flow notes");
        }
        let resting = |next, why, due: Option<Timestamp>| {
            Some(resting(next, why, due, pause.received.clone()))
        };
        Ok(match run.stop {
            Effect::Delay { span, next } => resting(next, PauseReason::Step, Some(at.after(span))),
            Effect::Approval {
                title,
                within,
                next,
            } => resting(
                next,
                PauseReason::Approval { title },
                within.map(|within| at.after(within)),
            ),
            Effect::AwaitWebhook { name, within, next } => {
                let why = PauseReason::Webhook {
                    name,
                    captures: false,
                };
                resting(next, why, within.map(|within| at.after(within)))
            }
            Effect::CallWebhook { url, next } => {
                resting(next, PauseReason::Calling { url }, Some(at))
            }
            Effect::End => None,
            // The check of documents allows none of these without a payment.
            Effect::Authorise(_)
            | Effect::Capture { .. }
            | Effect::Refund { .. }
            | Effect::Cancel { .. }
            | Effect::Decline { .. } => {
                tracing::error!(flow.instance = %instance.run.instance, "a flow without a payment wants one");
                None
            }
        })
    }

    /// Calls the merchant's webhook. `false`: not now.
    async fn called(
        &self,
        instance: &Instance,
        url: &str,
        at: u32,
        intent: Option<&Intent>,
    ) -> bool {
        let body = json!({
            "intent": instance.intent.map(|intent| intent.to_string()),
            "trackingId": intent.map(|intent| intent.tracking_id.as_str()),
            "status": intent.map(|intent| intent.status.code()),
            "amount": intent.and_then(|intent| intent.money).map(Money::minor),
            "currency": intent.map(|intent| intent.currency.code()),
        });
        match self
            .hook(Hook {
                team: instance.team,
                calling: &self.inner.limits.calling,
                url,
                run: &instance.run,
                at,
                body,
            })
            .await
        {
            Some((called, words)) => {
                tracing::info!(flow.instance = %instance.run.instance, called, words, "a flow has called a webhook");
                true
            }
            None => false,
        }
    }

    /// Decides for an instance without a payment. A refusal ends it.
    pub(crate) async fn decide_instance(
        &self,
        team: TeamId,
        decide: &Decide,
    ) -> Result<(), EngineError> {
        let waits = |pause: &Pause| matches!(pause.why, PauseReason::Approval { .. });
        let approved = |pause: Pause| decide.approve.then_some(pause);
        let key = Key {
            team,
            id: decide.instance,
        };
        if self.moved_on(key, None, waits, approved).await? {
            Ok(())
        } else {
            Err(waits_no_more(decide.instance).into())
        }
    }

    /// Lets an instance without a payment go on that waits for the webhook. Returns whether it does.
    pub(crate) async fn resume_instance(
        &self,
        team: TeamId,
        id: Uuid,
        received: &ReceivedWebhook,
        message: Option<&Message>,
    ) -> Result<bool, EngineError> {
        let waits = |pause: &Pause| matches!(&pause.why, PauseReason::Webhook { name, .. } if *name == received.name);
        let received = |pause: Pause| {
            Some(Pause {
                received: Some(received.clone()),
                ..pause
            })
        };
        self.moved_on(Key { team, id }, message, waits, received)
            .await
    }

    async fn moved_on(
        &self,
        key: Key<Uuid>,
        message: Option<&Message>,
        waits: impl Fn(&Pause) -> bool + Send + Sync,
        change: impl Fn(Pause) -> Option<Pause> + Send + Sync,
    ) -> Result<bool, EngineError> {
        // One that does not wait may be calling a webhook just now, and holds its turn: that is not waited for.
        let found = Instance::find(self, key).await?;
        let found = found.ok_or_else(no_such_instance)?;
        if !found.run.pause.as_ref().is_some_and(&waits) {
            return Ok(false);
        }
        let (waits, change) = (&waits, &change);
        let move_on = |mut instance: Instance| async move {
            let Some(pause) = instance.run.pause.clone().filter(|pause| waits(pause)) else {
                return Ok(Decision::Leave(instance, false));
            };
            if self.had_effect(message).await? {
                return Ok(Decision::Leave(instance, false));
            }
            let now = self.inner.world.now();
            let due = Some(now);
            instance.run.pause = change(pause).map(|pause| Pause {
                why: PauseReason::Step,
                due,
                ..pause
            });
            let noted = message.map(|message| message.note(now));
            Ok(Decision::Write(instance, noted, true))
        };
        let (_, moved) = self.change(key, move_on).await?;
        Ok(moved)
    }
}

const fn resting(
    next: Position,
    why: PauseReason,
    due: Option<Timestamp>,
    received: Option<ReceivedWebhook>,
) -> Pause {
    Pause {
        next: next.number(),
        why,
        due,
        operation: None,
        step: None,
        failing_since: None,
        received,
    }
}
