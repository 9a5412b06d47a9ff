//! The simulator's pages, where a customer is authenticated or approves a payment. Sandbox alone.

use std::sync::Arc;

use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use connectors::simulator::{Page, Progress};
use domain::answer::ActionKind;
use http::StatusCode;

use super::{
    body, query_text,
    shopper::{in_time, nothing_here, unavailable},
    web::Web,
};
use crate::pages::{Html, page, see_other};

/// The field of the form.
const OUTCOME: &str = "outcome";
/// Its value when the customer does what is asked.
const COMPLETE: &str = "complete";
/// Its value when the customer can or will not.
const FAIL: &str = "fail";
/// The largest form. Unit: bytes.
const FORM: usize = 4096;

/// `GET /sandbox/pages/{token}`: what the customer is asked to do.
pub(super) async fn show(
    State(web): State<Arc<Web>>,
    token: Result<Path<String>, PathRejection>,
) -> Response {
    let Ok(Path(token)) = token else {
        return nothing_here();
    };
    in_time(&web, async {
        match web.backend.sandbox_page(&token).await {
            Ok(Some(found)) => shown(&found),
            Ok(None) => nothing_here(),
            Err(fault) => unavailable(&fault),
        }
    })
    .await
}

/// `POST /sandbox/pages/{token}` with `outcome=complete` or `outcome=fail`: decides once, and sends the customer back.
pub(super) async fn decide(
    State(web): State<Arc<Web>>,
    token: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let Ok(Path(token)) = token else {
        return nothing_here();
    };
    in_time(&web, async {
        let form = match body::read(request.into_body(), FORM).await {
            Ok(form) => form,
            Err(envelope) => return not_understood(envelope.status()),
        };
        let Some(pass) = outcome(&form) else {
            return not_understood(StatusCode::BAD_REQUEST);
        };
        match web.backend.decide_sandbox_page(&token, pass).await {
            Ok(Some(found)) => see_other(&found.return_url),
            Ok(None) => nothing_here(),
            Err(fault) => unavailable(&fault),
        }
    })
    .await
}

/// The one outcome in a form; `None` when there is none, another, or more than one.
fn outcome(form: &[u8]) -> Option<bool> {
    let pairs = query_text::pairs(str::from_utf8(form).ok()?)?;
    let mut outcomes = pairs
        .iter()
        .filter(|(name, _)| name == OUTCOME)
        .map(|(_, value)| value.as_str());
    match (outcomes.next(), outcomes.next()) {
        (Some(COMPLETE), None) => Some(true),
        (Some(FAIL), None) => Some(false),
        _ => None,
    }
}

fn shown(found: &Page) -> Response {
    let words = Words::of(found);
    let amount = found.money.formatted();
    let method = found.method.map_or("CARD", domain::method::Method::code);
    let mut facts = vec![("Paid with", method)];
    if !found.money.is_zero() {
        facts.insert(0, ("Amount", amount.as_str()));
    }
    let body = Html::new().paragraph(words.what).facts(&facts);
    let body = match found.state {
        Progress::Waiting => {
            body.choice(OUTCOME, &[(COMPLETE, words.complete), (FAIL, words.fail)])
        }
        // The value counts no more; it only brings the customer back.
        Progress::Passed | Progress::Completed => body
            .paragraph("This was done already.")
            .choice(OUTCOME, &[(COMPLETE, "Back to the shop")]),
        Progress::Failed => body
            .paragraph("This was refused already.")
            .choice(OUTCOME, &[(FAIL, "Back to the shop")]),
        Progress::Over => {
            let over = "This is over: it was given up, and nothing is charged any more.";
            body.paragraph(over)
                .choice(OUTCOME, &[(FAIL, "Back to the shop")])
        }
    };
    page(
        StatusCode::OK,
        words.title,
        &body.paragraph("A page of the sandbox's simulated bank. No real money moves."),
    )
}

/// What a page says.
struct Words {
    title: &'static str,
    what: &'static str,
    complete: &'static str,
    fail: &'static str,
}

impl Words {
    const fn of(found: &Page) -> Self {
        match found.kind {
            ActionKind::ThreeDSecure if found.money.is_zero() => Self {
                title: "Confirm your card",
                what: "Your bank wants to know that it is you who saves this card (3D Secure).",
                complete: "Yes, it is me",
                fail: "Fail the check",
            },
            ActionKind::ThreeDSecure => Self {
                title: "Confirm your payment",
                what: "Your bank wants to know that it is you who pays (3D Secure).",
                complete: "Yes, it is me",
                fail: "Fail the check",
            },
            ActionKind::Apm => Self {
                title: "Approve your payment",
                what: "The shop asks you to approve this payment.",
                complete: "Approve",
                fail: "Refuse",
            },
        }
    }
}

fn not_understood(status: StatusCode) -> Response {
    let body =
        Html::new().paragraph("The form needs the field outcome with the value complete or fail.");
    page(status, "That was not understood", &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_outcome_is_read_from_a_form() {
        for (form, read) in [
            ("outcome=complete", Some(true)),
            ("outcome=fail", Some(false)),
            ("a=b&outcome=%66ail", Some(false)),
            ("", None),
            ("outcome=", None),
            ("outcome=Complete", None),
            ("outcome=complete&outcome=fail", None),
            ("outcome=complete&outcome=complete", None),
            ("outcome=%zz", None),
            ("Outcome=complete", None),
        ] {
            assert_eq!(outcome(form.as_bytes()), read, "{form}");
        }
        assert_eq!(outcome(b"outcome=complete\xff"), None);
    }
}
