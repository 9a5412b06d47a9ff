//! The simulator's books, for tests and for curious people. Sandbox alone.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::Response,
};
use connectors::simulator::read_books;
use domain::{Code, Fault, Timestamp, audit::Source, id::TeamId, rights};
use engine::Engine;
use http::{StatusCode, request::Parts};
use serde_json::Value;

use super::{
    edge::source_of,
    envelope::{Envelope, Media, json_answer},
    graphql::caller_of,
    query_text,
    web::{Service, Web},
};

/// `GET /sandbox/books`, whole or `?reference=…`, with a secret key.
pub(super) async fn books(State(web): State<Arc<Web>>, request: Request) -> Response {
    let source = source_of(&request, &web.rules.trusted_proxies);
    match answer(&web, &request.into_parts().0, source).await {
        Ok(books) => json_answer(StatusCode::OK, "books", books),
        Err(envelope) => envelope.answer(Media::Json),
    }
}

async fn answer(web: &Web, request: &Parts, source: Source) -> Result<String, Envelope> {
    let caller = caller_of(web, &request.headers, source, None).await?;
    web.service
        .engine
        .permit(&caller, rights::BOOKS.name)
        .map_err(|fault| Envelope::of(fault).with_status(StatusCode::FORBIDDEN))?;
    let pairs = query_text::pairs(request.uri.query().unwrap_or_default())
        .ok_or_else(|| Envelope::malformed(Code::Validation, "The address has a broken escape."))?;
    let reference = pairs
        .iter()
        .find(|(name, _)| name == "reference")
        .map(|(_, value)| value.as_str());
    match books_of(&web.service, caller.team, reference, web.world.now()).await {
        Some(books) => Ok(books.to_string()),
        None => Err(Envelope::of(Fault::unavailable())),
    }
}

/// The simulator's books as of `at`, without what belongs to another team's payments: of one reference, or whole. `None` when they can't be
/// read.
async fn books_of(
    service: &Service,
    team: TeamId,
    reference: Option<&str>,
    at: Timestamp,
) -> Option<Value> {
    let sandbox = service.sandbox.as_ref()?;
    match read_books(sandbox.books.as_ref(), reference, at).await {
        Ok(books) => without_others(&service.engine, team, books).await,
        Err(error) => {
            tracing::warn!(%error, "the simulator's books can't be read");
            None
        }
    }
}

/// The entries that are not another team's: the team's own, and those that no payment explains, since finding such is
/// what the books are read for.
async fn without_others(engine: &Engine, team: TeamId, mut books: Value) -> Option<Value> {
    let entries = books.get_mut("entries")?.as_array_mut()?;
    let mut own = Vec::with_capacity(entries.len());
    for entry in std::mem::take(entries) {
        let text = entry.get("reference").and_then(Value::as_str);
        let is_others = match text.and_then(connector::Reference::parse) {
            Some((payment, _)) => engine.is_another_teams(team, payment).await.ok()?,
            // The key of a payment of another system begins with the team's id.
            None => text
                .and_then(|text| text.strip_prefix("ext_"))
                .is_some_and(|key| !key.starts_with(&team.key())),
        };
        if !is_others {
            own.push(entry);
        }
    }
    *entries = own;
    Some(books)
}
