//! The simulator's pages, where a customer is authenticated or approves a payment. Sandbox alone.

use std::sync::Arc;

use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use connectors::simulator::{BooksError, Page, Progress};
use domain::{answer::ActionKind, method::Method};
use engine::Engine;
use http::StatusCode;

use super::{
    body, query_text,
    shopper::{in_time, method_name, nothing_here, reader_of, unavailable},
    web::Web,
};
use crate::pages::{
    Asked, Outcome, Purchase, Reader, Stage, errand,
    form::{COMPLETE, FAIL, OUTCOME},
    outcome, see_other,
};

/// The largest form. Unit: bytes.
const FORM: usize = 4096;

/// `GET /sandbox/pages/{token}`: what the customer is asked to do.
pub(super) async fn show(
    State(web): State<Arc<Web>>,
    token: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let reader = reader_of(&web, &request);
    let Ok(Path(token)) = token else {
        return nothing_here(reader);
    };
    in_time(&web, reader, async {
        let Some(sandbox) = &web.service.sandbox else {
            return nothing_here(reader);
        };
        match sandbox.simulator.page(&token).await {
            Ok(Some(found)) => {
                let shop = shop_of(&web.service.engine, &found.return_url).await;
                shown(&found, shop, reader)
            }
            Ok(None) => nothing_here(reader),
            Err(error) => unreadable(&error, reader),
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
    let reader = reader_of(&web, &request);
    let Ok(Path(token)) = token else {
        return nothing_here(reader);
    };
    in_time(&web, reader, async {
        let form = match body::read(request.into_body(), FORM).await {
            Ok(form) => form,
            Err(envelope) => return not_understood(envelope.status(), reader),
        };
        let Some(pass) = chosen(&form) else {
            return not_understood(StatusCode::BAD_REQUEST, reader);
        };
        let Some(sandbox) = &web.service.sandbox else {
            return nothing_here(reader);
        };
        match sandbox.simulator.decide(&token, pass).await {
            Ok(Some(found)) => see_other(reader, &found.return_url),
            Ok(None) => nothing_here(reader),
            Err(error) => unreadable(&error, reader),
        }
    })
    .await
}

/// The books can't be read or written; trying again is harmless.
fn unreadable(error: &BooksError, reader: Reader) -> Response {
    tracing::warn!(%error, "a page of the simulator's has no answer");
    unavailable(reader)
}

/// The one outcome in a form; `None` when there is none, another, or more than one.
fn chosen(form: &[u8]) -> Option<bool> {
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

/// The page of an errand. `shop` is the name of the shop, where it is known.
pub(super) fn shown(found: &Page, shop: Option<String>, reader: Reader) -> Response {
    let asked = match found.kind {
        ActionKind::ThreeDSecure if found.money.is_zero() => Asked::ConfirmCard,
        ActionKind::ThreeDSecure => Asked::ConfirmPayment,
        ActionKind::Apm => Asked::Approve,
    };
    let stage = match found.state {
        Progress::Waiting => Stage::Open,
        Progress::Passed | Progress::Completed => Stage::Approved,
        Progress::Failed => Stage::Declined,
        Progress::Over => Stage::Over,
    };
    let purchase = Purchase {
        shop,
        amount: (!found.money.is_zero()).then(|| found.money.formatted_in(reader.language.code())),
        method: Some(method_name(
            found.method.unwrap_or(Method::Card),
            reader.language,
        )),
        last4: found.last4.clone(),
        statement: found.statement.clone(),
    };
    errand(reader, &purchase, asked, stage)
}

/// The name of the shop to which a page leads back, by the last part of that address.
async fn shop_of(engine: &Engine, return_url: &str) -> Option<String> {
    let (rest, token) = return_url.rsplit_once('/')?;
    if rest.ends_with("/token-return") {
        return engine.shop_of_token_return(token).await;
    }
    engine.purchase_of_return(token).await?.shop
}

fn not_understood(status: StatusCode, reader: Reader) -> Response {
    let nothing = Purchase::default();
    outcome(status, reader, &nothing, &Outcome::NotUnderstood)
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
            assert_eq!(chosen(form.as_bytes()), read, "{form}");
        }
        assert_eq!(chosen(b"outcome=complete\xff"), None);
    }
}
