//! The job that looks after payments that are due.

use std::time::Duration;

use domain::{
    Timestamp,
    id::{PaymentId, TeamId},
    payment::{Begin, CancelCause, Duty, Occurrence, Payment, held_until},
};
use store::overdue::Queue;
use tracing::Instrument as _;

use super::effects::{Effects, key_of};
use crate::{Engine, change::Decision, faults::EngineError, jobs::Round};

/// A payment is not taken again before this time.
const AGAIN: Duration = Duration::from_millis(500);

/// At most so many duties of one payment are done in one go.
const DUTIES: usize = 4;

impl Engine {
    /// Takes payments that are due and has tasks do what is to be done for them. Returns how many were taken.
    pub(crate) async fn recover_due(&self, round: &Round) -> Result<usize, EngineError> {
        let round = *round;
        let slots = &self.inner.limits.recovering;
        let limit = slots.free(round.rows);
        if limit == 0 {
            return Ok(0);
        }
        let (floor, store) = (&self.inner.floors.payments, &self.inner.store);
        let look = floor.look(round.now);
        let due = store::payment::claim_due(store, round.now, round.lease_until, look.after, limit)
            .await?;
        let taken = due.len();
        let full = i64::try_from(taken).is_ok_and(|taken| taken >= limit);
        self.batch_taken(Queue::Payments, look, full);
        for (team, id) in due {
            let engine = self.clone();
            // At the highest level, so that lines of every level have it; it writes no line of its own.
            let span = tracing::error_span!("recovery", team = %team, payment.id = %id);
            let work = async move {
                if let Err(stop) = Box::pin(engine.recover(team, id, round.lease_until)).await {
                    round.item_failed(&id, stop);
                }
            };
            self.work_on(slots, Box::pin(work.instrument(span)));
        }
        Ok(taken)
    }

    async fn recover(
        &self,
        team: TeamId,
        id: PaymentId,
        lease_until: Timestamp,
    ) -> Result<(), EngineError> {
        let mut payment = self.load(team, id).await?;
        for _ in 0..DUTIES {
            let Some(duty) = payment.duty(self.inner.world.now()) else {
                return self.hand_back(team, id, lease_until).await;
            };
            let version = payment.version();
            let after = Box::pin(self.fulfil(payment, duty)).await?;
            if after.version() == version {
                return self.hand_back(team, id, lease_until).await;
            }
            payment = after;
        }
        // The last commit has left what is due to this task; another goes on.
        self.hand_over(&payment).await
    }

    async fn fulfil(&self, payment: Payment, duty: Duty) -> Result<Payment, EngineError> {
        match duty {
            Duty::LookUp(n) => self.look_up(payment, n, false).await,
            Duty::Capture => self.capture_due(payment).await,
            Duty::Expire => self.expire(payment).await,
            Duty::Abandon => self.expire_waiting(payment).await,
            Duty::Flow => self.flow_step(&payment, None).await,
            Duty::Triggered(instance) => self.flow_step(&payment, Some(instance)).await,
            Duty::Reverse { target, captured } => self.reverse(payment, target, captured).await,
        }
    }

    /// Asks the processor to cancel what was not captured in time. Its answer decides, not the timer.
    async fn expire(&self, payment: Payment) -> Result<Payment, EngineError> {
        self.cancel_because(payment, CancelCause::Lifetime).await
    }

    /// Asks the processor to cancel what it reports as ended.
    pub(crate) async fn end_at_processor(&self, payment: Payment) -> Result<Payment, EngineError> {
        self.cancel_because(payment, CancelCause::Processor).await
    }

    async fn cancel_because(
        &self,
        payment: Payment,
        cause: CancelCause,
    ) -> Result<Payment, EngineError> {
        let begun = |payment: &mut Payment, begin| payment.begin_cancel(cause, None, begin).ok();
        let about = payment
            .authorisation()
            .map_or(0, |authorisation| authorisation.n);
        self.follow(payment, about, begun).await
    }

    async fn reverse(
        &self,
        payment: Payment,
        target: u32,
        captured: bool,
    ) -> Result<Payment, EngineError> {
        self.follow(payment, target, |payment, begin| {
            payment.begin_reverse(target, captured, begin)
        })
        .await
    }

    /// Adds an operation that nobody asked for, about operation `about`, commits and carries it out.
    pub(super) async fn follow(
        &self,
        payment: Payment,
        about: u32,
        add: impl Fn(&mut Payment, Begin) -> Option<(u32, Occurrence)>,
    ) -> Result<Payment, EngineError> {
        match Box::pin(self.begin_following(payment, about, add)).await? {
            (payment, Some(n)) => self.carry_out(payment, n, None).await,
            (payment, None) => Ok(payment),
        }
    }

    /// Commits the cancellation of what the processor says it has released, which is not asked for any more. Its number; `None`: somebody
    /// else has gone on with the payment meanwhile, or it can't be cancelled.
    pub(crate) async fn begin_released(
        &self,
        payment: Payment,
    ) -> Result<(Payment, Option<u32>), EngineError> {
        let about = payment
            .authorisation()
            .map_or(0, |authorisation| authorisation.n);
        let begun = |payment: &mut Payment, begin| {
            let cause = CancelCause::Processor;
            payment.begin_cancel(cause, None, begin).ok()
        };
        self.begin_following(payment, about, begun).await
    }

    /// Adds an operation that nobody asked for, about operation `about`, and commits it.
    async fn begin_following(
        &self,
        payment: Payment,
        about: u32,
        add: impl Fn(&mut Payment, Begin) -> Option<(u32, Occurrence)>,
    ) -> Result<(Payment, Option<u32>), EngineError> {
        let (version, add) = (payment.version(), &add);
        let begin = |mut payment: Payment| async move {
            // Somebody else has gone on with it meanwhile.
            if payment.version() != version {
                return Ok(Decision::Leave(payment, None));
            }
            let line = match payment.operation(about) {
                Some(operation) => self.line(payment.team(), &operation.connection).await?,
                None => None,
            };
            let begin = self.begin(line.as_ref(), None, None);
            let Some((n, entry)) = add(&mut payment, begin) else {
                return Ok(Decision::Leave(payment, None));
            };
            Ok(Decision::Write(payment, Effects::of(vec![entry]), Some(n)))
        };
        Box::pin(self.change(key_of(&payment), begin)).await
    }

    /// Leaves what is due to others before the time of the task that committed the payment last is over.
    pub(super) async fn hand_over(&self, payment: &Payment) -> Result<(), EngineError> {
        let now = self.inner.world.now();
        let mut change = db::Change::new(self.change_id(), &payment.id().key());
        change.push(store::payment::set_due_early(
            payment,
            now.after(AGAIN),
            held_until(now),
        ));
        self.commit_plain(change).await.map(|_| ())
    }

    /// Gives the payment back its own due time, unless a commit has done so, or the lease was over and it is another's.
    async fn hand_back(
        &self,
        team: TeamId,
        id: PaymentId,
        lease_until: Timestamp,
    ) -> Result<(), EngineError> {
        let payment = self.load(team, id).await?;
        let mut change = db::Change::new(self.change_id(), &id.key());
        // What could not be done now (another look-up is under way) is not tried again at once.
        change.push(store::payment::set_due(
            &payment,
            self.inner.world.now().after(AGAIN),
            lease_until,
        ));
        self.commit_plain(change).await.map(|_| ())
    }
}
