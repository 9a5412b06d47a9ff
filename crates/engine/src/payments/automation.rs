//! Running a payment's flow: what the program says is done to the payment, until it must wait or has ended.

use std::time::Duration;

use domain::{
    Code, Fault, Timestamp,
    decline::{Decline, DeclineCode},
    id::RefundId,
    intent::Intent,
    payment::{
        CancelCause, CaptureRule, FlowWaits, Initiator, Occurrence, OnceRef, PauseReason, Payment,
        PaymentEvent, Route, Status, WaitsFor,
    },
};
use flow::{
    Authorisation, CaptureWhen, Effect, Facts, Planned, Position, Program, RefundAmount, Trace,
};
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

/// A run as far as it has come.
struct Progress<'a> {
    payment: &'a mut Payment,
    with: &'a FlowRequest,
    done: Followed,
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
        let intent = self.intent_of(payment).await?;
        let dispute = self.dispute_of_run(payment, with.run).await?;
        let mut position = from;
        let mut progress = Progress {
            payment,
            with,
            done: Followed::default(),
        };
        for _ in 0..MOST_STOPS {
            let at = self.inner.world.now();
            let run = program.run(
                position,
                &facts(
                    progress.payment,
                    with.run,
                    intent.as_ref(),
                    dispute.as_ref(),
                ),
                &mut || self.inner.world.random(),
            );
            progress.tell("Condition without an answer", run.unanswered, at);
            progress.tell("Note", run.notes, at);
            if let Some(wish) = run.wish {
                progress.payment.wish_three_ds(wish);
            }
            let asked = run.trace.iter().any(is_condition);
            let captures_later = matches!(
                run.stop,
                Effect::Capture {
                    when: CaptureWhen::After(_) | CaptureWhen::Api,
                    ..
                }
            );
            let Next::At(next) = self.obey(&mut progress, run.stop, asked).await? else {
                return Ok(progress.done);
            };
            // A refund needs what is captured later: the run rests until the payment is captured, or has ended.
            if captures_later {
                let facts = facts(
                    progress.payment,
                    with.run,
                    intent.as_ref(),
                    dispute.as_ref(),
                );
                if self.refunds_next(progress.payment, program, next, &facts) {
                    progress.rest(next, PauseReason::Outcome, None);
                    return Ok(progress.done);
                }
            }
            position = next;
        }
        tracing::error!(payment.id = %progress.payment.id(), "a flow does not come to its end");
        Err(Fault::unknown().into())
    }

    /// Whether a refund is the next thing that the flow does.
    fn refunds_next(
        &self,
        payment: &Payment,
        program: &Program,
        next: Position,
        facts: &Facts<'_>,
    ) -> bool {
        let ahead = program.run(next, facts, &mut || self.inner.world.random());
        payment.status() == Status::Authorised && matches!(ahead.stop, Effect::Refund { .. })
    }

    /// Does to the payment what the flow has come to. `asked`: it has asked any condition on the way there.
    async fn obey(
        &self,
        progress: &mut Progress<'_>,
        effect: Effect,
        asked: bool,
    ) -> Result<Next, EngineError> {
        let at = self.inner.world.now();
        Ok(match effect {
            Effect::Authorise(authorisation) => {
                self.authorise_somewhere(progress, authorisation, asked)
                    .await?
            }
            Effect::Capture { when, next } => progress.capture(when, next, at),
            Effect::Refund {
                amount,
                reason,
                next,
            } => self.refund_part(progress, &amount, reason, next).await?,
            Effect::Cancel { reason, next } => {
                let line = self.authorised_line(progress.payment).await?;
                let begin = self.begin(line.as_ref(), None, None);
                let cause = CancelCause::Merchant;
                let result = progress.payment.begin_cancel(cause, reason, begin);
                progress.rest_for(result.map_err(|fault| left_out(at, fault)), next)
            }
            Effect::Decline { code, message } => progress.decline(code, message, at),
            Effect::Delay { span, next } => progress.wait_for_time(span, next, at),
            Effect::Approval {
                title,
                within,
                next,
            } => progress.wait_for_approval(title, within, next, at),
            Effect::AwaitWebhook { name, within, next } => {
                progress.wait_for_webhook(name, within, next, at)
            }
            Effect::CallWebhook { url, next } => {
                progress.rest(next, PauseReason::Calling { url }, Some(at))
            }
            Effect::End => {
                progress.payment.end_run(progress.with.run);
                Next::Rests
            }
        })
    }

    /// Begins a refund, of which the run waits for the end.
    async fn refund_part(
        &self,
        progress: &mut Progress<'_>,
        amount: &RefundAmount,
        reason: Option<String>,
        next: Position,
    ) -> Result<Next, EngineError> {
        let at = self.inner.world.now();
        let asked = refund_amount(progress.payment, amount);
        let id = RefundId::new(self.inner.world.uuid_v7());
        let line = self.authorised_line(progress.payment).await?;
        let begin = self.begin(line.as_ref(), None, None);
        let result = progress.payment.begin_refund(id, asked, reason, begin);
        Ok(progress.rest_for(result.map_err(|fault| left_out(at, fault)), next))
    }

    /// Begins an attempt at the first connection that can take the payment. The timeline tells why where the flow has `asked`
    /// any condition.
    async fn authorise_somewhere(
        &self,
        progress: &mut Progress<'_>,
        authorisation: Authorisation,
        asked: bool,
    ) -> Result<Next, EngineError> {
        let Progress {
            payment,
            with,
            done,
        } = progress;
        let lines = &mut done.lines;
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
        let named: Vec<_> = candidates
            .iter()
            .map(|candidate| candidate.connection.clone())
            .collect();
        let Some(Chosen { line, rest: left }) =
            self.choose(payment, candidates, rules, lines).await?
        else {
            if let Some(fault) = self.misfit_of_all(payment, &named).await? {
                return Err(fault.into());
            }
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
        done.began = Some(n);
        Ok(Next::Rests)
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

impl Progress<'_> {
    /// Adds what the run says to the timeline.
    fn tell(&mut self, title: &str, words: Vec<String>, at: Timestamp) {
        let words = words.into_iter();
        let lines = words.map(|words| Occurrence::new(at, title).saying(words));
        self.done.lines.extend(lines);
    }

    /// Rests the run before `next`, at most until then.
    fn rest(&mut self, next: Position, why: PauseReason, until: Option<Timestamp>) -> Next {
        self.payment.rest(self.with.run, next.number(), why, until);
        Next::Rests
    }

    /// Rests until the operation that was begun has ended; goes on when it could not begin.
    fn rest_for(&mut self, begun: Result<(u32, Occurrence), Occurrence>, next: Position) -> Next {
        match begun {
            Ok((n, line)) => {
                self.done.lines.push(line);
                self.done.began = Some(n);
                let step = next.of_step().number();
                let awaited = self.payment.last_part(n);
                self.payment
                    .rest_for(self.with.run, awaited, step, next.number());
                Next::Rests
            }
            Err(left_out) => {
                self.done.lines.push(left_out);
                Next::At(next)
            }
        }
    }

    /// Captures now, or says when.
    fn capture(&mut self, when: CaptureWhen, next: Position, at: Timestamp) -> Next {
        // What was not authorised has nothing to capture.
        let waits_for = match when {
            CaptureWhen::Now => self
                .payment
                .decide_capture(CaptureRule::Immediate, at)
                .then_some(PauseReason::Outcome),
            CaptureWhen::Webhook(name) => {
                let captures = true;
                (self.payment.status() == Status::Authorised)
                    .then_some(PauseReason::Webhook { name, captures })
            }
            CaptureWhen::After(span) => {
                let seconds = span.as_secs();
                self.payment
                    .decide_capture(CaptureRule::After { seconds }, at);
                None
            }
            CaptureWhen::Api => {
                self.payment.decide_capture(CaptureRule::Api, at);
                None
            }
        };
        match waits_for {
            Some(why) => self.rest(next, why, None),
            None => Next::At(next),
        }
    }

    /// Declines the payment by a rule of the flow.
    fn decline(&mut self, code: DeclineCode, message: Option<String>, at: Timestamp) -> Next {
        let mut decline = Decline::of(code);
        decline.processor_code = None;
        let said =
            message.map(|message| Occurrence::new(at, "Declined by the flow").saying(message));
        self.done.lines.extend(said);
        let declined = self.payment.decline_by_rule(decline, at);
        self.done.lines.push(declined);
        Next::Rests
    }

    fn wait_for_time(&mut self, span: Duration, next: Position, at: Timestamp) -> Next {
        let until = at.after(span);
        let words = format!("Until {}.", until.rfc3339_millis());
        let line = waits("Waiting", WaitsFor::Time, at, Some(until)).saying(words);
        self.done.lines.push(line);
        self.rest(next, PauseReason::Step, Some(until))
    }

    fn wait_for_approval(
        &mut self,
        title: String,
        within: Option<Duration>,
        next: Position,
        at: Timestamp,
    ) -> Next {
        let until = within.map(|within| at.after(within));
        let line =
            waits("Waiting for an approval", WaitsFor::Approval, at, until).saying(title.clone());
        self.done.lines.push(line);
        self.rest(next, PauseReason::Approval { title }, until)
    }

    fn wait_for_webhook(
        &mut self,
        name: String,
        within: Option<Duration>,
        next: Position,
        at: Timestamp,
    ) -> Next {
        let until = within.map(|within| at.after(within));
        let line = waits("Waiting for a webhook", WaitsFor::Webhook, at, until)
            .saying(format!("Its name is {name}."));
        self.done.lines.push(line);
        let captures = false;
        self.rest(next, PauseReason::Webhook { name, captures }, until)
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
