//! Merchants that have events sent to their servers: they make endpoints, change, disable, enable and remove them, and renew secrets.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};

use super::{Shop, Wish, words};
use crate::{
    chance::Chance,
    house::{Got, NEIGHBOURS_KEY},
    receiver::Temper,
};

/// Clocks of nodes differ by less. Unit: microseconds.
const CLOCKS: i64 = 2_000_000;

/// How often a merchant asks again.
const TRIES: u32 = 60;

/// What endpoints may be asked to get.
const FILTERS: [&[&str]; 4] = [
    &[],
    &["payment.*"],
    &["payment.captured", "payment.refunded", "intent.*"],
    &["dispute.*", "payment.created", "payment.declined"],
];

/// An endpoint as its merchant knows it.
struct Subscription {
    host: String,
    /// Known once its making was answered.
    id: Option<String>,
    secrets: Vec<String>,
    /// Every filter that it was ever asked to have.
    ever: Vec<Vec<String>>,
    /// Those of which it may have any.
    current: Vec<Vec<String>>,
    /// Since when every event is owed to it. Unit: microseconds.
    owed_from: Option<i64>,
    /// Whether it is made, changed and removed as chance wants it; else it only is disabled for a while.
    is_fickle: bool,
    /// Whether its secret may be renewed: not while it is unknown which one it has.
    renews: bool,
    /// Whether what comes to it is in sequence: not where it changed its mind while something was under way.
    in_order: bool,
    gone_at: Option<i64>,
}

/// A merchant with endpoints.
pub(crate) struct Subscriber {
    shop: Shop,
    chance: Chance,
    /// Whether it is of the other team.
    is_neighbour: bool,
    made: u32,
    subscriptions: Vec<Subscription>,
}

fn owned(filter: &[&str]) -> Vec<String> {
    filter.iter().map(|entry| (*entry).to_owned()).collect()
}

impl Subscriber {
    /// A merchant of the team, or of its neighbours, without endpoints.
    pub(crate) fn new(shop: &Shop, chance: Chance, is_neighbour: bool) -> Self {
        Self {
            shop: shop.clone(),
            chance,
            is_neighbour,
            made: 0,
            subscriptions: Vec::new(),
        }
    }

    /// Makes the endpoints that there are from the beginning: one that gets all, and one that gets some. Call it in fair weather.
    pub(crate) async fn begin(mut self) -> Self {
        self.make(&[], false).await;
        if !self.is_neighbour {
            let filter = self.chance.pick(FILTERS[1], &[FILTERS[2], FILTERS[3]]);
            self.make(filter, false).await;
        }
        for subscription in &mut self.subscriptions {
            subscription.owed_from = subscription.owed_from.map(|_| 0);
        }
        self
    }

    /// A merchant with one endpoint that gets all, at a server that does as it should.
    pub(crate) async fn alone(shop: &Shop) -> Self {
        let mut merchant = Self::new(shop, Chance::of(0, 0), false);
        merchant.make(&[], false).await;
        for subscription in &mut merchant.subscriptions {
            subscription.owed_from = subscription.owed_from.map(|_| 0);
        }
        merchant
    }

    /// Changes its mind until the shop has closed.
    pub(crate) async fn go_on(mut self, closed: Arc<AtomicBool>) -> Self {
        while !closed.load(Ordering::SeqCst) {
            self.pause(2_000, 25_000).await;
            if self.is_neighbour {
                self.starts_an_intent().await;
            } else {
                self.act().await;
            }
        }
        self
    }

    /// Has every endpoint enabled, from where it stopped.
    pub(crate) async fn restore(&mut self) {
        for _ in 0..TRIES {
            let Some(listed) = self.listed().await else {
                self.pause(2_000, 2_000).await;
                continue;
            };
            let mut is_right = true;
            for endpoint in listed {
                is_right &= self.restored(&endpoint).await;
            }
            if is_right {
                return;
            }
        }
    }

    /// What it wanted, for the checker.
    pub(crate) fn chronicle(&self) -> Vec<Value> {
        let of = |one: &Subscription| {
            json!({
                "host": one.host,
                "neighbour": self.is_neighbour,
                "secrets": one.secrets,
                "ever": one.ever,
                "current": one.current,
                "owedFrom": one.owed_from,
                "inOrder": one.in_order,
                "goneAt": one.gone_at,
            })
        };
        self.subscriptions.iter().map(of).collect()
    }

    async fn act(&mut self) {
        let fickle = self
            .subscriptions
            .iter()
            .position(|one| one.is_fickle && one.gone_at.is_none());
        let any = self.chance.index(self.subscriptions.len());
        match (self.chance.below(6), fickle) {
            (0 | 1, None) => {
                let filter = self.chance.pick(FILTERS[0], &FILTERS);
                self.make(filter, true).await;
            }
            (0, Some(index)) => self.filters(index).await,
            (1, Some(index)) => self.removes(index).await,
            (2 | 3, _) => self.renews(any).await,
            _ => self.sleeps(any).await,
        }
    }

    /// Makes an endpoint at a server of its own.
    async fn make(&mut self, filter: &[&str], is_fickle: bool) {
        let whose = if self.is_neighbour {
            "neighbour"
        } else {
            "shop"
        };
        let host = format!("{whose}-{}.example", self.made);
        self.made += 1;
        let temper = self.temper();
        self.shop.house.servers.add(&host, temper);
        let filter = owned(filter);
        self.subscriptions.push(Subscription {
            host: host.clone(),
            id: None,
            secrets: Vec::new(),
            ever: vec![filter.clone()],
            current: vec![filter.clone()],
            owed_from: None,
            is_fickle,
            renews: true,
            in_order: true,
            gone_at: None,
        });
        let asked = json!({ "url": url_of(&host), "kinds": filter });
        let got = self
            .ask("saveWebhookEndpoint", words::SAVE_ENDPOINT, asked)
            .await;
        let made = got
            .as_ref()
            .and_then(|got| got.body.pointer("/data/saveWebhookEndpoint"));
        let now = self.now();
        if let (Some(made), Some(one)) = (made, self.subscriptions.last_mut())
            && let (Some(id), Some(secret)) = (text(made, "id"), text(made, "secret"))
        {
            one.id = Some(id);
            one.secrets.push(secret);
            one.owed_from = Some(now.saturating_add(CLOCKS));
        }
    }

    /// How a new server behaves: one in six is down for a while, some of them for hours.
    fn temper(&mut self) -> Temper {
        let temper = Temper::of(self.chance.pick(6, &[20, 100]));
        if self.is_neighbour || !self.chance.one_in(6) {
            return temper;
        }
        let from = self
            .shop
            .house
            .world
            .now()
            .after(self.chance.millis(0, 150_000));
        let most = self.chance.pick(120_000, &[120_000, 900_000, 5_400_000]);
        temper.down(from, from.after(self.chance.millis(10_000, most)))
    }

    /// Asks for other kinds of events.
    async fn filters(&mut self, index: usize) {
        let filter = owned(self.chance.pick(FILTERS[0], &FILTERS));
        let Some((id, host)) = self.named(index) else {
            return;
        };
        if let Some(one) = self.subscriptions.get_mut(index) {
            one.in_order = false;
            one.ever.push(filter.clone());
            one.current.push(filter.clone());
        }
        let asked = json!({ "id": id, "url": url_of(&host), "kinds": filter });
        let got = self
            .ask("saveWebhookEndpoint", words::SAVE_ENDPOINT, asked)
            .await;
        let now = self.now();
        if has_data(got.as_ref())
            && let Some(one) = self.subscriptions.get_mut(index)
        {
            one.current = vec![filter];
            one.owed_from = one.owed_from.map(|_| now.saturating_add(CLOCKS));
        }
    }

    async fn removes(&mut self, index: usize) {
        let Some((id, _)) = self.named(index) else {
            return;
        };
        if let Some(one) = self.subscriptions.get_mut(index) {
            one.owed_from = None;
        }
        let asked = json!({ "id": id });
        let got = self
            .ask("deleteWebhookEndpoint", words::DELETE_ENDPOINT, asked)
            .await;
        let now = self.now();
        if has_data(got.as_ref())
            && let Some(one) = self.subscriptions.get_mut(index)
        {
            one.gone_at = Some(now);
        }
    }

    async fn renews(&mut self, index: usize) {
        let Some((id, _)) = self.named(index) else {
            return;
        };
        let Some(one) = self.subscriptions.get_mut(index).filter(|one| one.renews) else {
            return;
        };
        // Without an answer nobody knows which secret signs; the one before does so for a day.
        one.renews = false;
        let asked = json!({ "id": id });
        let got = self
            .ask("rotateWebhookSecret", words::ROTATE_SECRET, asked)
            .await;
        let renewed = got
            .as_ref()
            .and_then(|got| got.body.pointer("/data/rotateWebhookSecret"));
        if let (Some(secret), Some(one)) = (
            renewed.and_then(|renewed| text(renewed, "secret")),
            self.subscriptions.get_mut(index),
        ) {
            one.secrets.push(secret);
            one.renews = true;
        }
    }

    /// Disables an endpoint for a while.
    async fn sleeps(&mut self, index: usize) {
        let Some((id, host)) = self.named(index) else {
            return;
        };
        let asked = json!({ "id": id, "url": url_of(&host), "enabled": false });
        self.ask("saveWebhookEndpoint", words::SAVE_ENDPOINT, asked)
            .await;
        self.pause(500, 40_000).await;
        let is_fickle = self
            .subscriptions
            .get(index)
            .is_some_and(|one| one.is_fickle);
        let skips = is_fickle && self.chance.one_in(2);
        if let Some(one) = self.subscriptions.get_mut(index).filter(|_| skips) {
            one.in_order = false;
            one.owed_from = None;
        }
        let resume = if skips {
            "FROM_NOW"
        } else {
            "WHERE_IT_STOPPED"
        };
        let asked = json!({ "id": id, "url": url_of(&host), "enabled": true, "resume": resume });
        let got = self
            .ask("saveWebhookEndpoint", words::SAVE_ENDPOINT, asked)
            .await;
        let now = self.now();
        if skips
            && has_data(got.as_ref())
            && let Some(one) = self.subscriptions.get_mut(index)
        {
            one.owed_from = Some(now.saturating_add(CLOCKS));
        }
    }

    /// The neighbours' shop has visitors that order nothing.
    async fn starts_an_intent(&mut self) {
        let tracking = format!("neighbour-{:08x}", self.chance.below(1 << 32));
        let asked = json!({ "tracking": tracking, "flow": "default", "amount": { "amount": 500, "currency": "EUR" } });
        self.ask("startIntent", words::START_INTENT, asked).await;
    }

    async fn listed(&mut self) -> Option<Vec<Value>> {
        let got = self
            .ask("listWebhookEndpoints", words::ENDPOINTS, json!({}))
            .await?;
        let listed = got.body.pointer("/data/listWebhookEndpoints")?;
        listed.as_array().cloned()
    }

    /// Has a listed endpoint as it should be at the end. False when that was not to be had now.
    async fn restored(&mut self, endpoint: &Value) -> bool {
        let (Some(id), Some(url)) = (text(endpoint, "id"), text(endpoint, "url")) else {
            return true;
        };
        let known = self
            .subscriptions
            .iter()
            .position(|one| one.id.as_ref() == Some(&id));
        let is_enabled = endpoint.get("enabled") == Some(&Value::Bool(true));
        match known.and_then(|index| self.subscriptions.get(index)) {
            // Its making, or its removal, was not answered.
            None => {
                let asked = json!({ "id": id });
                has_data(
                    self.ask("deleteWebhookEndpoint", words::DELETE_ENDPOINT, asked)
                        .await
                        .as_ref(),
                )
            }
            Some(_) if is_enabled => true,
            Some(_) => {
                let asked =
                    json!({ "id": id, "url": url, "enabled": true, "resume": "WHERE_IT_STOPPED" });
                has_data(
                    self.ask("saveWebhookEndpoint", words::SAVE_ENDPOINT, asked)
                        .await
                        .as_ref(),
                )
            }
        }
    }

    fn named(&self, index: usize) -> Option<(String, String)> {
        let one = self
            .subscriptions
            .get(index)
            .filter(|one| one.gone_at.is_none())?;
        Some((one.id.clone()?, one.host.clone()))
    }

    async fn ask(&mut self, verb: &'static str, query: &'static str, asked: Value) -> Option<Got> {
        let wish = Wish {
            bearer: self.is_neighbour.then(|| NEIGHBOURS_KEY.to_owned()),
            ..Wish::new(verb, query, asked)
        };
        let node = self.chance.index(self.shop.house.nodes());
        self.shop.ask(node, &wish, None).await
    }

    async fn pause(&mut self, low: i64, high: i64) {
        let span: Duration = self.chance.millis(low, high);
        self.shop.house.world.sleep(span).await;
    }

    fn now(&self) -> i64 {
        self.shop.house.world.now().micros()
    }
}

fn url_of(host: &str) -> String {
    format!("https://{host}/hooks")
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

fn has_data(got: Option<&Got>) -> bool {
    got.is_some_and(|got| got.body.get("errors").is_none())
}
