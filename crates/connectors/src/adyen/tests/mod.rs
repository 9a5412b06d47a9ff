//! What is sent for each call, and what becomes of the answers.

mod changes;
mod disputes;
mod notices;
mod payments;

use std::{
    future::Future,
    sync::{Mutex, PoisonError},
};

use connector::{Credentials, Link, Reference};
use domain::{
    Timestamp,
    id::{ConnectionId, PaymentId},
    money::{Currency, Money},
};
use futures_util::{FutureExt, future::BoxFuture};
use http_client::{Http, HttpError, ProcessorHttp, Reason, Recipient, Reply, Request};
use serde_json::{Value, json};

/// Adyen as a list of answers; keeps what was asked.
#[derive(Default)]
struct Played {
    answers: Mutex<Vec<(u16, Value)>>,
    asked: Mutex<Vec<Asked>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub(super) url: String,
    pub(super) headers: Vec<(&'static str, String)>,
    bytes: Vec<u8>,
}

impl Asked {
    pub(super) fn body(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap()
    }

    pub(super) fn key(&self) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(name, _)| *name == "idempotency-key");
        found.map(|(_, value)| value.as_str())
    }
}

impl Http for Played {
    fn send<'a>(
        &'a self,
        _: Recipient<'a>,
        request: &'a Request<'a>,
    ) -> BoxFuture<'a, Result<Reply, HttpError>> {
        let asked = Asked {
            url: format!("{}{}", request.url.authority(), request.url.path()),
            headers: request.headers.to_vec(),
            bytes: request.body.bytes().to_vec(),
        };
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(asked);
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = if answers.is_empty() {
            Err(HttpError::maybe_sent(Reason::Elapsed))
        } else {
            let (status, body) = answers.remove(0);
            Ok(Reply::new(status, body.to_string()))
        };
        Box::pin(std::future::ready(answer))
    }
}

pub(super) fn reference(n: u32) -> Reference {
    let id = "01890000-0000-7000-8000-000000000001";
    Reference::new(PaymentId::parse(id).unwrap(), n)
}

pub(super) const OURS: &str = "01890000-0000-7000-8000-000000000001-1";

pub(super) fn euros(minor: i64) -> Money {
    Money::new(minor, Currency::parse("EUR").unwrap())
}

/// A connection to Adyen with these answers.
pub(super) struct Stage {
    adyen: Played,
    connection: ConnectionId,
    credentials: Credentials,
    settings: Value,
}

impl Stage {
    pub(super) fn with(answers: &[(u16, Value)]) -> Self {
        let credentials = br#"{"apiKey": "AQEsecret", "merchantAccount": "ShopECOM"}"#;
        Self {
            adyen: Played {
                answers: Mutex::new(answers.to_vec()),
                asked: Mutex::default(),
            },
            connection: ConnectionId::parse("adyen").unwrap(),
            credentials: Credentials::read(credentials).unwrap(),
            settings: json!({}),
        }
    }

    pub(super) fn link(&self) -> Link<'_> {
        Link {
            credentials: Some(&self.credentials),
            notification_url: Some("https://pay.example/notifications/the-token"),
            http: ProcessorHttp::new(&self.adyen, &[]),
            ..Link::offline(&self.connection, &self.settings, Timestamp::from_micros(0))
        }
    }

    /// What was asked.
    pub(super) fn asked(self) -> Vec<Asked> {
        self.adyen.asked.into_inner().unwrap()
    }
}

/// What a call brought. Nothing in here waits.
pub(super) fn now<T>(called: impl Future<Output = T>) -> T {
    called.now_or_never().unwrap()
}
