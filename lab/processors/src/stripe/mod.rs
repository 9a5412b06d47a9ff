//! Stripe's API, version `2026-10-28.endive`: payment intents, refunds, disputes, and what belongs to them.
//!
//! Facts and their sources: docs/processors/stripe.md. What is simulated and what isn't: docs/simulators.md.

mod books;
mod cards;
mod charges;
mod control;
mod delivery;
mod disputes;
mod endpoints;
mod files;
mod intents;
mod keys;
mod later;
mod lists;
mod methods;
mod money;
mod movements;
mod page;
mod refunds;
mod refusal;
mod routes;
mod rules;
mod setups;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;

use self::{
    books::{Books, Origin},
    page::Visit,
    refusal::Refusal,
};
use crate::{
    Answer, Armed, Machine, Post, Reply, Request,
    conduct::{Met, whole},
    faults::Faults,
    form::Form,
    keys::Keys,
};

/// The only version that is spoken. Source: `apiVersion.js` of npm `stripe` 23.1.0.
pub const VERSION: &str = "2026-10-28.endive";

/// The machine.
#[derive(Debug, Clone)]
pub struct Stripe {
    books: Books,
    keys: Keys,
    faults: Faults,
    /// How far the simulator's clock is ahead, since a test moved it.
    ahead: Duration,
}

impl Stripe {
    /// Empty books. `public` is where shoppers reach the simulator's pages.
    pub fn new(seed: u64, public: &str) -> Self {
        Self {
            books: Books::new(seed, public),
            keys: Keys::new(keys::KEPT),
            faults: Faults::default(),
            ahead: Duration::ZERO,
        }
    }

    /// Lets something go wrong from now on.
    pub fn arm(&mut self, armed: Armed) {
        self.faults.arm(armed);
    }

    fn catch_up(&mut self, now: Duration) {
        self.books.catch_up(now.saturating_add(self.ahead));
    }

    /// The answer of the API, with what befalls it.
    fn api(&mut self, request: &Request) -> Answer {
        let met = Met::new(self.faults.of_answer(request, &mut self.books.draw));
        let request_id = self.books.draw.id("req_", 14);
        let before = met.before(|status| {
            let refusal = if status == 429 {
                Refusal::rate_limit()
            } else {
                Refusal::internal()
            };
            reply(&refusal.document(), status, &request_id)
        });
        if let Some(answer) = before {
            return answer;
        }
        let call = Call {
            request,
            request_id: &request_id,
            answered_at: met.answered_at(self.books.now),
            fails: met.fails(),
        };
        let answered = self
            .once(&call)
            .unwrap_or_else(|refusal| refused(&refusal, &request_id));
        met.convey(answered)
    }

    /// The answer that is kept under the request's key; else the request is carried out.
    fn once(&mut self, call: &Call<'_>) -> Result<Reply, Refusal> {
        let request = call.request;
        authorise(request)?;
        check_version(request)?;
        let form = parameters(request)?;
        let key = request
            .headers
            .get("idempotency-key")
            .filter(|_| request.method == "POST");
        let keyed = match key {
            Some(key) => Some(keys::keyed(key, &request.path, &form.canonical())?),
            None => None,
        };
        if let Some(keyed) = &keyed
            && let Some(kept) = keys::kept(&mut self.keys, keyed, self.books.now)?
        {
            return Ok(kept);
        }
        self.books.origin = Some(Origin {
            request_id: call.request_id.to_owned(),
            key: keyed.as_ref().map(|keyed| keyed.key().to_owned()),
        });
        let before = self.books.mark();
        let outcome = self.route(&request.method, &request.path, &form);
        self.books.origin = None;
        let (mut answered, has_begun) = match outcome {
            Ok(view) => (reply(&view, 200, call.request_id), true),
            Err(refusal) => {
                if !refusal.has_begun {
                    // Nothing of it happened.
                    self.books.undo(before);
                }
                (refused(&refusal, call.request_id), refusal.has_begun)
            }
        };
        if call.fails {
            answered = reply(&Refusal::internal().document(), 500, call.request_id);
        }
        if let Some(keyed) = keyed {
            answered
                .headers
                .insert("idempotency-key".to_owned(), keyed.key().to_owned());
            if has_begun {
                self.keys
                    .keep(keyed, answered.clone(), self.books.now, call.answered_at);
            }
        }
        Ok(answered)
    }
}

/// A request that is carried out.
struct Call<'a> {
    request: &'a Request,
    request_id: &'a str,
    answered_at: Duration,
    /// Whether it ends with 500 after its effect.
    fails: bool,
}

impl Machine for Stripe {
    fn answer(&mut self, request: &Request, now: Duration) -> Answer {
        self.catch_up(now);
        let path = request.path.as_str();
        if path.starts_with("/_sim/") {
            let outcome =
                parameters(request).and_then(|form| self.control(&request.method, path, &form));
            return whole(match outcome {
                Ok(view) => reply(&view, 200, "req_control"),
                Err(refusal) => refused(&refusal, "req_control"),
            });
        }
        if let Some(visit) = Visit::of(path) {
            let form = if request.method == "POST" {
                parameters(request).ok()
            } else {
                None
            };
            return whole(self.books.page(&visit, form.as_ref()));
        }
        self.api(request)
    }

    fn due(&mut self, now: Duration) -> Vec<Post> {
        self.catch_up(now);
        self.books.posts(now, &mut self.faults)
    }

    fn delivered(&mut self, id: u64, status: Option<u16>, now: Duration) {
        self.books
            .outbox
            .delivered(id, status, now.saturating_add(self.ahead));
    }

    fn hurry(&mut self, now: Duration) -> bool {
        self.books.outbox.hurry(now.saturating_add(self.ahead))
    }
}

fn reply(view: &Value, status: u16, request_id: &str) -> Reply {
    let headers = [
        ("content-type", "application/json"),
        ("request-id", request_id),
        ("stripe-version", VERSION),
    ];
    let headers: BTreeMap<String, String> = headers
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    Reply {
        status,
        headers,
        body: serde_json::to_vec_pretty(view).unwrap_or_default(),
    }
}

fn refused(refusal: &Refusal, request_id: &str) -> Reply {
    let mut reply = reply(&refusal.document(), refusal.status, request_id);
    if refusal.status == 409 {
        reply
            .headers
            .insert("stripe-should-retry".to_owned(), "true".to_owned());
    }
    reply
}

/// Takes every secret key of test mode.
fn authorise(request: &Request) -> Result<(), Refusal> {
    let header = request
        .headers
        .get("authorization")
        .map(String::as_str)
        .unwrap_or_default();
    let key = match header.split_once(' ') {
        Some(("Bearer", key)) => key.to_owned(),
        Some(("Basic", encoded)) => {
            let decoded = STANDARD
                .decode(encoded)
                .ok()
                .and_then(|bytes| String::from_utf8(bytes).ok());
            decoded
                .unwrap_or_default()
                .split(':')
                .next()
                .unwrap_or_default()
                .to_owned()
        }
        _ => return Err(Refusal::unauthorised("You did not provide an API key.")),
    };
    if key.starts_with("sk_test_") || key.starts_with("rk_test_") {
        Ok(())
    } else if key.starts_with("sk_live_") || key.starts_with("rk_live_") {
        Err(Refusal::unauthorised(
            "The simulator takes keys of test mode only: a live key must not leave your service for it.",
        ))
    } else {
        Err(Refusal::unauthorised("Invalid API Key provided"))
    }
}

fn check_version(request: &Request) -> Result<(), Refusal> {
    match request.headers.get("stripe-version").map(String::as_str) {
        None | Some(VERSION) => Ok(()),
        Some(other) => {
            let message = format!(
                "Invalid Stripe API version: {other}. The simulator speaks {VERSION} only."
            );
            Err(Refusal::malformed(&message))
        }
    }
}

/// The parameters of query and body.
fn parameters(request: &Request) -> Result<Form, Refusal> {
    let bad = |message: String| Refusal::malformed(&message);
    let mut form = Form::parse(&request.query).map_err(|error| bad(error.to_string()))?;
    if request.body.is_empty() {
        return Ok(form);
    }
    let content_type = request
        .headers
        .get("content-type")
        .map(String::as_str)
        .unwrap_or_default();
    if content_type.starts_with("multipart/form-data") && request.path == "/v1/files" {
        return files::read_multipart(content_type, &request.body);
    }
    if !content_type.starts_with("application/x-www-form-urlencoded") {
        return Err(bad(format!(
            "Invalid content type: {content_type}. Parameters must be sent as application/x-www-form-urlencoded."
        )));
    }
    let text = std::str::from_utf8(&request.body).map_err(|error| bad(error.to_string()))?;
    form.add(text).map_err(|error| bad(error.to_string()))?;
    Ok(form)
}
