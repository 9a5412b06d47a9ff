//! Whether a document's steps make sense on every path that a payment can take through them.

use crate::{
    document::{Action, CaptureWhen, Document, Step, Trigger},
    problem::Problem,
};

/// The ways in which a payment may have come to a step, as a set.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ways {
    /// See the constants.
    bits: u8,
    /// How it can come here without having been authorised, when a condition decides it.
    without: Option<String>,
}

/// Not authorised yet.
const BEFORE: u8 = 1;
/// Authorised, and nothing said about its capture.
const AUTHORISED: u8 = 2;
/// Captured by the flow.
const CAPTURED: u8 = 4;
/// To be captured later, or perhaps never.
const PLANNED: u8 = 8;
/// Cancelled.
const CANCELLED: u8 = 16;

/// Notes what is wrong with the steps as a whole.
pub(crate) fn check(document: &Document, problems: &mut Vec<Problem>) {
    let mut walk = Walk {
        trigger: &document.trigger,
        problems,
    };
    let ways = walk.steps(
        &document.steps,
        "steps",
        Ways {
            bits: BEFORE,
            without: None,
        },
    );
    if document.trigger == Trigger::Payment && ways.bits & BEFORE != 0 {
        let path = ways
            .without
            .map(|path| format!("when {path}, "))
            .unwrap_or_default();
        walk.problem(
            "steps",
            format!("{path}a payment comes to the end without `authorise` or `decline`; every path needs one"),
        );
    }
}

struct Walk<'d> {
    trigger: &'d Trigger,
    problems: &'d mut Vec<Problem>,
}

impl Walk<'_> {
    fn problem(&mut self, place: &str, message: impl Into<String>) {
        self.problems.push(Problem {
            place: place.to_owned(),
            line: None,
            message: message.into(),
        });
    }

    fn steps(&mut self, steps: &[Step], place: &str, mut ways: Ways) -> Ways {
        for (index, step) in steps.iter().enumerate() {
            let place = format!("{place}[{index}]");
            if ways.bits == 0 {
                self.problem(
                    &place,
                    "this step is never reached: the payment is declined before it on every path",
                );
                return ways;
            }
            ways = self.step(&step.action, &place, ways);
        }
        ways
    }

    fn step(&mut self, action: &Action, place: &str, ways: Ways) -> Ways {
        if let Action::If {
            then, otherwise, ..
        } = action
        {
            let left = self.steps(then, &format!("{place}.then"), ways.clone());
            let right = self.steps(otherwise, &format!("{place}.else"), ways.clone());
            return joined(&ways, left, right, place);
        }
        let (name, needs) = needs(action);
        if !self.trigger_fits(name, needs, place) || *self.trigger != Trigger::Payment {
            return ways;
        }
        self.on_the_way(action, name, place, ways)
    }

    /// Whether the trigger brings what the step needs.
    fn trigger_fits(&mut self, name: &str, needs: Needs, place: &str) -> bool {
        let (trigger, has_payment) = match self.trigger {
            Trigger::Payment => return true,
            Trigger::Outcome(_) => ("an outcome", true),
            Trigger::Dispute(_) => ("a dispute", true),
            Trigger::IntentInactive => ("an inactive intent", false),
            Trigger::Webhook { .. } => ("a webhook", false),
        };
        let place = format!("{place}.{name}");
        match needs {
            Needs::NewPayment => {
                self.problem(
                    &place,
                    format!("`{name}` belongs to flows with `trigger: payment`; this one begins with {trigger}"),
                );
                false
            }
            Needs::Payment if !has_payment => {
                self.problem(
                    &place,
                    format!(
                        "`{name}` needs a payment, and a flow that begins with {trigger} has none"
                    ),
                );
                false
            }
            Needs::Payment | Needs::Nothing => true,
        }
    }

    fn on_the_way(&mut self, action: &Action, name: &str, place: &str, ways: Ways) -> Ways {
        if let Some(message) = misplaced(action, name, ways.bits) {
            self.problem(&format!("{place}.{name}"), message);
        }
        ways_after(action, ways)
    }
}

/// What is wrong with a step where payments come in these ways.
fn misplaced(action: &Action, name: &str, bits: u8) -> Option<String> {
    let comes_in = |ways| bits & ways != 0;
    let is_begun = comes_in(!BEFORE);
    let message = match action {
        Action::Offer(_) | Action::ThreeDSecure(_) if is_begun => {
            return Some(format!(
                "`{name}` comes after `authorise`, where it changes nothing; put it before"
            ));
        }
        Action::Authorise(_) if is_begun => {
            "a payment that comes here may be authorised already; on one path there is one `authorise`"
        }
        Action::Decline { .. } if is_begun => {
            "a payment that comes here may be authorised already; use `cancel`"
        }
        Action::Capture(_) | Action::Refund { .. } | Action::Cancel { .. } if comes_in(BEFORE) => {
            return Some(format!(
                "`{name}` comes only after `authorise`, and a payment can come here without"
            ));
        }
        Action::Capture(_) if comes_in(!AUTHORISED) => {
            "a `capture` or `cancel` stands before this one on the same path; keep one"
        }
        Action::Refund { .. } if comes_in(AUTHORISED | CANCELLED) => {
            "only captured money is refunded: put `capture` before, or use `cancel`"
        }
        Action::Cancel { .. } if comes_in(CAPTURED | CANCELLED) => {
            "the payment is captured or cancelled before this step; captured money is given back with `refund`"
        }
        _ => return None,
    };
    Some(message.to_owned())
}

/// In which ways payments leave a step to which they came in these.
fn ways_after(action: &Action, ways: Ways) -> Ways {
    let after = |bits| Ways {
        bits,
        without: None,
    };
    match action {
        Action::Authorise(_) => after(AUTHORISED),
        Action::Decline { .. } => after(0),
        Action::Capture(_) | Action::Cancel { .. } if ways.bits & BEFORE != 0 => ways,
        Action::Capture(CaptureWhen::Now) => after(CAPTURED),
        Action::Capture(_) => after(PLANNED),
        Action::Cancel { .. } => after(CANCELLED),
        _ => ways,
    }
}

/// What a step needs to make sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// A payment that has not been authorised.
    NewPayment,
    /// A payment.
    Payment,
    /// Nothing.
    Nothing,
}

fn needs(action: &Action) -> (&'static str, Needs) {
    match action {
        Action::Offer(_) => ("offer", Needs::NewPayment),
        Action::ThreeDSecure(_) => ("three_d_secure", Needs::NewPayment),
        Action::Authorise(_) => ("authorise", Needs::NewPayment),
        Action::Decline { .. } => ("decline", Needs::NewPayment),
        Action::Capture(_) => ("capture", Needs::Payment),
        Action::Refund { .. } => ("refund", Needs::Payment),
        Action::Cancel { .. } => ("cancel", Needs::Payment),
        Action::If { .. } => ("if", Needs::Nothing),
        Action::Delay(_) => ("delay", Needs::Nothing),
        Action::Approval { .. } => ("approval", Needs::Nothing),
        Action::AwaitWebhook { .. } => ("await_webhook", Needs::Nothing),
        Action::CallWebhook { .. } => ("call_webhook", Needs::Nothing),
        Action::Note(_) => ("note", Needs::Nothing),
    }
}

/// Both branches of a condition together.
fn joined(before: &Ways, left: Ways, right: Ways, place: &str) -> Ways {
    let bits = left.bits | right.bits;
    let without = match (left.bits & BEFORE != 0, right.bits & BEFORE != 0) {
        // The condition changes nothing about it.
        (true, true) => before.without.clone(),
        (true, false) => Some(
            left.without
                .unwrap_or_else(|| format!("the condition of {place} holds")),
        ),
        (false, true) => Some(
            right
                .without
                .unwrap_or_else(|| format!("the condition of {place} does not hold")),
        ),
        (false, false) => None,
    };
    Ways { bits, without }
}
