//! The desk of the sandbox: payments that another system of the merchant makes at the simulator.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::Response,
};
use connectors::simulator::{Elsewhere, Entry, NewElsewhere};
use domain::{
    Fault,
    id::ConnectionId,
    method::Method,
    money::{Currency, Money},
    rights,
};
use futures_util::FutureExt;
use http::StatusCode;
use serde_json::json;

use super::{
    body,
    desk::{date, members::Members, refused},
    edge::source_of,
    envelope::{Envelope, Media, json_answer},
    graphql::caller_of,
    web::Web,
};

/// The largest body. Unit: bytes.
const BODY: usize = 16 * 1024;

/// The members of a wish.
const MEMBERS: &str = "connectionId, amount, currencyCode, orderId, date, refunded";

/// What the desk wants.
#[derive(Debug)]
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
    refunded: i64,
}

impl Wish {
    /// Reads a body. The error names the member and what it may be.
    fn read(body: &[u8]) -> Result<Self, Envelope> {
        let mut members = Members::of(body, MEMBERS)?;
        let amount = members.amount("amount")?;
        let wish = Self {
            connection_id: members.needed_text("connectionId")?,
            amount: amount.ok_or_else(|| refused("amount", "must be given"))?,
            currency_code: members.needed_text("currencyCode")?,
            order_id: members.needed_text("orderId")?,
            date: members.text("date")?,
            refunded: members.amount("refunded")?.unwrap_or_default(),
        };
        members.end()?;
        Ok(wish)
    }
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
    let wish = Wish::read(&bytes)?;
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
    if wish.amount <= 0 {
        return Err(refused("amount", "must be greater than zero"));
    }
    if !(0..=wish.amount).contains(&wish.refunded) {
        return Err(refused("refunded", "must be between zero and the amount"));
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
