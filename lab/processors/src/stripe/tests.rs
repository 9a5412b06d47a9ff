//! The machine as a client sees it, without a network.

mod faults;
mod payments;
mod stored;
mod webhooks;

use std::time::Duration;

use serde_json::Value;

use super::{Stripe, VERSION};
use crate::{Answer, Armed, Conduct, Machine, Request};

/// A client of a machine of its own, with the time that it says.
pub(super) struct Client {
    pub(super) stripe: Stripe,
    pub(super) now: Duration,
}

/// What came back.
pub(super) struct Got {
    pub(super) status: u16,
    pub(super) view: Value,
    pub(super) answer: Answer,
}

impl Got {
    pub(super) fn text(&self, pointer: &str) -> &str {
        self.view
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    pub(super) fn number(&self, pointer: &str) -> i64 {
        self.view
            .pointer(pointer)
            .and_then(Value::as_i64)
            .unwrap_or(-1)
    }
}

impl Client {
    pub(super) fn new() -> Self {
        Self {
            stripe: Stripe::new(1, "http://simulator"),
            now: Duration::from_secs(1_795_000_000),
        }
    }

    pub(super) fn arm(&mut self, fault: &str) {
        self.stripe.arm(Armed::parse(fault).unwrap().times(1));
    }

    pub(super) fn send(
        &mut self,
        method: &str,
        address: &str,
        body: &str,
        key: Option<&str>,
    ) -> Got {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let mut headers: std::collections::BTreeMap<String, String> = [
            ("authorization", "Bearer sk_test_1"),
            ("stripe-version", VERSION),
            ("content-type", "application/x-www-form-urlencoded"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        if let Some(key) = key {
            headers.insert("idempotency-key".to_owned(), key.to_owned());
        }
        let request = Request {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers,
            body: body.as_bytes().to_vec(),
        };
        let answer = self.stripe.answer(&request, self.now);
        let view = serde_json::from_slice(&answer.reply.body).unwrap_or_default();
        Got {
            status: answer.reply.status,
            view,
            answer,
        }
    }

    pub(super) fn post(&mut self, path: &str, body: &str) -> Got {
        self.send("POST", path, body, None)
    }

    pub(super) fn get(&mut self, address: &str) -> Got {
        self.send("GET", address, "", None)
    }

    /// Pays with a named method; the intent's answer.
    pub(super) fn pay(&mut self, method: &str, further: &str) -> Got {
        let body =
            format!("amount=1000&currency=usd&confirm=true&payment_method={method}{further}");
        self.post("/v1/payment_intents", &body)
    }

    pub(super) fn wait(&mut self, seconds: u64) {
        self.now += Duration::from_secs(seconds);
    }

    /// The names of all events, the oldest first.
    pub(super) fn events(&mut self) -> Vec<String> {
        let list = self.get("/v1/events?limit=100");
        let mut names: Vec<String> = list.view["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event["type"].as_str().unwrap().to_owned())
            .collect();
        names.reverse();
        names
    }

    /// What the account has, in dollars' cents.
    pub(super) fn balance(&mut self) -> i64 {
        self.get("/v1/balance").number("/available/0/amount")
    }
}

#[test]
fn requests_that_no_client_of_stripe_sends_are_refused() {
    let mut client = Client::new();
    let with = |change: fn(&mut Request)| {
        let mut request = Request {
            method: "GET".to_owned(),
            path: "/v1/account".to_owned(),
            headers: [("authorization".to_owned(), "Bearer sk_test_1".to_owned())].into(),
            ..Request::default()
        };
        change(&mut request);
        let answer = Client::new().stripe.answer(&request, Duration::ZERO);
        assert_eq!(answer.conduct, Conduct::Whole);
        answer.reply.status
    };
    assert_eq!(with(|_| {}), 200);
    assert_eq!(with(|request| request.headers.clear()), 401);
    let key = |request: &mut Request, key: &str| {
        request
            .headers
            .insert("authorization".to_owned(), format!("Bearer {key}"))
    };
    assert_eq!(
        with(|request| drop(
            request
                .headers
                .insert("authorization".to_owned(), "Bearer sk_live_1".to_owned())
        )),
        401
    );
    let mut basic = Request::default();
    key(&mut basic, "x");
    assert_eq!(
        with(|request| drop(request.headers.insert(
            "authorization".to_owned(),
            "Basic c2tfdGVzdF8xOg==".to_owned()
        ))),
        200
    );
    assert_eq!(
        with(|request| drop(
            request
                .headers
                .insert("stripe-version".to_owned(), "2020-08-27".to_owned())
        )),
        400
    );
    assert_eq!(with(|request| request.path = "/v1/nothing".to_owned()), 404);
    assert_eq!(
        client
            .post(
                "/v1/payment_intents",
                "amount=1000&currency=usd&expand[]=nothing"
            )
            .status,
        400
    );
    assert_eq!(
        client
            .post("/v1/payment_intents", "amount=10.00&currency=usd")
            .text("/error/code"),
        "parameter_invalid_integer"
    );
    assert_eq!(
        client
            .post("/v1/payment_intents", "amount=1000&currency=USD")
            .text("/error/param"),
        "currency"
    );
    let refused = client.post("/v1/payment_intents", "amount=1000&currency=usd&ammount=1");
    assert_eq!(refused.text("/error/code"), "parameter_unknown");
    assert!(client.events().is_empty(), "nothing of all this happened");
}
