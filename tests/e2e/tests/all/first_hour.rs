//! What an engineer meets in the first hour: answers that say what is wrong and what to do, lists that find things.

use serde_json::{Value, json};
use testkit::{Answer, Order, Payment, Setup, Shop, cards, http::Request};

use crate::shared;

fn flow(shop: &Shop, id: &str, steps: Value) -> Answer {
    let document = json!({ "name": id, "trigger": "payment", "steps": steps });
    shop.gql(
        "mutation($id: ID, $document: JSON!) { saveFlow(id: $id, document: $document) { version published } }",
        json!({ "id": id, "document": document }),
    )
}

fn try_flow(shop: &Shop, id: &str, facts: Value) -> String {
    let query = "query($id: ID!, $f: JSON!) { tryFlow(id: $id, facts: $f) { outcome } }";
    let answer = shop.gql(query, json!({ "id": id, "f": facts }));
    answer.root()["outcome"].as_str().unwrap().to_owned()
}

fn found(shop: &Shop, filter: &Value) -> Vec<String> {
    let query =
        "query($d: PaymentFilterInput) { listPayments(data: $d) { edges { node { id } } } }";
    let answer = shop.gql(query, json!({ "d": { "filter": filter } }));
    let edges = answer.root()["edges"].as_array().unwrap().clone();
    let id = |edge: &Value| edge["node"]["id"].as_str().unwrap().to_owned();
    edges.iter().map(id).collect()
}

#[test]
fn the_timeline_tells_the_condition_of_the_branch_and_no_other() {
    let shop = shared::shop();
    let at = |connection: &str| json!({ "authorise": { "connection": connection } });
    shop.publish(
        "after-an-if",
        json!([
            { "if": "payment.amount > 10000", "then": [{ "three_d_secure": "request" }] },
            at("simulator-a"),
        ]),
    );
    let payment = shop.order(&Order::card(cards::VISA).flow("after-an-if"));
    payment.assert_says("simulator-a: named by the flow.");
    assert!(!payment.says("since"), "{:?}", payment.lines());
    shop.publish(
        "in-a-branch",
        json!([{
            "if": "payment.amount > 10000",
            "then": [at("simulator-a")],
            "else": [{ "note": "small" }, at("simulator-b")],
        }]),
    );
    let payment = shop.order(&Order::card(cards::VISA).flow("in-a-branch"));
    payment.assert_says(
        "simulator-b: named by the flow, since `payment.amount > 10000` does not hold",
    );
}

#[test]
fn three_d_secure_that_passes_without_a_page_is_on_the_timeline() {
    let shop = shared::shop();
    let payment = shop.order(&Order::card(cards::VISA).flow("force-3ds"));
    payment.assert_says("3D Secure passed without a challenge");
    payment.assert_says("It was asked for; the issuer let it pass");
    let lines = payment.lines();
    let place = |words: &str| lines.iter().position(|line| line.contains(words)).unwrap();
    assert!(
        place("3D Secure passed") < place("captured"),
        "in the order in which it happened: {lines:#?}"
    );
    assert!(!shop.authorise(cards::VISA).says("3D Secure"));
}

#[test]
fn an_unknown_connection_of_a_flow_has_its_name_and_place() {
    let shop = shared::shop();
    let steps = json!([{ "authorise": { "connection": "simulator-a", "fallback": { "to": ["simulator-c"] } } }]);
    let refused = flow(&shop, "lost", steps);
    refused.assert_invalid("document");
    let reason = refused.extension("reason").as_str().unwrap().to_owned();
    assert!(
        reason
            .starts_with("steps[0].authorise.fallback.to[0]: there is no connection `simulator-c`"),
        "{reason}"
    );
}

#[test]
fn an_amount_with_a_fraction_is_answered_with_minor_units() {
    let shop = shared::shop();
    for amount in [json!(50.99), json!("50.99")] {
        let refused = shop.try_authorise(&Order::card(cards::VISA).with("amount", amount), None);
        refused.assert_invalid("authorisePayment.amount");
        assert!(
            refused.message().contains("50.99 EUR is 5099"),
            "{}",
            refused.message()
        );
    }
}

#[test]
fn payments_are_listed_by_their_connection_and_cards_by_one_word() {
    let server = Setup::new().start();
    let shop = server.shop();
    let a = shop.authorise(cards::VISA).id();
    let b = shop
        .order(&Order::card(cards::MASTERCARD).at("simulator-b"))
        .id();
    assert_eq!(
        found(
            &shop,
            &json!({ "connectionId": { "value": "simulator-b" } })
        ),
        std::slice::from_ref(&b)
    );
    let cards_alone = found(&shop, &json!({ "method": { "value": "CARD" } }));
    assert_eq!(cards_alone, [b.clone(), a.clone()]);
    assert_eq!(
        found(
            &shop,
            &json!({ "method": { "value": "CARD", "selectedVerb": "NOT_EQUALS" } })
        ),
        Vec::<String>::new()
    );
    assert_eq!(
        found(&shop, &json!({ "method": { "value": ["VISA"] } })),
        [a]
    );
}

#[test]
fn a_client_token_for_an_intent_pays_the_intents_amount() {
    let shop = shared::shop();
    let intent = shop.start_intent(json!({ "amount": { "amount": 6400, "currency": "EUR" } }));
    let browser = shop.client(json!({ "intentId": intent["id"] }));
    let order = || {
        Order::card(cards::VISA)
            .without("amount")
            .without("currencyCode")
    };
    let refused = browser.try_authorise(&order().with("amount", json!(1)), None);
    refused.assert_invalid("authorisePayment.amount");
    let payment = Payment(browser.try_authorise(&order(), None).root().clone());
    payment.assert_status("SUCCEEDED");
    assert_eq!(
        shop.payment(&payment.id()).number("/amount/rawAmount"),
        6400
    );
    // What a browser said of an amount counts for nothing, and the way out is shown.
    let own = shop.client(json!({}));
    let untrusted = own.start_intent(json!({ "amount": { "amount": 1, "currency": "EUR" } }));
    let browser = shop.client(json!({ "intentId": untrusted["id"] }));
    let refused = browser.try_authorise(&order(), None);
    refused.assert_error("api.key.forbidden");
    assert!(
        refused.message().contains("amount and currency"),
        "{}",
        refused.message()
    );
    let refused = own.try_authorise(&order(), None);
    assert!(
        refused.message().contains("without an amount"),
        "{}",
        refused.message()
    );
}

#[test]
fn a_node_is_a_payment_a_customer_or_an_intent_of_the_team() {
    let server = Setup::new().start();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    let intent = shop.start_intent(json!({}))["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let customer = shop.try_create_customer(json!({ "customer": { "name": "Ada" } }), None);
    let customer = customer.root().as_str().unwrap().to_owned();
    let query = "query($id: ID!) { node(id: $id) { __typename id \
                 ... on Payment { status paymentTimeline { overview { title } } } ... on Customer { name } ... on Intent { trackingId } } }";
    let node = |shop: &Shop, id: &str| shop.gql(query, json!({ "id": id }));
    let reported = node(&shop, &payment);
    assert_eq!(reported.root()["__typename"], "Payment");
    assert!(
        !reported.root()["paymentTimeline"]["overview"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    assert_eq!(node(&shop, &customer).root()["name"], "Ada");
    assert_eq!(node(&shop, &intent).root()["__typename"], "Intent");
    let other = server.other_team();
    for id in [payment.as_str(), &customer, &intent, "nothing"] {
        let reported = node(&other, id);
        assert!(reported.errors().is_empty());
        assert_eq!(reported.data()["node"], Value::Null, "{id}");
    }
}

#[test]
fn a_flow_is_removed_and_may_come_back() {
    let server = Setup::new().start();
    let shop = server.shop();
    let steps = json!([{ "authorise": { "connection": "simulator-a" } }, { "capture": "api" }]);
    assert_eq!(
        flow(&shop, "short-lived", steps.clone()).root()["version"],
        1
    );
    shop.publish("short-lived", steps.clone());
    let payment = shop
        .order(&Order::card(cards::VISA).flow("short-lived"))
        .id();
    let delete = |id: &str| {
        shop.gql(
            "mutation($id: ID!) { deleteFlow(id: $id) }",
            json!({ "id": id }),
        )
    };
    delete("default").assert_invalid("id");
    assert_eq!(delete("short-lived").root(), true);
    delete("short-lived").assert_error("error.flow.not-found");
    shop.try_authorise(&Order::card(cards::VISA).flow("short-lived"), None)
        .assert_error("error.flow.not-found");
    shop.capture(&payment).assert_status("SUCCEEDED");
    let again = flow(&shop, "short-lived", steps);
    assert_eq!(again.root(), &json!({ "version": 2, "published": false }));
}

#[test]
fn a_connection_is_removed_when_nothing_needs_it() {
    let server = Setup::new().start();
    let shop = server.shop();
    shop.connection("spare", json!({}));
    let send = |operation: &str, id: &str| {
        shop.gql(
            &format!("mutation($id: ID!) {{ {operation}(id: $id) }}"),
            json!({ "id": id }),
        )
    };
    shop.disable_connection("spare");
    shop.try_authorise(&Order::card(cards::VISA).at("spare"), None)
        .assert_error("error.connection.not-found");
    assert_eq!(send("enableConnection", "spare").root(), true);
    let payment = shop.order(&Order::card(cards::VISA).at("spare"));
    send("deleteConnection", "spare").assert_invalid("id");
    shop.cancel(&payment.id());
    assert_eq!(send("deleteConnection", "spare").root(), true);
    send("deleteConnection", "spare").assert_error("error.connection.not-found");
    send("enableConnection", "spare").assert_error("error.connection.not-found");
    let named = send("deleteConnection", "simulator-down");
    assert!(
        named
            .message()
            .contains("the published flow fallback names it"),
        "{}",
        named.message()
    );
}

#[test]
fn a_trial_plays_declines() {
    let shop = shared::shop();
    let declined = |kind: &str| {
        json!({ "payment": { "amount": 1, "currency": "EUR" },
                "attempt": { "outcome": "declined", "decline_type": kind, "decline_code": "INSUFFICIENT_FUNDS" } })
    };
    let soft = try_flow(&shop, "fallback", declined("SOFT"));
    assert!(
        soft.contains("when it is declined softly, authorise at simulator-b"),
        "{soft}"
    );
    let hard = try_flow(&shop, "fallback", declined("HARD"));
    assert!(
        hard.ends_with("it is declined, and the flow ends"),
        "{hard}"
    );
    let unknown = try_flow(
        &shop,
        "fallback",
        json!({ "attempt": { "outcome": "unknown" } }),
    );
    assert!(unknown.contains("nobody else is asked"), "{unknown}");
}

#[test]
fn a_persisted_query_falls_back_to_the_document() {
    let shop = shared::shop();
    let hash = json!({ "extensions": { "persistedQuery": { "version": 1, "sha256Hash": "0" } } });
    let answer = Answer::of(shop.graphql(hash.to_string()).send(shop.address()));
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.message(), "PersistedQueryNotSupported");
    assert_eq!(answer.error_code(), Some("PERSISTED_QUERY_NOT_SUPPORTED"));
    let whole = json!({ "query": "{ __typename }", "extensions": hash["extensions"] });
    let answer = Answer::of(shop.graphql(whole.to_string()).send(shop.address()));
    assert_eq!(answer.data()["__typename"], "Query");
}

#[test]
fn a_browser_finds_a_page_that_says_what_is_where() {
    let server = shared::server();
    for path in ["/", "/api/graphql"] {
        let page = Request::new("GET", path)
            .header("accept", "text/html,application/xhtml+xml,*/*;q=0.8")
            .send(server.address());
        assert_eq!(page.status, 200, "{path}");
        assert!(
            page.header("content-type")
                .unwrap()
                .starts_with("text/html")
        );
        assert!(
            page.header("content-security-policy")
                .unwrap()
                .contains("default-src 'none'")
        );
        let text = page.text();
        assert!(
            text.contains("POST /api/graphql") && !text.contains("<script"),
            "{text}"
        );
        let command = format!("curl -s http://{}/api/graphql", server.address());
        assert!(
            text.contains(&command),
            "the address that was asked: {text}"
        );
    }
}

#[test]
fn introspection_knows_one_of() {
    let shop = shared::shop();
    let query = "{ input: __type(name: \"PaymentFilterInput\") { kind isOneOf } object: __type(name: \"Payment\") { kind isOneOf } \
                 long: __type(name: \"Long\") { specifiedByURL } }";
    let answer = shop.gql(query, json!({}));
    assert_eq!(answer.data()["input"]["isOneOf"], false);
    assert_eq!(answer.data()["object"]["isOneOf"], Value::Null);
    let alone = "{ a: __type(name: \"PaymentFilterInput\") { isOneOf other: isOneOf } b: __type(name: \"Payment\") { isOneOf } \
                 c: __type(name: \"PaymentFilterInput\") { ...one } } fragment one on __Type { isOneOf inputFields { type { isOneOf } } }";
    let data = shop.gql(alone, json!({})).data().clone();
    assert_eq!(data["a"], json!({"isOneOf": false, "other": false}));
    assert_eq!(data["b"], json!({"isOneOf": null}));
    assert_eq!(data["c"]["isOneOf"], false);
    assert!(!data.to_string().contains("kind"), "{data}");
    assert!(answer.data()["long"]["specifiedByURL"].is_string());
}

#[test]
fn commands_know_teams_by_name_and_flows_whole_life() {
    let server = Setup::new().start();
    server.run(&["team", "create", "--name", "Second shop"]);
    assert!(server.run(&["team", "list"]).contains("Second shop"));
    let listed = server.run(&["flow", "list", "--team", "Second shop"]);
    assert!(listed.contains("(default)"), "{listed}");
    assert!(
        !server
            .command(&["flow", "list", "--team", "No shop"])
            .status
            .success()
    );
    let tried = server.run(&[
        "flow",
        "try",
        "fallback",
        "--facts",
        "{\"payment\": {\"amount\": 5}}",
    ]);
    assert!(
        tried.contains("Outcome: authorise at simulator-down"),
        "{tried}"
    );
    let published = server.run(&["flow", "publish", "capture-by-api"]);
    assert!(
        published.contains("Version 1 of the flow capture-by-api is published"),
        "{published}"
    );
    assert!(
        server
            .run(&["flow", "set-default", "capture-by-api"])
            .contains("is the default")
    );
    assert!(
        server
            .run(&["flow", "delete", "default"])
            .contains("is removed")
    );
    assert!(!server.run(&["flow", "list"]).contains("\ndefault "));
}
