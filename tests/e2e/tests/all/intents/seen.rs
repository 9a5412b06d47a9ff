//! Where a browser's request came from, when a table of addresses is configured.

use serde_json::{Value, json};
use testkit::{Answer, KeyKind, Setup, Shop};

use super::id;

fn seen(shop: &Shop, query: &str, variables: Value, from: &str) -> Value {
    let request = shop
        .request(query, variables, None)
        .header("X-Forwarded-For", from);
    Answer::of(request.send(shop.address())).root()["location"].clone()
}

#[test]
fn the_country_of_a_browsers_address_is_taken_where_none_was_given() {
    let directory = tempfile::tempdir().unwrap();
    let table = directory.path().join("countries.csv");
    std::fs::write(&table, "192.0.2.0/24,IE\n198.51.100.0,198.51.100.255,FR\n").unwrap();
    let setup = Setup::new().setting("geo.table", table.to_str().unwrap());
    let server = setup.setting("server.trusted_proxies", "127.0.0.1").start();
    let browser = server.shop_with(&server.create_key(KeyKind::Public));
    let start = "mutation($location: IntentLocationInput) { startIntent(trackingId: \"t\", paymentFlowId: \"default\", \
                 amount: {currency: \"EUR\"}, location: $location) { id location { country } } }";
    assert_eq!(
        seen(&browser, start, json!({}), "192.0.2.7"),
        json!({"country": "IRL"})
    );
    assert_eq!(
        seen(&browser, start, json!({}), "203.0.113.9, 198.51.100.1"),
        json!({"country": "FRA"}),
        "the nearest"
    );
    assert_eq!(
        seen(&browser, start, json!({}), "203.0.113.9"),
        Value::Null,
        "the table does not know it"
    );
    assert_eq!(
        seen(
            &browser,
            start,
            json!({"location": {"country": "DEU"}}),
            "192.0.2.7"
        ),
        json!({"country": "DEU"})
    );
    assert_eq!(
        seen(&server.shop(), start, json!({}), "192.0.2.7"),
        Value::Null,
        "a server's address tells nothing"
    );
    let update = "mutation($id: ID!, $location: IntentLocationInput) \
                  { updateIntent(id: $id, location: $location) { location { country } } }";
    let intent = id(&browser.start_intent(json!({})));
    assert_eq!(
        seen(&browser, update, json!({"id": intent}), "192.0.2.7"),
        json!({"country": "IRL"})
    );
    assert_eq!(
        seen(&browser, update, json!({"id": intent}), "198.51.100.9"),
        json!({"country": "FRA"})
    );
    let given = json!({"id": intent, "location": {"country": "DEU"}});
    assert_eq!(
        seen(&browser, update, given, "192.0.2.7"),
        json!({"country": "DEU"})
    );
    assert_eq!(
        seen(&browser, update, json!({"id": intent}), "192.0.2.7"),
        json!({"country": "DEU"}),
        "it was given"
    );
}

#[test]
fn a_table_that_cant_be_read_is_reported_at_start() {
    let directory = tempfile::tempdir().unwrap();
    let table = directory.path().join("countries.csv");
    std::fs::write(&table, "192.0.2.0/24,IE\nnonsense\n").unwrap();
    let said = Setup::new()
        .setting("geo.table", table.to_str().unwrap())
        .start_refused();
    assert!(
        said.contains("geo.table") && said.contains("line 2"),
        "{said}"
    );
}
