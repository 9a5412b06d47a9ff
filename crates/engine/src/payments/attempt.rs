//! Carrying out what is committed: the call, its settlement, and what follows at once.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use db::Change;
use domain::{
    Code, Fault,
    id::{PaymentId, TeamId},
    payment::{Begin, Duty, Line as Words, OnceRef, Payment, Source, State, Status},
};
use futures_util::future::BoxFuture;
use planted::Bug;
use store::once::Claim;

use super::{
    PaymentView,
    route::Line,
    settle::{Report, tell_owed, told_payment},
};
use crate::{
    Engine,
    commit::{Ended, Extra},
    deadline::Deadline,
    faults::Stop,
};

/// An operation that is not sent so long after its commit is not sent at all: recovery waits for it.
const SEND_WITHIN: Duration = Duration::from_secs(5);

/// At most so many duties of a payment are done at once.
const MOST_DUTIES: usize = 50;

/// How often a key that waits is tried to be told how far its payment is.
const TRIES: usize = 5;

/// How long past its deadline a request waits to learn whether anything was begun.
const GRACE: Duration = Duration::from_millis(500);

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
            let news = Box::pin(self.call(&payment, n)).await?;
            let report = Report {
                n,
                news,
                source: Source::Call,
                quiet: false,
                fall_back: deadline,
            };
            payment =
                Box::pin(self.settle((payment.team, payment.id), Some(payment), report)).await?;
            match payment
                .attempt()
                .filter(|attempt| attempt.n > n && attempt.state == State::Sent)
            {
                Some(next) if deadline.is_some() => n = next.n,
                Some(_) | None => return Ok(payment),
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
                more: Vec::new(),
                deadline: request.deadline,
            };
            match self.commit_payment(&payment, &[words], extra).await? {
                Ended::Done => {
                    request.begun.set();
                    return Ok((payment, n));
                }
                Ended::Taken => return Err(Stop::Taken),
                Ended::Overtaken | Ended::Refused(_) => {}
            }
        }
    }

    /// Runs a later operation as a task of the engine's own, and waits for it until the deadline.
    pub(crate) async fn in_time(
        &self,
        request: (TeamId, PaymentId, Deadline),
        (begun, claim): (&Begun, Option<&Claim>),
        work: BoxFuture<'static, Result<PaymentView, Stop>>,
    ) -> Result<PaymentView, Stop> {
        let (team, id, deadline) = request;
        let world = &self.inner.world;
        let mut work = self.own(work);
        let mut ended = world.timeout(deadline.left(world.now()), &mut work).await;
        if ended.is_err() && !begun.is_begun() {
            // A first commit that still waits is dropped from the queue; one that is being written ends in a moment.
            ended = world.timeout(GRACE, &mut work).await;
        }
        match ended {
            Ok(Some(result)) => result,
            // Nothing was begun: another try may be the first.
            Err(world::Elapsed) if !begun.is_begun() => Err(Stop::Fault(too_late())),
            // A panic in the task is a defect of ours; the payment goes on by recovery.
            Ok(None) => Err(Stop::Fault(Fault::unknown())),
            Err(world::Elapsed) => {
                // Somebody else may have settled it, and the payment gone on since: the key tells how it was.
                if let Some(told) = self.told_under(claim).await? {
                    return Ok(told);
                }
                self.as_it_stands(team, id, claim).await
            }
        }
    }

    /// What a request is told whose time is over before its payment's outcome is there.
    async fn as_it_stands(
        &self,
        team: TeamId,
        id: PaymentId,
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
        // Another node has found out meanwhile that the customer must act: that is told as ever.
        if let Some(attempt) = payment.attempt() {
            payment.verdict(attempt.n)?;
        }
        if payment.status == Status::Active {
            let failed = planted::is(Bug::LateRequestToldFailed);
            payment.status = if failed {
                Status::Failed
            } else {
                Status::NoAnswerFromPsp
            };
        }
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
        (team, id, deadline): (TeamId, PaymentId, Deadline),
    ) -> Result<PaymentView, Stop> {
        match Box::pin(self.kept_answer(claim, deadline)).await? {
            Some(told) => Ok(told),
            None => self.as_it_stands(team, id, Some(claim)).await,
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

/// Whether the first commit of an operation is done.
#[derive(Clone, Default)]
pub(crate) struct Begun(Arc<AtomicBool>);

impl Begun {
    /// From now on the operation is on disk.
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn is_begun(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// A later operation on a payment.
pub(crate) struct Later<'a> {
    pub(crate) team: TeamId,
    pub(crate) id: PaymentId,
    pub(crate) once: Option<&'a store::once::Claim>,
    pub(crate) deadline: Option<Deadline>,
    pub(crate) begun: &'a Begun,
}
