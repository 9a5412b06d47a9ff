//! The desk of the sandbox: payments that another system of the merchant makes at the simulator.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::Response,
};
use connectors::simulator::{Elsewhere, Entry, NewElsewhere};
use domain::{
    Code, Fault,
    id::ConnectionId,
    method::Method,
    money::{Currency, Money},
    rights,
};
use futures_util::FutureExt;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::{
    body,
    desk::{date, refused},
    edge::source_of,
    envelope::{Envelope, Media, json_answer},
    graphql::caller_of,
    web::Web,
};

/// The largest body. Unit: bytes.
const BODY: usize = 16 * 1024;

/// What the desk wants.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wish {
    /// At which connection's processor.
    connection_id: String,
    /// In minor units.
    amount: i64,
    currency_code: String,
    /// The other system's order.
    order_id: String,
    /// When it was made there; now when absent. RFC 3339.
    date: Option<String>,
    /// What that system has given back already, in minor units.
    #[serde(default)]
    refunded: i64,
}

/// `POST /sandbox/payments`: another system makes a payment.
pub(super) async fn make(State(web): State<Arc<Web>>, request: Request) -> Response {
    match made(&web, request).boxed().await {
        Ok(id) => {
            let answer = json!({"sourcePaymentId": id}).to_string();
            json_answer(StatusCode::OK, "desk", answer)
        }
        Err(envelope) => envelope.answer(Media::Json),
    }
}

async fn made(web: &Arc<Web>, request: Request) -> Result<String, Envelope> {
    let source = source_of(&request, &web.rules.trusted_proxies);
    let caller = caller_of(web, request.headers(), source, None).await?;
    let permitted = web.service.engine.permit(&caller, rights::DESK.name);
    permitted.map_err(|fault| Envelope::of(fault).with_status(StatusCode::FORBIDDEN))?;
    let bytes = body::read(request.into_body(), BODY).await?;
    // The parser's own words may quote the body.
    let wish: Wish = serde_json::from_slice(&bytes).map_err(|_| {
        let message = "The body must be JSON with connectionId, amount, currencyCode, orderId, date, refunded.";
        Envelope::malformed(Code::Validation, message)
    })?;
    let Some(sandbox) = &web.service.sandbox else {
        return Err(Envelope::of(Fault::unavailable()));
    };
    let connection = ConnectionId::parse(&wish.connection_id);
    let connection = connection.ok_or_else(no_connection)?;
    let key = format!("{}_{}", caller.team.key(), web.world.token(16));
    let (new, now) = (new(wish, key, web)?, web.world.now());
    let entry = |link: &connector::Link<'_>| Entry::elsewhere(link, new, now);
    let engine = &web.service.engine;
    let written = engine.with_sandbox_link(&caller, &connection, entry).await;
    let entry = written.map_err(Envelope::of)?.flatten();
    let entry = entry.ok_or_else(no_connection)?;
    match sandbox.simulator.add_elsewhere(&entry).await {
        Ok(true) => Ok(entry.processor_id()),
        Ok(false) | Err(_) => Err(Envelope::of(Fault::unavailable())),
    }
}

fn new(wish: Wish, key: String, web: &Web) -> Result<NewElsewhere, Envelope> {
    let currency = Currency::parse(&wish.currency_code);
    let currency = currency
        .ok_or_else(|| refused("currencyCode", "must be a currency of ISO 4217 in capitals"))?;
    if wish.amount <= 0 || !(0..=wish.amount).contains(&wish.refunded) {
        return Err(refused(
            "amount",
            "must be greater than zero, and no less than what is refunded",
        ));
    }
    let made_at = match wish.date.as_deref() {
        Some(text) => date(text, "date")?,
        None => web.world.now(),
    };
    Ok(NewElsewhere {
        known: Elsewhere {
            order: wish.order_id,
            made_at,
            last_four: "4242".to_owned(),
        },
        money: Money::new(wish.amount, currency),
        refunded: wish.refunded,
        method: Method::Visa,
        key,
    })
}

fn no_connection() -> Envelope {
    refused(
        "connectionId",
        "must be one of the team's connections to the simulator",
    )
}
