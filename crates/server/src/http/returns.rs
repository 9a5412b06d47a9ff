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
    shopper::{in_time, nothing_here, reader_of, shown},
    web::Web,
};
use crate::pages::{Frames, Outcome, frame, outcome, see_other};

/// `GET` or `POST /3ds/{token}` and `/return/{token}`.
pub(super) async fn come_back(
    State(web): State<Arc<Web>>,
    token: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let reader = reader_of(&web, &request);
    let network = network_of(&request, &web.rules.trusted_proxies);
    let source = source_of(&request, &web.rules.trusted_proxies);
    // What is no text is no address of ours.
    let Ok(Path(token)) = token else {
        return nothing_here(reader);
    };
    in_time(&web, reader, async {
        let engine = web.service.engine.for_customer(source);
        let returned = engine.returned(&token, network).await;
        let mut response = match ended(returned) {
            Ended::Elsewhere(address) => see_other(reader, &address),
            Ended::Here(how) => {
                let purchase = engine.purchase_of_return(&token).await;
                let purchase = purchase.map(|purchase| shown(&purchase, reader.language));
                outcome(status(&how), reader, &purchase.unwrap_or_default(), &how)
            }
        };
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

/// Where a customer's way back ends.
enum Ended {
    /// At the merchant's address.
    Elsewhere(String),
    /// At a page of ours.
    Here(Outcome),
}

fn ended(returned: Returned) -> Ended {
    Ended::Here(match returned {
        Returned::Redirect(address) => return Ended::Elsewhere(address),
        Returned::Closed { paid: true } => Outcome::Paid,
        Returned::Closed { paid: false } => Outcome::NotMade,
        Returned::Unfinished { url } => Outcome::PaymentUnfinished { address: url },
        Returned::Undecided => Outcome::BeingChecked,
        Returned::Unknown => Outcome::NoSuchPage,
    })
}

fn status(outcome: &Outcome) -> StatusCode {
    match outcome {
        Outcome::BeingChecked => StatusCode::ACCEPTED,
        Outcome::NoSuchPage => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}
