//! Carrying out what is committed: the call, its settlement, and what follows at once.

use std::time::Duration;

use db::Change;
use domain::{
    Code, Fault,
    id::{PaymentId, TeamId},
    payment::{Begin, Duty, Line as Words, OnceRef, Payment, Source, State, Status},
};
use futures_util::future::BoxFuture;
use store::once::Claim;

use super::{
    PaymentView,
    route::Line,
    settle::{Report, tell_owed, told_payment},
};
use crate::{
    Engine,
    commit::{Ended, Extra},
    deadline::{Deadline, GRACE, LOOK},
    faults::Stop,
    progress::{Known, Progress, Stage},
};

/// An operation that is not sent so long after its commit is not sent at all: recovery waits for it.
const SEND_WITHIN: Duration = Duration::from_secs(5);

/// At most so many duties of a payment are done at once.
const MOST_DUTIES: usize = 50;

/// How often a key that waits is tried to be told how far its payment is.
const TRIES: usize = 5;

/// So long what a processor answered is kept in memory while the database is away. Longer than a failover takes: where it is
/// lost, the processor must be asked again, and some can't be.
const KEPT_FOR: Duration = Duration::from_mins(2);

/// The pause between two tries to store it.
const STORE_AGAIN: Duration = Duration::from_millis(500);

impl Engine {
    /// Sends operation `n` of a committed payment and settles it; goes on at the next connection where that is safe and
    /// there is time until the deadline.
    pub(crate) async fn carry_out(
        &self,
        payment: Payment,
        n: u32,
        deadline: Option<Deadline>,
    ) -> Result<Payment, Stop> {
        let (mut payment, mut n) = (payment, n);
        loop {
            let _sending = self.inner.sending.begin(payment.id, n);
            let (known, news) = match Box::pin(self.known_before_restore(&payment, n)).await? {
                Some(known) => (true, known),
                None => (false, Box::pin(self.call(&payment, n)).await?),
            };
            let report = Report {
                n,
                news,
                source: if known {
                    Source::Restored
                } else {
                    Source::Call
                },
                quiet: false,
                fall_back: deadline,
            };
            payment = Box::pin(self.settle_kept(payment, report)).await?;
            match payment
                .attempt()
                .filter(|attempt| attempt.n > n && attempt.state == State::Sent)
            {
                Some(next) if deadline.is_some() => n = next.n,
                Some(_) | None => return Ok(payment),
            }
        }
    }

    /// Settles the answer to a call; while the database is away, again and again.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(WrongOperationSettled = super::bugs::settle_last)
    )]
    async fn settle_kept(&self, payment: Payment, report: Report) -> Result<Payment, Stop> {
        let (of, world) = ((payment.team, payment.id), &self.inner.world);
        let give_up_at = world.now().after(KEPT_FOR);
        let mut known = Some(payment);
        loop {
            match Box::pin(self.settle(of, known.take(), report.clone())).await {
                Err(Stop::Fault(fault))
                    if fault.code == Code::Unavailable
                        && world.now() < give_up_at
                        && !self.is_draining() =>
                {
                    tracing::warn!(payment.id = %of.1, "a processor's answer can't be stored yet");
                    world.sleep(STORE_AGAIN).await;
                }
                settled => return settled,
            }
        }
    }

    /// Does at once what is due: captures what could not be authorised and captured in one call, goes on with the flow,
    /// completes or gives up what waited for the customer.
    pub(crate) async fn onward(&self, payment: Payment) -> Result<Payment, Stop> {
        let mut payment = payment;
        for _ in 0..MOST_DUTIES {
            let version = payment.version;
            payment = match payment.own_duty(self.inner.world.now()) {
                Some(Duty::Capture) => Box::pin(self.capture_due(payment)).await?,
                Some(Duty::Flow) => Box::pin(self.flow_step(&payment, None)).await?,
                Some(Duty::Abandon) => Box::pin(self.expire_waiting(payment)).await?,
                // Others look after that: it holds up nobody's request.
                Some(
                    Duty::LookUp(_) | Duty::Expire | Duty::Reverse { .. } | Duty::Triggered(_),
                )
                | None => {
                    return Ok(payment);
                }
            };
            if payment.version == version {
                return Ok(payment);
            }
        }
        Ok(payment)
    }

    /// When an operation begins and by when it is sent and answered.
    pub(crate) fn begin(
        &self,
        line: Option<&Line>,
        once: Option<OnceRef>,
        deadline: Option<Deadline>,
    ) -> Begin {
        let at = self.inner.world.now();
        let call = line.map_or(Duration::from_secs(20), |line| {
            line.connector.descriptor().call_timeout
        });
        let send_within = deadline.map_or(SEND_WITHIN, |deadline| {
            deadline.send_within(at, call).min(SEND_WITHIN)
        });
        // A second more, for clocks of several nodes that differ a little.
        Begin {
            at,
            send_within,
            answer_within: call + Duration::from_secs(1),
            once,
            return_key: None,
        }
    }

    /// Loads a payment, lets `begin` add an operation, and commits it; again when somebody else was first.
    pub(crate) async fn begin_later(
        &self,
        request: &Later<'_>,
        mut add: impl FnMut(&mut Payment, Begin) -> Result<(u32, domain::payment::Line), Stop> + Send,
    ) -> Result<(Payment, u32), Stop> {
        loop {
            let _turn = self.inner.turns.take(request.id.uuid()).await;
            let mut payment = self.load(request.team, request.id).await?;
            let line = match payment.authorisation() {
                Some(authorisation) => self.line(payment.team, &authorisation.connection).await?,
                None => None,
            };
            let begin = self.begin(
                line.as_ref(),
                request.once.map(|claim| claim.once.clone()),
                request.deadline,
            );
            let (n, words) = add(&mut payment, begin)?;
            payment.version += 1;
            let claim = request
                .once
                .map(|claim| self.claim(claim, Some(&payment.id.key()), None));
            let extra = Extra {
                claim,
                deadline: request.deadline,
                progress: Some(request.progress.clone()),
                ..Extra::default()
            };
            match self.commit_payment(&payment, &[words], extra).await? {
                Ended::Done => return Ok((payment, n)),
                Ended::Taken => return Err(Stop::Taken),
                Ended::Overtaken | Ended::Refused(_) => {}
            }
        }
    }

    /// Runs a request's work as a task of the engine's own, and waits for it until the deadline. Once the payment is on disk
    /// the answer tells of it, whatever fails. Source: behaviour contract, section 5.
    pub(crate) async fn in_time(
        &self,
        asked: &Asked,
        work: BoxFuture<'static, Result<PaymentView, Stop>>,
    ) -> Result<PaymentView, Stop> {
        let (deadline, world) = (asked.deadline, &self.inner.world);
        self.naming_payment(&asked.progress);
        let mut work = self.own(work);
        let mut ended = world.timeout(deadline.left(world.now()), &mut work).await;
        if ended.is_err() && !asked.progress.is_on_disk() {
            // A first commit that still waits is dropped from the queue; one that is being written ends in a moment.
            ended = world.timeout(GRACE, &mut work).await;
        }
        let fault = match ended {
            Ok(Some(Err(Stop::Fault(fault)))) if fault.is_ours() => fault,
            Ok(Some(result)) => return result,
            // A panic in the task is a defect of ours; the payment goes on by recovery.
            Ok(None) => Fault::unknown(),
            Err(world::Elapsed) => too_late(),
        };
        Box::pin(self.known_or(asked, fault)).await
    }

    /// The payment of a request that can't wait any more, as far as it is known; the fault where there is none.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(UnstoredOutcomeNotNamed = super::bugs::name_no_payment)
    )]
    async fn known_or(&self, asked: &Asked, fault: Fault) -> Result<PaymentView, Stop> {
        match asked.progress.stage() {
            Stage::Nothing => Err(Stop::Fault(fault)),
            Stage::Submitted(id) => Err(Stop::Fault(Fault::unconfirmed(id))),
            Stage::OnDisk(known) => Box::pin(self.as_known(asked, *known)).await,
        }
    }

    /// A payment as it is told while nobody knows what became of operation `own`.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(LateRequestToldFailed = super::bugs::tell_failed)
    )]
    fn unanswered(&self, mut payment: Payment, own: Option<u32>) -> Payment {
        payment.tell_unanswered(own, self.inner.world.now());
        payment
    }

    /// What is told of a payment whose request can't wait any more: as it stands in the database, or as this process knows
    /// it when the database does not answer.
    async fn as_known(&self, asked: &Asked, known: Known) -> Result<PaymentView, Stop> {
        let (id, own) = (known.payment.id, known.own);
        let in_store = Box::pin(async {
            // Somebody else may have settled it, and the payment gone on since: the key tells how it was.
            if let Some(told) = self.told_under(asked.claim.as_ref()).await? {
                return Ok(told);
            }
            self.as_it_stands((asked.team, id), own, asked.claim.as_ref())
                .await
        });
        match self.inner.world.timeout(LOOK, in_store).await {
            Ok(Err(Stop::Fault(fault))) if fault.is_ours() => {}
            Ok(told) => return told,
            Err(world::Elapsed) => {}
        }
        tracing::warn!(payment.id = %id, "told from memory: the database does not answer");
        let payment = known.payment;
        verdict_on(&payment, own)?;
        Ok(PaymentView::of(self.unanswered(payment, own)))
    }

    /// What a request is told whose time is over before its payment's outcome is there.
    async fn as_it_stands(
        &self,
        (team, id): (TeamId, PaymentId),
        own: Option<u32>,
        claim: Option<&Claim>,
    ) -> Result<PaymentView, Stop> {
        let mut payment = self.load(team, id).await?;
        // What has no outcome yet is told as without an answer; its key tells the outcome when it is there.
        let has_come_far = payment.status != Status::Active;
        let waits = |claim: &&Claim| payment.owed_answer.as_ref() == Some(&claim.once);
        if let Some(claim) = claim.filter(waits).filter(|_| has_come_far) {
            if let Some(told) = self.told_so_far(payment.clone(), claim).await? {
                return Ok(told);
            }
            payment = self.load(team, id).await?;
        }
        // Another node may have found out meanwhile how it ended, or that the customer must act.
        verdict_on(&payment, own)?;
        payment = self.unanswered(payment, own);
        match claim {
            Some(claim) => self.told_meanwhile(payment, claim).await,
            None => Ok(PaymentView::of(payment)),
        }
    }

    /// Lets the key tell what its request is told before there is an outcome, until the outcome takes its place.
    /// Source: behaviour contract, section 5.
    async fn told_meanwhile(&self, payment: Payment, claim: &Claim) -> Result<PaymentView, Stop> {
        let (stream, answer) = (payment.id.key(), told_payment(&payment));
        let statement = store::once::answer_meanwhile(claim.team, &claim.once, &stream, &answer);
        let change = Change::new(self.change_id(), &stream).with(statement);
        // A slow database holds up no answer: its client would get none.
        let written = self
            .inner
            .world
            .timeout(GRACE, self.commit_plain(change))
            .await;
        let refused = matches!(written, Ok(Ok(Some(_))));
        // Somebody was faster: what the key tells by now counts.
        let told = if refused {
            self.told_under(Some(claim)).await?
        } else {
            None
        };
        Ok(told.unwrap_or_else(|| PaymentView::of(payment)))
    }

    /// Tells a key, with the request that has it, how far its payment has come, since what follows takes longer than the
    /// request may: repeats are told the same. `None` when somebody is faster all the time.
    async fn told_so_far(
        &self,
        mut payment: Payment,
        claim: &Claim,
    ) -> Result<Option<PaymentView>, Stop> {
        for _ in 0..TRIES {
            if payment.owed_answer.as_ref() == Some(&claim.once) {
                let mut extra = Extra::default();
                payment.version += 1;
                tell_owed(&mut payment, &mut extra);
                let words = Words::new(self.inner.world.now(), "The request's time is over")
                    .saying("It was told how far the payment has come, which goes on.");
                if self.commit_payment(&payment, &[words], extra).await? == Ended::Done {
                    return Ok(Some(PaymentView::of(payment)));
                }
            }
            if let Some(told) = self.told_under(Some(claim)).await? {
                return Ok(Some(told));
            }
            payment = self.load(payment.team, payment.id).await?;
        }
        Ok(None)
    }

    /// What the key of a request tells whose payment somebody goes on with; the payment as it stands when that takes longer
    /// than the request may.
    pub(crate) async fn told_in_time(
        &self,
        claim: &Claim,
        (team, id, own): (TeamId, PaymentId, Option<u32>),
        deadline: Deadline,
    ) -> Result<PaymentView, Stop> {
        match Box::pin(self.kept_answer(claim, deadline)).await? {
            Some(told) => Ok(told),
            None => self.as_it_stands((team, id), own, Some(claim)).await,
        }
    }
}

/// Nothing was begun as far as is known. A disk that hangs in the middle of a commit can prove it wrong, so the advice holds
/// in that case too.
fn too_late() -> Fault {
    let advice = "The request could not begin in time. Send it again with the same idempotency key; if it had none, look first \
                  whether it took effect after all.";
    Fault::new(Code::Unavailable, advice)
}

/// What the merchant who asked for operation `own` is told instead of the payment, as the latest attempt and that
/// operation stand.
fn verdict_on(payment: &Payment, own: Option<u32>) -> Result<(), Fault> {
    if let Some(attempt) = payment.attempt() {
        payment.verdict(attempt.n)?;
    }
    own.map_or(Ok(()), |own| payment.verdict(own))
}

/// A request that waits for its payment.
pub(crate) struct Asked {
    pub(crate) team: TeamId,
    pub(crate) deadline: Deadline,
    pub(crate) progress: Progress,
    pub(crate) claim: Option<Claim>,
}

/// A later operation on a payment.
pub(crate) struct Later<'a> {
    pub(crate) team: TeamId,
    pub(crate) id: PaymentId,
    pub(crate) once: Option<&'a store::once::Claim>,
    pub(crate) deadline: Option<Deadline>,
    pub(crate) progress: &'a Progress,
}
