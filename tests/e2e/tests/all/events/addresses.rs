//! Addresses that may not be called: refused when they are saved, and when they are called.

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
        titles.contains(&"Webhook not called".to_owned()),
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
