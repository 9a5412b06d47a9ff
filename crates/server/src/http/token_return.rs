//! Where a customer comes back to after the authentication for a processor's token.

use std::sync::Arc;

use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use engine::TokenReturn;
use http::StatusCode;

use super::{
    shopper::{in_time, nothing_here, reader_of, unavailable},
    web::Web,
};
use crate::pages::{Outcome, Purchase, Reader, outcome, see_other};

/// `GET` and `POST /token-return/{token}`: asks the processor what came of it, and sends the customer on.
pub(super) async fn back(
    State(web): State<Arc<Web>>,
    token: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let reader = reader_of(&web, &request);
    let Ok(Path(token)) = token else {
        return nothing_here(reader);
    };
    in_time(&web, reader, async {
        let engine = &web.service.engine;
        match engine.token_return(&token).await {
            Ok(Some(seen)) => {
                let shop = engine.shop_of_token_return(&token).await;
                shown(&seen, shop, reader)
            }
            Ok(None) => nothing_here(reader),
            Err(_fault) => unavailable(reader),
        }
    })
    .await
}

pub(super) fn shown(seen: &TokenReturn, shop: Option<String>, reader: Reader) -> Response {
    let how = match seen {
        TokenReturn::Merchant(address) => return see_other(reader, address),
        TokenReturn::Close { completed: true } => Outcome::CardConfirmed,
        TokenReturn::Close { completed: false } => Outcome::CardNotConfirmed,
        TokenReturn::Unfinished(address) => Outcome::CardUnfinished {
            address: address.clone(),
        },
        TokenReturn::Later => Outcome::CardBeingChecked,
    };
    let purchase = Purchase {
        shop,
        ..Purchase::default()
    };
    outcome(StatusCode::OK, reader, &purchase, &how)
}
