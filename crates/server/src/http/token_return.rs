//! Where a customer comes back to after the authentication for a processor's token.

use std::sync::Arc;

use axum::{
    extract::{Path, State, rejection::PathRejection},
    response::Response,
};
use engine::TokenReturn;
use http::StatusCode;

use super::{
    shopper::{in_time, nothing_here, unavailable},
    web::Web,
};
use crate::pages::{Html, page, see_other};

/// `GET` and `POST /token-return/{token}`: asks the processor what came of it, and sends the customer on.
pub(super) async fn back(
    State(web): State<Arc<Web>>,
    token: Result<Path<String>, PathRejection>,
) -> Response {
    let Ok(Path(token)) = token else {
        return nothing_here();
    };
    in_time(&web, async {
        match web.service.engine.token_return(&token).await {
            Ok(Some(seen)) => shown(&seen),
            Ok(None) => nothing_here(),
            Err(fault) => unavailable(&fault),
        }
    })
    .await
}

pub(super) fn shown(seen: &TokenReturn) -> Response {
    match seen {
        TokenReturn::Merchant(url) => see_other(url),
        TokenReturn::Close { completed: true } => {
            let body = Html::new().paragraph("Your card was confirmed. You may close this page.");
            page(StatusCode::OK, "All done", &body)
        }
        TokenReturn::Close { completed: false } => {
            let body =
                Html::new().paragraph("Your card could not be confirmed. You may close this page.");
            page(StatusCode::OK, "That did not work", &body)
        }
        TokenReturn::Unfinished(url) => {
            let body = Html::new()
                .paragraph("Your bank still waits for you.")
                .link(url, "Back to your bank's page");
            page(StatusCode::OK, "Not finished yet", &body)
        }
        TokenReturn::Later => {
            let body = Html::new()
                .paragraph("Your bank has not sent us the result yet. Please load this page again in a moment.");
            page(StatusCode::OK, "One moment", &body)
        }
    }
}
