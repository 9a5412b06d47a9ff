//! The whole service with a connection to Adyen: against the simulator of its wire format, over real sockets. What is pending ends by
//! notifications alone.

mod customer;
mod disputes;
mod life;
mod notified;
mod unknown;

use serde_json::{Value, json};
use testkit::{Order, Processor, Server, Setup, Shop};

/// A merchant with one connection, which leads to a simulated Adyen.
struct Desk {
    server: Server,
    shop: Shop,
    adyen: Processor,
    /// The credentials of notifications, and the endpoint at Adyen.
    notifications: Value,
    endpoint: String,
}

impl Desk {
    fn open() -> Self {
        Self::on(Setup::new())
    }

    fn on(setup: Setup) -> Self {
        let server = setup.start();
        let mut desk = Self {
            shop: server.shop(),
            server,
            adyen: Processor::start("adyen", &[]),
            notifications: json!({}),
            endpoint: String::new(),
        };
        let url = text(&desk.save(&json!({}))["notificationUrl"]);
        let form = format!("url={url}&username=adyen&password=secret");
        let endpoint = desk.adyen.post("/_sim/webhooks", &form);
        desk.endpoint = text(&endpoint["id"]);
        desk.notifications = json!({
            "hmacKey": endpoint["hmacKey"],
            "notificationUser": "adyen",
            "notificationPassword": "secret",
        });
        desk.save(&json!({}));
        let at_once = json!([{"authorise": {"connection": "adyen"}}, {"capture": "now"}]);
        desk.shop.publish("adyen-now", at_once);
        let later = json!([{"authorise": {"connection": "adyen"}}, {"capture": "api"}]);
        desk.shop.publish("adyen-later", later);
        desk
    }

    /// The service runs again, at another address, which Adyen is given.
    fn restart(&mut self) {
        self.server.restart();
        self.shop = self.server.shop();
        let url = text(&self.save(&json!({}))["notificationUrl"]);
        let path = format!("/_sim/webhooks/{}", self.endpoint);
        self.adyen.post(&path, &format!("url={url}"));
    }

    /// Saves the connection with these credentials besides those that it has.
    fn save(&self, more: &Value) -> Value {
        self.try_save(more).root().clone()
    }

    fn try_save(&self, more: &Value) -> testkit::Answer {
        let mut credentials = json!({"apiKey": "AQE_secret_1", "merchantAccount": "ShopECOM"});
        for members in [&self.notifications, more] {
            for (name, value) in members.as_object().unwrap() {
                credentials[name] = value.clone();
            }
        }
        let query = "mutation($settings: JSON!, $credentials: JSON) { saveConnection(id: \"adyen\", processor: \"adyen\", \
            name: \"Adyen\", settings: $settings, credentials: $credentials) { id notificationUrl } }";
        let variables =
            json!({"settings": {"base_url": self.adyen.url()}, "credentials": credentials});
        self.shop.gql(query, variables)
    }

    /// Breaks the next answers to requests whose path begins so.
    fn break_next(&self, fault: &str, times: u32, path: &str) {
        let form = format!("fault={fault}&times={times}&path={path}");
        self.adyen.post("/_sim/faults", &form);
    }

    /// Lets time pass at Adyen.
    fn advance(&self, seconds: u32) {
        let form = format!("advance={seconds}");
        self.adyen.post("/_sim/clock", &form);
    }

    /// The payments that Adyen has.
    fn payments(&self) -> Vec<Value> {
        self.adyen.books()["payments"].as_array().unwrap().clone()
    }

    /// What Adyen has taken of all cards, and given back, in minor units.
    fn taken_and_given_back(&self) -> (i64, i64) {
        let sum = |member: &str| {
            let payments = self.payments();
            let rows = payments.iter();
            rows.map(|row| row[member].as_i64().unwrap()).sum::<i64>()
        };
        (sum("captured"), sum("refunded"))
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// 10.00 EUR, captured at once.
fn sale(number: &str) -> Order {
    Order::card(number).flow("adyen-now")
}

/// 10.00 EUR, captured by a call.
fn hold(number: &str) -> Order {
    Order::card(number).flow("adyen-later")
}
