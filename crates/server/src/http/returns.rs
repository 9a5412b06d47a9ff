//! Where customers come back to from a processor's page: `/3ds/…` after 3D Secure, `/return/…` after an alternative
//! method. What is sent with the request decides nothing; the processor is asked, and given what it wants of it.

use std::sync::Arc;

use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use domain::returned::Parameter;
use engine::{Engine, Returned};
use http::{Method, StatusCode};

use super::{
    body,
    edge::{network_of, source_of},
    query_text,
    shopper::{in_time, nothing_here, reader_of, shown},
    web::Web,
};
use crate::pages::{Frames, Outcome, frame, outcome, see_other};

/// The largest form of a way back. Unit: bytes.
const FORM: usize = 64 * 1024;

/// What comes behind so many parameters is not looked at.
const PARAMETERS: usize = 64;

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
        let parameters = parameters_of(request).await;
        let returned = engine.returned(&token, parameters, network).await;
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

/// The parameters of a way back, by address and by form. What can't be read is not there.
async fn parameters_of(request: Request) -> Vec<Parameter> {
    let query = query_text::pairs(request.uri().query().unwrap_or_default());
    let mut pairs = query.unwrap_or_default();
    if request.method() == Method::POST
        && let Ok(form) = body::read(request.into_body(), FORM).await
    {
        let form = str::from_utf8(&form).ok().and_then(query_text::pairs);
        pairs.extend(form.unwrap_or_default());
    }
    let parameter = |(name, value)| Parameter { name, value };
    pairs.into_iter().take(PARAMETERS).map(parameter).collect()
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
