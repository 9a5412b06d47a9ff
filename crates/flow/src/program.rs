//! A compiled flow: a flat list of instructions with jumps, made from a document that makes sense as a whole.

use std::{collections::BTreeSet, time::Duration};

use domain::{decline::DeclineCode, id::ConnectionId, method::Method, payment::ThreeDsWish};

use crate::{
    condition::Condition,
    document::{
        Action, Authorise, CaptureWhen, Destination, Document, RefundAmount, Step, Trigger,
    },
    paths,
    problem::Problem,
    run::Planned,
};

/// A compiled flow. Never changes, and is shared.
#[derive(Debug, Clone)]
pub struct Program {
    pub(crate) trigger: Trigger,
    pub(crate) code: Vec<Instruction>,
}

/// One instruction: a step, or a jump over the steps of a branch.
#[derive(Debug, Clone)]
pub(crate) struct Instruction {
    /// The step's id or place; empty for a jump.
    pub(crate) step: String,
    pub(crate) op: Op,
}

/// What an instruction does. Every index is of an instruction further on.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    /// Goes on when the condition holds, else at `otherwise`; both branches end at `end`.
    If {
        condition: Condition,
        text: String,
        otherwise: usize,
        end: usize,
    },
    /// Leaves a branch.
    Jump(usize),
    Offer(Vec<Method>),
    Wish(ThreeDsWish),
    Authorise {
        to: Authorise,
        capture: Planned,
    },
    Capture(CaptureWhen),
    Refund {
        amount: RefundAmount,
        reason: Option<String>,
    },
    Cancel {
        reason: Option<String>,
    },
    Decline {
        code: DeclineCode,
        message: Option<String>,
    },
    Delay(Duration),
    Approval {
        title: String,
        within: Option<Duration>,
    },
    AwaitWebhook {
        name: String,
        within: Option<Duration>,
    },
    CallWebhook {
        url: String,
    },
    Note(String),
}

impl Program {
    /// Judges a document as a whole and compiles it. What is wrong comes with its place, and with its line when the
    /// document was read from a text.
    pub fn compile(document: &Document) -> Result<Self, Vec<Problem>> {
        let mut compiler = Compiler {
            code: Vec::new(),
            problems: Vec::new(),
            ids: BTreeSet::new(),
        };
        compiler.steps(&document.steps, "steps");
        let mut problems = compiler.problems;
        paths::check(document, &mut problems);
        if !problems.is_empty() {
            for problem in &mut problems {
                problem.line = document.lines.0.get(&problem.place).copied();
            }
            problems.sort_by_key(|problem| problem.line);
            return Err(problems);
        }
        let mut program = Self {
            trigger: document.trigger.clone(),
            code: compiler.code,
        };
        program.plan_captures();
        Ok(program)
    }

    /// What starts it.
    pub const fn trigger(&self) -> &Trigger {
        &self.trigger
    }

    /// Every connection that it names, once, in the order of their ids.
    pub fn connections(&self) -> Vec<ConnectionId> {
        let mut named = BTreeSet::new();
        for instruction in &self.code {
            if let Op::Authorise { to, .. } = &instruction.op {
                match &to.at {
                    Destination::Connection(connection) => drop(named.insert(connection)),
                    Destination::Split(shares) => {
                        named.extend(shares.iter().map(|share| &share.connection));
                    }
                }
                named.extend(to.fallback.iter().flat_map(|fallback| &fallback.to));
            }
        }
        named.into_iter().cloned().collect()
    }

    /// What each authorisation knows about its capture.
    fn plan_captures(&mut self) {
        let planned: Vec<(usize, Planned)> = (0..self.code.len())
            .filter(|index| {
                matches!(
                    self.code.get(*index).map(|instruction| &instruction.op),
                    Some(Op::Authorise { .. })
                )
            })
            .map(|index| (index, self.planned_after(index)))
            .collect();
        for (index, plan) in planned {
            if let Some(Instruction {
                op: Op::Authorise { capture, .. },
                ..
            }) = self.code.get_mut(index)
            {
                *capture = plan;
            }
        }
    }

    fn planned_after(&self, index: usize) -> Planned {
        match self.next_op(index) {
            None => Planned::Rule(CaptureWhen::Now),
            Some((at, Op::Capture(when))) if self.next_op(at).is_none() => {
                Planned::Rule(when.clone())
            }
            Some(_) => Planned::Continue,
        }
    }

    /// The instruction that comes after one, jumps followed.
    fn next_op(&self, index: usize) -> Option<(usize, &Op)> {
        let mut at = index + 1;
        loop {
            match &self.code.get(at)?.op {
                Op::Jump(target) => at = *target,
                op => return Some((at, op)),
            }
        }
    }
}

/// A condition with what follows when it holds, and when it does not.
struct Choice<'a> {
    condition: &'a str,
    then: &'a [Step],
    otherwise: &'a [Step],
}

struct Compiler {
    code: Vec<Instruction>,
    problems: Vec<Problem>,
    ids: BTreeSet<String>,
}

impl Compiler {
    fn steps(&mut self, steps: &[Step], place: &str) {
        for (index, step) in steps.iter().enumerate() {
            self.step(step, &format!("{place}[{index}]"));
        }
    }

    fn step(&mut self, step: &Step, place: &str) {
        if let Some(id) = &step.id
            && !self.ids.insert(id.clone())
        {
            self.problem(
                format!("{place}.id"),
                "another step has this id; give each its own",
            );
        }
        let name = step.id.clone().unwrap_or_else(|| place.to_owned());
        let op = match &step.action {
            Action::If {
                condition,
                then,
                otherwise,
            } => {
                let choice = Choice {
                    condition,
                    then,
                    otherwise,
                };
                return self.branch(name, place, &choice);
            }
            Action::Offer(methods) => Op::Offer(methods.clone()),
            Action::ThreeDSecure(wish) => Op::Wish(*wish),
            Action::Authorise(to) => Op::Authorise {
                to: to.clone(),
                capture: Planned::Continue,
            },
            Action::Capture(when) => Op::Capture(when.clone()),
            Action::Refund { amount, reason } => Op::Refund {
                amount: *amount,
                reason: reason.clone(),
            },
            Action::Cancel { reason } => Op::Cancel {
                reason: reason.clone(),
            },
            Action::Decline { code, message } => Op::Decline {
                code: *code,
                message: message.clone(),
            },
            Action::Delay(span) => Op::Delay(*span),
            Action::Approval { title, within } => Op::Approval {
                title: title.clone(),
                within: *within,
            },
            Action::AwaitWebhook { name, within } => Op::AwaitWebhook {
                name: name.clone(),
                within: *within,
            },
            Action::CallWebhook { url } => Op::CallWebhook { url: url.clone() },
            Action::Note(text) => Op::Note(text.clone()),
        };
        self.code.push(Instruction { step: name, op });
    }

    fn branch(&mut self, step: String, place: &str, choice: &Choice<'_>) {
        let Choice {
            condition: text,
            then,
            otherwise,
        } = *choice;
        let condition = match Condition::parse(text) {
            Ok(condition) => condition,
            Err(message) => {
                self.problem(format!("{place}.if"), message);
                Condition::never()
            }
        };
        let at = self.code.len();
        self.code.push(Instruction {
            step,
            op: Op::Jump(0),
        });
        self.steps(then, &format!("{place}.then"));
        let jump = self.code.len();
        if !otherwise.is_empty() {
            self.code.push(Instruction {
                step: String::new(),
                op: Op::Jump(0),
            });
        }
        let begin = self.code.len();
        self.steps(otherwise, &format!("{place}.else"));
        let end = self.code.len();
        if !otherwise.is_empty()
            && let Some(instruction) = self.code.get_mut(jump)
        {
            instruction.op = Op::Jump(end);
        }
        if let Some(instruction) = self.code.get_mut(at) {
            instruction.op = Op::If {
                condition,
                text: text.to_owned(),
                otherwise: begin,
                end,
            };
        }
    }

    fn problem(&mut self, place: String, message: impl Into<String>) {
        self.problems.push(Problem {
            place,
            line: None,
            message: message.into(),
        });
    }
}
