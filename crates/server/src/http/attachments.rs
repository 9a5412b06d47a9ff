//! `PUT /attachments/upload/{token}` and `GET /attachments/{token}`: files by signed addresses.
//!
//! A file is handed out to be saved and never to be shown: whatever is in it, nothing of it runs in our origin.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    body::{Body, HttpBody as _},
    extract::{Path, Request, State, rejection::PathRejection},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use domain::{Code, Fault, attachment::Refused};
use engine::{Download, StoredAttachment, UploadError};
use futures_util::{FutureExt as _, stream};
use http::{HeaderName, HeaderValue, StatusCode, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use super::{
    body::{self, Pace},
    edge::source_of,
    envelope::{Envelope, Media, ResponseLabels, json_answer, status_of},
    places::Taken,
    web::Web,
};

/// What the connection is given at once. Unit: bytes.
const PART: usize = 64 * 1024;

/// A file may take this long to arrive.
const ARRIVES_WITHIN: Duration = Duration::from_mins(2);

/// The slowest upload: one that is slower holds a place for too little. It is judged after each of these times.
const SLOWEST: Pace = Pace {
    bytes: 64 * 1024,
    within: Duration::from_secs(10),
};

/// What stays as it is in the parameter `filename*`. Source: RFC 8187, section 3.2.1, `attr-char`.
const NAME: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// Takes a file.
pub(super) async fn upload(
    State(web): State<Arc<Web>>,
    token: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let Ok(Path(token)) = token else {
        return no_such_address().answer(Media::Json);
    };
    let work = taken(&web, &token, request).boxed();
    let most = ARRIVES_WITHIN.saturating_add(web.rules.request_timeout);
    let answered = web.world.timeout(most, work).await;
    match answered.unwrap_or_else(|_elapsed| Err(Envelope::of(Fault::unavailable()))) {
        Ok(stored) => shown(&stored),
        Err(envelope) => envelope.answer(Media::Json),
    }
}

async fn taken(
    web: &Arc<Web>,
    token: &str,
    request: Request,
) -> Result<StoredAttachment, Envelope> {
    let Some(_working) = web.begin() else {
        return Err(Envelope::of(Fault::unavailable()));
    };
    let engine = web
        .service
        .engine
        .for_customer(source_of(&request, &web.rules.trusted_proxies));
    let limits = engine.attachment_limits();
    let grant = engine
        .admit_upload(token)
        .map_err(|why| refusal(web, why))?;
    let most = usize::try_from(limits.file_bytes).unwrap_or(usize::MAX);
    let declared = request.body().size_hint().lower();
    if declared > limits.file_bytes {
        return Err(refusal(web, UploadError::Refused(Refused::TooLarge)));
    }
    engine
        .check_unused(&grant, request.body().size_hint().exact())
        .await
        .map_err(|why| refusal(web, why))?;
    // Files lie in memory while they arrive: more than a few at a time would fill it.
    let held = web.uploads.hold(grant.id).zip(web.uploads.take(grant.team));
    let Some(_place) = held else {
        let message = "Too many files arrive at the same time, or one arrives at this address already. Please try again in a moment.";
        return Err(Envelope::of(Fault::new(Code::RateLimited, message)));
    };
    let arriving = body::read_steadily(request.into_body(), most, &web.world, SLOWEST);
    let content = match web.world.timeout(ARRIVES_WITHIN, arriving).await {
        Ok(Some(Ok(content))) => Bytes::copy_from_slice(&content),
        Ok(Some(Err(envelope))) if envelope.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            return Err(refusal(web, UploadError::Refused(Refused::TooLarge)));
        }
        Ok(Some(Err(envelope))) => return Err(envelope),
        Ok(None) | Err(_) => {
            let message = "The file did not arrive in time.";
            let status = StatusCode::REQUEST_TIMEOUT;
            return Err(Envelope::new(status, Code::Unavailable, message));
        }
    };
    engine
        .take_upload(grant, content)
        .await
        .map_err(|why| refusal(web, why))
}

/// What became of a file.
fn shown(stored: &StoredAttachment) -> Response {
    let attachment = &stored.attachment;
    let status = if stored.again {
        StatusCode::OK
    } else {
        StatusCode::CREATED
    };
    let body = json!({
        "id": attachment.id.to_string(),
        "fileName": attachment.name,
        "contentType": attachment.kind.code(),
        "size": attachment.bytes,
        "sha256": attachment.sha256,
    });
    json_answer(status, "attachment", body.to_string())
}

fn no_such_address() -> Envelope {
    let message = "There is nothing at this address, or its time is over. Ask for a new one.";
    Envelope::new(StatusCode::NOT_FOUND, Code::AttachmentNotFound, message)
}

fn refusal(web: &Web, why: UploadError) -> Envelope {
    let limits = web.service.engine.attachment_limits();
    match why {
        UploadError::NoSuchAddress => no_such_address(),
        UploadError::Expired => {
            let message =
                "The time of this address is over. Ask for a new one with createAttachment.";
            Envelope::new(StatusCode::GONE, Code::Validation, message)
        }
        UploadError::Used => {
            let message = "Another file was uploaded to this address, or it was deleted since. Ask for a new address with \
                           createAttachment.";
            Envelope::new(StatusCode::CONFLICT, Code::Validation, message)
        }
        UploadError::Refused(refused) => {
            let status = match refused {
                Refused::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
                Refused::UnknownContent | Refused::OtherContent(_) => {
                    StatusCode::UNSUPPORTED_MEDIA_TYPE
                }
                Refused::Empty => StatusCode::BAD_REQUEST,
                Refused::TooMany | Refused::TooMuch | Refused::TooMuchDeleted => {
                    StatusCode::CONFLICT
                }
            };
            Envelope::new(status, Code::Validation, refused.message(limits))
        }
        UploadError::Fault(fault) => of_fault(fault),
    }
}

fn of_fault(fault: Fault) -> Envelope {
    let status = match fault.code {
        Code::AttachmentNotFound => StatusCode::NOT_FOUND,
        Code::AttachmentsOff => StatusCode::SERVICE_UNAVAILABLE,
        code => status_of(code).unwrap_or(StatusCode::BAD_REQUEST),
    };
    Envelope::of(fault).with_status(status)
}

/// Hands out a file.
pub(super) async fn download(
    State(web): State<Arc<Web>>,
    token: Result<Path<String>, PathRejection>,
) -> Response {
    let Ok(Path(token)) = token else {
        return no_such_address().answer(Media::Json);
    };
    let Some(_working) = web.begin() else {
        return Envelope::of(Fault::unavailable()).answer(Media::Json);
    };
    let engine = &web.service.engine;
    let Some(team) = engine.team_of_download(&token) else {
        return no_such_address().answer(Media::Json);
    };
    let Some(place) = web.downloads.take(team) else {
        let message =
            "Too many files are handed out at the same time. Please try again in a moment.";
        return Envelope::of(Fault::new(Code::RateLimited, message)).answer(Media::Json);
    };
    let work = engine.download_attachment(&token).boxed();
    match web.world.timeout(web.rules.request_timeout, work).await {
        Ok(Ok(found)) => handed_out(found, place),
        Ok(Err(fault)) if fault.code == Code::AttachmentNotFound => {
            no_such_address().answer(Media::Json)
        }
        Ok(Err(fault)) => of_fault(fault).answer(Media::Json),
        Err(_elapsed) => Envelope::of(Fault::unavailable()).answer(Media::Json),
    }
}

/// What stands for a letter of a name between quotes.
const fn plain(letter: char) -> char {
    match letter {
        ' ' | '-' | '.' | '_' => letter,
        _ if letter.is_ascii_alphanumeric() => letter,
        _ => '_',
    }
}

fn handed_out(found: Download, place: Taken) -> Response {
    let Download {
        name,
        kind,
        content,
    } = found;
    let length = HeaderValue::from(content.len());
    // The place is free again when the client has taken the last part, or is gone.
    let parts = stream::unfold((content, place), async |(mut rest, place)| {
        let part = rest.split_to(rest.len().min(PART));
        (!part.is_empty()).then_some((Ok::<_, Infallible>(part), (rest, place)))
    });
    let mut response = (StatusCode::OK, Body::from_stream(parts)).into_response();
    // For clients that know no other characters. Source: RFC 6266, section 4.3.
    let plain: String = name.chars().map(plain).collect();
    let name = utf8_percent_encode(&name, NAME);
    let both = format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{name}");
    let disposition =
        HeaderValue::from_str(&both).unwrap_or(HeaderValue::from_static("attachment"));
    let fixed = |value| HeaderValue::from_static(value);
    let headers: [(HeaderName, HeaderValue); 6] = [
        (header::CONTENT_LENGTH, length),
        (header::CONTENT_TYPE, fixed(kind.code())),
        (header::CONTENT_DISPOSITION, disposition),
        (header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff")),
        (
            header::CONTENT_SECURITY_POLICY,
            fixed("sandbox; default-src 'none'; frame-ancestors 'none'"),
        ),
        (header::CACHE_CONTROL, fixed("private, no-store")),
    ];
    response.headers_mut().extend(headers);
    response.extensions_mut().insert(ResponseLabels {
        operation: "attachment",
        code: "ok",
    });
    response
}
