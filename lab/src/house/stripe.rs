//! Stripe in the house: its own wire format, played in the same process, with faults between the two.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use engine::{Inbound, NotificationAnswer};
use processors::{Armed, Machine, Post, Reply, Request};
use serde_json::{Value, json};

use super::{Ask, House, PUBLIC, broke};
use crate::Broke;

/// Where customers reach Stripe's pages.
pub(crate) const STRIPE: &str = "https://stripe.example";

/// The connection.
const CONNECTION: &str = "stripe";

/// Flows that send payments there: id and steps.
pub(crate) const FLOWS: [(&str, &str); 5] = [
    (
        "at-stripe",
        "[{authorise: {connection: stripe}}, {capture: now}]",
    ),
    (
        "held-at-stripe",
        "[{authorise: {connection: stripe}}, {capture: api}]",
    ),
    (
        "stripe-later",
        "[{authorise: {connection: stripe}}, {capture: {after: 30s}}]",
    ),
    (
        "stripe-first",
        "[{authorise: {connection: stripe, fallback: {to: [tardy-a, prompt-b]}}}, {capture: now}]",
    ),
    (
        "stripe-last",
        "[{authorise: {connection: failing, fallback: {to: [stripe, prompt-b]}}}, {capture: api}]",
    ),
];

/// What goes wrong: each once in so many requests, or webhooks.
const FAULTS: [&str; 12] = [
    "lost-before@40",
    "lost-after@25",
    "error-before@40",
    "error-after@30",
    "html@40",
    "rate-limit@50",
    "slow=17000@30",
    "cut=30@30",
    "hook-twice@4",
    "hook-reordered@5",
    "hook-late=90@9",
    "hook-forged@9",
];

/// Of what Stripe is asked to send notifications.
const EVENTS: [&str; 9] = [
    "charge.succeeded",
    "charge.captured",
    "payment_intent.succeeded",
    "payment_intent.payment_failed",
    "payment_intent.canceled",
    "payment_intent.amount_capturable_updated",
    "refund.created",
    "refund.updated",
    "refund.failed",
];

const SAVE: &str = "mutation($id: ID!, $credentials: JSON!, $settings: JSON!) { saveConnection(id: $id, processor: \"stripe\", \
    name: \"Stripe\", settings: $settings, credentials: $credentials) { notificationUrl } }";
const SAVE_FLOW: &str =
    "mutation($id: ID!, $document: JSON!) { saveFlow(id: $id, document: $document) { version } }";
const PUBLISH: &str =
    "mutation($id: ID!, $version: Int!) { publishFlow(id: $id, version: $version) { id } }";

impl House {
    /// Connects the team to Stripe, and lets things go wrong between the two.
    ///
    /// # Errors
    /// The connection or a flow can't be saved.
    pub(crate) async fn connect_stripe(self: &Arc<Self>) -> Result<(), Broke> {
        let saved = self.save_stripe(None).await?;
        let url = saved
            .pointer("/saveConnection/notificationUrl")
            .and_then(Value::as_str)
            .ok_or_else(|| broke("Stripe's connection has no address"))?;
        let url = url.strip_prefix(PUBLIC).unwrap_or(url);
        let wanted = EVENTS.map(|event| format!("&enabled_events[]={event}"));
        let form = format!("url={PUBLIC}{url}{}", wanted.concat());
        let endpoint = self.ask_stripe("/v1/webhook_endpoints", &form);
        let endpoint: Value = serde_json::from_slice(&endpoint.body).map_err(broke)?;
        let secret = endpoint.get("secret").and_then(Value::as_str);
        self.save_stripe(secret).await?;
        for (id, steps) in FLOWS {
            let document = format!("name: {id}\ntrigger: payment\nsteps: {steps}\n");
            let draft = json!({"id": id, "document": document});
            let saved = self.asked(SAVE_FLOW, draft).await?;
            let version = saved.pointer("/saveFlow/version");
            let published = json!({"id": id, "version": version});
            self.asked(PUBLISH, published).await?;
        }
        for fault in FAULTS {
            let armed = Armed::parse(fault).map_err(broke)?;
            self.stripe.machine().arm(armed);
        }
        self.world.spawn(carry(Arc::downgrade(self)));
        Ok(())
    }

    async fn save_stripe(&self, secret: Option<&str>) -> Result<Value, Broke> {
        let mut credentials = json!({"secretKey": "sk_test_1"});
        if let (Some(secret), Some(fields)) = (secret, credentials.as_object_mut()) {
            fields.insert("webhookSecret".to_owned(), secret.into());
        }
        let wanted = json!({"id": CONNECTION, "credentials": credentials, "settings": {}});
        self.asked(SAVE, wanted).await
    }

    /// The data of an answer of the first node.
    async fn asked(&self, query: &'static str, variables: Value) -> Result<Value, Broke> {
        let ask = Ask {
            query,
            variables: variables.as_object().cloned().unwrap_or_default(),
            key: None,
            bearer: None,
        };
        let got = self.send(0, ask, None).await;
        let body = got.map(|got| got.body).unwrap_or_default();
        let data = body.get("data").filter(|data| !data.is_null()).cloned();
        data.ok_or_else(|| broke(format!("Stripe can't be connected: {body}")))
    }

    /// Asks Stripe for something, as the account's owner.
    fn ask_stripe(&self, path: &str, form: &str) -> Reply {
        let headers = [
            ("authorization", "Bearer sk_test_1"),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let request = Request {
            method: "POST".to_owned(),
            path: path.to_owned(),
            headers: headers.into(),
            body: form.as_bytes().to_vec(),
            ..Request::default()
        };
        self.stripe.asked(&request)
    }

    /// Nothing goes wrong any more between Stripe and the service.
    pub(crate) fn calm_stripe(&self) {
        let request = Request {
            method: "DELETE".to_owned(),
            path: "/_sim/faults".to_owned(),
            ..Request::default()
        };
        self.stripe.asked(&request);
    }

    /// The customer decides at a processor's page. Where that leads back to.
    pub(crate) async fn decide(&self, url: &str, pass: bool) -> Option<String> {
        let Some(page) = url.strip_prefix(STRIPE) else {
            let page = self.bank.decide(url, pass).await.ok()??;
            return Some(page.return_url);
        };
        let word = if pass { "complete" } else { "fail" };
        let reply = self.ask_stripe(page, &format!("result={word}"));
        let back = reply.headers.get("location")?;
        back.split('?').next().map(str::to_owned)
    }

    /// The entries of all processors' books.
    pub(crate) fn entries(&self) -> Vec<Value> {
        let mut entries = self.bank.ledger().entries();
        entries.extend(self.booked_at_stripe());
        entries
    }

    /// What is booked at Stripe, as entries of the books.
    fn booked_at_stripe(&self) -> Vec<Value> {
        let request = Request {
            method: "GET".to_owned(),
            path: "/_sim/books".to_owned(),
            ..Request::default()
        };
        let reply = self.stripe.asked(&request);
        let books: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        let list = |name: &str| {
            let rows = books.get(name).and_then(Value::as_array);
            rows.cloned().unwrap_or_default()
        };
        let (charges, refunds) = (list("charges"), list("refunds"));
        list("payment_intents")
            .iter()
            .filter_map(|intent| entry(intent, &charges, &refunds))
            .collect()
    }

    /// A notification of Stripe's comes in at a node. Whether it was taken.
    async fn notify_of_stripe(&self, node: usize, post: &Post) -> bool {
        self.counts.add("(notifications that came in)");
        let Some(served) = self.running(node) else {
            return false;
        };
        let token = post.url.rsplit('/').next().unwrap_or_default().to_owned();
        let headers = post.headers.iter();
        let inbound = Inbound {
            headers: headers
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
            body: post.body.clone(),
        };
        let work = async move {
            let engine = &served.engine;
            let address = engine.notification_address(&token).await.ok()??;
            engine.receive_notification(address, inbound).await.ok()
        };
        let answer = self.at(node, work, None).await.flatten();
        answer == Some(NotificationAnswer::Accepted)
    }
}

/// Carries Stripe's notifications to the nodes, each to the next one.
async fn carry(house: Weak<House>) {
    let mut node = 0_usize;
    while let Some(held) = house.upgrade() {
        let now = held.stripe.now();
        let posts = held.stripe.machine().due(now);
        for post in posts {
            node = node
                .saturating_add(1)
                .checked_rem(held.nodes())
                .unwrap_or(0);
            let taken = held.notify_of_stripe(node, &post).await;
            let status = Some(if taken { 200 } else { 503 });
            let now = held.stripe.now();
            held.stripe.machine().delivered(post.id, status, now);
        }
        let world = held.world.clone();
        drop(held);
        world.sleep(Duration::from_millis(200)).await;
    }
}

/// An intent as an entry of the books. `None`: it is none of the service's.
fn entry(intent: &Value, charges: &[Value], refunds: &[Value]) -> Option<Value> {
    let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    let number = |of: &Value, name: &str| of.get(name).and_then(Value::as_i64).unwrap_or(0);
    let id = text(intent, "id");
    let reference = text(intent.get("metadata")?, "pointsman")?;
    let is_ours = |of: &&Value| text(of, "payment_intent") == id;
    let approved = charges
        .iter()
        .filter(is_ours)
        .any(|charge| text(charge, "status").as_deref() == Some("succeeded"));
    let (captured, status) = (number(intent, "amount_received"), text(intent, "status")?);
    let authorised = if approved {
        number(intent, "amount")
    } else {
        0
    };
    // A release moves nothing.
    let moved = refunds.iter().filter(is_ours).filter(|refund| {
        refund
            .get("balance_transaction")
            .is_some_and(|moved| !moved.is_null())
    });
    let (mut refunded, mut pending) = (0_i64, Vec::new());
    for refund in moved {
        let amount = number(refund, "amount");
        match text(refund, "status").as_deref() {
            Some("succeeded") => refunded = refunded.saturating_add(amount),
            Some("pending") => pending.push(json!({"status": "pending", "amount": amount})),
            _ => {}
        }
    }
    let released = if captured > 0 && status != "requires_capture" {
        authorised.saturating_sub(captured)
    } else {
        0
    };
    let is_final = status != "requires_capture";
    let taken = json!({"status": "done", "amount": captured, "final": is_final});
    let all_taken: Vec<Value> = (captured > 0).then_some(taken).into_iter().collect();
    Some(json!({
        "reference": reference,
        "connection": CONNECTION,
        "currency": text(intent, "currency")?.to_ascii_uppercase(),
        "authorised": authorised,
        "captured": captured,
        "refunded": refunded,
        "refunds": pending,
        "captures": all_taken,
        "cancelled": status == "canceled",
        "released": released,
    }))
}
