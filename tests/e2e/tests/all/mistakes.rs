//! An input with several broken rules tells all of them at once, for every operation of the schema.
//!
//! Each leaf of an operation's arguments is broken alone; those whose mistake is found are then broken in pairs, and both
//! must be named.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::{Answer, Setup, Shop};

use crate::operations::{Operation, operations, put, schema};

/// Pairs of which only one can be found, by what their paths hold, and why.
const APART: [(&str, &str, &str); 5] = [
    (
        ".value",
        ".selectedVerb",
        "what is a value depends on the verb",
    ),
    (
        "paymentMethod.type",
        "paymentMethod.",
        "what belongs to a method depends on its type",
    ),
    (
        "paymentMethod.token",
        "paymentMethod.card",
        "a card that is sent with a token is ignored",
    ),
    (
        "paymentProcessorConnectionId",
        "",
        "connections are looked up once the input is good",
    ),
    (
        "document",
        "",
        "a document is checked when it is to be saved",
    ),
];

/// Operations that must have taken part, so that the test can't become empty.
const LOOKED_AT: [&str; 15] = [
    "attachSecurityCode",
    "authorizePayment",
    "capturePayment",
    "createCustomer",
    "generateClientToken",
    "headlessAuthorizePayment",
    "headlessRequestPaymentProcessorToken",
    "listCustomers",
    "listIntents",
    "listPayments",
    "refundPayment",
    "saveConnection",
    "startIntent",
    "tokenisePaymentMethod",
    "updateTeam",
];

/// Arguments that break no rule, for what an operation needs.
fn good(operation: &str) -> Value {
    let id = "0192a000-0000-7000-8000-000000000000";
    let card = json!({"number": "4242424242424242", "expMonth": 12, "expYear": 2040, "cvc": "123"});
    match operation {
        "authorizePayment" => {
            json!({"authorisePayment": {"paymentMethod": {"type": "CARD", "card": card}}})
        }
        "headlessAuthorizePayment" => json!({"headlessAuthorisePayment": {
            "paymentProcessorConnectionId": "simulator-a",
            "paymentMethod": {"type": "CARD", "card": card}}}),
        "createPaymentLink" => json!({"amount": 1000, "currencyCode": "EUR"}),
        "createCustomer" => json!({"data": {"customer": {"name": "Ada"}, "card": card}}),
        "tokenisePaymentMethod" | "tokeniseCard" => {
            json!({"data": {"paymentMethod": {"card": card}}})
        }
        "updateCustomer" => json!({"id": id, "customer": {"name": "Ada"}}),
        "startIntent" => {
            json!({"trackingId": "t", "paymentFlowId": "default", "amount": {"currency": "EUR"}})
        }
        "resolvePayment" => json!({"id": id, "outcome": "CAPTURED", "evidence": "a letter"}),
        "decideApproval" => json!({"instanceId": id, "approve": true}),
        "saveConnection" => {
            json!({"id": "x", "processor": "simulator", "name": "X", "settings": {}})
        }
        "rotateConnection" => json!({"id": "x", "credentials": {"apiKey": "simulator-key"}}),
        "saveFlow" => json!({"id": "x", "document": "steps: []"}),
        "tryFlow" => json!({"id": "default", "facts": {}}),
        "updateTeam" => json!({"settings": {"name": "A team"}}),
        "attachSecurityCode" => json!({"token": id, "cvc": "123"}),
        "headlessRequestPaymentProcessorToken" => json!({"tokenRequest": {
            "vaultToken": id, "paymentProcessorConnectionId": "simulator-a", "currencyCode": "EUR"}}),
        "setupWallet" => json!({"walletType": "WALLETB_PAY", "payload": {}}),
        "saveWallet" => json!({"walletType": "WALLETA_PAY", "settings": {}}),
        _ => json!({"id": id}),
    }
}

/// Values that some rule refuses though their type is right.
fn bad(ty: &str) -> Vec<Value> {
    match ty {
        "String" => vec![
            json!("a\u{0}b"),
            json!("nope"),
            json!("http://x"),
            json!("x".repeat(3_000)),
            json!(""),
        ],
        // What can't be an id is not found, which is no broken rule; a name of the merchant's choice may break one.
        "ID" => vec![json!("not a name!")],
        "Int" | "Long" => vec![json!(-1), json!(0), json!(100_000)],
        "JSON" | "Object" => vec![
            json!({"long": "x".repeat(20_000)}),
            json!([[]]),
            json!("x".repeat(20_000)),
            json!(7),
        ],
        _ => Vec::new(),
    }
}

/// Whether only one of the two can be found.
fn are_apart(one: &str, other: &str) -> bool {
    // The paths of arguments that are no objects are their names.
    let holds = |path: &str, part: &str| match part {
        "document" => path == part,
        part => path.contains(part),
    };
    APART
        .iter()
        .any(|(a, b, _)| (holds(one, a) && holds(other, b)) || (holds(one, b) && holds(other, a)))
}

/// The fields that an answer names, if it is about broken rules.
fn named(answer: &Answer) -> BTreeSet<String> {
    if answer.error_code() != Some("error.validation") {
        return BTreeSet::new();
    }
    let several = answer.extension("faults").as_array().into_iter().flatten();
    several
        .filter_map(|fault| fault["field"].as_str())
        .chain(answer.field())
        .map(str::to_owned)
        .collect()
}

fn names(answer: &Answer, path: &str) -> bool {
    named(answer).iter().any(|field| {
        field == path || field.starts_with(&format!("{path}.")) || is_whole(field, path)
    })
}

/// Whether a fault of the object stands for its leaf: a filter of a saved view is reported by the object's name.
fn is_whole(field: &str, path: &str) -> bool {
    path.strip_suffix(".0").is_some_and(|whole| whole == field)
}

/// A leaf, the value that breaks its rule alone, and its path.
struct Breakable {
    at: Vec<String>,
    path: String,
    value: Value,
}

fn breakable(operation: &Operation<'_>, shop: &Shop) -> Vec<Breakable> {
    let mut found = Vec::new();
    for (at, ty) in operation.leaves() {
        let path = at.join(".");
        // A cursor is read by the list's order, which must be good first.
        if matches!(path.as_str(), "after" | "before") {
            continue;
        }
        let broken = bad(&ty).into_iter().find(|value| {
            let mut given = good(operation.name);
            put(&mut given, &at, value.clone());
            names(&operation.ask(shop, &given), &path)
        });
        found.extend(broken.map(|value| Breakable { at, path, value }));
    }
    found
}

#[test]
fn two_mistakes_are_reported_together_whatever_they_are() {
    // Of its own: what breaks no rule after all is saved.
    let server = Setup::new().start();
    let shop = server.shop();
    let schema = schema();
    let (mut wrong, mut looked_at) = (Vec::new(), BTreeSet::new());
    for operation in operations(&schema) {
        let name = operation.name;
        let found = breakable(&operation, &shop);
        for pair in found.windows(2) {
            let [one, other] = pair else { unreachable!() };
            if are_apart(&one.path, &other.path) {
                continue;
            }
            looked_at.insert(name);
            let mut given = good(name);
            put(&mut given, &one.at, one.value.clone());
            put(&mut given, &other.at, other.value.clone());
            let answer = operation.ask(&shop, &given);
            if !names(&answer, &one.path) || !names(&answer, &other.path) {
                wrong.push(format!(
                    "{name}: {} and {}: {:?}",
                    one.path,
                    other.path,
                    named(&answer)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for name in LOOKED_AT {
        assert!(
            looked_at.contains(name),
            "{name} took no part: {looked_at:?}"
        );
    }
}
