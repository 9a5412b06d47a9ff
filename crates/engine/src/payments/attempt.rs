//! Carrying out what is committed: the call, its settlement, and what follows at once.

use std::time::Duration;

use domain::{
    Code,
    payment::{Begin, Duty, OnceRef, OperationState, Payment, Source},
};

use super::{
    answer::{About, Brought},
    effects::key_of,
    route::Connected,
    settle::Report,
};
use crate::{Engine, deadline::Deadline, faults::EngineError};

/// An operation that is not sent so long after its commit is not sent at all: recovery waits for it.
const SEND_WITHIN: Duration = Duration::from_secs(5);

/// At most so many duties of a payment are done at once.
const MOST_DUTIES: usize = 50;

/// So long what a processor answered is kept in memory while the database is away. Longer than a failover takes: where it is
/// lost, the processor must be asked again, and some can't be.
const KEPT_FOR: Duration = Duration::from_mins(2);

/// The pause between two tries to store it.
const STORE_AGAIN: Duration = Duration::from_millis(500);

/// A payment whose request has made its first commit.
pub(super) struct Begun {
    pub(super) payment: Payment,
    /// The operation that is to be carried out.
    pub(super) operation: Option<u32>,
}

/// A payment whose operation the request's own task has carried out.
pub(super) struct Settled {
    pub(super) payment: Payment,
    /// How far the task has brought it.
    pub(super) brought: Brought,
}

impl Engine {
    /// Has the processor carry out the operation that a request has begun, and settles its answer.
    pub(super) async fn call_and_settle(
        &self,
        begun: Begun,
        deadline: Option<Deadline>,
    ) -> Result<Settled, EngineError> {
        let Begun { payment, operation } = begun;
        let own = payment.version() + u64::from(operation.is_some());
        let payment = match operation {
            Some(n) => self.carry_out(payment, n, deadline).await?,
            None => payment,
        };
        let about = About {
            payment: payment.id(),
            operation,
        };
        let brought = Brought {
            about,
            own,
            settled: payment.version(),
        };
        Ok(Settled { payment, brought })
    }

    /// Sends operation `n` of a committed payment and settles it; goes on with the other parts of a divided refund, and at the
    /// next connection where that is safe and there is time until the deadline.
    pub(crate) async fn carry_out(
        &self,
        payment: Payment,
        n: u32,
        deadline: Option<Deadline>,
    ) -> Result<Payment, EngineError> {
        let (mut payment, mut n) = (payment, n);
        loop {
            let _sending = self.inner.sending.begin(payment.id(), n);
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
            if let Some(part) = payment.part_to_send(n) {
                n = part;
                continue;
            }
            match payment
                .attempt()
                .filter(|attempt| attempt.n > n && attempt.state == OperationState::Sent)
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
    async fn settle_kept(&self, payment: Payment, report: Report) -> Result<Payment, EngineError> {
        let (key, world) = (key_of(&payment), &self.inner.world);
        let give_up_at = world.now().after(KEPT_FOR);
        let mut known = Some(payment);
        loop {
            match Box::pin(self.settle(key, known.take(), report.clone())).await {
                Err(EngineError::Fault(fault))
                    if fault.code == Code::Unavailable
                        && world.now() < give_up_at
                        && !self.is_draining() =>
                {
                    tracing::warn!(payment.id = %key.id, "a processor's answer can't be stored yet");
                    world.sleep(STORE_AGAIN).await;
                }
                settled => return settled,
            }
        }
    }

    /// Does at once what is due: captures what could not be authorised and captured in one call, goes on with the flow,
    /// completes or gives up what waited for the customer.
    pub(crate) async fn onward(&self, payment: Payment) -> Result<Payment, EngineError> {
        let mut payment = payment;
        for _ in 0..MOST_DUTIES {
            let version = payment.version();
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
            if payment.version() == version {
                return Ok(payment);
            }
        }
        Ok(payment)
    }

    /// When an operation begins and by when it is sent and answered.
    pub(crate) fn begin(
        &self,
        line: Option<&Connected>,
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
}
