//! Where notifications are sent to. Adyen has them in its Management API, the simulator at `/_sim/webhooks`.

use std::time::Duration;

use serde_json::{Value, json};

use super::{books::Books, refusal::Refusal};

/// Where notifications are sent to.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    pub(super) id: String,
    pub(super) url: String,
    /// `username:password`.
    pub(super) login: Option<String>,
    /// Keys in hex, each with the time from which it signs what happens.
    keys: Vec<(Duration, String)>,
}

impl Endpoint {
    /// The key for what happened at a time: what waits to be sent keeps its own.
    pub(super) fn key(&self, made_at: Duration) -> &str {
        let key = self.keys.iter().rev().find(|(since, _)| *since <= made_at);
        key.or(self.keys.first()).map_or("", |(_, key)| key)
    }
}

/// An endpoint to be made.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewEndpoint<'a> {
    pub(super) url: &'a str,
    pub(super) login: Option<&'a str>,
    /// In hex; else one is drawn.
    pub(super) key: Option<&'a str>,
}

impl Books {
    /// Makes an endpoint; its key is shown.
    pub(super) fn add_endpoint(&mut self, new: NewEndpoint<'_>) -> Result<Value, Refusal> {
        check_url(new.url)?;
        let key = match new.key {
            Some(key) if !key.is_empty() && hex::decode(key).is_ok() => key.to_owned(),
            Some(_) => return Err(Refusal::field("hmac_key", "is not hex")),
            None => self.hmac_key(),
        };
        let endpoint = Endpoint {
            id: self.draw.id("WBHK", 16),
            url: new.url.to_owned(),
            login: new.login.map(str::to_owned),
            keys: vec![(Duration::ZERO, key.clone())],
        };
        let view = json!({"id": endpoint.id, "url": endpoint.url, "hmacKey": key});
        self.endpoints.push(endpoint);
        Ok(view)
    }

    /// A new key for what happens from now on.
    pub(super) fn roll_key(&mut self, id: &str) -> Result<Value, Refusal> {
        let (key, now) = (self.hmac_key(), self.now);
        let endpoint = self.endpoints.iter_mut().find(|endpoint| endpoint.id == id);
        let endpoint = endpoint.ok_or_else(|| Refusal::ours("There is no such webhook"))?;
        endpoint.keys.push((now, key.clone()));
        Ok(json!({"id": id, "hmacKey": key}))
    }

    /// Notifies at another address, also of what waits to be sent.
    pub(super) fn move_endpoint(&mut self, id: &str, url: &str) -> Result<Value, Refusal> {
        check_url(url)?;
        let endpoint = self.endpoints.iter_mut().find(|endpoint| endpoint.id == id);
        let endpoint = endpoint.ok_or_else(|| Refusal::ours("There is no such webhook"))?;
        url.clone_into(&mut endpoint.url);
        Ok(json!({"id": id, "url": url}))
    }

    /// Sends nothing there any more.
    pub(super) fn remove_endpoint(&mut self, id: &str) -> Value {
        self.endpoints.retain(|endpoint| endpoint.id != id);
        self.outbox.forget(id);
        json!({"id": id})
    }

    /// 32 bytes in hex.
    fn hmac_key(&mut self) -> String {
        hex::encode_upper(self.draw.id("", 32))
    }
}

fn check_url(url: &str) -> Result<(), Refusal> {
    if url.starts_with("https://") || url.starts_with("http://") {
        Ok(())
    } else {
        Err(Refusal::field("url", "is no address"))
    }
}
