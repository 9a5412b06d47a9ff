//! Where customers come back to from a processor's page: `/3ds/…` after 3D Secure, `/return/…` after an alternative
//! method. What is sent with the request decides nothing; the processor is asked.

use std::sync::Arc;

use axum::{
    extract::{Path, State, rejection::PathRejection},
    response::Response,
};
use engine::Returned;
use http::StatusCode;

use super::web::Web;
use crate::pages::{Html, page, see_other};

/// `GET` or `POST /3ds/{token}` and `/return/{token}`.
pub(super) async fn come_back(State(web): State<Arc<Web>>, token: Result<Path<String>, PathRejection>) -> Response {
    // What is no text is no address of ours.
    let Ok(Path(token)) = token else { return shown(&Returned::Unknown) };
    let Some(_working) = web.begin() else { return busy() };
    match web.world.timeout(web.rules.request_timeout, web.backend.returned(&token)).await {
        Ok(returned) => shown(&returned),
        Err(_elapsed) => shown(&Returned::Undecided),
    }
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
            &Html::new().paragraph("Nothing was charged. You may close this page and try again in the shop."),
        ),
        Returned::Unfinished { url } => page(
            StatusCode::OK,
            "One step is left",
            &Html::new().paragraph("The payment needs your confirmation.").link(url, "Go on"),
        ),
        Returned::Undecided => page(
            StatusCode::ACCEPTED,
            "The payment is being checked",
            &Html::new()
                .paragraph("The outcome is not known yet. Please don't pay again.")
                .paragraph("Load this page again in a moment, or go back to the shop."),
        ),
        Returned::Unknown => page(
            StatusCode::NOT_FOUND,
            "There is no such page",
            &Html::new().paragraph("The address is not complete, or is out of use. Please go back to the shop."),
        ),
    }
}

fn busy() -> Response {
    let body = Html::new().paragraph("Please load this page again in a moment. Nothing was lost.");
    page(StatusCode::SERVICE_UNAVAILABLE, "The service is busy", &body)
}
