//! The simulator's pages, where a customer is authenticated or approves a payment. Sandbox alone.

use std::sync::Arc;

use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use connectors::simulator::{BooksError, Page, Progress};
use domain::{Fault, answer::ActionKind, method::Method};
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
        let Some(sandbox) = &web.service.sandbox else {
            return nothing_here();
        };
        match sandbox.simulator.page(&token).await {
            Ok(Some(found)) => shown(&found),
            Ok(None) => nothing_here(),
            Err(error) => unreadable(&error),
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
        let Some(sandbox) = &web.service.sandbox else {
            return nothing_here();
        };
        match sandbox.simulator.decide(&token, pass).await {
            Ok(Some(found)) => see_other(&found.return_url),
            Ok(None) => nothing_here(),
            Err(error) => unreadable(&error),
        }
    })
    .await
}

/// The books can't be read or written; trying again is harmless.
fn unreadable(error: &BooksError) -> Response {
    tracing::warn!(%error, "a page of the simulator's has no answer");
    unavailable(&Fault::unavailable())
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

pub(super) fn shown(found: &Page) -> Response {
    let words = Words::of(found);
    let amount = found.money.formatted();
    let method = method_name(found.method.unwrap_or(Method::Card));
    let method = match &found.last4 {
        Some(last4) => format!("{method} ending in {last4}"),
        None => method,
    };
    let mut facts = Vec::new();
    if !found.money.is_zero() {
        facts.push(("Amount", amount.as_str()));
    }
    if let Some(statement) = &found.statement {
        facts.push(("For", statement));
    }
    facts.push(("Paid with", &method));
    let body = Html::new().paragraph(&words.what).facts(&facts);
    let body = match found.state {
        Progress::Waiting => body.choice(OUTCOME, &[(COMPLETE, "Approve"), (FAIL, "Decline")]),
        // The value counts no more; it only brings the customer back.
        Progress::Passed | Progress::Completed => body
            .paragraph("You have approved this already.")
            .choice(OUTCOME, &[(COMPLETE, "Back to the shop")]),
        Progress::Failed => body
            .paragraph("You have declined this already.")
            .choice(OUTCOME, &[(FAIL, "Back to the shop")]),
        Progress::Over => {
            let over = "This is over: it was given up, and nothing will be charged.";
            body.paragraph(over)
                .choice(OUTCOME, &[(FAIL, "Back to the shop")])
        }
    };
    page(
        StatusCode::OK,
        words.title,
        &body.paragraph("This is a test page of the sandbox. No real money moves."),
    )
}

/// What a page says.
struct Words {
    title: &'static str,
    what: String,
}

impl Words {
    fn of(found: &Page) -> Self {
        let (title, what) = match found.kind {
            ActionKind::ThreeDSecure if found.money.is_zero() => (
                "Confirm your card",
                "Your bank asks you to confirm that this card may be saved (3D Secure).".to_owned(),
            ),
            ActionKind::ThreeDSecure => (
                "Confirm your payment",
                "Your bank asks you to confirm this payment (3D Secure).".to_owned(),
            ),
            ActionKind::Apm => {
                let asks = found
                    .method
                    .map_or_else(|| "The shop".to_owned(), method_name);
                (
                    "Approve your payment",
                    format!("{asks} asks you to approve this payment."),
                )
            }
        };
        Self { title, what }
    }
}

/// A method as shoppers know it: `VISA` as `Visa`, `BUY_NOW_PAY_LATER` as `Buy now pay later`.
fn method_name(method: Method) -> String {
    let code = method.public().code();
    match code {
        "AMEX" => "American Express".to_owned(),
        "JCB" => "JCB".to_owned(),
        "UNIONPAY" => "UnionPay".to_owned(),
        "PAYPAL" => "PayPal".to_owned(),
        "IDEAL" => "iDEAL".to_owned(),
        "BAN_CONTACT" => "Bancontact".to_owned(),
        "GIRO_PAY" => "giropay".to_owned(),
        "AFTER_PAY" => "Afterpay".to_owned(),
        "CLEAR_PAY" => "Clearpay".to_owned(),
        "ALI_PAY" => "Alipay".to_owned(),
        "WE_CHAT" => "WeChat Pay".to_owned(),
        "OPENBANKING" => "Open banking".to_owned(),
        other => {
            let (first, rest) = other.split_at(1);
            format!("{first}{}", rest.to_ascii_lowercase().replace('_', " "))
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
    fn methods_have_the_names_that_shoppers_know() {
        for (code, name) in [
            ("VISA", "Visa"),
            ("CARD", "Card"),
            ("AMEX", "American Express"),
            ("BNPLA", "Klarna"),
            ("WALLETC", "PayPal"),
            ("IDEAL", "iDEAL"),
            ("BUY_NOW_PAY_LATER", "Buy now pay later"),
        ] {
            assert_eq!(method_name(Method::parse(code).unwrap()), name, "{code}");
        }
    }

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
