//! Every field that a card payment can fill.

use serde_json::{Value, json};
use testkit::{Order, Setup, Shop, cards};

use crate::shared;

/// What the fields show of the order below.
fn expected(customer: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("/orderId", json!("order-4711")),
        ("/type", json!("PAYMENT")),
        ("/paymentProcessingOrigin", json!("AUTOMATION")),
        ("/connectionId", json!("simulator-a")),
        ("/flowId", json!("default")),
        ("/currency", json!("EUR")),
        ("/capturedAmount", json!(1000)),
        ("/refundedAmount", Value::Null),
        ("/refunds", json!([])),
        (
            "/amount",
            json!({"rawAmount": 1000, "currency": "EUR", "formattedAmount": "€10.00"}),
        ),
        ("/paymentDetails/description", json!("Two tickets")),
        ("/paymentDetails/statementDescriptor", json!("TRAINS")),
        (
            "/metadata",
            json!({"seat": [12, null, {"window": true}], "empty": ""}),
        ),
        ("/paymentCustomer/id", json!(customer)),
        ("/paymentCustomer/email", json!("ada@example.com")),
        (
            "/paymentMethodDetails/number",
            json!(cards::masked(cards::VISA)),
        ),
        ("/paymentMethodDetails/expires", json!("11/2033")),
        ("/paymentMethodDetails/brand", json!("VISA")),
        ("/paymentMethodDetails/type", json!("CREDIT")),
        ("/paymentMethodDetails/name", json!("Ada Byron")),
    ]
}

#[test]
fn a_payment_shows_everything_that_is_known_of_it() {
    let shop = shared::shop();
    let known = json!({"customer": {"name": "Ada Byron", "email": "ada@example.com"}});
    let customer = shop
        .try_create_customer(known, None)
        .root()
        .as_str()
        .unwrap()
        .to_owned();
    let order = Order::card(cards::VISA)
        .with("orderId", json!("order-4711"))
        .with("transactionId", json!("transaction-1"))
        .with("description", json!("Two tickets"))
        .with("statementDescriptor", json!("TRAINS"))
        .with(
            "metadata",
            json!({"seat": [12, null, {"window": true}], "empty": ""}),
        )
        .with("customer", json!({"id": customer}))
        .with(
            "paymentMethod/card/billingAddress",
            json!({"line1": "1 Quay", "country": "IRL"}),
        );
    let payment = shop.order(&order);
    payment.assert_status("SUCCEEDED");
    for (field, value) in expected(&customer) {
        if field == "/refunds" && payment.at(field).is_null() {
            continue;
        }
        assert_eq!(payment.at(field), &value, "{field}");
    }
    for field in [
        "/sourceId",
        "/flowInstanceId",
        "/teamId",
        "/country",
        "/paymentGateway/id",
        "/paymentGateway/name",
        "/paymentCore/processorStatus",
        "/paymentCore/outcome/networkStatus",
        "/paymentMethodDetails/fingerprint",
        "/paymentTimeline/overview/0/title",
    ] {
        assert!(!payment.text(field).is_empty(), "{field}");
    }
    assert_eq!(
        shop.payment(&payment.id()),
        payment,
        "reading shows what authorising showed"
    );
}

#[test]
fn a_debit_card_is_shown_as_one() {
    let payment = shared::shop().authorise(cards::VISA_DEBIT);
    assert_eq!(payment.text("/paymentMethodDetails/type"), "DEBIT");
}

#[test]
fn the_fingerprint_of_a_payment_is_the_one_of_the_stored_card() {
    let shop = shared::shop();
    let stored = shop.method(&shop.tokenise(cards::VISA));
    let raw = shop.authorise(cards::VISA);
    assert_eq!(
        raw.at("/paymentMethodDetails/fingerprint"),
        &stored["fingerprint"]
    );
}

#[test]
fn the_date_is_shown_in_the_zone_that_is_asked_for() {
    let shop = shared::shop();
    let id = shop.authorise(cards::VISA).id();
    let query = "query($id: ID!) { getPayment(id: $id) { utc: date z: date(tz: \"Z\") ahead: date(tz: \"+05:30\") \
        named: date(tz: \"Asia/Kolkata\") } }";
    let dates = shop.gql(query, json!({"id": id})).root().clone();
    assert_eq!(dates["utc"], dates["z"]);
    assert!(dates["utc"].as_str().unwrap().ends_with('Z'));
    assert!(dates["ahead"].as_str().unwrap().ends_with("+05:30"));
    assert_eq!(dates["ahead"], dates["named"]);
}

#[test]
fn an_unknown_zone_is_refused() {
    let shop = shared::shop();
    let id = shop.authorise(cards::VISA).id();
    for zone in ["Mars/Olympus", "+99:99", "../../etc/passwd"] {
        let answer = shop.gql(
            "query($id: ID!, $tz: String) { getPayment(id: $id) { date(tz: $tz) } }",
            json!({"id": id, "tz": zone}),
        );
        assert_eq!(
            answer.error_code(),
            Some("error.validation"),
            "{zone:?}: {}",
            answer.json()
        );
    }
}

#[test]
fn a_zone_that_is_unknown_is_refused_before_money_moves() {
    let shop = shared::shop();
    let order = format!("zone-{}", Shop::fresh_key());
    let paid = "mutation($order: String, $tz: String) { authorizePayment(authorisePayment: {amount: 500, currencyCode: \"EUR\", \
        orderId: $order, paymentMethod: {type: \"CARD\", card: {number: \"4242424242424242\", expMonth: 11, expYear: 2033}}}) \
        { id ... on Payment { ...zoned } } } fragment zoned on Payment { date(tz: $tz) }";
    let refused = shop.gql(paid, json!({"order": order, "tz": "Nope/Zone"}));
    assert_eq!(refused.error_code(), Some("error.validation"));
    let listed = "query($order: JSON!) { listPayments(data: {filter: {orderId: {value: $order}}}) { edges { node { id } } } }";
    let made = shop.gql(listed, json!({ "order": order }));
    assert_eq!(made.root()["edges"], json!([]));
    shop.gql(paid, json!({"order": order, "tz": "Asia/Kolkata"}))
        .data();

    let id = shop.authorise(cards::VISA).id();
    let refund =
        "mutation($id: ID!) { refundPayment(id: $id, amount: 100) { id date(tz: \"Nope\") } }";
    let refused = shop.gql(refund, json!({ "id": id }));
    assert_eq!(refused.error_code(), Some("error.validation"));
    shop.payment(&id).assert_status("SUCCEEDED");
}

#[test]
fn metadata_may_be_any_json_up_to_16_kib() {
    let shop = shared::shop();
    for metadata in [
        json!("text"),
        json!(1.5),
        json!([]),
        json!({}),
        json!(false),
        json!({"a": "x".repeat(15_000)}),
    ] {
        let payment = shop.order(&Order::card(cards::VISA).with("metadata", metadata.clone()));
        assert_eq!(payment.at("/metadata"), &metadata);
    }
    shop.order(&Order::card(cards::VISA).with("metadata", Value::Null))
        .assert_status("SUCCEEDED");
}

#[test]
fn metadata_and_fraud_beyond_their_bounds_are_refused_and_nothing_is_charged() {
    let server = Setup::new().start();
    let shop = server.shop();
    let large = json!({"a": "x".repeat(17_000)});
    shop.try_authorise(
        &Order::card(cards::VISA).with("metadata", large.clone()),
        None,
    )
    .assert_invalid("metadata");
    shop.try_authorise(&Order::card(cards::VISA).with("fraud", large), None)
        .assert_invalid("fraud");
    for fraud in [json!("text"), json!([1]), json!(7)] {
        let answer = shop.try_authorise(&Order::card(cards::VISA).with("fraud", fraud), None);
        assert!(
            !answer.errors().is_empty(),
            "fraud is an object: {}",
            answer.json()
        );
    }
    assert!(shop.books().entries.is_empty());
    assert!(shop.every_payment().is_empty());
    shop.order(&Order::card(cards::VISA).with("fraud", json!({"score": 7})))
        .assert_status("SUCCEEDED");
}

#[test]
fn long_and_odd_texts_are_refused_precisely() {
    let shop = shared::shop();
    for field in [
        "orderId",
        "description",
        "statementDescriptor",
        "transactionId",
    ] {
        shop.try_authorise(
            &Order::card(cards::VISA).with(field, json!("x".repeat(10_000))),
            None,
        )
        .assert_invalid(field);
        shop.try_authorise(
            &Order::card(cards::VISA).with(field, json!("a\u{0}b")),
            None,
        )
        .assert_invalid(field);
    }
    for email in ["nope", "a b@c.example", &"x".repeat(5000)] {
        shop.try_authorise(
            &Order::card(cards::VISA).with("customer", json!({"email": email})),
            None,
        )
        .assert_invalid("email");
    }
}

#[test]
fn empty_texts_are_absent() {
    let shop = shared::shop();
    let order = Order::card(cards::VISA)
        .with("orderId", json!(""))
        .with("description", json!(""))
        .with("customer", json!({"id": "", "name": ""}));
    let payment = shop.order(&order);
    payment.assert_status("SUCCEEDED");
    assert_eq!(payment.at("/orderId"), &Value::Null);
}

#[test]
fn a_small_selection_gives_exactly_that() {
    let shop = shared::shop();
    let id = shop.authorise(cards::VISA).id();
    let answer = shop.gql(
        "query($id: ID!) { getPayment(id: $id) { status a: status __typename } }",
        json!({"id": id}),
    );
    assert_eq!(
        answer.root(),
        &json!({"status": "SUCCEEDED", "a": "SUCCEEDED", "__typename": "Payment"})
    );
}

#[test]
fn a_payment_is_a_node() {
    let shop = shared::shop();
    let id = shop.authorise(cards::VISA).id();
    let answer = shop.gql(
        "query($id: ID!) { getPayment(id: $id) { ... on Node { id } } }",
        json!({"id": id}),
    );
    assert_eq!(answer.root(), &json!({"id": id}));
}
