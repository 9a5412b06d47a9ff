//! Notifications: what they say, how they are signed, and when they are sent again.
//!
//! Source: docs/processors/adyen.md, "Notifications and signatures".

use std::{collections::BTreeMap, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac};
use serde_json::{Map, Value, json};
use sha2::Sha256;

use super::{amount::Amount, books::Books, calendar, endpoints::Endpoint};
use crate::{Post, delivery::Schedule, faults::Faults};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
/// Source: docs/processors/adyen.md, "Notifications and signatures".
pub(super) static SCHEDULE: Schedule = Schedule {
    pauses: &[
        SECOND.saturating_mul(9),
        SECOND.saturating_mul(18),
        SECOND.saturating_mul(27),
        MINUTE.saturating_mul(2),
        MINUTE.saturating_mul(5),
        MINUTE.saturating_mul(10),
        MINUTE.saturating_mul(15),
        MINUTE.saturating_mul(30),
        HOUR,
        HOUR.saturating_mul(2),
        HOUR.saturating_mul(4),
        HOUR.saturating_mul(8),
    ],
    given_up_after: HOUR.saturating_mul(30 * 24),
    is_in_line: true,
};

/// What is notified.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) code: &'static str,
    pub(super) psp: String,
    /// The payment, where the event is about something of it.
    pub(super) original: Option<String>,
    pub(super) account: String,
    pub(super) reference: String,
    pub(super) amount: Amount,
    pub(super) method: String,
    pub(super) success: bool,
    pub(super) reason: String,
    pub(super) additional: BTreeMap<String, String>,
}

/// A notification, without its signature.
#[derive(Debug, Clone)]
pub(super) struct Notice {
    id: String,
    made_at: Duration,
    pub(super) item: Value,
}

impl Books {
    /// Notifies all endpoints.
    pub(super) fn notify(&mut self, event: Event) {
        let mut item = json!({
            "additionalData": event.additional,
            "amount": event.amount.view(),
            "eventCode": event.code,
            "eventDate": calendar::written(self.now),
            "merchantAccountCode": event.account,
            "merchantReference": event.reference,
        });
        if let Value::Object(members) = &mut item {
            if let Some(original) = event.original {
                members.insert("originalReference".to_owned(), json!(original));
            }
            if event.code == "AUTHORISATION" && event.success {
                members.insert(
                    "operations".to_owned(),
                    json!(["CANCEL", "CAPTURE", "REFUND"]),
                );
            }
            members.insert("paymentMethod".to_owned(), json!(event.method));
            members.insert("pspReference".to_owned(), json!(event.psp));
            members.insert("reason".to_owned(), json!(event.reason));
            // Adyen sends words, not booleans.
            members.insert("success".to_owned(), json!(event.success.to_string()));
        }
        let id = self.number().to_string();
        let wanting = self.endpoints.iter().filter(|one| one.wants(event.code));
        for endpoint in wanting {
            self.outbox.queue(&endpoint.id, &id, self.now);
        }
        self.notices.push(Notice {
            id,
            made_at: self.now,
            item,
        });
    }

    /// The webhooks to be sent now.
    pub(super) fn posts(&mut self, faults: &mut Faults) -> Vec<Post> {
        let mut posts = Vec::new();
        for delivery in self.outbox.take(self.now, faults, &mut self.draw) {
            let endpoint = self
                .endpoints
                .iter()
                .find(|row| row.id == delivery.endpoint);
            let notice = self
                .notices
                .iter()
                .rev()
                .find(|row| row.id == delivery.event);
            let (Some(endpoint), Some(notice)) = (endpoint, notice) else {
                self.outbox.forget(&delivery.endpoint);
                continue;
            };
            if delivery.is_forged {
                posts.push(forgery(endpoint, notice));
            }
            let key = endpoint.key(notice.made_at);
            posts.push(post(delivery.id, endpoint, &signed(&notice.item, key)));
        }
        posts
    }
}

/// The item with its signature.
fn signed(item: &Value, key: &str) -> Value {
    let mut item = item.clone();
    let signature = signature(&item, key);
    if let Some(additional) = item
        .pointer_mut("/additionalData")
        .and_then(Value::as_object_mut)
    {
        additional.insert("hmacSignature".to_owned(), json!(signature));
    }
    item
}

/// The signature of an item with a key in hex. Nothing is escaped. Source: `hmacValidator.js` of npm `@adyen/api-library` 32.1.0.
pub(super) fn signature(item: &Value, key: &str) -> String {
    let fields = [
        "/pspReference",
        "/originalReference",
        "/merchantAccountCode",
        "/merchantReference",
        "/amount/value",
        "/amount/currency",
        "/eventCode",
        "/success",
    ];
    let written = fields.map(|field| match item.pointer(field) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    });
    // A key of any length is one.
    let key = hex::decode(key).unwrap_or_default();
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&key) else {
        return String::new();
    };
    mac.update(written.join(":").as_bytes());
    STANDARD.encode(mac.finalize().into_bytes())
}

fn post(id: u64, endpoint: &Endpoint, item: &Value) -> Post {
    let document = json!({
        "live": "false",
        "notificationItems": [{"NotificationRequestItem": item}],
    });
    let mut headers: BTreeMap<&'static str, String> = [
        ("content-type", "application/json; charset=utf-8"),
        ("user-agent", "Adyen HttpClient 1.0"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .into();
    if let Some(login) = &endpoint.login {
        headers.insert("authorization", format!("Basic {}", STANDARD.encode(login)));
    }
    Post {
        id,
        url: endpoint.url.clone(),
        headers,
        body: serde_json::to_vec(&document).unwrap_or_default(),
    }
}

/// The notification as somebody without the key would alter it. What its receiver answers isn't noted: its id is 0.
fn forgery(endpoint: &Endpoint, notice: &Notice) -> Post {
    let mut item = notice.item.clone();
    if let Some(members) = item.as_object_mut() {
        let opposite = members.get("success").and_then(Value::as_str) != Some("true");
        members.insert("success".to_owned(), json!(opposite.to_string()));
        members.insert("additionalData".to_owned(), Value::Object(Map::new()));
    }
    let wrong = hex::encode("somebody else");
    post(0, endpoint, &signed(&item, &wrong))
}
