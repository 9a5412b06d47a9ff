//! What browsers may do with intents.

use serde_json::{Value, json};
use testkit::{KeyKind, Order, cards};

use super::id;
use crate::shared;

#[test]
fn a_public_key_starts_reads_changes_and_offers_methods_for_its_own() {
    let server = shared::server();
    let browser = server.shop_with(&server.create_key(KeyKind::Public));
    let reported = json!({"customer": {"id": "c-1", "email": "ada@example.com", "name": "Ada", "isGuest": true}});
    let intent = browser.start_intent(reported);
    assert_eq!(
        intent["customer"],
        json!({"id": "c-1", "isGuest": true, "email": null, "name": null})
    );
    assert_eq!(
        server.shop().intent(&id(&intent))["customer"]["email"],
        "ada@example.com"
    );
    assert_eq!(browser.intent(&id(&intent))["id"], intent["id"]);
    let changed = browser.update_intent(&id(&intent), json!({"billing": {"status": "COMPLETE"}}));
    assert_eq!(changed["timeline"]["billing"]["status"], "COMPLETE");
    assert!(
        !browser
            .try_optimise(&id(&intent))
            .root()
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn to_other_browsers_it_is_not_there() {
    let server = shared::server();
    let browser = server.shop_with(&server.create_key(KeyKind::Public));
    let other = server.shop_with(&server.create_key(KeyKind::Public));
    let token = server.shop().client(json!({}));
    let (mine, shops) = (
        id(&browser.start_intent(json!({}))),
        id(&server.shop().start_intent(json!({}))),
    );
    let tokens = id(&token.start_intent(json!({})));
    assert_eq!(token.intent(&tokens)["status"], "ACTIVE");
    for (who, intent) in [
        (&other, &mine),
        (&token, &mine),
        (&browser, &shops),
        (&browser, &tokens),
        (&token, &shops),
    ] {
        for answer in [
            who.try_intent(intent),
            who.try_update_intent(intent, json!({})),
            who.try_complete_intent(intent, Value::Null),
            who.try_optimise(intent),
        ] {
            answer.assert_error("error.intent.not-found");
        }
    }
}

#[test]
fn a_client_token_may_touch_the_intent_that_it_was_made_for() {
    let shop = shared::shop();
    let intent = id(&shop.start_intent(json!({})));
    let browser = shop.client(json!({"intentId": intent}));
    assert_eq!(browser.intent(&intent)["status"], "ACTIVE");
    let changed = browser.update_intent(&intent, json!({"shipping": {"status": "IN_PROGRESS"}}));
    assert_eq!(changed["timeline"]["shipping"]["status"], "IN_PROGRESS");
    let other = id(&shop.start_intent(json!({})));
    browser
        .try_intent(&other)
        .assert_error("error.intent.not-found");
}

#[test]
fn a_token_for_an_intent_that_is_not_the_teams_is_not_made() {
    let shop = shared::shop();
    let foreign = id(&shared::other_shop().start_intent(json!({})));
    let query = "mutation($intent: String) { generateClientToken(intentId: $intent) { token } }";
    for intent in [
        foreign.as_str(),
        "0192a000-0000-7000-8000-000000000000",
        "7",
    ] {
        shop.gql(query, json!({"intent": intent}))
            .assert_error("error.intent.not-found");
    }
}

#[test]
fn a_token_that_was_made_for_a_flow_starts_intents_of_no_other() {
    let browser = shared::shop().client(json!({"flowId": "capture-by-api"}));
    browser
        .try_start_intent(json!({}))
        .assert_invalid("paymentFlowId");
    assert_eq!(
        browser.start_intent(json!({"paymentFlowId": "capture-by-api"}))["status"],
        "ACTIVE"
    );
}

#[test]
fn without_a_linked_payment_with_money_a_browser_completes_nothing() {
    let server = shared::server();
    let browser = server.shop_with(&server.create_key(KeyKind::Public));
    let intent = id(&browser.start_intent(json!({})));
    browser
        .try_complete_intent(&intent, Value::Null)
        .assert_invalid("paymentReference");
    let apart = server.shop().order(&Order::card(cards::VISA)).id();
    browser
        .try_complete_intent(&intent, json!(apart))
        .assert_error("error.payment.not-found");
    assert_eq!(browser.intent(&intent)["status"], "ACTIVE");
}

#[test]
fn lists_of_intents_are_for_servers_alone() {
    let server = shared::server();
    let browser = server.shop_with(&server.create_key(KeyKind::Public));
    for who in [&browser, &server.shop().client(json!({}))] {
        who.gql("{ listIntents { edges { cursor } } }", json!({}))
            .assert_error("api.key.forbidden");
    }
}
