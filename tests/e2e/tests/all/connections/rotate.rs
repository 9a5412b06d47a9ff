//! Credentials are rotated without an interruption: notifications that are signed by the secret before count for a day.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use testkit::{Order, Setup, Shop, cards, http::Request};

use super::{KEY, connection, try_rotate, try_save};

fn secret(name: &str) -> String {
    format!("whsec_{}", STANDARD.encode(name.repeat(8)))
}

/// Posts a notification that this secret signs; whether it is believed.
fn proves(shop: &Shop, id: &str, secret: &str) -> bool {
    let listed = shop.gql("{ listConnections { id notificationUrl } }", json!({}));
    let all = listed.root().as_array().unwrap().iter();
    let url = all
        .filter(|one| one["id"] == json!(id))
        .find_map(|one| one["notificationUrl"].as_str());
    let url = url.unwrap();
    let path = &url[url.find("/notifications/").unwrap()..];
    let message = Shop::fresh_key();
    let body = json!({"id": "m", "type": "nothing.new", "mode": "test", "reference": "order-1"});
    let (body, seconds) = (body.to_string(), jiff::Timestamp::now().as_second());
    let key = STANDARD
        .decode(secret.strip_prefix("whsec_").unwrap())
        .unwrap();
    let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(&key).unwrap();
    mac.update(format!("{message}.{seconds}.{body}").as_bytes());
    let signature = STANDARD.encode(mac.finalize().into_bytes());
    let reply = Request::new("POST", path)
        .header("Content-Type", "application/json")
        .header("webhook-id", message.as_str())
        .header("webhook-timestamp", seconds.to_string())
        .header("webhook-signature", format!("v1,{signature}"))
        .body(body.as_bytes())
        .send(shop.address());
    assert!([200, 401].contains(&reply.status), "{}", reply.text());
    reply.status == 200
}

#[test]
fn the_secret_before_counts_until_it_is_ended_and_only_one_does() {
    let server = Setup::new().start();
    let shop = server.shop();
    // Secrets of this story alone: on a server other stories' books are searched too.
    let [one, two, three] = ["ash", "elm", "oak"].map(secret);
    let credentials = json!({"apiKey": KEY, "notificationSecret": one});
    try_save(&shop, connection("own", credentials)).root();
    let rotated = try_rotate(&shop, "own", json!({"notificationSecret": two}), false);
    assert!(rotated.root()["previousSecretEndsAt"].is_string());
    assert!(proves(&shop, "own", &one) && proves(&shop, "own", &two));
    assert!(!proves(&shop, "own", &three));
    try_rotate(&shop, "own", json!({"notificationSecret": three}), false).root();
    assert!(!proves(&shop, "own", &one), "two secrets at most");
    assert!(proves(&shop, "own", &two) && proves(&shop, "own", &three));
    let ended = try_rotate(&shop, "own", json!({}), true);
    assert_eq!(ended.root()["previousSecretEndsAt"], Value::Null);
    assert!(!proves(&shop, "own", &two) && proves(&shop, "own", &three));
    // Before anything is sent: the simulator's books, which are the processor's, keep the secret that it signs with.
    for secret in [&one, &two, &three, KEY] {
        assert!(server.files_with(secret.as_bytes()).is_empty());
        assert!(!server.log().contains(secret));
    }
    // The key was not named and is the same: payments go on.
    let order = Order::card(cards::VISA).amount(1000).at("own");
    let paid = shop.try_headless(&order, None);
    assert_eq!(paid.root()["status"], "AUTHORISED");
    let trail = server.run(&["audit", "list", "--act", "connection.rotated", "--json"]);
    assert_eq!(trail.lines().count(), 3, "{trail}");
    assert!(trail.contains("notificationSecret") && !trail.contains("whsec_"));
}

#[test]
fn a_rotation_counts_on_every_node_at_once() {
    let server = Setup::new().start();
    let shop = server.shop();
    if server.setup().backend() != testkit::Backend::Postgres {
        return;
    }
    let node = server.join();
    let there = node.shop();
    let [one, two, three] = ["one", "two", "six"].map(secret);
    try_save(&shop, connection("own", json!({"notificationSecret": one}))).root();
    assert!(proves(&there, "own", &one));
    try_rotate(&shop, "own", json!({"notificationSecret": two}), false).root();
    assert!(proves(&there, "own", &two) && proves(&there, "own", &one));
    try_rotate(&shop, "own", json!({"notificationSecret": three}), true).root();
    assert!(!proves(&there, "own", &one) && !proves(&there, "own", &two));
    assert!(proves(&there, "own", &three));
}

#[test]
fn notifications_of_the_simulator_arrive_across_a_rotation() {
    let server = Setup::new().start();
    let shop = server.shop();
    let [one, two] = ["one", "two"].map(secret);
    try_save(&shop, connection("own", json!({"notificationSecret": one}))).root();
    // What is signed for this payment later bears the secret of now.
    let order = Order::card(cards::DISPUTED).amount(1000).at("own");
    let paid = shop.try_headless(&order, None).root().clone();
    let id = paid["id"].as_str().unwrap();
    try_rotate(&shop, "own", json!({"notificationSecret": two}), false).root();
    shop.capture(id);
    shop.wait_for_status(id, "DISPUTED");
}

#[test]
fn what_is_wrong_is_refused_by_its_field_and_changes_nothing() {
    let server = Setup::new().start();
    let shop = server.shop();
    let one = secret("one");
    try_save(&shop, connection("own", json!({"notificationSecret": one}))).root();
    for wrong in [
        json!({}),
        json!("x"),
        json!([]),
        json!({"unknown": "a-secret"}),
        json!({"apiKey": 7}),
        json!({"apiKey": "a-secret"}),
        json!({"notificationSecret": "a-secret"}),
    ] {
        let refused = try_rotate(&shop, "own", wrong.clone(), false);
        refused.assert_invalid("credentials");
        assert!(!refused.json().to_string().contains("a-secret"), "{wrong}");
    }
    assert!(proves(&shop, "own", &one));
    try_rotate(&shop, "nobodys", json!({"apiKey": KEY}), false)
        .assert_error("error.connection.not-found");
}
