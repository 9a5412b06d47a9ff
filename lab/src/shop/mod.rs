//! Clients: they speak the public interface, at any node, and remember the answers that they got.

mod bookkeeper;
mod follower;
mod listener;
mod orders;
mod responder;
mod shopper;
mod subscriber;
mod visits;
pub(crate) mod words;

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use crate::{
    checker::{Exchange, payment_of},
    house::{Ask, Got, House},
};

pub(crate) use bookkeeper::{keep_books, share_accounts};
pub(crate) use follower::{Followed, Follower};
pub(crate) use listener::Listener;
pub(crate) use orders::{NUMBERS, raw};
pub(crate) use responder::Responder;
pub(crate) use shopper::shopper;
pub(crate) use subscriber::Subscriber;

/// What a request is about, for the checker.
#[derive(Debug, Clone, Default)]
pub(crate) struct About {
    /// The checkout whose one live payment is asked for: an intent, or a client token.
    pub(crate) checkout: Option<String>,
}

/// A client of the house. Clones share what they remember.
#[derive(Clone)]
pub(crate) struct Shop {
    pub(crate) house: Arc<House>,
    memory: Arc<Mutex<Memory>>,
    /// Vault tokens of the test cards.
    pub(crate) tokens: Arc<Vec<String>>,
    /// Whether Stripe and Adyen are among the processors.
    pub(crate) by_wire: bool,
}

#[derive(Default)]
struct Memory {
    clock: u64,
    said: Vec<Exchange>,
    returns: Vec<String>,
}

/// A request before it is sent.
pub(crate) struct Wish {
    pub(crate) verb: &'static str,
    pub(crate) query: &'static str,
    pub(crate) variables: Value,
    pub(crate) key: Option<String>,
    pub(crate) bearer: Option<String>,
    pub(crate) about: About,
}

impl Wish {
    /// A request with the secret key and no idempotency key.
    pub(crate) fn new(verb: &'static str, query: &'static str, variables: Value) -> Self {
        Self {
            verb,
            query,
            variables,
            key: None,
            bearer: None,
            about: About::default(),
        }
    }

    /// The same under an idempotency key.
    pub(crate) fn once(self, key: Option<String>) -> Self {
        Self { key, ..self }
    }
}

impl Shop {
    /// A shop of this house.
    pub(crate) fn new(house: &Arc<House>) -> Self {
        Self {
            house: Arc::clone(house),
            memory: Arc::default(),
            tokens: Arc::default(),
            by_wire: false,
        }
    }

    /// Sends a request to a node and remembers the answer. `None` when the connection breaks.
    pub(crate) async fn ask(&self, node: usize, wish: &Wish, cut: Option<u32>) -> Option<Got> {
        let began = self.tick();
        self.house.counts.add(wish.verb);
        let variables = match &wish.variables {
            Value::Object(fields) => fields.clone(),
            _ => Map::new(),
        };
        let ask = Ask {
            query: wish.query,
            variables,
            key: wish.key.clone(),
            bearer: wish.bearer.clone(),
        };
        let got = self.house.send(node, ask, cut).await;
        let ended = self.tick();
        if got.is_none() {
            self.house.counts.add("(connections that broke)");
        }
        self.memory.lock().said.push(Exchange {
            began,
            ended,
            verb: wish.verb,
            asked: wish.variables.clone(),
            key: wish.key.clone(),
            checkout: wish.about.checkout.clone(),
            answer: got.as_ref().map(|got| got.body.clone()),
            replayed: got.as_ref().is_some_and(|got| got.replayed),
        });
        got
    }

    /// The order in which things are said.
    fn tick(&self) -> u64 {
        let mut memory = self.memory.lock();
        memory.clock += 1;
        memory.clock
    }

    /// Everything that was said.
    pub(crate) fn take_said(&self) -> Vec<Exchange> {
        std::mem::take(&mut self.memory.lock().said)
    }

    /// Remembers the address of a return.
    pub(crate) fn note_return(&self, url: &str) {
        self.memory.lock().returns.push(url.to_owned());
    }

    /// The addresses of returns that customers were given.
    pub(crate) fn returns(&self) -> Vec<String> {
        self.memory.lock().returns.clone()
    }

    /// Every payment, page by page.
    pub(crate) async fn payments(&self, node: usize) -> Option<Vec<Value>> {
        self.pages(node, words::LIST, "listPayments").await
    }

    /// Every dispute, page by page.
    pub(crate) async fn disputes(&self, node: usize) -> Option<Vec<Value>> {
        self.pages(node, words::DISPUTES, "listDisputes").await
    }

    async fn pages(&self, node: usize, query: &'static str, root: &str) -> Option<Vec<Value>> {
        let mut found = Vec::new();
        let mut after = Value::Null;
        loop {
            let variables = json!({ "after": after });
            let Value::Object(variables) = variables else {
                return None;
            };
            let ask = Ask {
                query,
                variables,
                key: None,
                bearer: None,
            };
            let got = self.house.send(node, ask, None).await?;
            let page = got.body.get("data")?.get(root)?;
            let edges = page.get("edges")?.as_array()?;
            found.extend(edges.iter().filter_map(|edge| edge.get("node").cloned()));
            if page.pointer("/pageInfo/hasNextPage") != Some(&json!(true)) {
                return Some(found);
            }
            after = page.pointer("/pageInfo/endCursor")?.clone();
        }
    }
}

impl Got {
    /// The payment that it tells of.
    pub(crate) fn payment(&self) -> Option<&Value> {
        payment_of(&self.body)
    }

    /// The id of the payment that it tells of, in the answer or in the error.
    pub(crate) fn id(&self) -> Option<String> {
        let answer = self.payment().and_then(|payment| payment.get("id"));
        let answer = answer.or_else(|| self.body.pointer("/errors/0/extensions/id"));
        answer
            .and_then(Value::as_str)
            .filter(|id| id.starts_with("payments:"))
            .map(str::to_owned)
    }

    /// A text of the payment.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.payment()?.get(name)?.as_str()
    }

    /// The code of the error.
    pub(crate) fn code(&self) -> Option<&str> {
        self.body
            .pointer("/errors/0/extensions/code")
            .and_then(Value::as_str)
    }

    /// Where the customer is sent.
    pub(crate) fn url(&self) -> Option<&str> {
        self.body
            .pointer("/errors/0/extensions/url")
            .and_then(Value::as_str)
    }
}

/// Stores cards. Their tokens, in order.
pub(crate) async fn card_tokens(shop: &Shop, numbers: &[&str]) -> Vec<String> {
    let mut tokens = Vec::new();
    for number in numbers {
        let card = orders::raw(number).get("card").cloned().unwrap_or_default();
        let wish = Wish::new(
            "tokenisePaymentMethod",
            words::TOKENISE,
            json!({ "data": { "paymentMethod": { "card": card } } }),
        );
        let got = shop.ask(0, &wish, None).await;
        let token = got.as_ref().and_then(|got| {
            got.body
                .pointer("/data/tokenisePaymentMethod/token")?
                .as_str()
        });
        tokens.extend(token.map(str::to_owned));
    }
    tokens
}
