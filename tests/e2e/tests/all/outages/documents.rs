//! Documents of several root fields that together take longer than a request may.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::{Order, Setup, cards};

/// How often the slow card is charged in one document.
const ALIASES: usize = 20;

#[test]
fn each_field_of_a_document_that_takes_too_long_has_its_own_answer() {
    let server = Setup::new().start();
    let shop = server.shop();
    let fields: Vec<String> = (0..ALIASES)
        .map(|n| format!("f{n}: authorizePayment(authorisePayment: $order) {{ id status }}"))
        .collect();
    let fields = fields.join(" ");
    let query = format!("mutation($order: AuthorisedPaymentInput!) {{ {fields} }}");
    let order = Order::card(cards::UNKNOWN_CHARGED).json();
    let start = Instant::now();
    let answer = shop.gql(&query, json!({"order": order}));
    assert!(
        start.elapsed() < Duration::from_secs(35),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(answer.status(), 200, "{}", answer.json());
    let data = answer.json()["data"].as_object().expect("data");
    assert_eq!(data.len(), ALIASES);
    let made: Vec<&Value> = data.values().filter(|field| !field.is_null()).collect();
    for payment in &made {
        assert_eq!(payment["status"], "NO_ANSWER_FROM_PSP");
    }
    // About two seconds each, the last one under way when the time was over.
    // A busy machine makes fewer.
    assert!((1..=13).contains(&made.len()), "{}", answer.json());
    assert_eq!(answer.errors().len(), ALIASES - made.len());
    for error in answer.errors() {
        assert_eq!(error["extensions"]["code"], "error.unavailable");
        let field = error["path"][0].as_str().expect("a path");
        let place: usize = field[1..].parse().expect("a number");
        assert!(place >= made.len(), "{field}: {}", answer.json());
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|words| words.contains("Nothing was done")),
            "{error}"
        );
    }
    // Nothing was made that was not answered.
    assert_eq!(shop.every_payment().len(), made.len());
    for payment in made {
        shop.wait_for_status(payment["id"].as_str().unwrap(), "SUCCEEDED");
    }
    shop.assert_books_equal_payments();
}

#[test]
fn reads_and_other_fields_have_their_share_of_the_time_too() {
    let server = Setup::new().setting("server.request_timeout", "5s").start();
    let shop = server.shop();
    let slow = "authorizePayment(authorisePayment: $order) { id status }";
    let query = format!(
        "mutation($order: AuthorisedPaymentInput!) {{ a: {slow} b: {slow} c: {slow} \
         late: createCustomer(data: {{customer: {{name: \"Ada\"}}}}) }}"
    );
    let order = Order::card(cards::UNKNOWN_CHARGED).json();
    let answer = shop.gql(&query, json!({"order": order}));
    let data = &answer.json()["data"];
    assert!(data["a"]["id"].is_string(), "{}", answer.json());
    assert!(data["late"].is_null(), "{}", answer.json());
    assert_eq!(answer.error_code(), Some("error.unavailable"));
    shop.assert_books_equal_payments();
}
