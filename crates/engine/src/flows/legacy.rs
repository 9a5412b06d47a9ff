//! Flows of before there were versions.

use domain::{id::ConnectionId, payment::CaptureRule};
use flow::{Action, CaptureWhen, Program, Step};
use serde_json::{Value, json};
use store::flow::{Document, Flow};
use uuid::Uuid;

/// What a flow of then says in a document of now.
pub(super) fn renewed(flow: &Flow) -> Value {
    let capture = match flow.document.capture {
        CaptureRule::Immediate | CaptureRule::Flow => json!("now"),
        CaptureRule::Api => json!("api"),
        CaptureRule::After { seconds } => json!({ "after": format!("{seconds}s") }),
    };
    json!({
        "name": flow.name,
        "trigger": "payment",
        "steps": [{ "authorise": { "connection": flow.document.connection } }, { "capture": capture }],
    })
}

/// The nearest that a flow of then comes to a document of now. `None` for a draft, which must not take payments.
pub(crate) fn approximated(published: Option<(&flow::Document, &Program)>) -> Document {
    let connection = published.and_then(|(_, program)| program.connections().into_iter().next());
    // Binaries of then say that there is no such connection.
    let none = || ConnectionId::of_uuid(Uuid::nil());
    // A payment that is captured late can be helped; one that is captured too early can't.
    let at_once = published.is_some_and(|(document, _)| captures_at_once(&document.steps));
    Document {
        connection: connection.unwrap_or_else(none),
        capture: if at_once {
            CaptureRule::Immediate
        } else {
            CaptureRule::Api
        },
    }
}

fn captures_at_once(steps: &[Step]) -> bool {
    steps.iter().all(|step| match &step.action {
        Action::Capture(when) => *when == CaptureWhen::Now,
        Action::If {
            then, otherwise, ..
        } => captures_at_once(then) && captures_at_once(otherwise),
        Action::Delay(_)
        | Action::Approval { .. }
        | Action::AwaitWebhook { .. }
        | Action::Cancel { .. } => false,
        _ => true,
    })
}
