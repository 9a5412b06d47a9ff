//! Where notifications are sent to. Adyen has them in its Management API, the simulator at `/_sim/webhooks`.

use std::time::Duration;

use serde_json::{Value, json};

use super::{books::Books, refusal::Refusal, rules::Body};

/// Where notifications are sent to.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    pub(super) id: String,
    pub(super) url: String,
    /// `username:password`.
    pub(super) login: Option<String>,
    /// Keys in hex, each with the time from which it signs what happens.
    keys: Vec<(Duration, String)>,
    /// The merchant account by whose settings it was made; empty: by the simulator's own address.
    account: String,
    /// Of what it is notified; empty: of everything.
    events: Vec<String>,
}

impl Endpoint {
    /// Whether it is notified of an event.
    pub(super) fn wants(&self, event: &str) -> bool {
        self.events.is_empty() || self.events.iter().any(|wanted| wanted == event)
    }

    /// The webhook as the Management API shows it.
    fn view(&self) -> Value {
        json!({
            "id": self.id,
            "type": "standard",
            "url": self.url,
            "active": true,
            "communicationFormat": "json",
            "username": self.login.as_deref().and_then(|login| login.split(':').next()),
            "hasPassword": self.login.is_some(),
        })
    }

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
            account: String::new(),
            events: Vec::new(),
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

    /// `GET /merchants/{merchantId}/webhooks`
    pub(super) fn list_endpoints(&self, account: &str) -> Value {
        let own = self.endpoints.iter().filter(|one| one.account == account);
        let rows: Vec<Value> = own.map(Endpoint::view).collect();
        json!({"accountReference": account, "itemsTotal": rows.len(), "pagesTotal": 1, "data": rows})
    }

    /// `POST /merchants/{merchantId}/webhooks`. It signs with a key once one was generated.
    pub(super) fn set_up_endpoint(&mut self, account: &str, body: &Body) -> Result<Value, Refusal> {
        let url = body.text("url").unwrap_or_default();
        if !url.starts_with("https://") {
            return Err(Refusal::field("url", "must begin with https://"));
        }
        let login = body
            .text("username")
            .zip(body.text("password"))
            .map(|(user, password)| format!("{user}:{password}"));
        let events = body.items("additionalSettings/includeEventCodes");
        let events = events.filter_map(|event| event.as_str().map(str::to_owned));
        let endpoint = Endpoint {
            id: self.draw.id("WBHK", 16),
            url: url.to_owned(),
            login,
            keys: Vec::new(),
            account: account.to_owned(),
            events: events.collect(),
        };
        let view = endpoint.view();
        self.endpoints.push(endpoint);
        Ok(view)
    }

    /// `POST /merchants/{merchantId}/webhooks/{webhookId}/generateHmac`
    pub(super) fn generate_key(&mut self, account: &str, id: &str) -> Result<Value, Refusal> {
        self.own_endpoint(account, id)?;
        let rolled = self.roll_key(id)?;
        Ok(json!({"hmacKey": rolled.get("hmacKey")}))
    }

    /// `DELETE /merchants/{merchantId}/webhooks/{webhookId}`
    pub(super) fn delete_endpoint(&mut self, account: &str, id: &str) -> Result<Value, Refusal> {
        self.own_endpoint(account, id)?;
        self.remove_endpoint(id);
        Ok(Value::Null)
    }

    /// Refuses a webhook that is not one of the account's.
    fn own_endpoint(&self, account: &str, id: &str) -> Result<(), Refusal> {
        let is_own = |one: &Endpoint| one.id == id && one.account == account;
        if self.endpoints.iter().any(is_own) {
            Ok(())
        } else {
            Err(Refusal::ours("There is no such webhook"))
        }
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
        hex::encode_upper(self.draw.bytes())
    }
}

fn check_url(url: &str) -> Result<(), Refusal> {
    if url.starts_with("https://") || url.starts_with("http://") {
        Ok(())
    } else {
        Err(Refusal::field("url", "is no address"))
    }
}
