//! Notifications that are registered by the processor's API.

use serde_json::{Value, json};
use testkit::{Answer, Processor, Server, Setup, Shop, http::Request};

const REGISTER: &str = "mutation($id: ID!) { registerNotifications(id: $id) { id previousSecretEndsAt notificationUrl } }";

/// A service with this public address, and a connection to a simulated processor.
struct Desk {
    /// It runs as long as this stands.
    _server: Server,
    shop: Shop,
    processor: Processor,
    id: &'static str,
}

impl Desk {
    fn at(address: &str, id: &'static str, credentials: &Value) -> Self {
        let server = Setup::new().setting("server.public_url", address).start();
        let desk = Self {
            shop: server.shop(),
            _server: server,
            processor: Processor::start(id, &[]),
            id,
        };
        let save = "mutation($id: ID!, $processor: String!, $settings: JSON!, $credentials: JSON!) { \
            saveConnection(id: $id, processor: $processor, name: $processor, settings: $settings, credentials: $credentials) { id } }";
        let settings = json!({"base_url": desk.processor.url()});
        let wanted =
            json!({"id": id, "processor": id, "settings": settings, "credentials": credentials});
        desk.shop.gql(save, wanted).root();
        desk
    }

    fn stripe(address: &str) -> Self {
        Self::at(address, "stripe", &json!({"secretKey": "sk_test_1"}))
    }

    fn adyen(address: &str) -> Self {
        let credentials = json!({"apiKey": "AQE_secret_1", "merchantAccount": "ShopECOM"});
        Self::at(address, "adyen", &credentials)
    }

    fn webhooks_at_stripe(&self) -> Value {
        let reply = Request::new("GET", "/v1/webhook_endpoints")
            .header("Authorization", "Bearer sk_test_1")
            .send(self.processor.address());
        serde_json::from_str(&reply.text()).unwrap()
    }

    fn register(&self) -> Answer {
        self.shop.gql(REGISTER, json!({"id": self.id}))
    }
}

#[test]
fn an_address_is_registered_by_the_processor_s_api() {
    let desk = Desk::stripe("https://pay.shop.example");
    let first = desk.register().root().clone();
    let url = first["notificationUrl"].as_str().unwrap();
    assert!(url.starts_with("https://pay.shop.example/notifications/"));
    assert_eq!(first["previousSecretEndsAt"], Value::Null);
    // The secret before counts as well, since what was sent already bears its signature.
    let second = desk.register().root().clone();
    assert!(second["previousSecretEndsAt"].is_string());
    let desk = Desk::adyen("https://pay.shop.example");
    assert_eq!(desk.register().root()["id"], "adyen");
    assert!(desk.register().root()["previousSecretEndsAt"].is_string());
}

#[test]
fn an_address_that_a_processor_can_not_reach_is_not_registered() {
    for address in [
        "http://pay.shop.example",
        "https://127.0.0.1",
        "https://pay",
    ] {
        let desk = Desk::stripe(address);
        desk.register().assert_invalid("id");
        let made = desk.webhooks_at_stripe();
        assert_eq!(made["data"], json!([]), "{address}");
    }
}

#[test]
fn what_could_not_be_removed_is_removed_by_the_next_call() {
    let desk = Desk::stripe("https://pay.shop.example");
    desk.register().root();
    desk.processor.post(
        "/_sim/faults",
        "fault=error-before&times=1&path=DELETE /v1/webhook_endpoints",
    );
    desk.register().assert_invalid("id");
    let both = desk.webhooks_at_stripe();
    assert_eq!(both["data"].as_array().unwrap().len(), 2);
    let kept = "{ listConnections { id previousSecretEndsAt } }";
    let listed = desk.shop.gql(kept, json!({})).root().clone();
    let mut rows = listed.as_array().unwrap().iter();
    let own = rows.find(|row| row["id"] == "stripe").unwrap();
    assert!(
        own["previousSecretEndsAt"].is_string(),
        "the new one is kept"
    );
    desk.register().root();
    let left = desk.webhooks_at_stripe();
    assert_eq!(left["data"].as_array().unwrap().len(), 1);
}

#[test]
fn what_the_processor_refuses_or_does_not_answer_changes_nothing() {
    let desk = Desk::stripe("https://pay.shop.example");
    desk.processor.post(
        "/_sim/faults",
        "fault=lost-after&times=1&path=POST /v1/webhook_endpoints",
    );
    desk.register().assert_invalid("id");
    // Nobody knows the secret of the one that was made meanwhile: it is replaced.
    assert_eq!(desk.register().root()["id"], "stripe");
    let made = desk.webhooks_at_stripe();
    assert_eq!(made["data"].as_array().unwrap().len(), 1);
    let unknown = desk.shop.gql(REGISTER, json!({"id": "nobodys"}));
    unknown.assert_error("error.connection.not-found");
    desk.shop
        .gql(REGISTER, json!({"id": "simulator-a"}))
        .assert_invalid("id");
}
