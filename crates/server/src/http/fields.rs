//! The stand-in of a processor's own card fields: its script, its frame, and the server that the frame sends the card to. In the
//! sandbox alone.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Path, Request, State, rejection::PathRejection},
    response::{IntoResponse, Response},
};
use connector::CardData;
use domain::{Code, Fault, card_number::CardNumber, expiry::Expiry, test_numbers};
use futures_util::FutureExt;
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde_json::{Value, json};

use super::{
    body,
    envelope::{Envelope, Media, json_answer},
    sdk::SharingDecided,
    web::Web,
};

/// The largest body. Unit: bytes.
const BODY: usize = 4 * 1024;
const JAVASCRIPT: HeaderValue = HeaderValue::from_static("text/javascript; charset=utf-8");
const STYLE: HeaderValue = HeaderValue::from_static("text/css; charset=utf-8");
const PAGE: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
/// Who may show the frame is not said: the document around it has no origin, which no source of `frame-ancestors` names.
const FRAME_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'",
);

/// `GET /sandbox/fields.js`: what a processor's script would be.
pub(super) async fn script() -> Response {
    file(include_str!("fields/fields.js"), JAVASCRIPT)
}

/// `GET /sandbox/fields-frame`: what a processor's frame would be.
pub(super) async fn frame() -> Response {
    let mut response = file(include_str!("fields/frame.html"), PAGE);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, FRAME_POLICY);
    let required = HeaderValue::from_static("require-corp");
    headers.insert("cross-origin-embedder-policy", required);
    response
}

/// `GET /sandbox/fields-frame.js`.
pub(super) async fn frame_script() -> Response {
    file(include_str!("fields/frame.js"), JAVASCRIPT)
}

/// `GET /sandbox/fields-frame.css`.
pub(super) async fn frame_style() -> Response {
    file(include_str!("fields/frame.css"), STYLE)
}

fn file(text: &'static str, media: HeaderValue) -> Response {
    let mut response = (StatusCode::OK, Body::from(text)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, media);
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("cross-origin"),
    );
    response
}

/// `POST /sandbox/fields/{account}`: a card for a token. The frame may have no origin, so every origin may read the answer.
pub(super) async fn tokenise(
    State(web): State<Arc<Web>>,
    account: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let answered = match account {
        Ok(Path(account)) => tokenised(&web, &account, request).boxed().await,
        Err(_) => Err(refused("the account")),
    };
    let mut response = match answered {
        Ok(token) => {
            let answer = json!({ "token": token }).to_string();
            json_answer(StatusCode::OK, "fields", answer)
        }
        Err(envelope) => envelope.answer(Media::Json),
    };
    let any = HeaderValue::from_static("*");
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, any);
    response.extensions_mut().insert(SharingDecided);
    response
}

async fn tokenised(web: &Arc<Web>, account: &str, request: Request) -> Result<String, Envelope> {
    let bytes = body::read(request.into_body(), BODY).await?;
    let card = card(&bytes)?;
    let Some(sandbox) = &web.service.sandbox else {
        return Err(Envelope::of(Fault::unavailable()));
    };
    match sandbox.simulator.fields_token(account, &card).await {
        Ok(Some(token)) => Ok(token),
        Ok(None) => Err(refused("the account")),
        Err(_) => Err(Envelope::of(Fault::unavailable())),
    }
}

/// The card of a body: a published test number and its expiry.
fn card(bytes: &[u8]) -> Result<CardData, Envelope> {
    let said: Value = serde_json::from_slice(bytes).map_err(|_| refused("the body"))?;
    let number = said
        .get("number")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let number = CardNumber::parse(number.to_owned()).ok();
    let number = number.filter(test_numbers::is_published);
    let part = |name: &str| {
        let number = said.get(name).and_then(Value::as_i64);
        number.and_then(|number| i32::try_from(number).ok())
    };
    let expiry = part("expMonth").zip(part("expYear"));
    let expiry = expiry.and_then(|(month, year)| Expiry::parse(month, year).ok());
    let number = number.ok_or_else(|| refused("number"))?;
    Ok(CardData {
        brand: number.brand().code().to_owned(),
        number,
        expiry: expiry.ok_or_else(|| refused("expMonth and expYear"))?,
        cvc: None,
        name: None,
        address: None,
    })
}

fn refused(what: &str) -> Envelope {
    let message = format!(
        "The stand-in can't read {what}: it takes published test numbers with their expiry."
    );
    Envelope::malformed(Code::Validation, message)
}
