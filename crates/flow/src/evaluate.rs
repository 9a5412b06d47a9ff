//! Running a program.

use domain::id::ConnectionId;

use crate::{
    document::{Authorise, CaptureWhen, Destination, Fallback, Share, Trigger},
    facts::Facts,
    program::{Instruction, Op, Program},
    run::{Authorisation, Candidate, Effect, Position, Run, Trace},
    wish,
};

/// Set in a position when the payment was authorised on the way.
const AUTHORISED: u32 = 1 << 31;
/// Set in a position when something was said about the capture on the way, or the payment was cancelled.
const SETTLED: u32 = 1 << 30;

impl Position {
    fn index(self) -> usize {
        usize::try_from(self.0 & !(AUTHORISED | SETTLED)).unwrap_or(usize::MAX)
    }

    /// Another place on the same way.
    fn at(self, index: usize) -> Self {
        // A program has at most a thousand instructions; a larger index would be the end too.
        let index = u32::try_from(index).unwrap_or(u32::MAX) & !(AUTHORISED | SETTLED);
        Self(index | (self.0 & (AUTHORISED | SETTLED)))
    }

    const fn with(self, flag: u32) -> Self {
        Self(self.0 | flag)
    }

    const fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }
}

impl Program {
    /// Follows the steps from a position until something must be done in the world.
    ///
    /// A payment's flow that ends after it was authorised, and without a word about its capture, asks for a capture at once
    /// before it ends. `draw` gives 64 random bits; it is asked once for each split. A position of another program ends.
    pub fn run(&self, from: Position, facts: &Facts<'_>, draw: &mut dyn FnMut() -> u64) -> Run {
        let mut run = Run {
            trace: Vec::with_capacity(self.code.len().saturating_sub(from.index())),
            wish: None,
            offers: None,
            notes: Vec::new(),
            unanswered: Vec::new(),
            stop: Effect::End,
        };
        let mut at = from;
        while let Some(instruction) = self.code.get(at.index()) {
            let next = at.at(at.index() + 1);
            match &instruction.op {
                Op::If { .. } => at = at.at(self.decide(at.index(), instruction, facts, &mut run)),
                Op::Jump(target) => {
                    self.skip(
                        next.index(),
                        *target,
                        "the other branch was taken",
                        &mut run,
                    );
                    at = at.at(*target);
                }
                Op::Offer(methods) => {
                    run.taken(instruction, None);
                    run.offers = Some(methods.clone());
                    at = next;
                }
                Op::Wish(wish) => {
                    run.taken(instruction, Some(wish::word(*wish).to_owned()));
                    run.wish = Some(*wish);
                    at = next;
                }
                Op::Note(text) => {
                    run.taken(instruction, None);
                    run.notes.push(text.clone());
                    at = next;
                }
                op => {
                    run.stop = stop(op, next, draw);
                    if let Effect::Authorise(authorisation) = &mut run.stop {
                        authorisation.because = self.branch_of(at.index());
                    }
                    let reason = reason(&run.stop);
                    run.taken(instruction, reason);
                    return run;
                }
            }
        }
        if self.trigger == Trigger::Payment && at.has(AUTHORISED) && !at.has(SETTLED) {
            run.stop = Effect::Capture {
                when: CaptureWhen::Now,
                next: at.with(SETTLED),
            };
        }
        run
    }

    /// Asks a condition; gives where to go on.
    fn decide(
        &self,
        index: usize,
        instruction: &Instruction,
        facts: &Facts<'_>,
        run: &mut Run,
    ) -> usize {
        let Op::If {
            condition,
            text,
            otherwise,
            end,
        } = &instruction.op
        else {
            return index + 1;
        };
        let (taken, reason) = match condition.holds(facts) {
            Ok(true) => (true, format!("`{text}` holds")),
            Ok(false) => (false, format!("`{text}` does not hold")),
            Err(failure) => {
                let reason = format!("`{text}` counts as not holding: {failure}");
                run.unanswered
                    .push(format!("{}: {reason}.", instruction.step));
                (false, reason)
            }
        };
        run.trace.push(Trace {
            step: instruction.step.clone(),
            taken,
            reason: Some(reason),
        });
        if taken {
            // What stands in `else` is reported as left when its turn comes.
            return index + 1;
        }
        self.skip(
            index + 1,
            (*otherwise).min(*end),
            "the condition does not hold",
            run,
        );
        *otherwise
    }

    /// The condition of the innermost branch that an instruction stands in, and how it was judged to come there.
    fn branch_of(&self, index: usize) -> Option<String> {
        let before = self.code.get(..index)?;
        before
            .iter()
            .rev()
            .find_map(|instruction| match &instruction.op {
                Op::If {
                    text,
                    otherwise,
                    end,
                    ..
                } if index < *end => {
                    let is_then = index < *otherwise;
                    let verdict = if is_then { "holds" } else { "does not hold" };
                    Some(format!("`{text}` {verdict}"))
                }
                _ => None,
            })
    }

    /// Tells the steps of a branch that was left.
    fn skip(&self, from: usize, to: usize, reason: &str, run: &mut Run) {
        for instruction in self.code.get(from..to).unwrap_or_default() {
            if !matches!(instruction.op, Op::Jump(_)) {
                run.trace.push(Trace {
                    step: instruction.step.clone(),
                    taken: false,
                    reason: Some(reason.to_owned()),
                });
            }
        }
    }
}

impl Run {
    fn taken(&mut self, instruction: &Instruction, reason: Option<String>) {
        self.trace.push(Trace {
            step: instruction.step.clone(),
            taken: true,
            reason,
        });
    }
}

/// What must be done for an instruction.
fn stop(op: &Op, next: Position, draw: &mut dyn FnMut() -> u64) -> Effect {
    match op {
        Op::Authorise { to, capture } => Effect::Authorise(Authorisation {
            candidates: candidates(to, draw),
            fallback: to
                .fallback
                .as_ref()
                .map_or(Fallback::NEVER, |fallback| fallback.after),
            because: None,
            capture: capture.clone(),
            next: next.with(AUTHORISED),
        }),
        Op::Capture(when) => Effect::Capture {
            when: when.clone(),
            next: next.with(SETTLED),
        },
        Op::Refund { amount, reason } => Effect::Refund {
            amount: *amount,
            reason: reason.clone(),
            next,
        },
        Op::Cancel { reason } => Effect::Cancel {
            reason: reason.clone(),
            next: next.with(SETTLED),
        },
        Op::Decline { code, message } => Effect::Decline {
            code: *code,
            message: message.clone(),
        },
        Op::Delay(span) => Effect::Delay { span: *span, next },
        Op::Approval { title, within } => Effect::Approval {
            title: title.clone(),
            within: *within,
            next,
        },
        Op::AwaitWebhook { name, within } => Effect::AwaitWebhook {
            name: name.clone(),
            within: *within,
            next,
        },
        Op::CallWebhook { url } => Effect::CallWebhook {
            url: url.clone(),
            next,
        },
        // These stop nothing; `run` has taken them.
        Op::If { .. } | Op::Jump(_) | Op::Offer(_) | Op::Wish(_) | Op::Note(_) => Effect::End,
    }
}

/// Why a stop is as it is, for the trace: where a payment goes.
fn reason(stop: &Effect) -> Option<String> {
    let Effect::Authorise(authorisation) = stop else {
        return None;
    };
    let problems: Vec<String> = authorisation
        .candidates
        .iter()
        .map(|candidate| format!("{} ({})", candidate.connection, candidate.reason))
        .collect();
    Some(problems.join(", then "))
}

/// The connections in the order in which they are asked.
fn candidates(to: &Authorise, draw: &mut dyn FnMut() -> u64) -> Vec<Candidate> {
    let first = match &to.at {
        Destination::Connection(connection) => Some(Candidate {
            connection: connection.clone(),
            reason: "named by the flow".to_owned(),
        }),
        Destination::Split(shares) => drawn(shares, draw()),
    };
    let mut candidates = Vec::from_iter(first);
    let others: Vec<&ConnectionId> = to
        .fallback
        .iter()
        .flat_map(|fallback| &fallback.to)
        .filter(|connection| {
            candidates
                .iter()
                .all(|candidate| candidate.connection != **connection)
        })
        .collect();
    for (index, connection) in others.into_iter().enumerate() {
        candidates.push(Candidate {
            connection: connection.clone(),
            reason: format!("fallback {}", index + 1),
        });
    }
    candidates
}

/// One share by its weight; of none, nothing.
fn drawn(shares: &[Share], bits: u64) -> Option<Candidate> {
    let total: u64 = shares.iter().map(|share| u64::from(share.weight)).sum();
    // The high part of the product is a number below the total, each as likely as another within 2^-34.
    let point = u64::try_from((u128::from(bits) * u128::from(total)) >> 64).unwrap_or_default();
    let mut passed = 0;
    let chosen = shares.iter().find(|share| {
        passed += u64::from(share.weight);
        point < passed
    });
    let share = chosen?;
    let reason = format!("first by weight {} of {total}", share.weight);
    Some(Candidate {
        connection: share.connection.clone(),
        reason,
    })
}
