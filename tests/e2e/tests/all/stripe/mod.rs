//! The whole service with a connection to Stripe: against the simulator of its wire format, over real sockets.

mod account;
mod customer;
mod disputes;
mod life;
mod notified;
mod stored;
mod unknown;

use serde_json::{Value, json};
use testkit::{Order, Processor, Server, Setup, Shop};

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
        desk.notify(&desk.shop, "stripe", "");
        desk
    }

    /// Makes a connection and an endpoint at Stripe for it. `more`: further parameters of the endpoint.
    fn notify(&self, shop: &Shop, connection: &str, more: &str) {
        let saved = self.save_as(shop, connection, None);
        let url = saved["notificationUrl"].as_str().unwrap();
        // Those that a merchant is asked to choose.
        let text = saved["notificationSetUp"].as_str().unwrap();
        let (_, events) = text.split_once("these events: ").unwrap();
        let (events, _) = events.split_once(". Then").unwrap();
        let events: Vec<String> = events
            .split(", ")
            .map(|event| format!("&enabled_events[]={event}"))
            .collect();
        let form = format!("url={url}{}{more}", events.concat());
        let endpoint = self.stripe.post("/v1/webhook_endpoints", &form);
        self.save_as(shop, connection, endpoint["secret"].as_str());
    }

    fn save(&self, webhook_secret: Option<&str>) -> Value {
        self.save_as(&self.shop, "stripe", webhook_secret)
    }

    fn save_as(&self, shop: &Shop, connection: &str, webhook_secret: Option<&str>) -> Value {
        let mut credentials = json!({"secretKey": "sk_test_1"});
        if let Some(secret) = webhook_secret {
            credentials["webhookSecret"] = json!(secret);
        }
        let query = "mutation($id: ID!, $settings: JSON!, $credentials: JSON) { saveConnection(id: $id, processor: \"stripe\", \
            name: \"Stripe\", settings: $settings, credentials: $credentials) { id notificationUrl notificationSetUp } }";
        let settings = json!({"base_url": self.stripe.url()});
        let variables = json!({"id": connection, "settings": settings, "credentials": credentials});
        shop.gql(query, variables).root().clone()
    }

    /// Keeps what others made at the account from now on.
    fn import_at(&self, shop: &Shop, connection: &str) {
        let query = "mutation($id: ID!, $settings: JSON!) { saveConnection(id: $id, processor: \"stripe\", name: \"Stripe\", \
            settings: $settings, imports: QUIET) { id } }";
        let settings = json!({"base_url": self.stripe.url()});
        shop.gql(query, json!({"id": connection, "settings": settings}))
            .root();
    }

    /// What a shop's notifications of a connection are, and what became of them, once something has of all, and of one of this kind.
    fn became(shop: &Shop, connection: &str, kind: &str) -> Vec<(String, String)> {
        let query = "query($id: ID!) { listNotifications(connectionId: $id, first: 100) { edges { node { type status } } } }";
        testkit::until(testkit::PATIENCE, kind, || {
            let listed = shop.gql(query, json!({"id": connection}));
            let edges = listed.root()["edges"].as_array()?.clone();
            let all = edges.iter().map(|edge| {
                let text = |member: &str| edge["node"][member].as_str().unwrap().to_owned();
                (text("type"), text("status"))
            });
            let all: Vec<(String, String)> = all.collect();
            let is_settled = |status: &str| status != "RECEIVED" && status != "WAITING";
            let is_there = all.iter().any(|(word, _)| word == kind);
            (is_there && all.iter().all(|(_, status)| is_settled(status))).then_some(all)
        })
    }

    /// What became of the last notification of a kind, once something has.
    fn became_of(&self, kind: &str) -> String {
        let all = Self::became(&self.shop, "stripe", kind);
        let last = all.into_iter().find(|(word, _)| word == kind);
        last.unwrap().1
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
            // What is only released is listed as a refund too, and moves nothing.
            let moves = |row: &&Value| {
                row["status"] != json!("failed")
                    && (kind != "refunds" || !row["balance_transaction"].is_null())
            };
            let alive = rows.iter().filter(moves);
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
