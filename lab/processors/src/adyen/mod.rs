//! Adyen's Checkout API v72 and its dispute service v30: payments, what changes them, stored methods, and notifications.
//!
//! Facts and their sources: docs/processors/adyen.md. What is simulated and what isn't: docs/simulators.md.

mod amount;
mod books;
mod calendar;
mod cards;
mod control;
mod defence;
mod disputes;
mod endpoints;
mod failures;
mod instrument;
mod later;
mod methods;
mod modifications;
mod notices;
mod page;
mod payments;
mod plans;
mod refusal;
mod routes;
mod rules;
mod settle;
mod shapes;
mod stored;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;

use self::{books::Books, refusal::Refusal};
use crate::{
    Answer, Armed, Machine, Post, Reply, Request,
    conduct::{Met, whole},
    faults::Faults,
    form::Form,
    keys::{Found, Keyed, Keys},
};

/// How long an answer is kept. Source: docs/processors/adyen.md, "Idempotency": the shorter of the two times that are published.
const KEPT: Duration = Duration::from_hours(7 * 24);
/// The longest key. Unit: characters. Source: `CheckoutService-v72.json`, `Idempotency-Key`.
const LONGEST_KEY: usize = 64;

/// When payments are captured that don't say it themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capture {
    /// With the authorisation, as is usual.
    Immediate,
    /// When the merchant asks for it.
    Manual,
}

/// What the account is set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// When payments are captured that don't say it themselves.
    pub capture: Capture,
    /// Whether the rest of an authorisation stays after a capture.
    pub several_captures: bool,
    /// Whether answers and notifications have `additionalData`, tokens and the scheme's reference included.
    pub shows_additional_data: bool,
    /// Merchant accounts that the key may use, besides all whose names end in `ECOM`.
    pub merchant_accounts: Vec<String>,
}

impl Default for Account {
    /// As Adyen sets up a new one, with all additional data on.
    fn default() -> Self {
        Self {
            capture: Capture::Immediate,
            several_captures: false,
            shows_additional_data: true,
            merchant_accounts: Vec::new(),
        }
    }
}

impl Account {
    fn is_known(&self, name: &str) -> bool {
        name.ends_with("ECOM") || self.merchant_accounts.iter().any(|known| known == name)
    }
}

/// The machine.
#[derive(Debug, Clone)]
pub struct Adyen {
    books: Books,
    keys: Keys,
    faults: Faults,
    /// How far the simulator's clock is ahead, since a test moved it.
    ahead: Duration,
}

impl Adyen {
    /// Empty books. `public` is where shoppers reach the simulator's pages.
    pub fn new(seed: u64, public: &str) -> Self {
        Self {
            books: Books::new(seed, public),
            keys: Keys::new(KEPT),
            faults: Faults::default(),
            ahead: Duration::ZERO,
        }
    }

    /// The same with an account that is set up so.
    #[must_use]
    pub fn with(mut self, account: Account) -> Self {
        self.books.account = account;
        self
    }

    /// Lets something go wrong from now on.
    pub fn arm(&mut self, armed: Armed) {
        self.faults.arm(armed);
    }

    fn advance(&mut self, seconds: u64) {
        let by = Duration::from_secs(seconds);
        self.ahead = self.ahead.saturating_add(by);
        self.books.catch_up(self.books.now.saturating_add(by));
    }

    fn catch_up(&mut self, now: Duration) {
        self.books.catch_up(now.saturating_add(self.ahead));
    }

    /// The answer of the API, with what befalls it.
    fn api(&mut self, request: &Request) -> Answer {
        let met = Met::new(self.faults.of_answer(request, &mut self.books.draw));
        let id = self.books.psp();
        let before = met.before(|status| {
            let refusal = if status == 429 {
                Refusal::rate_limit()
            } else {
                Refusal::internal()
            };
            refused(&refusal, &id)
        });
        if let Some(answer) = before {
            return answer;
        }
        let answered = self.once(request, met, &id);
        met.convey(answered.unwrap_or_else(|refusal| refused(&refusal, &id)))
    }

    /// The answer that is kept under the request's key; else the request is carried out.
    fn once(&mut self, request: &Request, met: Met, id: &str) -> Result<Reply, Refusal> {
        authorise(request)?;
        let keyed = keyed(request)?;
        if let Some(keyed) = &keyed {
            match self.keys.find(keyed, self.books.now) {
                Found::Nothing => {}
                Found::Kept(reply) => return Ok(reply),
                Found::Running => return Err(Refusal::key_in_use()),
                Found::Changed => {
                    let message = "The Idempotency-Key was used with another request";
                    return Err(Refusal::ours(message));
                }
            }
        }
        // What is refused has changed nothing, and isn't kept.
        let (status, view) = self.route(request)?;
        let mut answered = reply(status, &view, id);
        if met.fails() {
            answered = refused(&Refusal::internal(), id);
        }
        if let Some(keyed) = keyed {
            answered
                .headers
                .insert("idempotency-key".to_owned(), keyed.key().to_owned());
            let (now, answered_at) = (self.books.now, met.answered_at(self.books.now));
            self.keys.keep(keyed, answered.clone(), now, answered_at);
        }
        Ok(answered)
    }
}

impl Machine for Adyen {
    fn answer(&mut self, request: &Request, now: Duration) -> Answer {
        self.catch_up(now);
        let path = request.path.as_str();
        if path.starts_with("/_sim/") {
            let outcome =
                form_of(request).and_then(|form| self.control(&request.method, path, &form));
            return whole(match outcome {
                Ok(view) => reply(200, &view, "control"),
                Err(refusal) => refused(&refusal, "control"),
            });
        }
        if let Some(secret) = page::secret(path) {
            let form = if request.method == "POST" {
                form_of(request).ok()
            } else {
                None
            };
            return whole(self.books.page(secret, form.as_ref()));
        }
        self.api(request)
    }

    fn due(&mut self, now: Duration) -> Vec<Post> {
        self.catch_up(now);
        self.books.posts(&mut self.faults)
    }

    fn delivered(&mut self, id: u64, status: Option<u16>, now: Duration) {
        let now = now.saturating_add(self.ahead);
        self.books.outbox.delivered(id, status, now);
    }

    fn hurry(&mut self, now: Duration) -> bool {
        self.books.outbox.hurry(now.saturating_add(self.ahead))
    }
}

fn reply(status: u16, view: &Value, id: &str) -> Reply {
    let headers = [
        ("content-type", "application/json;charset=UTF-8"),
        ("pspreference", id),
    ];
    let headers: BTreeMap<String, String> = headers
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let body = if status == 204 {
        Vec::new()
    } else {
        serde_json::to_vec(view).unwrap_or_default()
    };
    Reply {
        status,
        headers,
        body,
    }
}

fn refused(refusal: &Refusal, id: &str) -> Reply {
    reply(refusal.status, &refusal.document(id), id)
}

/// Takes every key that begins as those of the test platform do.
fn authorise(request: &Request) -> Result<(), Refusal> {
    match request.headers.get("x-api-key") {
        Some(key) if key.starts_with("AQE") => Ok(()),
        _ => Err(Refusal::unauthorised()),
    }
}

/// The request under its key. Only what is posted has one.
fn keyed(request: &Request) -> Result<Option<Keyed>, Refusal> {
    let key = request
        .headers
        .get("idempotency-key")
        .filter(|_| request.method == "POST");
    let Some(key) = key else { return Ok(None) };
    if key.is_empty() || key.chars().count() > LONGEST_KEY {
        return Err(Refusal::ours(
            "The Idempotency-Key must have 1 to 64 characters",
        ));
    }
    Ok(Some(Keyed::new(key, &request.path, &request.body)))
}

fn form_of(request: &Request) -> Result<Form, Refusal> {
    let text = std::str::from_utf8(&request.body).unwrap_or_default();
    Form::parse(text).map_err(|error| Refusal::unreadable(&error.to_string()))
}
