//! Notifications: signatures, tries, order and faults.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Client, altered, card};
use crate::{Machine, Post, adyen::notices::signature};

/// Adds an endpoint; its key and id.
fn endpoint(client: &mut Client) -> (String, String) {
    let made = client.form(
        "/_sim/webhooks",
        "url=http://shop.example/hook&username=u&password=p",
    );
    assert_eq!(made.status, 200);
    (
        made.text("/hmacKey").to_owned(),
        made.text("/id").to_owned(),
    )
}

fn item(post: &Post) -> Value {
    let document: Value = serde_json::from_slice(&post.body).unwrap();
    assert_eq!(document["live"], "false");
    document["notificationItems"][0]["NotificationRequestItem"].clone()
}

fn is_genuine(post: &Post, key: &str) -> bool {
    let item = item(post);
    item["additionalData"]["hmacSignature"] == json!(signature(&item, key))
}

#[test]
fn the_signature_is_adyens() {
    // Source: `hmacValidator.spec.ts` of github.com/Adyen/adyen-node-api-library, the same key and item.
    let item = json!({
        "pspReference": "pspReference",
        "originalReference": "originalReference",
        "merchantAccountCode": "merchantAccount",
        "merchantReference": "reference",
        "amount": {"currency": "EUR", "value": 1000},
        "eventCode": "EVENT",
        "success": "true",
    });
    let key = "DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00";
    assert_eq!(
        signature(&item, key),
        "ipnxGCaUZ4l8TUW75a71/ghd2Fe5ffvX0pV4TLTntIc="
    );
}

#[test]
fn a_notification_is_signed_and_names_its_receiver() {
    let mut client = Client::new();
    let (key, _) = endpoint(&mut client);
    let paid = client.pay("J. Smith");
    let posts = client.due();
    assert_eq!(posts.len(), 1);
    assert!(is_genuine(&posts[0], &key));
    assert!(!is_genuine(&posts[0], "00"));
    assert_eq!(posts[0].headers["authorization"], "Basic dTpw");
    let item = item(&posts[0]);
    assert_eq!(item["pspReference"], json!(paid.psp()));
    assert_eq!(item["merchantAccountCode"], "ShopECOM");
    assert_eq!(item["merchantReference"], "order-1");
    assert_eq!(item["eventDate"], "2026-11-18T12:06:40+01:00");
    assert_eq!(item["success"], "true", "a word");
    assert!(client.due().is_empty());
}

#[test]
fn a_notification_that_is_not_taken_comes_again_and_holds_the_others_back() {
    let mut client = Client::new();
    endpoint(&mut client);
    client.pay("J. Smith");
    let first = client.due().remove(0);
    client.adyen.delivered(first.id, Some(500), client.now);
    client.pay("J. Smith");
    assert!(client.due().is_empty(), "in line");
    let mut pauses = Vec::new();
    let mut since = client.now;
    for _ in 0..20_000 {
        client.wait(1);
        if let Some(post) = client.due().first() {
            pauses.push(client.now.saturating_sub(since).as_secs());
            since = client.now;
            assert_eq!(post.id, first.id);
            client.adyen.delivered(post.id, None, client.now);
        }
    }
    assert_eq!(pauses, [9, 18, 27, 120, 300, 600, 900, 1800, 3600, 7200]);
    client.now += Duration::from_hours(8);
    let again = client.due().remove(0);
    client.adyen.delivered(again.id, Some(202), client.now);
    assert_eq!(client.due().len(), 1, "the next in line");
}

#[test]
fn what_waits_is_signed_with_the_key_of_its_time() {
    let mut client = Client::new();
    let (old, id) = endpoint(&mut client);
    client.pay("J. Smith");
    client.wait(1);
    let rolled = client.form(&format!("/_sim/webhooks/{id}/roll"), "");
    let new = rolled.text("/hmacKey").to_owned();
    client.pay("J. Smith");
    let posts = client.due();
    assert!(is_genuine(&posts[0], &old) && !is_genuine(&posts[0], &new));
    assert!(is_genuine(&posts[1], &new) && !is_genuine(&posts[1], &old));
}

#[test]
fn what_waits_follows_an_endpoint_to_another_address() {
    let mut client = Client::new();
    let (key, id) = endpoint(&mut client);
    client.pay("J. Smith");
    client.wait(1);
    let path = format!("/_sim/webhooks/{id}");
    assert_ne!(client.form(&path, "url=elsewhere").status, 200);
    let moved = client.form(&path, "url=https%3A%2F%2Felsewhere.example%2Fn");
    assert_eq!(moved.text("/url"), "https://elsewhere.example/n");
    let posts = client.due();
    assert_eq!(posts[0].url, "https://elsewhere.example/n");
    assert!(is_genuine(&posts[0], &key));
}

#[test]
fn notifications_are_doubled_late_reordered_and_forged() {
    let mut client = Client::new();
    let (key, _) = endpoint(&mut client);
    client.arm("hook-twice");
    client.pay("J. Smith");
    let twice = client.due();
    assert_eq!(twice.len(), 2);
    assert_eq!(twice[0].body, twice[1].body);
    client.arm("hook-late=60");
    client.pay("J. Smith");
    assert!(client.due().is_empty());
    client.wait(60);
    assert_eq!(client.due().len(), 1);
    client.arm("hook-reordered");
    let late = client.pay("J. Smith").psp();
    assert!(client.due().is_empty());
    client.pay("J. Smith");
    assert_eq!(client.due().len(), 1);
    client.wait(3);
    assert_eq!(item(&client.due()[0])["pspReference"], json!(late));
    client.arm("hook-forged");
    client.pay("J. Smith");
    let posts = client.due();
    assert_eq!((posts.len(), posts[0].id), (2, 0));
    assert!(!is_genuine(&posts[0], &key) && is_genuine(&posts[1], &key));
    assert_eq!(item(&posts[0])["success"], "false");
}

#[test]
fn colons_are_not_escaped() {
    let mut client = Client::new();
    let (key, _) = endpoint(&mut client);
    let body = altered(&card("J. Smith"), &[("/reference", json!("a:b\\c"))]);
    client.post("/v72/payments", &body);
    assert!(is_genuine(&client.due()[0], &key));
}

#[test]
fn an_endpoint_is_added_with_a_given_key_and_removed() {
    let mut client = Client::new();
    let wrong = client.form(
        "/_sim/webhooks",
        "url=http://shop.example/hook&hmac_key=xyz",
    );
    assert_eq!(wrong.status, 422);
    let made = client.form(
        "/_sim/webhooks",
        "url=http://shop.example/hook&hmac_key=ABCD",
    );
    assert_eq!(made.text("/hmacKey"), "ABCD");
    let mut request = super::request("DELETE", &format!("/_sim/webhooks/{}", made.text("/id")));
    request.headers.clear();
    assert_eq!(client.ask(&request).status, 200);
    client.pay("J. Smith");
    assert!(client.due().is_empty());
}
