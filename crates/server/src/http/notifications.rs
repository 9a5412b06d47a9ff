//! `POST /notifications/{token}`: a processor tells by itself what has happened.

use std::sync::Arc;

use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use connector::NotGenuine;
use domain::{Code, Fault};
use engine::{Inbound, NotificationAnswer};
use futures_util::FutureExt;
use http::{HeaderMap, StatusCode};
use serde_json::json;

use super::{
    body,
    envelope::{Envelope, Media, json_answer},
    web::Web,
};

/// The largest body. Unit: bytes.
const BODY: usize = 1024 * 1024;

/// Takes a notification.
pub(super) async fn take(
    State(web): State<Arc<Web>>,
    token: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let Ok(Path(token)) = token else {
        return Envelope::malformed(Code::Validation, "The address has a broken escape.")
            .answer(Media::Json);
    };
    let work = taken(&web, &token, request).boxed();
    let answered = web.world.timeout(web.rules.request_timeout, work).await;
    match answered.unwrap_or_else(|_elapsed| Err(Envelope::of(Fault::unavailable()))) {
        Ok(()) => {
            let answer = json!({"received": true}).to_string();
            json_answer(StatusCode::OK, "notification", answer)
        }
        Err(envelope) => envelope.answer(Media::Json),
    }
}

async fn taken(web: &Arc<Web>, token: &str, request: Request) -> Result<(), Envelope> {
    let Some(_working) = web.begin() else {
        return Err(Envelope::of(Fault::unavailable()));
    };
    let engine = &web.service.engine;
    let address = engine.notification_address(token).await;
    let Some(address) = address.map_err(Envelope::of)? else {
        let message = "No connection has this address for notifications.";
        return Err(Envelope::new(
            StatusCode::NOT_FOUND,
            Code::ConnectionNotFound,
            message,
        ));
    };
    let headers = headers(request.headers());
    let body = body::read(request.into_body(), BODY).await?;
    let inbound = Inbound {
        headers,
        body: body.to_vec(),
    };
    match engine.receive_notification(address, inbound).await {
        Ok(NotificationAnswer::Accepted) => Ok(()),
        Ok(NotificationAnswer::Refused(why)) => {
            let message = match why {
                NotGenuine::NoSecret | NotGenuine::Unsigned | NotGenuine::Forged => {
                    "Nothing proves who sent this: it was not stored."
                }
                NotGenuine::Untimely => {
                    "Its signed time is too far from the time here, so that it may be a replay: it was not stored. Sign it again when it is sent again."
                }
                NotGenuine::OtherMode => {
                    "It is of the other mode, test or live: it was not stored. Enter the address of a connection of its mode."
                }
            };
            Err(Envelope::new(
                StatusCode::UNAUTHORIZED,
                Code::Unauthorized,
                message,
            ))
        }
        Err(fault) => Err(Envelope::of(fault)),
    }
}

/// The headers whose values are texts. Their names are in small letters.
pub(super) fn headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let texts = headers.iter().filter_map(|(name, value)| {
        let value = value.to_str().ok()?;
        Some((name.as_str().to_owned(), value.to_owned()))
    });
    texts.collect()
}
