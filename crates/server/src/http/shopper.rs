//! What the pages for shoppers have in common: their bounds, and what is shown when there is nothing else to show.

use std::sync::Arc;

use axum::response::Response;
use domain::Fault;
use futures_util::FutureExt;
use http::StatusCode;

use super::web::Web;
use crate::pages::{Html, page};

/// Bounds a page's work by the time of a request, and counts it as work that a stop waits for.
pub(super) async fn in_time(
    web: &Arc<Web>,
    work: impl Future<Output = Response> + Send,
) -> Response {
    let Some(_working) = web.begin() else {
        return unavailable(&Fault::unavailable());
    };
    let answered = web
        .world
        .timeout(web.rules.request_timeout, work.boxed())
        .await;
    answered.unwrap_or_else(|_elapsed| {
        // Not 503: it may have been begun, and a balancer must not repeat it.
        let mut late = unavailable(&Fault::unavailable());
        *late.status_mut() = StatusCode::GATEWAY_TIMEOUT;
        late
    })
}

/// No page of ours has that address.
pub(super) fn nothing_here() -> Response {
    let body = Html::new()
        .paragraph("The address is not complete, or is out of use. Please go back to the shop.");
    page(StatusCode::NOT_FOUND, "There is no such page", &body)
}

/// The page can't be made now.
pub(super) fn unavailable(fault: &Fault) -> Response {
    page(
        StatusCode::SERVICE_UNAVAILABLE,
        "Please try again",
        &Html::new().paragraph(&fault.message),
    )
}
