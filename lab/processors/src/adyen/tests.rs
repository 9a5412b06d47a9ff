//! The machine as a client sees it, without a network.

mod changes;
mod disputes;
mod faults;
mod management;
mod notifications;
mod payments;
mod tokens;

use std::time::Duration;

use serde_json::{Value, json};

use super::{Account, Adyen, Capture};
use crate::{Answer, Armed, Machine, Post, Request};

/// A client of a machine of its own, with the time that it says.
pub(super) struct Client {
    pub(super) adyen: Adyen,
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

    pub(super) fn psp(&self) -> String {
        self.text("/pspReference").to_owned()
    }
}

impl Client {
    /// Of an account that captures when it is asked to.
    pub(super) fn new() -> Self {
        Self::with(Account {
            capture: Capture::Manual,
            ..Account::default()
        })
    }

    pub(super) fn with(account: Account) -> Self {
        Self {
            adyen: Adyen::new(1, "http://simulator").with(account),
            now: Duration::from_secs(1_795_000_000),
        }
    }

    pub(super) fn arm(&mut self, fault: &str) {
        self.adyen.arm(Armed::parse(fault).unwrap().times(1));
    }

    pub(super) fn ask(&mut self, request: &Request) -> Got {
        let answer = self.adyen.answer(request, self.now);
        let view = serde_json::from_slice(&answer.reply.body).unwrap_or_default();
        Got {
            status: answer.reply.status,
            view,
            answer,
        }
    }

    /// Posts to the API under a key.
    pub(super) fn send(&mut self, path: &str, body: &Value, key: Option<&str>) -> Got {
        let mut request = request("POST", path);
        request.body = serde_json::to_vec(body).unwrap();
        if let Some(key) = key {
            request
                .headers
                .insert("idempotency-key".to_owned(), key.to_owned());
        }
        self.ask(&request)
    }

    /// Posts to the API.
    pub(super) fn post(&mut self, path: &str, body: &Value) -> Got {
        self.send(path, body, None)
    }

    /// Posts a form to the simulator itself, or to a page.
    pub(super) fn form(&mut self, path: &str, form: &str) -> Got {
        let mut request = request("POST", path);
        request.body = form.as_bytes().to_vec();
        self.ask(&request)
    }

    pub(super) fn pay(&mut self, holder: &str) -> Got {
        self.post("/v72/payments", &card(holder))
    }

    /// A change of a payment, with an amount where it has one.
    pub(super) fn modify(&mut self, psp: &str, change: &str, value: Option<i64>) -> Got {
        let mut body = json!({"merchantAccount": "ShopECOM", "reference": format!("{change}-1")});
        if let Some(value) = value {
            body["amount"] = json!({"currency": "EUR", "value": value});
        }
        self.post(&format!("/v72/payments/{psp}/{change}"), &body)
    }

    /// A payment that is authorised and captured; its `pspReference`.
    pub(super) fn captured(&mut self, holder: &str) -> String {
        let psp = self.pay(holder).psp();
        self.modify(&psp, "captures", Some(1000));
        self.wait(1);
        psp
    }

    pub(super) fn wait(&mut self, seconds: u64) {
        self.now += Duration::from_secs(seconds);
        self.adyen.catch_up(self.now);
    }

    /// All notifications, as `eventCode success`, the oldest first.
    pub(super) fn events(&mut self) -> Vec<String> {
        let items = self.items();
        let word = |item: &Value, name: &str| item[name].as_str().unwrap().to_owned();
        items
            .iter()
            .map(|item| format!("{} {}", word(item, "eventCode"), word(item, "success")))
            .collect()
    }

    pub(super) fn items(&mut self) -> Vec<Value> {
        self.books()["notifications"].as_array().unwrap().clone()
    }

    pub(super) fn last(&mut self) -> Value {
        self.items().pop().unwrap()
    }

    pub(super) fn books(&mut self) -> Value {
        self.ask(&request("GET", "/_sim/books")).view
    }

    /// What the merchant has in euros. Unit: cents.
    pub(super) fn balance(&mut self) -> i64 {
        self.books()["balance"]["EUR"].as_i64().unwrap_or(0)
    }

    pub(super) fn due(&mut self) -> Vec<Post> {
        self.adyen.due(self.now)
    }
}

pub(super) fn request(method: &str, path: &str) -> Request {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers: [
            ("x-api-key", "AQE_key"),
            ("content-type", "application/json"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into(),
        body: Vec::new(),
    }
}

/// A payment of 10 euros by a card whose holder has this name.
pub(super) fn card(holder: &str) -> Value {
    numbered("4111111111111111", holder)
}

/// The same with another number.
pub(super) fn numbered(number: &str, holder: &str) -> Value {
    json!({
        "merchantAccount": "ShopECOM",
        "amount": {"currency": "EUR", "value": 1000},
        "reference": "order-1",
        "returnUrl": "https://shop.example/back?a=1",
        "paymentMethod": {
            "type": "scheme",
            "number": number,
            "expiryMonth": "03",
            "expiryYear": "2030",
            "cvc": "737",
            "holderName": holder,
        },
    })
}

/// A document with changed members.
pub(super) fn altered(document: &Value, changes: &[(&str, Value)]) -> Value {
    let mut document = document.clone();
    for (pointer, value) in changes {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = document.pointer_mut(parent).unwrap();
        if value.is_null() {
            parent.as_object_mut().unwrap().remove(name);
        } else {
            parent[name] = value.clone();
        }
    }
    document
}

#[test]
fn requests_that_adyen_refuses_are_refused_and_change_nothing() {
    let mut client = Client::new();
    let good = card("J. Smith");
    let long = |length| json!("x".repeat(length));
    let mut metadata = json!({});
    for index in 0..21 {
        metadata[format!("k{index}")] = json!("v");
    }
    for (pointer, value, refused) in [
        ("/nonsense", json!(1), (400, "702")),
        ("/merchantAccount", json!("Other"), (403, "901")),
        ("/merchantAccount", Value::Null, (403, "901")),
        ("/reference", Value::Null, (422, "130")),
        ("/reference", long(81), (422, "702")),
        ("/returnUrl", long(1025), (422, "702")),
        ("/returnUrl", json!("shop"), (422, "702")),
        ("/amount/value", json!(10.0), (422, "702")),
        ("/amount/value", json!(-1), (422, "137")),
        ("/amount/currency", json!("XXX"), (422, "138")),
        ("/amount", Value::Null, (422, "100")),
        ("/metadata", json!({"k": "x".repeat(81)}), (422, "177")),
        (
            "/metadata",
            json!({"a-name-of-21-letters-": "v"}),
            (422, "177"),
        ),
        ("/metadata", metadata, (422, "177")),
        ("/captureDelayHours", json!(673), (422, "702")),
        ("/shopperReference", json!("ab"), (422, "702")),
        ("/storePaymentMethod", json!(true), (422, "702")),
        (
            "/paymentMethod/number",
            json!("4111111111111112"),
            (422, "101"),
        ),
        ("/paymentMethod/expiryMonth", json!("13"), (422, "129")),
        ("/paymentMethod/cvc", json!("7373"), (422, "103")),
        ("/paymentMethod/type", json!("nothing"), (422, "702")),
        ("/mpiData", json!({"cavv": "AAAA"}), (422, "702")),
    ] {
        let got = client.post(
            "/v72/payments",
            &altered(&good, &[(pointer, value.clone())]),
        );
        assert_eq!(
            (got.status, got.text("/errorCode")),
            refused,
            "{pointer} {value}"
        );
        assert_eq!(got.view["status"], json!(refused.0));
        assert_eq!(got.psp().len(), 16);
    }
    let mut nameless = request("POST", "/v72/payments");
    nameless.headers.remove("x-api-key");
    assert_eq!(client.ask(&nameless).status, 401);
    let mut stranger = request("POST", "/v72/payments");
    stranger
        .headers
        .insert("x-api-key".to_owned(), "live".to_owned());
    assert_eq!(client.ask(&stranger).status, 401);
    let mut form = request("POST", "/v72/payments");
    form.headers
        .insert("content-type".to_owned(), "text/plain".to_owned());
    assert_eq!(client.ask(&form).status, 400);
    assert_eq!(client.post("/v71/payments", &good).status, 404);
    assert_eq!(client.ask(&request("GET", "/v72/payments")).status, 404);
    assert_eq!(client.books()["payments"], json!([]));
    assert_eq!(client.post("/v72/payments", &good).status, 200);
}
