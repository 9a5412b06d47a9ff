//! Webhook endpoints, made by API. Source: docs/processors/stripe.md, "Events and signatures".

use connector::{CallError, Called, Link, Registered, Registers};
use serde::Deserialize;

use super::{
    Stripe,
    api::{Api, Form, Refusal},
    descriptor::{VERSION, WEBHOOK_SECRET},
};

/// The events that are read, which an endpoint at Stripe is to send.
pub const EVENTS: [&str; 15] = [
    "charge.succeeded",
    "charge.captured",
    "payment_intent.succeeded",
    "payment_intent.payment_failed",
    "payment_intent.canceled",
    "payment_intent.amount_capturable_updated",
    "refund.created",
    "refund.updated",
    "refund.failed",
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.dispute.closed",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
    "radar.early_fraud_warning.created",
];

/// The most endpoints of an account that are looked at, which is more than Stripe lets an account have (16 in each mode).
const MOST: &str = "100";

/// `WebhookEndpoint`, as far as it is read. Stripe shows the secret of a new one alone.
#[derive(Deserialize)]
struct Endpoint {
    id: String,
    url: String,
    secret: Option<String>,
}

#[derive(Deserialize)]
struct List {
    data: Vec<Endpoint>,
}

#[derive(Deserialize)]
struct Deleted {
    deleted: bool,
}

impl Registers for Stripe {
    fn register<'a>(&'a self, link: &'a Link<'a>) -> Called<'a, Registered> {
        Box::pin(register(Api::of(link), link))
    }

    fn retire<'a>(&'a self, link: &'a Link<'a>, ids: &'a [String]) -> Called<'a, ()> {
        Box::pin(retire(Api::of(link), ids))
    }
}

/// Makes an endpoint: the secret of one that stands is not shown.
async fn register(api: Api<'_>, link: &Link<'_>) -> Result<Registered, CallError> {
    let address = link.notified_at()?;
    let query = Form::default().with("limit", MOST);
    let listed = api.get::<List>("/v1/webhook_endpoints", &query).await?;
    let listed = listed.map_err(Refusal::rejected)?.data.into_iter();
    let earlier = listed.filter(|one| one.url == address).map(|one| one.id);
    let mut form = Form::default()
        .with("url", address)
        .with("api_version", VERSION)
        .with("description", "Pointsman");
    for (n, event) in EVENTS.iter().enumerate() {
        form = form.with(format!("enabled_events[{n}]"), *event);
    }
    // Another key each time, since another endpoint is made each time.
    let key = format!("webhook-endpoint-{}", link.now.micros());
    let made = api
        .post_moneyless::<Endpoint>("/v1/webhook_endpoints", &key, &form)
        .await?
        .map_err(Refusal::rejected)?;
    let secret = made
        .secret
        .ok_or_else(|| CallError::unknown("the new endpoint has no secret"))?;
    Ok(Registered::new(made.id, earlier.collect()).with(WEBHOOK_SECRET, secret))
}

async fn retire(api: Api<'_>, ids: &[String]) -> Result<(), CallError> {
    for id in ids {
        let path = format!("/v1/webhook_endpoints/{id}");
        match api.delete::<Deleted>(&path).await? {
            Ok(gone) if gone.deleted => {}
            Ok(_) => return Err(CallError::unknown("an endpoint was not removed")),
            Err(refusal) if refusal.is_missing() => {}
            Err(refusal) => return Err(refusal.rejected()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use connector::Notices as _;

    use super::*;

    #[test]
    fn who_registers_by_hand_reads_the_same_events() {
        let text = Stripe.set_up();
        let (_, behind) = text.split_once("these events: ").unwrap();
        let (events, _) = behind.split_once(". Then").unwrap();
        let events: Vec<&str> = events.split(", ").collect();
        assert_eq!(events, EVENTS);
    }
}
