//! Running a payment's flow: what the program says is done to the payment, until it must wait or has ended.

use domain::{
    Code, Fault, Timestamp,
    decline::Decline,
    id::RefundId,
    intent::Intent,
    payment::{
        CancelCause, CaptureRule, FlowWaits, Initiator, Occurrence, OnceRef, PauseReason, Payment,
        PaymentEvent, Route, Status, WaitsFor,
    },
};
use flow::{Authorisation, CaptureWhen, Effect, Planned, Position, Program, RefundAmount, Trace};
use uuid::Uuid;

use super::{
    facts::facts,
    route::{Choice, Chosen, Connected},
};
use crate::{Engine, deadline::Deadline, faults::EngineError};

/// A program has at most so many steps, so a run that stops more often does not end.
const MOST_STOPS: usize = 600;

/// The longest reason that the timeline tells. Unit: characters.
const LONGEST_REASON: usize = 300;

/// What the request that set a flow going adds to the operation that the flow begins.
#[derive(Clone, Default)]
pub(crate) struct FlowRequest {
    pub(crate) once: Option<OnceRef>,
    pub(crate) deadline: Option<Deadline>,
    /// The run that goes: one that an outcome started, else the payment's own.
    pub(crate) run: Option<Uuid>,
    /// The customer has gone: the flow has waited, and nobody could be sent to a processor's page.
    pub(crate) gone: bool,
}

/// What came of running a flow on a payment: nothing is committed yet.
#[derive(Default)]
pub(crate) struct Followed {
    /// What the timeline says.
    pub(crate) lines: Vec<Occurrence>,
    /// The operation that was added and is to be carried out.
    pub(crate) began: Option<u32>,
}

/// Whether a run goes on.
enum Next {
    At(Position),
    Rests,
}

impl Engine {
    /// Runs `program` from `from` on the payment as it is in memory.
    pub(crate) async fn follow_flow(
        &self,
        payment: &mut Payment,
        program: &Program,
        from: Position,
        with: &FlowRequest,
    ) -> Result<Followed, EngineError> {
        let mut done = Followed::default();
        let mut position = from;
        let intent = self.intent_of(payment).await?;
        for _ in 0..MOST_STOPS {
            let at = self.inner.world.now();
            let run = program.run(
                position,
                &facts(payment, with.run, intent.as_ref()),
                &mut || self.inner.world.random(),
            );
            let unanswered = run.unanswered.into_iter();
            done.lines.extend(
                unanswered
                    .map(|why| Occurrence::new(at, "Condition without an answer").saying(why)),
            );
            done.lines.extend(
                run.notes
                    .into_iter()
                    .map(|note| Occurrence::new(at, "Note").saying(note)),
            );
            if let Some(wish) = run.wish {
                payment.wish_three_ds(wish);
            }
            let asked = run.trace.iter().any(is_condition);
            let captures_later = matches!(
                run.stop,
                Effect::Capture {
                    when: CaptureWhen::After(_) | CaptureWhen::Api,
                    ..
                }
            );
            match self.obey(payment, run.stop, asked, with, &mut done).await? {
                // A refund needs what is captured later: the run rests until the payment is captured, or has ended.
                Next::At(next)
                    if captures_later
                        && self.refunds_next(payment, program, next, with, intent.as_ref()) =>
                {
                    payment.rest(with.run, next.number(), PauseReason::Outcome, None);
                    return Ok(done);
                }
                Next::At(next) => position = next,
                Next::Rests => return Ok(done),
            }
        }
        tracing::error!(payment.id = %payment.id(), "a flow does not come to its end");
        Err(Fault::unknown().into())
    }

    /// Whether a refund is the next thing that the flow does.
    fn refunds_next(
        &self,
        payment: &Payment,
        program: &Program,
        next: Position,
        with: &FlowRequest,
        intent: Option<&Intent>,
    ) -> bool {
        let ahead = program.run(next, &facts(payment, with.run, intent), &mut || {
            self.inner.world.random()
        });
        payment.status() == Status::Authorised && matches!(ahead.stop, Effect::Refund { .. })
    }

    async fn obey(
        &self,
        payment: &mut Payment,
        effect: Effect,
        asked: bool,
        with: &FlowRequest,
        done: &mut Followed,
    ) -> Result<Next, EngineError> {
        let at = self.inner.world.now();
        match effect {
            Effect::Authorise(authorisation) => {
                let n = self
                    .authorise_somewhere(payment, authorisation, asked, with, &mut done.lines)
                    .await?;
                done.began = Some(n);
                Ok(Next::Rests)
            }
            Effect::Capture { when, next } => Ok(capture(payment, with.run, when, next, at)),
            Effect::Refund {
                amount,
                reason,
                next,
            } => {
                let asked = refund_amount(payment, &amount);
                let id = RefundId::new(self.inner.world.uuid_v7());
                let line = self.authorised_line(payment).await?;
                let begun =
                    payment.begin_refund(id, asked, reason, self.begin(line.as_ref(), None, None));
                let begun = begun.map_err(|fault| left_out(at, fault));
                Ok(resting_or_on(payment, with.run, begun, next, done))
            }
            Effect::Cancel { reason, next } => {
                let line = self.authorised_line(payment).await?;
                let begin = self.begin(line.as_ref(), None, None);
                let cancelled = payment.begin_cancel(CancelCause::Merchant, reason, begin);
                let cancelled = cancelled.map_err(|fault| left_out(at, fault));
                Ok(resting_or_on(payment, with.run, cancelled, next, done))
            }
            Effect::Decline { code, message } => {
                let mut decline = Decline::of(code);
                decline.processor_code = None;
                if let Some(message) = message {
                    done.lines
                        .push(Occurrence::new(at, "Declined by the flow").saying(message));
                }
                done.lines.push(payment.decline_by_rule(decline, at));
                Ok(Next::Rests)
            }
            Effect::Delay { span, next } => {
                let until = at.after(span);
                done.lines.push(
                    waits("Waiting", WaitsFor::Time, at, Some(until))
                        .saying(format!("Until {}.", until.rfc3339_millis())),
                );
                payment.rest(with.run, next.number(), PauseReason::Step, Some(until));
                Ok(Next::Rests)
            }
            Effect::Approval {
                title,
                within,
                next,
            } => {
                let until = within.map(|within| at.after(within));
                done.lines.push(
                    waits("Waiting for an approval", WaitsFor::Approval, at, until)
                        .saying(title.clone()),
                );
                payment.rest(
                    with.run,
                    next.number(),
                    PauseReason::Approval { title },
                    until,
                );
                Ok(Next::Rests)
            }
            Effect::AwaitWebhook { name, within, next } => {
                let until = within.map(|within| at.after(within));
                done.lines.push(
                    waits("Waiting for a webhook", WaitsFor::Webhook, at, until)
                        .saying(format!("Its name is {name}.")),
                );
                let why = PauseReason::Webhook {
                    name,
                    captures: false,
                };
                payment.rest(with.run, next.number(), why, until);
                Ok(Next::Rests)
            }
            Effect::CallWebhook { url, next } => {
                payment.rest(
                    with.run,
                    next.number(),
                    PauseReason::Calling { url },
                    Some(at),
                );
                Ok(Next::Rests)
            }
            Effect::End => {
                payment.end_run(with.run);
                Ok(Next::Rests)
            }
        }
    }

    /// Begins an attempt at the first connection that can take the payment. The timeline tells why where the flow has `asked`
    /// any condition.
    async fn authorise_somewhere(
        &self,
        payment: &mut Payment,
        authorisation: Authorisation,
        asked: bool,
        with: &FlowRequest,
        lines: &mut Vec<Occurrence>,
    ) -> Result<u32, EngineError> {
        let Authorisation {
            mut candidates,
            fallback,
            because,
            capture,
            next,
        } = authorisation;
        let rules = Choice {
            spares_resting: fallback.outage,
            wants_reason: asked,
            is_reported_elsewhere: false,
        };
        if let (Some(first), Some(because)) = (candidates.first_mut(), because) {
            let because: String = because.chars().take(LONGEST_REASON).collect();
            first.reason = format!("{}, since {because}", first.reason);
        }
        let reported = lines.len();
        let Some(Chosen { line, rest: left }) =
            self.choose(payment, candidates, rules, lines).await?
        else {
            return Err(none_takes(payment, lines.get(reported..).unwrap_or_default()).into());
        };
        let may = fallback.soft_decline || fallback.fault || fallback.outage;
        let route = (may && !left.is_empty()).then_some(Route {
            rest: left,
            soft_decline: fallback.soft_decline,
            fault: fallback.fault,
            outage: fallback.outage,
        });
        let rule = match capture {
            Planned::Rule(CaptureWhen::Now) => CaptureRule::Immediate,
            Planned::Rule(CaptureWhen::Api) => CaptureRule::Api,
            Planned::Rule(CaptureWhen::After(span)) => CaptureRule::After {
                seconds: span.as_secs(),
            },
            Planned::Rule(CaptureWhen::Webhook(_)) | Planned::Continue => CaptureRule::Flow,
        };
        payment.plan_attempt(route, rule, next.number());
        let (n, sent) = self.begin_attempt(payment, &line, with);
        lines.push(sent);
        Ok(n)
    }

    /// Adds an attempt at a connection to the payment.
    pub(crate) fn begin_attempt(
        &self,
        payment: &mut Payment,
        line: &Connected,
        with: &FlowRequest,
    ) -> (u32, Occurrence) {
        let facts = line.connector.descriptor();
        payment.go_through(domain::payment::Gateway {
            processor: facts.processor.to_owned(),
            name: line.connection.name.clone(),
            logo: facts.logo.map(str::to_owned),
        });
        let sale = payment.capture_rule() == CaptureRule::Immediate && facts.capabilities.sale;
        let mut begin = self.begin(Some(line), with.once.clone(), with.deadline);
        let present = payment.initiator() == Initiator::Customer && !with.gone;
        begin.return_key = present.then(|| self.return_key());
        payment.begin_authorise(line.connection.id.clone(), sale, begin)
    }

    /// The intent whose facts conditions may ask for.
    async fn intent_of(&self, payment: &Payment) -> Result<Option<Intent>, EngineError> {
        match payment.intent() {
            Some(intent) => {
                Ok(store::intent::of_team(&self.inner.store, payment.team(), intent).await?)
            }
            None => Ok(None),
        }
    }

    /// The connection where the payment was authorised.
    pub(crate) async fn authorised_line(
        &self,
        payment: &Payment,
    ) -> Result<Option<Connected>, EngineError> {
        match payment.authorisation() {
            Some(authorisation) => self.line(payment.team(), &authorisation.connection).await,
            None => Ok(None),
        }
    }

    /// The secret part of the address of a return: 128 random bits.
    pub(crate) fn return_key(&self) -> String {
        let mut bytes = [0; 16];
        self.inner.world.fill(&mut bytes);
        hex::encode(bytes)
    }
}

/// Whether a step of the trace is a condition that was asked. Only conditions are quoted there.
fn is_condition(step: &Trace) -> bool {
    let reason = step.reason.as_deref();
    reason.is_some_and(|reason| reason.starts_with('`'))
}

/// That no connection of the flow can take the payment, with what the timeline would have said of each.
fn none_takes(payment: &Payment, left_out: &[Occurrence]) -> Fault {
    let reasons: Vec<&str> = left_out
        .iter()
        .filter_map(|one| one.entry.message.as_deref())
        .map(|message| message.trim_end_matches('.'))
        .collect();
    let method = payment.method().method;
    let message = format!(
        "None of the flow's connections can take the payment by {}. {}.",
        method.code(),
        reasons.join("; ")
    );
    Fault::new(Code::ConnectionNotFound, message)
}

/// Captures now, or says when.
fn capture(
    payment: &mut Payment,
    run: Option<Uuid>,
    when: CaptureWhen,
    next: Position,
    at: Timestamp,
) -> Next {
    // What was not authorised has nothing to capture.
    let waits_for = match when {
        CaptureWhen::Now => payment
            .decide_capture(CaptureRule::Immediate, at)
            .then_some(PauseReason::Outcome),
        CaptureWhen::Webhook(name) => {
            let captures = true;
            (payment.status() == Status::Authorised)
                .then_some(PauseReason::Webhook { name, captures })
        }
        CaptureWhen::After(span) => {
            let seconds = span.as_secs();
            payment.decide_capture(CaptureRule::After { seconds }, at);
            None
        }
        CaptureWhen::Api => {
            payment.decide_capture(CaptureRule::Api, at);
            None
        }
    };
    match waits_for {
        Some(why) => {
            payment.rest(run, next.number(), why, None);
            Next::Rests
        }
        None => Next::At(next),
    }
}

fn refund_amount(payment: &Payment, amount: &RefundAmount) -> Option<i64> {
    match amount {
        RefundAmount::All => None,
        RefundAmount::Minor(minor) => Some(*minor),
        RefundAmount::Percent(percent) => {
            let part = i128::from(payment.captured()) * i128::from(*percent) / 100;
            i64::try_from(part).ok()
        }
    }
}

/// An operation of the flow could not begin.
fn left_out(at: Timestamp, fault: Fault) -> Occurrence {
    let code = fault.code.text().to_owned();
    Occurrence::new(at, "A step of the flow was left out")
        .saying(fault.message)
        .event(PaymentEvent::StepLeftOut { code })
}

/// A flow begins to wait.
fn waits(title: &str, waits_for: WaitsFor, at: Timestamp, until: Option<Timestamp>) -> Occurrence {
    let event = PaymentEvent::FlowWaits(FlowWaits { waits_for, until });
    Occurrence::new(at, title).event(event)
}

/// Rests until the operation that was begun has ended; goes on when it could not begin.
fn resting_or_on(
    payment: &mut Payment,
    run: Option<Uuid>,
    begun: Result<(u32, Occurrence), Occurrence>,
    next: Position,
    done: &mut Followed,
) -> Next {
    match begun {
        Ok((n, line)) => {
            done.lines.push(line);
            done.began = Some(n);
            payment.rest_for(run, n, next.of_step().number(), next.number());
            Next::Rests
        }
        Err(left_out) => {
            done.lines.push(left_out);
            Next::At(next)
        }
    }
}
