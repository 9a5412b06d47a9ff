//! Webhooks that endpoints' servers sign, and flows' calls to addresses that nobody saved.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use testkit::{
    Order, PATIENCE, Receiver, Setup, Shop, at_once, cards,
    http::{Reply, Request},
    until,
};

use super::{counts, publish};
use crate::shared;

const FIELDS: &str = "id url enabled secret incomingUrl incomingSecret";

/// An endpoint as it was made, or rotated.
fn save(shop: &Shop, url: &str) -> Value {
    let query = format!(
        "mutation($url: String!) {{ saveWebhookEndpoint(url: $url, kinds: [\"endpoint.*\"]) {{ {FIELDS} }} }}"
    );
    shop.gql(&query, json!({ "url": url })).root().clone()
}

fn rotate(shop: &Shop, id: &Value) -> Value {
    let query = format!("mutation($id: ID!) {{ rotateWebhookSecret(id: $id) {{ {FIELDS} }} }}");
    shop.gql(&query, json!({ "id": id })).root().clone()
}

fn key(secret: &Value) -> Vec<u8> {
    let text = secret.as_str().unwrap();
    STANDARD
        .decode(text.strip_prefix("whsec_").unwrap())
        .unwrap()
}

fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// A signed webhook.
#[derive(Clone)]
struct Message {
    path: String,
    id: String,
    seconds: i64,
    signature: String,
    body: String,
}

impl Message {
    /// Signed with the incoming secret of an endpoint.
    fn signed(endpoint: &Value, name: &str, id: &str, body: &Value) -> Self {
        let url = endpoint["incomingUrl"].as_str().unwrap();
        let path = format!("{}{name}", &url[url.find("/hooks/").unwrap()..]);
        Self {
            path,
            id: id.to_owned(),
            seconds: now(),
            signature: String::new(),
            body: body.to_string(),
        }
        .with(&endpoint["incomingSecret"])
    }

    /// The same, signed with this secret.
    fn with(mut self, secret: &Value) -> Self {
        let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(&key(secret)).unwrap();
        mac.update(format!("{}.{}.{}", self.id, self.seconds, self.body).as_bytes());
        self.signature = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        self
    }

    fn send(&self, shop: &Shop) -> Reply {
        Request::new("POST", self.path.as_str())
            .header("Content-Type", "application/json")
            .header("webhook-id", self.id.as_str())
            .header("webhook-timestamp", self.seconds.to_string())
            .header("webhook-signature", self.signature.as_str())
            .body(self.body.as_bytes())
            .send(shop.address())
    }
}

/// A flow that waits twice for the same webhook before it captures.
fn twice(shop: &Shop, id: &str) {
    publish(
        shop,
        id,
        &json!({"name": "Twice", "trigger": "payment", "steps": [
            {"authorise": {"connection": "simulator-a"}},
            {"await_webhook": {"name": "packed", "within": "1d"}},
            {"await_webhook": {"name": "packed", "within": "1d"}},
            {"capture": "now"},
        ]}),
    );
}

#[test]
fn a_signed_webhook_needs_no_key_and_has_its_effect_once() {
    let shop = shared::shop();
    twice(&shop, "packed-twice");
    let endpoint = save(&shop, "http://127.0.0.1:1/warehouse");
    let payment = shop.order(&Order::card(cards::VISA).flow("packed-twice"));
    payment.assert_status("AUTHORISED");
    let body = json!({"payment": payment.id()});
    let first = Message::signed(&endpoint, "packed", "parcel-1", &body);
    // A hundred copies at once: one lets the flow go on, to the next webhook of the name.
    let resumed = at_once(30, |_| {
        let reply = first.send(&shop);
        assert_eq!(reply.status, 202, "{}", reply.text());
        counts(&reply).0
    });
    assert_eq!(resumed.iter().sum::<i64>(), 1, "{resumed:?}");
    let waits = until(PATIENCE, "the flow waits again", || {
        let titles = super::titles(&shop.payment(&payment.id()));
        let waits = titles
            .iter()
            .filter(|title| *title == "Waiting for a webhook")
            .count();
        (waits >= 2).then_some(waits)
    });
    assert_eq!(waits, 2);
    // Sent again, as by a sender that has lost the answer: with another time, under its id.
    let mut again = first.clone();
    again.seconds += 1;
    assert_eq!(
        counts(&again.with(&endpoint["incomingSecret"]).send(&shop)),
        (0, 0)
    );
    shop.payment(&payment.id()).assert_status("AUTHORISED");
    let second = Message::signed(&endpoint, "packed", "parcel-2", &body);
    assert_eq!(counts(&second.send(&shop)), (1, 0));
    shop.wait_for_status(&payment.id(), "SUCCEEDED");
}

#[test]
fn a_signed_webhook_starts_flows_once() {
    let receiver = Receiver::start();
    let shop = shared::shop();
    publish(
        &shop,
        "signed-start",
        &json!({"name": "Signed start", "trigger": {"webhook": {"name": "restock"}}, "steps": [
            {"call_webhook": {"url": receiver.url("/restocked")}},
        ]}),
    );
    let endpoint = save(&shop, "http://127.0.0.1:1/stock");
    let message = Message::signed(&endpoint, "restock", "stock-1", &json!({"left": 0}));
    let started = at_once(20, |_| counts(&message.send(&shop)).1);
    assert_eq!(started.iter().sum::<i64>(), 1, "{started:?}");
    until(PATIENCE, "the flow's call", || {
        (receiver.taken("/restocked").len() == 1).then_some(())
    });
    let another = Message::signed(&endpoint, "restock", "stock-2", &json!({"left": 0}));
    assert_eq!(counts(&another.send(&shop)), (0, 1));
}

/// What differs from a genuine message, with a word for it.
fn forgeries(
    good: &Message,
    endpoint: &Value,
    others: &[&Value; 2],
) -> Vec<(&'static str, Message)> {
    let changed = |change: fn(&mut Message)| {
        let mut message = good.clone();
        change(&mut message);
        message
    };
    let at = |seconds: i64| {
        let mut message = good.clone();
        message.seconds += seconds;
        message.with(&endpoint["incomingSecret"])
    };
    let misdirected = |endpoint: &Value| Message {
        path: Message::signed(endpoint, "packed", "msg_1", &json!({})).path,
        ..good.clone()
    };
    let signed = |text: String| Message {
        signature: text,
        ..good.clone()
    };
    vec![
        (
            "altered",
            changed(|one| one.body = one.body.replace("payments:", "")),
        ),
        ("another id", changed(|one| "msg_2".clone_into(&mut one.id))),
        ("another time", changed(|one| one.seconds += 1)),
        ("no signature", signed(String::new())),
        ("no id", changed(|one| one.id.clear())),
        (
            "another scheme",
            signed(good.signature.replace("v1,", "v1a,")),
        ),
        (
            "signed as events are",
            good.clone().with(&endpoint["secret"]),
        ),
        (
            "another endpoint's",
            good.clone().with(&others[0]["incomingSecret"]),
        ),
        ("to another endpoint", misdirected(others[0])),
        ("to another team", misdirected(others[1])),
        ("late", at(-400)),
        ("of the future", at(400)),
    ]
}

#[test]
fn forged_altered_and_late_webhooks_have_no_effect() {
    let shop = shared::shop();
    twice(&shop, "packed-forged");
    let endpoint = save(&shop, "http://127.0.0.1:1/forged");
    let other = save(&shop, "http://127.0.0.1:1/forged-too");
    let theirs = save(&shared::other_shop(), "http://127.0.0.1:1/forged");
    let payment = shop.order(&Order::card(cards::VISA).flow("packed-forged"));
    let body = json!({"payment": payment.id()});
    let good = Message::signed(&endpoint, "packed", "msg_1", &body);
    for (what, message) in forgeries(&good, &endpoint, &[&other, &theirs]) {
        let reply = message.send(&shop);
        assert_eq!(reply.status, 401, "{what}: {}", reply.text());
    }
    // The other team's server is genuine, and finds nothing of this team's.
    let foreign = Message::signed(&theirs, "packed", "msg_1", &body);
    assert_eq!(foreign.send(&shop).status, 404);
    let nowhere = Message {
        path: "/hooks/x/packed".to_owned(),
        ..good.clone()
    };
    assert_eq!(nowhere.send(&shop).status, 404);
    let unreadable = Message {
        body: "[]".to_owned(),
        ..good.clone()
    };
    assert_eq!(
        unreadable
            .with(&endpoint["incomingSecret"])
            .send(&shop)
            .status,
        400
    );
    shop.payment(&payment.id()).assert_status("AUTHORISED");
    let titles = super::titles(&shop.payment(&payment.id()));
    assert!(
        !titles.iter().any(|title| title.contains("eceived")),
        "{titles:?}"
    );
    assert_eq!(counts(&good.send(&shop)), (1, 0));
}

#[test]
fn both_secrets_hold_while_they_are_changed_and_none_when_the_endpoint_is_gone() {
    let shop = shared::shop();
    twice(&shop, "packed-rotated");
    let endpoint = save(&shop, "http://127.0.0.1:1/rotated");
    let rotated = rotate(&shop, &endpoint["id"]);
    assert_ne!(rotated["incomingSecret"], endpoint["incomingSecret"]);
    assert_eq!(rotated["incomingUrl"], endpoint["incomingUrl"]);
    let payment = shop.order(&Order::card(cards::VISA).flow("packed-rotated"));
    let body = json!({"payment": payment.id()});
    let old = Message::signed(&endpoint, "packed", "old", &body);
    assert_eq!(counts(&old.send(&shop)), (1, 0));
    until(PATIENCE, "the flow waits again", || {
        let titles = super::titles(&shop.payment(&payment.id()));
        let waits = titles
            .iter()
            .filter(|title| *title == "Waiting for a webhook")
            .count();
        (waits >= 2).then_some(())
    });
    let new = Message::signed(&rotated, "packed", "new", &body);
    assert_eq!(counts(&new.send(&shop)), (1, 0));
    shop.wait_for_status(&payment.id(), "SUCCEEDED");
    let gone = "mutation($id: ID!) { deleteWebhookEndpoint(id: $id) }";
    shop.gql(gone, json!({"id": endpoint["id"]}));
    assert_eq!(
        Message::signed(&rotated, "packed", "late", &body)
            .send(&shop)
            .status,
        404
    );
}

#[test]
fn a_call_to_an_address_that_nobody_saved_is_signed_and_listed() {
    let receiver = Receiver::start();
    let shop = shared::shop();
    let url = receiver.url("/unsaved");
    publish(
        &shop,
        "call-unsaved",
        &json!({"name": "Unsaved", "trigger": "payment", "steps": [
            {"authorise": {"connection": "simulator-a"}}, {"call_webhook": {"url": url}}, {"capture": "now"},
        ]}),
    );
    let paid = shop.order(&Order::card(cards::VISA).flow("call-unsaved"));
    shop.wait_for_status(&paid.id(), "SUCCEEDED");
    let query = format!("{{ listWebhookEndpoints {{ {FIELDS} }} }}");
    let all = shop.gql(&query, json!({}));
    let all = all.root().as_array().unwrap().clone();
    let made: Vec<&Value> = all.iter().filter(|one| one["url"] == json!(url)).collect();
    assert_eq!(made.len(), 1, "{made:?}");
    assert_eq!(made[0]["enabled"], json!(false));
    assert_eq!(
        (&made[0]["secret"], &made[0]["incomingSecret"]),
        (&Value::Null, &Value::Null)
    );
    let listed = "query($id: ID!) { listWebhookDeliveries(endpointId: $id) { edges { node { kind state attempts { status durationMs answer } } } } }";
    let page = shop.gql(listed, json!({"id": made[0]["id"]}));
    let calls = page.root()["edges"].as_array().unwrap().clone();
    assert_eq!(calls.len(), 1, "no event is sent there: {calls:?}");
    let call = &calls[0]["node"];
    assert_eq!(
        (&call["kind"], &call["state"]),
        (&json!("flow.call"), &json!("DELIVERED"))
    );
    assert_eq!(call["attempts"][0]["status"], json!(200));
    // The secret is shown on demand, and signs the next call.
    let rotated = rotate(&shop, &made[0]["id"]);
    let again = shop.order(&Order::card(cards::VISA).flow("call-unsaved"));
    shop.wait_for_status(&again.id(), "SUCCEEDED");
    let arrived = receiver.taken("/unsaved");
    assert_eq!(arrived.len(), 2);
    let secret = rotated["secret"].as_str().unwrap();
    assert_eq!(arrived[1].signatures_by(secret), 1);
    assert_eq!(arrived[0].signatures_by(secret), 0);
}

#[test]
fn a_signed_webhook_begins_nothing_for_a_closed_team_and_lets_what_waits_go_on() {
    let server = Setup::new().start();
    let shop = server.other_team();
    let receiver = Receiver::start();
    twice(&shop, "packed-twice");
    publish(
        &shop,
        "begun",
        &json!({"name": "Begun", "trigger": {"webhook": {"name": "begin"}}, "steps": [
            {"call_webhook": {"url": receiver.url("/begun")}},
        ]}),
    );
    let endpoint = save(&shop, "http://127.0.0.1:1/warehouse");
    let payment = shop.order(&Order::card(cards::VISA).flow("packed-twice"));
    payment.assert_status("AUTHORISED");
    let begin = |id| Message::signed(&endpoint, "begin", id, &json!({})).send(&shop);
    assert_eq!(counts(&begin("b-1")), (0, 1));
    server.run(&["team", "close", "The other shop"]);
    let refused = begin("b-2");
    assert_eq!(refused.status, 401, "{}", refused.text());
    let waited = json!({"payment": payment.id()});
    let taken = Message::signed(&endpoint, "packed", "parcel-1", &waited).send(&shop);
    assert_eq!(counts(&taken), (1, 0));
}

#[test]
fn a_webhook_of_another_time_says_so_when_its_signature_is_right() {
    let shop = shared::shop();
    let endpoint = save(&shop, "http://127.0.0.1:1/clock");
    let mut late = Message::signed(&endpoint, "packed", "late", &json!({}));
    late.seconds -= 301;
    let resigned = late.clone().with(&endpoint["incomingSecret"]).send(&shop);
    assert_eq!(resigned.status, 401);
    assert!(resigned.text().contains("clock"), "{}", resigned.text());
    let forged = late.send(&shop);
    assert_eq!(forged.status, 401);
    assert!(!forged.text().contains("clock"), "{}", forged.text());
}
