//! Webhooks of the Management API.

use serde_json::{Value, json};

use super::{Client, Got, request};

const WEBHOOKS: &str = "/v3/merchants/ShopECOM/webhooks";

fn wanted() -> Value {
    json!({
        "type": "standard",
        "url": "https://shop.example/hook",
        "active": true,
        "communicationFormat": "json",
        "username": "u",
        "password": "p",
        "additionalSettings": {"includeEventCodes": ["CAPTURE"]},
    })
}

impl Client {
    fn manage(&mut self, method: &str, path: &str) -> Got {
        self.ask(&request(method, path))
    }
}

#[test]
fn a_webhook_is_made_listed_given_a_key_and_removed() {
    let mut client = Client::new();
    let made = client.post(WEBHOOKS, &wanted());
    assert_eq!((made.status, made.text("/username")), (200, "u"));
    assert_eq!(made.view["password"], Value::Null);
    let id = made.text("/id").to_owned();
    let key = client.manage("POST", &format!("{WEBHOOKS}/{id}/generateHmac"));
    assert_eq!(key.text("/hmacKey").len(), 64);
    let listed = client.manage("GET", WEBHOOKS);
    assert_eq!(listed.view["data"][0]["id"], json!(id));
    let removed = client.manage("DELETE", &format!("{WEBHOOKS}/{id}"));
    assert_eq!(removed.status, 204);
    assert_eq!(client.manage("GET", WEBHOOKS).view["data"], json!([]));
    let again = client.manage("DELETE", &format!("{WEBHOOKS}/{id}"));
    assert_eq!(again.status, 422);
}

#[test]
fn a_webhook_is_sent_the_events_that_it_names() {
    let mut client = Client::new();
    let id = client.post(WEBHOOKS, &wanted()).text("/id").to_owned();
    client.manage("POST", &format!("{WEBHOOKS}/{id}/generateHmac"));
    client.captured("J. Smith");
    let posts = client.due();
    let sent: Value = serde_json::from_slice(&posts[0].body).unwrap();
    let item = &sent["notificationItems"][0]["NotificationRequestItem"];
    assert_eq!(item["eventCode"], "CAPTURE", "the first in line");
}

#[test]
fn what_is_missing_or_of_another_account_is_refused() {
    let mut client = Client::new();
    for member in ["type", "url", "active", "communicationFormat"] {
        let mut without = wanted();
        without.as_object_mut().unwrap().remove(member);
        assert_eq!(client.post(WEBHOOKS, &without).status, 422, "{member}");
    }
    let mut open = wanted();
    open["url"] = json!("http://shop.example/hook");
    assert_eq!(client.post(WEBHOOKS, &open).status, 422);
    // The simulator's own address makes one that belongs to no account.
    let own = client.form("/_sim/webhooks", "url=https://shop.example/hook");
    let id = own.text("/id").to_owned();
    let path = format!("{WEBHOOKS}/{id}");
    assert_eq!(client.manage("DELETE", &path).status, 422);
    let key = client.manage("POST", &format!("{path}/generateHmac"));
    assert_eq!(key.status, 422);
    let elsewhere = client.manage("GET", "/v3/merchants/Nobodys/webhooks");
    assert_eq!(elsewhere.status, 403);
}
