//! Processors that are played in their own wire formats, in the same process, with faults between them and the service.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use connector::Connector;
use connectors::{adyen::Adyen, stripe::Stripe};
use domain::returned::Parameter;
use engine::{Inbound, NotificationAnswer, Returned};
use percent_encoding::percent_decode_str;
use processors::{Armed, Machine, Played, Post, Request};
use serde_json::{Value, json};

use super::{Ask, House, PUBLIC, adyen::ADYEN, broke, stripe::STRIPE};
use crate::Broke;

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

const SAVE: &str = "mutation($id: ID!, $name: String!, $credentials: JSON!) { saveConnection(id: $id, processor: $name, name: $name, settings: {}, \
    credentials: $credentials) { notificationUrl } }";
const SAVE_FLOW: &str =
    "mutation($id: ID!, $document: JSON!) { saveFlow(id: $id, document: $document) { version } }";
const PUBLISH: &str =
    "mutation($id: ID!, $version: Int!) { publishFlow(id: $id, version: $version) { id } }";

impl House {
    /// Connects the team to Stripe and Adyen.
    ///
    /// # Errors
    /// A connection or a flow can't be saved.
    pub(crate) async fn connect(self: &Arc<Self>) -> Result<(), Broke> {
        self.connect_stripe().await?;
        self.connect_adyen().await?;
        let house = Arc::downgrade(self);
        self.world
            .spawn(carry(house.clone(), |house| house.stripe.clone()));
        self.world.spawn(carry(house, |house| house.adyen.clone()));
        Ok(())
    }

    /// Lets things go wrong between the processors and the service until they are calm again.
    ///
    /// # Errors
    /// Something that may go wrong is not known.
    pub(crate) fn trouble_processors(&self) -> Result<(), Broke> {
        for fault in FAULTS {
            let armed = Armed::parse(fault).map_err(broke)?;
            self.stripe.machine().arm(armed.clone());
            self.adyen.machine().arm(armed);
        }
        Ok(())
    }

    /// Saves a connection that is called as its processor is. The address for notifications.
    pub(super) async fn save_connection(
        &self,
        id: &str,
        credentials: Value,
    ) -> Result<String, Broke> {
        let wanted = json!({"id": id, "name": id, "credentials": credentials});
        let saved = self.asked(SAVE, wanted).await?;
        let url = saved
            .pointer("/saveConnection/notificationUrl")
            .and_then(Value::as_str)
            .ok_or_else(|| broke(format!("{id} has no address")))?;
        let path = url.strip_prefix(PUBLIC).unwrap_or(url);
        Ok(format!("{PUBLIC}{path}"))
    }

    /// Publishes flows.
    pub(super) async fn publish(&self, flows: &[(&str, &str)]) -> Result<(), Broke> {
        for (id, steps) in flows {
            let document = format!("name: {id}\ntrigger: payment\nsteps: {steps}\n");
            let draft = json!({"id": id, "document": document});
            let saved = self.asked(SAVE_FLOW, draft).await?;
            let version = saved.pointer("/saveFlow/version");
            let published = json!({"id": id, "version": version});
            self.asked(PUBLISH, published).await?;
        }
        Ok(())
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
        let is_refused = body.get("errors").is_some();
        let data = body
            .get("data")
            .filter(|data| !data.is_null() && !is_refused)
            .cloned();
        data.ok_or_else(|| broke(format!("a processor can't be connected: {body}")))
    }

    /// Nothing goes wrong any more between the processors and the service.
    pub(crate) fn calm_processors(&self) {
        let request = Request {
            method: "DELETE".to_owned(),
            path: "/_sim/faults".to_owned(),
            ..Request::default()
        };
        self.stripe.asked(&request);
        self.adyen.asked(&request);
    }

    /// Lets the processors send at once what waits for its next try: hours may pass before that. Whether anything is not delivered yet.
    pub(crate) fn hurry_notifications(&self) -> bool {
        let (stripe, adyen) = (&self.stripe, &self.adyen);
        let at_stripe = stripe.machine().hurry(stripe.now());
        adyen.machine().hurry(adyen.now()) || at_stripe
    }

    /// The customer decides at a processor's page. Where that leads back to.
    pub(crate) async fn decide(&self, url: &str, pass: bool) -> Option<String> {
        if let Some(page) = url.strip_prefix(STRIPE) {
            return self.decide_at_stripe(page, pass);
        }
        if let Some(page) = url.strip_prefix(ADYEN) {
            return self.decide_at_adyen(page, pass);
        }
        let page = self.bank.decide(url, pass).await.ok()??;
        Some(page.return_url)
    }

    /// A customer opens the address of a return at a node.
    pub(crate) async fn come_back(&self, node: usize, url: &str) -> Option<Returned> {
        let served = self.running(node)?;
        let (path, brought) = parts(url);
        let token = path.rsplit('/').next().unwrap_or_default().to_owned();
        self.bank.guest(true);
        let returned = self
            .at(
                node,
                async move { served.engine.returned(&token, brought, None).await },
                None,
            )
            .await;
        self.bank.guest(false);
        returned
    }

    /// The entries of all processors' books.
    pub(crate) fn entries(&self) -> Vec<Value> {
        let mut entries = self.bank.ledger().entries();
        entries.extend(self.booked_at_stripe());
        entries.extend(self.booked_at_adyen());
        entries
    }

    /// A processor's notification comes in at a node. Whether it was taken.
    async fn notify_by_wire(&self, node: usize, post: &Post) -> bool {
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

/// Carries a processor's notifications to the nodes, each to the next one.
async fn carry<M: Machine + 'static>(house: Weak<House>, of: impl Fn(&House) -> Played<M>) {
    let mut node = 0_usize;
    while let Some(held) = house.upgrade() {
        let played = of(&held);
        let posts = played.machine().due(played.now());
        for post in posts {
            node = node
                .saturating_add(1)
                .checked_rem(held.nodes())
                .unwrap_or(0);
            let taken = held.notify_by_wire(node, &post).await;
            let status = Some(if taken { 200 } else { 503 });
            played.machine().delivered(post.id, status, played.now());
        }
        let world = held.world.clone();
        drop(held);
        world.sleep(Duration::from_millis(200)).await;
    }
}

/// A processor's books.
pub(super) fn books<M: Machine + 'static>(played: &Played<M>) -> Value {
    let request = Request {
        method: "GET".to_owned(),
        path: "/_sim/books".to_owned(),
        ..Request::default()
    };
    serde_json::from_slice(&played.asked(&request).body).unwrap_or_default()
}

/// The path of an address, and the parameters behind it.
fn parts(url: &str) -> (&str, Vec<Parameter>) {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let parameters = pairs.map(|(name, value)| Parameter {
        name: name.to_owned(),
        value: percent_decode_str(value).decode_utf8_lossy().into_owned(),
    });
    (path, parameters.collect())
}

/// The connectors of these processors, by their names.
pub(super) fn connectors() -> [(&'static str, Arc<dyn Connector>); 2] {
    [("stripe", Arc::new(Stripe)), ("adyen", Arc::new(Adyen))]
}
