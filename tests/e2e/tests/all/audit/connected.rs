//! The acts on connections that leave an entry.

use serde_json::json;
use testkit::{Processor, Shop};

use super::acts::{Tried, act, id};

/// A connection to a processor whose API registers addresses for notifications.
pub(super) fn connected(shop: &Shop, stripe: &Processor) {
    let save = "mutation($settings: JSON!) { saveConnection(id: \"registered\", processor: \"stripe\", name: \"Stripe\", \
        settings: $settings, credentials: {secretKey: \"sk_test_1\"}) { id } }";
    let settings = json!({"base_url": stripe.url()});
    shop.gql(save, json!({"settings": settings})).root();
}

pub(super) fn acts_on_connections() -> Vec<Tried> {
    vec![
        act(
            "registerNotifications",
            "mutation($id: ID!) { registerNotifications(id: $id) { id } }",
            id("registered"),
            "connection.rotated",
            "registered",
        ),
        act(
            "saveConnection",
            "mutation($id: ID) { saveConnection(id: $id, processor: \"simulator\", name: \"Spare\", settings: {}) { id } }",
            id("spare"),
            "connection.saved",
            "spare",
        ),
        act(
            "rotateConnection",
            "mutation($id: ID!) { rotateConnection(id: $id, credentials: {apiKey: \"simulator-key\"}) { id } }",
            id("spare"),
            "connection.rotated",
            "spare",
        ),
        act(
            "disableConnection",
            "mutation($id: ID!) { disableConnection(id: $id) }",
            id("spare"),
            "connection.disabled",
            "spare",
        ),
        act(
            "enableConnection",
            "mutation($id: ID!) { enableConnection(id: $id) }",
            id("spare"),
            "connection.enabled",
            "spare",
        ),
        act(
            "deleteConnection",
            "mutation($id: ID!) { deleteConnection(id: $id) }",
            id("spare"),
            "connection.deleted",
            "spare",
        ),
    ]
}
