//! The whole service with a connection to Stripe: against the simulator of its wire format, over real sockets.

mod customer;
mod disputes;
mod life;
mod notified;
mod unknown;

use serde_json::{Value, json};
use testkit::{Order, Processor, Server, Setup, Shop};

/// What the service asks Stripe's endpoint for. Source: docs/connectors.md.
const EVENTS: &[&str] = &[
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
];

/// A merchant with one connection, which leads to a simulated Stripe.
struct Desk {
    server: Server,
    shop: Shop,
    stripe: Processor,
}

impl Desk {
    /// Without notifications: what is known is known by answers and look-ups.
    fn quiet() -> Self {
        Self::on(Setup::new())
    }

    fn on(setup: Setup) -> Self {
        let server = setup.start();
        let desk = Self {
            shop: server.shop(),
            server,
            stripe: Processor::start("stripe", &[]),
        };
        desk.save(None);
        let at_once = json!([{"authorise": {"connection": "stripe"}}, {"capture": "now"}]);
        desk.shop.publish("stripe-now", at_once);
        let later = json!([{"authorise": {"connection": "stripe"}}, {"capture": "api"}]);
        desk.shop.publish("stripe-later", later);
        desk
    }

    /// With notifications.
    fn notified() -> Self {
        let desk = Self::quiet();
        let url = desk.save(None)["notificationUrl"]
            .as_str()
            .unwrap()
            .to_owned();
        let events: Vec<String> = EVENTS
            .iter()
            .map(|event| format!("&enabled_events[]={event}"))
            .collect();
        let form = format!("url={url}{}", events.concat());
        let endpoint = desk.stripe.post("/v1/webhook_endpoints", &form);
        desk.save(Some(endpoint["secret"].as_str().unwrap()));
        desk
    }

    fn save(&self, webhook_secret: Option<&str>) -> Value {
        let mut credentials = json!({"secretKey": "sk_test_1"});
        if let Some(secret) = webhook_secret {
            credentials["webhookSecret"] = json!(secret);
        }
        let query = "mutation($settings: JSON!, $credentials: JSON) { saveConnection(id: \"stripe\", processor: \"stripe\", \
            name: \"Stripe\", settings: $settings, credentials: $credentials) { id notificationUrl } }";
        let variables =
            json!({"settings": {"base_url": self.stripe.url()}, "credentials": credentials});
        self.shop.gql(query, variables).root().clone()
    }

    /// Breaks the next answers to requests whose path begins so.
    fn break_next(&self, fault: &str, times: u32, path: &str) {
        let form = format!("fault={fault}&times={times}&path={path}");
        self.stripe.post("/_sim/faults", &form);
    }

    /// What Stripe has of a kind.
    fn at_stripe(&self, kind: &str) -> Vec<Value> {
        self.stripe.books()[kind].as_array().unwrap().clone()
    }

    /// What Stripe has taken of all cards, and given back, in minor units.
    fn taken_and_given_back(&self) -> (i64, i64) {
        let sum = |kind: &str, member: &str| {
            let rows = self.at_stripe(kind);
            let alive = rows.iter().filter(|row| row["status"] != json!("failed"));
            alive.map(|row| row[member].as_i64().unwrap()).sum::<i64>()
        };
        (
            sum("payment_intents", "amount_received"),
            sum("refunds", "amount"),
        )
    }
}

/// 10.00 EUR, captured at once.
fn sale(number: &str) -> Order {
    Order::card(number).flow("stripe-now")
}

/// 10.00 EUR, captured by a call.
fn hold(number: &str) -> Order {
    Order::card(number).flow("stripe-later")
}
