//! The simulator's books, for tests and for curious people. Sandbox alone.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::Response,
};
use domain::{Code, Fault};
use http::{StatusCode, request::Parts};

use super::{
    envelope::{Envelope, Media, json_answer},
    graphql::caller_of,
    query_text,
    web::Web,
};

/// `GET /sandbox/books`, whole or `?reference=…`, with a secret key.
pub(super) async fn books(State(web): State<Arc<Web>>, request: Request) -> Response {
    match answer(&web, &request.into_parts().0).await {
        Ok(books) => json_answer(StatusCode::OK, "books", books),
        Err(envelope) => envelope.answer(Media::Json),
    }
}

async fn answer(web: &Web, request: &Parts) -> Result<String, Envelope> {
    let caller = caller_of(web, &request.headers, None).await?;
    caller
        .require_server()
        .map_err(|fault| Envelope::of(fault).with_status(StatusCode::FORBIDDEN))?;
    let pairs = query_text::pairs(request.uri.query().unwrap_or_default())
        .ok_or_else(|| Envelope::malformed(Code::Validation, "The address has a broken escape."))?;
    let reference = pairs
        .iter()
        .find(|(name, _)| name == "reference")
        .map(|(_, value)| value.as_str());
    match web.backend.books(caller.team, reference).await {
        Some(books) => Ok(books.to_string()),
        None => Err(Envelope::of(Fault::unavailable())),
    }
}
