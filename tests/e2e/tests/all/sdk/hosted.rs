//! The hosted page `/checkout`.

use serde_json::{Value, json};
use testkit::{
    KeyKind, Server, Setup, Shop,
    http::{Reply, Request},
};

fn open(server: &Server, query: &str) -> Reply {
    Request::new("GET", format!("/checkout?{query}")).send(server.address())
}

/// A client token for 50.99 EUR.
fn token(shop: &Shop) -> String {
    shop.client(json!({"amount": 5099, "currency": "EUR"}))
        .credential()
        .to_owned()
}

fn query(token: &str) -> String {
    format!("apiKey={token}&flowId=default&amount=5099&currencyCode=EUR")
}

/// The options that the form's script reads.
fn options(reply: &Reply) -> Value {
    let text = reply.text();
    let rest = text.split("data-options=\"").nth(1).unwrap();
    let escaped = rest.split('"').next().unwrap();
    serde_json::from_str(&escaped.replace("&#34;", "\"").replace("&#38;", "&")).unwrap()
}

#[test]
fn the_form_is_in_the_first_response_with_what_is_to_be_paid() {
    let server = Setup::new().start();
    let shop = server.shop();
    let set = "mutation { updateTeam(settings: {name: \"Tea <& Co\"}) { id } }";
    shop.gql(set, json!({})).data();
    let token = token(&shop);
    let reply = open(
        &server,
        &format!(
            "{}&orderId=o-7&allowSaveCard=true&theme=%7B%22textColor%22:%22red%22%7D",
            query(&token)
        ),
    );
    assert_eq!(reply.status, 200, "{}", reply.text());
    let text = reply.text();
    for part in [
        "€50.99",
        "Tea &#60;&#38; Co",
        "name=\"cardnumber\"",
        "data-part=\"PayButton\"",
        "data-surface=\"hosted\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let options = options(&reply);
    assert_eq!(options["apiKey"], token.as_str());
    assert_eq!(options["amount"], 5099);
    assert_eq!(options["orderId"], "o-7");
    assert_eq!(options["allowSaveCard"], true);
    assert_eq!(options["theme"]["textColor"], "red");
    for (name, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(reply.header(name), Some(value));
    }
    let policy = reply.header("content-security-policy").unwrap();
    assert!(
        policy.contains("frame-ancestors 'none';") && policy.contains("form-action 'none';"),
        "{policy}"
    );
    assert_eq!(reply.header("set-cookie"), None);
    assert_eq!(reply.header("access-control-allow-origin"), None);
    assert!(!server.log().contains(&token), "the token is in the log");
    assert!(!server.log().contains("apiKey"), "{}", server.log());
}

#[test]
fn what_is_missing_is_named_and_no_form_is_shown() {
    let server = Setup::new().start();
    let shop = server.shop();
    let token = token(&shop);
    for (query, names) in [
        (
            String::new(),
            vec!["apiKey", "flowId", "amount", "currencyCode"],
        ),
        (
            format!("apiKey={token}&flowId=default&amount=5099"),
            vec!["currencyCode"],
        ),
        (
            format!("apiKey={token}&flowId=default&amount=1&currencyCode=EUR"),
            vec!["amount"],
        ),
        (
            format!("apiKey={token}&flowId=default&amount=5099&currencyCode=USD"),
            vec!["currencyCode"],
        ),
        (
            format!("{}&returnUrl=javascript:alert(1)", query(&token)),
            vec!["returnUrl"],
        ),
    ] {
        let reply = open(&server, &query);
        assert_eq!(reply.status, 400, "{query}");
        let text = reply.text();
        for name in names {
            assert!(text.contains(name), "{name}: {text}");
        }
        assert!(!text.contains("<form") && !text.contains(&token), "{text}");
        assert_eq!(reply.header("cache-control"), Some("no-store"));
    }
}

#[test]
fn only_a_client_token_that_is_bound_and_good_opens_the_page() {
    let server = Setup::new().start();
    let shop = server.shop();
    let public = server.create_key(KeyKind::Public);
    let unbound = shop.client(json!({}));
    for key in [public.as_str(), shop.credential(), unbound.credential()] {
        let reply = open(&server, &query(key));
        assert_eq!(reply.status, 400);
        assert!(
            reply.text().contains("apiKey must be a client token"),
            "{}",
            reply.text()
        );
        assert!(!reply.text().contains(key));
    }
    let ended = token(&shop);
    let newest = shop.gql(
        "{ listClientTokens(first: 1) { edges { node { id } } } }",
        json!({}),
    );
    let id = newest.root()["edges"][0]["node"]["id"].clone();
    assert_eq!(open(&server, &query(&ended)).status, 200);
    shop.gql(
        "mutation($id: ID!) { revokeClientToken(id: $id) }",
        json!({"id": id}),
    )
    .data();
    for key in [ended.as_str(), "ct_test_nothing000000000000", "x"] {
        let reply = open(&server, &query(key));
        assert_eq!(reply.status, 410, "{}", reply.text());
        assert!(
            reply.text().contains("This checkout has ended") && !reply.text().contains("<form")
        );
    }
}

#[test]
fn the_cart_of_the_tokens_intent_is_shown_and_no_others() {
    let server = Setup::new().start();
    let shop = server.shop();
    let start = |title: &str| {
        let cart = json!({"items": [{"title": title, "quantity": 2, "lineTotal": 5099}]});
        let intent =
            shop.start_intent(json!({"amount": {"amount": 5099, "currency": "EUR"}, "cart": cart}));
        intent["id"].as_str().unwrap().to_owned()
    };
    let (own, other) = (start("Green <tea>"), start("Coffee"));
    let browser = shop.client(json!({"amount": 5099, "currency": "EUR", "intentId": own}));
    let shown = open(&server, &query(browser.credential())).text();
    assert!(shown.contains("2 × Green &#60;tea&#62;"), "{shown}");
    let shown = open(
        &server,
        &format!("{}&intentId={other}", query(browser.credential())),
    )
    .text();
    assert!(!shown.contains("Coffee"), "{shown}");
}

/// The page with these ways to pay, and its policy.
fn policy_with(server: &Server, token: &str, methods: &Value) -> (String, String) {
    let methods = methods.to_string();
    let escaped = methods.bytes().map(|byte| format!("%{byte:02x}"));
    let escaped = escaped.collect::<Vec<_>>().concat();
    let reply = open(
        server,
        &format!("{}&alternativePaymentMethods={escaped}", query(token)),
    );
    assert_eq!(reply.status, 200, "{}", reply.text());
    let policy = reply.header("content-security-policy").unwrap();
    (reply.text(), policy.to_owned())
}

#[test]
fn a_wallets_network_is_let_in_only_where_its_button_is_asked_of_it() {
    let server = Setup::new().start();
    let token = token(&server.shop());
    let asks = json!({"useNetworkInTest": true});
    let (text, policy) = policy_with(
        &server,
        &token,
        &json!([{"type": "googlepay", "option": asks}]),
    );
    assert!(
        policy.contains("script-src 'self' https://pay.google.com; style-src 'self' 'nonce-"),
        "{policy}"
    );
    assert!(policy.contains("trusted-types *"), "{policy}");
    let nonce = policy.split("'nonce-").nth(1).unwrap();
    let nonce = nonce.split('\'').next().unwrap();
    assert_eq!(nonce.len(), 22);
    assert!(text.contains(&format!("nonce=\"{nonce}\"")), "{text}");
    assert!(
        text.contains("<div data-part=\"Wallets\" data-a></div>"),
        "{text}"
    );
    for (methods, place) in [
        (json!([{"type": "walleta"}]), "Wallets\" data-a>"),
        (
            json!([{"type": "walletb", "option": asks}]),
            "Wallets\" data-b>",
        ),
        (json!([{"type": "klarna"}]), "Wallets\" hidden>"),
        (json!([]), "Wallets\" hidden>"),
    ] {
        let (text, policy) = policy_with(&server, &token, &methods);
        assert!(text.contains(place), "{methods}: {text}");
        assert!(!policy.contains("https:"), "{methods}: {policy}");
        assert!(policy.ends_with("trusted-types 'none'"), "{policy}");
        assert!(!text.contains("nonce="), "{text}");
    }
}
