//! Addresses that may not be called: refused when they are saved, and when they are called.

use std::{io::Write as _, net::TcpListener, thread};

use serde_json::json;
use testkit::{Order, PATIENCE, Receiver, Setup, cards, until};

use super::{deliveries, endpoint};

#[test]
fn private_addresses_are_refused_when_they_are_saved_and_when_they_are_called() {
    let mut server = Setup::new().start();
    let receiver = Receiver::start();
    let made = endpoint(&server.shop(), &receiver.url("/hooks"), &["payment.*"]);
    let steps = json!([{"authorise": {"connection": "simulator-a"}}, {"call_webhook": {"url": receiver.url("/calls")}}, {"capture": "now"}]);
    server.shop().publish("calling", steps);
    server.restart_as(Setup::new().setting("outbound.private_addresses", "false"));
    let shop = server.shop();
    let save = "mutation($url: String!) { saveWebhookEndpoint(url: $url) { id } }";
    for url in [
        "http://127.0.0.1/",
        "http://localhost:8000/hooks",
        "https://10.1.2.3/",
        "https://[::1]/",
        "https://[::ffff:192.168.1.1]/",
        "https://shop.localhost/",
    ] {
        shop.gql(save, json!({ "url": url })).assert_invalid("url");
    }
    shop.gql(save, json!({"url": "https://shop.example/hooks"}))
        .root();
    // One that was saved while that was allowed.
    let test =
        "mutation($id: ID!) { sendTestEvent(endpointId: $id) { state attempts { status error } } }";
    let tested = shop.gql(test, json!({"id": made.id}));
    assert_eq!(tested.root()["state"], json!("FAILED"));
    let error = tested.root()["attempts"][0]["error"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(error.contains("private addresses"), "{error}");
    // A flow's call is judged alike, and listed with its reason.
    let paid = shop.order(&Order::card(cards::VISA).flow("calling"));
    shop.wait_for_status(&paid.id(), "SUCCEEDED");
    let titles = shop.payment(&paid.id()).titles();
    assert!(
        titles.contains(&"Webhook call failed".to_owned()),
        "{titles:?}"
    );
    let all = shop.gql("{ listWebhookEndpoints { id url } }", json!({}));
    let all = all.root().as_array().unwrap().clone();
    let called = all
        .iter()
        .find(|one| one["url"] == json!(receiver.url("/calls")))
        .unwrap();
    let listed = until(PATIENCE, "the call in the list", || {
        deliveries(&shop, called["id"].as_str().unwrap(), None).pop()
    });
    assert_eq!(listed["state"], json!("FAILED"));
    assert!(
        listed["attempts"][0]["error"]
            .as_str()
            .unwrap()
            .contains("private")
    );
    assert!(receiver.arrived("/hooks").is_empty() && receiver.arrived("/calls").is_empty());
}

#[test]
fn an_attempt_says_why_there_was_no_answer() {
    let server = Setup::new().start();
    let shop = server.shop();
    // No TLS server speaks first, or so.
    let plain = TcpListener::bind("127.0.0.1:0").unwrap();
    let plain_port = plain.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in plain.incoming().flatten() {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let no_tls = format!("https://127.0.0.1:{plain_port}/");
    let reasons = [
        ("http://127.0.0.1:1/", "it refused the connection"),
        (no_tls.as_str(), "TLS could not be agreed on"),
    ];
    let test =
        "mutation($id: ID!) { sendTestEvent(endpointId: $id) { attempts { status error } } }";
    for (url, why) in reasons {
        let made = endpoint(&shop, url, &["payment.*"]);
        let tested = shop.gql(test, json!({"id": made.id}));
        let attempt = &tested.root()["attempts"][0];
        assert_eq!(*attempt, json!({"status": null, "error": why}), "{url}");
    }
}

#[test]
fn an_address_has_one_endpoint() {
    let server = Setup::new().start();
    let (shop, other) = (server.shop(), server.other_team());
    let save = "mutation($id: ID, $url: String!, $kinds: [String!]) { \
                saveWebhookEndpoint(id: $id, url: $url, kinds: $kinds) { id } }";
    let (one, two) = ("http://127.0.0.1:1/one", "http://127.0.0.1:1/two");
    let first = endpoint(&shop, one, &["endpoint.*"]);
    let second = endpoint(&shop, two, &["endpoint.*"]);
    for again in [
        json!({ "url": one }),
        json!({"url": one, "kinds": ["payment.*"]}),
        json!({"id": second.id, "url": one}),
    ] {
        let refused = shop.gql(save, again);
        refused.assert_invalid("url");
        assert!(
            refused.message().contains("another endpoint"),
            "{}",
            refused.message()
        );
    }
    shop.gql(save, json!({"id": first.id, "url": one, "kinds": []}))
        .root();
    other.gql(save, json!({ "url": one })).root();
    // Once it is free, another one may have it.
    let delete = "mutation($id: ID!) { deleteWebhookEndpoint(id: $id) }";
    shop.gql(delete, json!({"id": first.id})).root();
    shop.gql(save, json!({"id": second.id, "url": one})).root();
    // What may stand before the address is said as it is here.
    let refused = shop.gql(save, json!({"url": "ftp://shop.example/"}));
    refused.assert_invalid("url");
    assert!(
        refused
            .message()
            .contains("must begin with https:// or http://"),
        "{}",
        refused.message()
    );
}
