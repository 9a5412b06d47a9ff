//! The methods of a checkout.

use serde_json::{Value, json};
use testkit::Shop;

use super::id;
use crate::shared;

/// Saves a flow and publishes it; its id.
fn published(shop: &Shop, document: Value) -> String {
    let query = "mutation($document: JSON!) { saveFlow(document: $document) { id version } }";
    let flow = shop
        .gql(query, json!({"document": document}))
        .root()
        .clone();
    publish(shop, &flow);
    id(&flow)
}

fn publish(shop: &Shop, flow: &Value) {
    let query = "mutation($id: ID!, $version: Int!) { publishFlow(id: $id, version: $version) { published } }";
    shop.gql(query, json!({"id": flow["id"], "version": flow["version"]}))
        .data();
}

#[test]
fn without_an_offer_they_are_those_that_the_flows_connections_take() {
    let shop = shared::shop();
    let intent = id(&shop.start_intent(json!({})));
    let methods = shop.try_optimise(&intent).root().clone();
    assert!(
        methods.as_array().unwrap().contains(&json!("CARD")),
        "{methods}"
    );
}

#[test]
fn a_flow_offers_methods_in_its_order_as_its_conditions_say() {
    let shop = shared::shop();
    let flow = published(
        &shop,
        json!({"name": "Offers", "trigger": "payment", "steps": [
            {"if": "payment.currency == \"EUR\" && intent.country == \"IE\"",
             "then": [{"offer": ["WALLETC", "CARD"]}], "else": [{"offer": ["CARD"]}]},
            {"authorise": {"connection": "simulator-a"}},
        ]}),
    );
    let irish =
        id(&shop.start_intent(json!({"paymentFlowId": flow, "location": {"country": "IRL"}})));
    let other = id(&shop.start_intent(json!({"paymentFlowId": flow})));
    assert_eq!(
        shop.try_optimise(&irish).root(),
        &json!(["WALLETC", "CARD"])
    );
    assert_eq!(shop.try_optimise(&other).root(), &json!(["CARD"]));
    // An intent keeps the version that was published when it started.
    let query = "mutation($id: ID!, $document: JSON!) { saveFlow(id: $id, document: $document) { id version } }";
    let document = json!({"name": "Offers", "trigger": "payment", "steps": [
        {"offer": ["BNPLA"]}, {"authorise": {"connection": "simulator-a"}},
    ]});
    publish(
        &shop,
        shop.gql(query, json!({"id": flow, "document": document}))
            .root(),
    );
    assert_eq!(
        shop.try_optimise(&irish).root(),
        &json!(["WALLETC", "CARD"])
    );
    testkit::until(
        testkit::PATIENCE,
        "new intents take the new version",
        || {
            let later = id(&shop.start_intent(json!({"paymentFlowId": flow})));
            (shop.try_optimise(&later).root() == &json!(["BNPLA"])).then_some(())
        },
    );
}
