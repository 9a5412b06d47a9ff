//! Webhook endpoints and the signatures of what they get.

use std::{collections::BTreeMap, time::Duration};

use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{
    books::{Books, Row},
    refusal::Refusal,
    rules::Rule,
};
use crate::form::Form;

/// A version of the API that an endpoint can have besides the one that is spoken here. Source: npm `stripe` 23.1.0, `WebhookEndpoints.d.ts`
/// lists all of them.
const OTHER_VERSION: &str = "2022-08-01";

/// How long a secret signs beside its successor.
const ROLLED_OVER: Duration = Duration::from_hours(24);

/// A secret, and until when it signs.
#[derive(Debug, Clone)]
struct Secret {
    text: String,
    until: Option<Duration>,
}

/// Where events are sent to.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    pub(super) id: String,
    created: u64,
    pub(super) url: String,
    version: String,
    events: Vec<String>,
    is_enabled: bool,
    secrets: Vec<Secret>,
    metadata: BTreeMap<String, String>,
    description: Option<String>,
}

impl Endpoint {
    pub(super) fn wants(&self, event_type: &str) -> bool {
        self.is_enabled
            && self
                .events
                .iter()
                .any(|wanted| wanted == "*" || wanted == event_type)
    }

    /// An event as this endpoint gets it. How an object looks in another version isn't simulated: its id stands for it.
    pub(super) fn shown(&self, mut event: Value) -> Value {
        if self.version == super::VERSION {
            return event;
        }
        if let Some(version) = event.get_mut("api_version") {
            *version = json!(self.version);
        }
        if let Some(Value::Object(object)) = event.pointer_mut("/data/object") {
            object.retain(|name, _| matches!(name.as_str(), "id" | "object" | "livemode"));
        }
        event
    }

    /// The value of `Stripe-Signature` for a body that is sent now: one `v1` for each secret that still signs.
    pub(super) fn signature(&self, body: &[u8], now: Duration) -> String {
        let signing = self
            .secrets
            .iter()
            .filter(|secret| secret.until.is_none_or(|until| now < until));
        let seconds = now.as_secs();
        signing.fold(format!("t={seconds}"), |header, secret| {
            format!("{header},v1={}", sign(&secret.text, seconds, body))
        })
    }
}

/// HMAC-SHA256 over `{t}.{body}` in hex. Source: docs/processors/stripe.md, "Events and signatures".
pub(super) fn sign(secret: &str, seconds: u64, body: &[u8]) -> String {
    // A key of any length is one.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return String::new();
    };
    mac.update(seconds.to_string().as_bytes());
    mac.update(b".");
    mac.update(body);
    hex::encode(mac.finalize().into_bytes())
}

impl Row for Endpoint {
    const OBJECT: &'static str = "webhook_endpoint";

    fn id(&self) -> &str {
        &self.id
    }

    fn created(&self) -> u64 {
        self.created
    }

    fn view(&self, _: &Books) -> Value {
        json!({
            "id": self.id,
            "object": Self::OBJECT,
            "api_version": self.version,
            "application": null,
            "created": self.created,
            "description": self.description,
            "enabled_events": self.events,
            "livemode": false,
            "metadata": self.metadata,
            "status": if self.is_enabled { "enabled" } else { "disabled" },
            "url": self.url,
        })
    }
}

pub(super) const NEW_ENDPOINT: &[Rule] = &[
    Rule::text("url").required(),
    Rule::text("enabled_events[#]"),
    Rule::one_of("api_version", &[super::VERSION, OTHER_VERSION]),
    Rule::clearable("description"),
    Rule::text("metadata[*]"),
];

pub(super) const UPDATE_ENDPOINT: &[Rule] = &[
    Rule::text("url"),
    Rule::text("enabled_events[#]"),
    Rule::clearable("description"),
    Rule::flag("disabled"),
];

impl Books {
    /// The secret is shown once, here.
    pub(super) fn create_endpoint(&mut self, form: &Form) -> Result<Value, Refusal> {
        let url = form.text("url").unwrap_or_default();
        let events: Vec<String> = form
            .list("enabled_events")
            .into_iter()
            .map(str::to_owned)
            .collect();
        if events.is_empty() {
            let param = "enabled_events";
            return Err(Refusal::parameter(
                param,
                "parameter_missing",
                &format!("Missing required param: {param}."),
            ));
        }
        if !url.starts_with("https://") && !url.starts_with("http://") {
            return Err(Refusal::parameter(
                "url",
                "url_invalid",
                "Invalid URL: an explicit scheme (such as https) must be provided.",
            ));
        }
        let secret = self.draw.id("whsec_", 32);
        let endpoint = Endpoint {
            id: self.id("we_"),
            created: self.seconds(),
            url: url.to_owned(),
            version: form
                .text("api_version")
                .unwrap_or(super::VERSION)
                .to_owned(),
            events,
            is_enabled: true,
            secrets: vec![Secret {
                text: secret.clone(),
                until: None,
            }],
            metadata: form.map("metadata"),
            description: form.text("description").map(str::to_owned),
        };
        let mut view = endpoint.view(self);
        if let Value::Object(members) = &mut view {
            members.insert("secret".to_owned(), json!(secret));
        }
        self.endpoints.add(endpoint);
        Ok(view)
    }

    pub(super) fn update_endpoint(&mut self, id: &str, form: &Form) -> Result<Value, Refusal> {
        let endpoint = self.endpoints.get_mut(id, "webhook_endpoint")?;
        if let Some(url) = form.text("url") {
            url.clone_into(&mut endpoint.url);
        }
        let events = form.list("enabled_events");
        if !events.is_empty() {
            endpoint.events = events.into_iter().map(str::to_owned).collect();
        }
        if let Some(disabled) = form.flag("disabled") {
            endpoint.is_enabled = !disabled;
        }
        Ok(self.endpoints.get(id, "webhook_endpoint")?.view(self))
    }

    pub(super) fn delete_endpoint(&mut self, id: &str) -> Result<Value, Refusal> {
        self.endpoints.get(id, "webhook_endpoint")?;
        self.endpoints.retain(|endpoint| endpoint.id != id);
        self.outbox.forget(id);
        Ok(json!({"id": id, "object": "webhook_endpoint", "deleted": true}))
    }

    /// A new secret; the old ones sign for a day still. Stripe offers this in its dashboard only.
    pub(super) fn roll_secret(&mut self, id: &str) -> Result<Value, Refusal> {
        let text = self.draw.id("whsec_", 32);
        let until = self.now.saturating_add(ROLLED_OVER);
        let endpoint = self.endpoints.get_mut(id, "webhook_endpoint")?;
        for secret in &mut endpoint.secrets {
            secret.until = Some(secret.until.map_or(until, |before| before.min(until)));
        }
        endpoint.secrets.push(Secret {
            text: text.clone(),
            until: None,
        });
        Ok(json!({"id": id, "secret": text}))
    }
}
