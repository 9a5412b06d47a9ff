//! Processors that take cards by fields of their own alone, played by connections of the simulator.

mod documents;
mod life;
mod paying;
mod refusals;
mod routes;

use serde_json::{Value, json};
use testkit::{Answer, Order, Server, Shop, http::Reply, http::Request};

/// A connection that takes no numbers.
pub(crate) const OWN: &str = "own-fields";
/// Its account at the stand-in.
pub(crate) const ACCOUNT: &str = "own-fields.shop";

/// A shop with such a connection, and flows that lead to it.
pub(crate) fn stage(shop: &Shop) {
    stage_with(shop, json!({"fields": "shop"}));
}

/// The same with these settings of the connection.
pub(crate) fn stage_with(shop: &Shop, settings: Value) {
    shop.connection(OWN, settings);
    for (flow, connection) in [("there", OWN), ("elsewhere", "simulator-a")] {
        shop.publish(
            flow,
            json!([{"authorise": {"connection": connection}}, {"capture": "now"}]),
        );
    }
    let after = json!(["soft_decline", "fault", "outage"]);
    for (flow, first, second) in [
        ("to-own", "simulator-a", OWN),
        ("to-number", OWN, "simulator-a"),
    ] {
        let fallback = json!({"to": [second], "after": after});
        shop.publish(
            flow,
            json!([{"authorise": {"connection": first, "fallback": fallback}}, {"capture": "now"}]),
        );
    }
}

/// What the fields of an account give for a card, as their frame does it.
pub(crate) fn try_fields(server: &Server, account: &str, card: &Value) -> Reply {
    Request::new("POST", format!("/sandbox/fields/{account}"))
        .header("content-type", "text/plain")
        .header("origin", "null")
        .body(card.to_string())
        .send(server.address())
}

/// A token of an account's fields.
pub(crate) fn token_of(server: &Server, account: &str, number: &str) -> String {
    let card = json!({"number": number, "expMonth": 12, "expYear": 2040, "cvc": "123"});
    let reply = try_fields(server, account, &card);
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    let answer: Value = serde_json::from_slice(&reply.body).unwrap();
    answer["token"].as_str().unwrap().to_owned()
}

/// A token of the connection that [`stage`] makes.
pub(crate) fn token(server: &Server, number: &str) -> String {
    token_of(server, ACCOUNT, number)
}

/// An order that is paid with a token of a connection's fields.
pub(crate) fn order(connection: &str, token: &str) -> Order {
    let given = json!({"connectionId": connection, "token": token, "name": "Ada Byron"});
    let method = json!({"type": "CARD", "processorToken": given});
    Order::card("").with("paymentMethod", method)
}

/// Stores a token of a connection's fields; whatever comes.
pub(crate) fn try_store(shop: &Shop, connection: &str, token: &str) -> Answer {
    let given = json!({"connectionId": connection, "token": token});
    shop.try_tokenise(json!({"paymentMethod": {"processorToken": given}}), None)
}

/// The vault's token of a stored token.
pub(crate) fn store(shop: &Shop, connection: &str, token: &str) -> String {
    let stored = try_store(shop, connection, token);
    stored.root()["token"].as_str().unwrap().to_owned()
}
