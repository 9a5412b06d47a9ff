//! The HTTP interface: GraphQL over HTTP, health, metrics, the sandbox's books and pages.
//!
//! Whatever happens, a request ends with an answer: [`edge`] stands around every handler and gives the request its id,
//! turns a panic into an envelope, and adds the headers that every response carries.

mod attachments;
mod body;
mod books;
mod connections;
mod desk;
mod desk_payments;
mod edge;
mod envelope;
mod fields;
mod graphql;
mod head;
mod health;
mod hosted;
mod key;
mod left_over;
mod media;
mod notifications;
mod origins;
mod page_reports;
mod parameters;
mod places;
mod query_text;
mod rate;
mod request_id;
mod returns;
mod sandbox_pages;
mod sdk;
mod shopper;
mod start_page;
mod streams;
mod strict;
mod tls;
mod token_return;
mod web;
mod webhooks;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, Request, State, rejection::PathRejection},
    middleware,
    response::{IntoResponse, Response},
    routing::{any, get, post, put},
};
use domain::Code;
use http::StatusCode;

pub use connections::{Bounds, Connections};
pub use graphql::ANSWERING;
pub use origins::Origins;
pub use rate::Rate;
pub use tls::{Tls, TlsError};
pub use web::{Rules, Service, Web};

pub(crate) use envelope::ResponseLabels;

use envelope::{Envelope, Media};

use crate::pages;

/// What people who run the service ask of a node: its health and what it measures.
pub fn admin_router(web: &Arc<Web>) -> Router {
    within_edge(watching().route("/metrics", get(health::metrics)), web)
}

fn watching() -> Router<Arc<Web>> {
    Router::new()
        .route("/health/live", get(health::live))
        .route("/health/ready", get(health::ready))
}

/// Every public route, within the edge.
pub fn router(web: &Arc<Web>) -> Router {
    let mut router = watching()
        .route("/api/graphql", any(graphql::endpoint))
        .route("/pages/v1/{hash}/{*path}", get(page_file))
        .route("/api/webhooks/{name}", post(webhooks::take))
        .route("/hooks/{token}/{name}", post(webhooks::take_signed))
        .route("/notifications/{token}", post(notifications::take))
        .route("/page-reports/{token}", post(page_reports::take))
        .route(
            "/attachments/upload/{token}",
            put(attachments::upload).post(attachments::upload),
        )
        .route("/attachments/{token}", get(attachments::download))
        .route(
            "/3ds/{token}",
            get(returns::come_back).post(returns::come_back),
        )
        .route(
            "/return/{token}",
            get(returns::come_back).post(returns::come_back),
        )
        .route(
            "/token-return/{token}",
            get(token_return::back).post(token_return::back),
        );
    router = router.route(DOMAIN_ASSOCIATION, get(domain_association));
    router = router.merge(sdk::routes()).merge(hosted::routes());
    if web.rules.public_metrics {
        router = router.route("/metrics", get(health::metrics));
    }
    if web.rules.sandbox {
        router = router
            .route("/", get(start))
            .route("/explorer", get(async || pages::explorer()));
        router = router
            .route("/sandbox/fields.js", get(fields::script))
            .route("/sandbox/fields-frame", get(fields::frame))
            .route("/sandbox/fields-frame.js", get(fields::frame_script))
            .route("/sandbox/fields-frame.css", get(fields::frame_style))
            .route("/sandbox/fields/{account}", post(fields::tokenise))
            .route("/sandbox/payments", post(desk_payments::make))
            .route("/sandbox/disputes", post(desk::open))
            .route("/sandbox/disputes/{id}", post(desk::move_on));
        router = router.route("/sandbox/books", get(books::books)).route(
            "/sandbox/pages/{token}",
            get(sandbox_pages::show).post(sandbox_pages::decide),
        );
    }
    within_edge(router, web)
}

fn within_edge(router: Router<Arc<Web>>, web: &Arc<Web>) -> Router {
    router
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(Arc::clone(web), edge::edge))
        .with_state(Arc::clone(web))
}

/// Where Apple looks for the proof that a domain is the merchant's. Source: Apple Pay on the Web, "Register a merchant domain".
const DOMAIN_ASSOCIATION: &str = "/.well-known/apple-developer-merchantid-domain-association";

async fn domain_association(State(web): State<Arc<Web>>) -> Response {
    match &web.rules.domain_association {
        Some(text) => text.clone().into_response(),
        None => no_such_address(),
    }
}

async fn start(State(web): State<Arc<Web>>, request: Request) -> Response {
    pages::start(&start_page::address_of(&request, web.rules.https))
}

/// The address of a file that pages link to.
#[derive(serde::Deserialize)]
struct PageFile {
    hash: String,
    path: String,
}

/// `GET /pages/v1/{hash}/{path}`: a file that pages link to.
async fn page_file(
    State(web): State<Arc<Web>>,
    wanted: Result<Path<PageFile>, PathRejection>,
    request: Request,
) -> Response {
    let found = wanted
        .ok()
        .and_then(|Path(file)| ::web::find_file(&file.hash, &file.path));
    match found.filter(|file| web.rules.sandbox || !file.is_of_sandbox) {
        Some(file) => pages::file(file),
        None => nothing_here(request).await,
    }
}

async fn nothing_here(_: Request) -> Response {
    no_such_address()
}

fn no_such_address() -> Response {
    let message = "There is nothing at this address. The API is at /api/graphql.";
    Envelope::new(StatusCode::NOT_FOUND, Code::Validation, message).answer(Media::Json)
}

async fn wrong_method(_: Request) -> Response {
    let message = "This address does not take that method.";
    Envelope::new(StatusCode::METHOD_NOT_ALLOWED, Code::Validation, message).answer(Media::Json)
}

#[cfg(test)]
mod tests;
