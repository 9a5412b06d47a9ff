//! Where customers come back to from a processor's page: `/3ds/…` after 3D Secure, `/return/…` after an alternative
//! method. What is sent with the request decides nothing; the processor is asked.

use std::sync::Arc;

use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use engine::{Engine, Returned};
use http::StatusCode;

use super::{
    edge::{network_of, source_of},
    shopper::{in_time, nothing_here},
    web::Web,
};
use crate::pages::{Frames, Html, frame, page, see_other};

/// `GET` or `POST /3ds/{token}` and `/return/{token}`.
pub(super) async fn come_back(
    State(web): State<Arc<Web>>,
    token: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let network = network_of(&request, &web.rules.trusted_proxies);
    let source = source_of(&request, &web.rules.trusted_proxies);
    // What is no text is no address of ours.
    let Ok(Path(token)) = token else {
        return nothing_here();
    };
    in_time(&web, async {
        let engine = web.service.engine.for_customer(source);
        let mut response = shown(&engine.returned(&token, network).await);
        if let Some(origins) = frames(&web.service.engine, &token).await {
            frame(&mut response, &Frames::Listed(origins));
        }
        response
    })
    .await
}

/// The origins that may frame the page of a return, when its team has set that.
async fn frames(engine: &Engine, token: &str) -> Option<Vec<String>> {
    let team = engine::team_of_return(token)?;
    let settings = engine.team_settings(team).await.ok()?;
    settings.allowed_origins.clone()
}

fn shown(returned: &Returned) -> Response {
    match returned {
        Returned::Redirect(address) => see_other(address),
        Returned::Closed { paid: true } => page(
            StatusCode::OK,
            "Thank you",
            &Html::new().paragraph("The payment went through. You may close this page."),
        ),
        Returned::Closed { paid: false } => page(
            StatusCode::OK,
            "The payment was not made",
            &Html::new().paragraph(
                "Nothing was charged. You may close this page and try again in the shop.",
            ),
        ),
        Returned::Unfinished { url } => page(
            StatusCode::OK,
            "One step is left",
            &Html::new()
                .paragraph("The payment needs your confirmation.")
                .link(url, "Go on"),
        ),
        Returned::Undecided => page(
            StatusCode::ACCEPTED,
            "The payment is being checked",
            &Html::new()
                .paragraph("The outcome is not known yet. Please don't pay again.")
                .paragraph("Load this page again in a moment, or go back to the shop."),
        ),
        Returned::Unknown => nothing_here(),
    }
}
