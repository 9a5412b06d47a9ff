//! A merchant with a connection to the simulated Stripe.

use std::future::Future;

use connector::{CardData, Connector, Credentials, Delivery, Link, Notice, NoticeContent};
use connectors::stripe::Stripe;
use domain::{
    caller::Mode,
    card_number::{CardNumber, SecurityCode},
    expiry::Expiry,
    id::ConnectionId,
};
use futures_util::future::BoxFuture;
use http_client::{
    HostPattern, Http, HttpError, ProcessorHttp, Recipient, Reply, Request as Outgoing,
};
use processors::{Machine as _, Played, Request, stripe::Stripe as Machine};
use serde_json::Value;
use world::{Sim, World};

pub(crate) static NO_SETTINGS: Value = Value::Null;

/// Where shoppers would reach the simulator's pages.
pub(crate) const PUBLIC: &str = "https://stripe.example";

/// Where notifications are sent to.
pub(crate) const ADDRESS: &str = "https://pay.example/notifications/the-token";

pub(crate) struct Shop {
    pub(crate) world: World,
    pub(crate) sim: Sim,
    pub(crate) stripe: Played<Machine>,
    pub(crate) connector: Stripe,
    pub(crate) connection: ConnectionId,
    pub(crate) credentials: Credentials,
    hosts: Vec<HostPattern>,
}

impl Shop {
    pub(crate) fn open() -> Self {
        let (world, sim) = World::simulated(11);
        let stripe = Played::new(world.clone(), Machine::new(11, PUBLIC));
        let credentials = br#"{"secretKey": "sk_test_1", "webhookSecret": "whsec_1"}"#;
        Self {
            stripe,
            connector: Stripe,
            connection: ConnectionId::parse("stripe").unwrap(),
            credentials: Credentials::read(credentials).unwrap(),
            hosts: vec![HostPattern::parse("api.stripe.com").unwrap()],
            world,
            sim,
        }
    }

    pub(crate) fn link(&self) -> Link<'_> {
        Link {
            connection: &self.connection,
            mode: Mode::Test,
            settings: &NO_SETTINGS,
            credentials: Some(&self.credentials),
            base: None,
            http: ProcessorHttp::new(&self.stripe, &self.hosts),
            notification_url: Some(ADDRESS),
            mark: Some("00112233aabbccdd"),
            now: self.world.now(),
        }
    }

    /// The customer presses a button of a page.
    pub(crate) fn press(&self, url: &str, pass: bool) {
        let word = if pass { "complete" } else { "fail" };
        let form = "application/x-www-form-urlencoded".to_owned();
        let request = Request {
            method: "POST".to_owned(),
            path: url.strip_prefix(PUBLIC).unwrap().to_owned(),
            headers: [("content-type".to_owned(), form)].into(),
            body: format!("result={word}").into_bytes(),
            ..Request::default()
        };
        assert_eq!(self.stripe.asked(&request).status, 302);
    }

    /// Asks the machine for something, as the account's owner.
    pub(crate) fn ask(&self, path: &str, body: &str) -> Value {
        let headers = [
            ("authorization", "Bearer sk_test_1"),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        let request = Request {
            method: "POST".to_owned(),
            path: path.to_owned(),
            headers: headers
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            body: body.as_bytes().to_vec(),
            ..Request::default()
        };
        let reply = self.stripe.asked(&request);
        let said = String::from_utf8_lossy(&reply.body);
        assert_eq!(reply.status, 200, "{path}: {said}");
        serde_json::from_slice(&reply.body).unwrap()
    }

    /// Has all events reported from now on.
    pub(crate) fn listen(&self) {
        let form = "url=https://pay.example/notifications/the-token&enabled_events[0]=*";
        self.ask("/v1/webhook_endpoints", form);
    }

    /// The news in what Stripe has reported since.
    pub(crate) fn news(&self) -> Vec<Notice> {
        let now = self.stripe.now();
        let posts = self.stripe.machine().due(now);
        let news = posts.iter().flat_map(|post| {
            self.stripe.machine().delivered(post.id, Some(200), now);
            self.read(&post.body)
        });
        news.collect()
    }

    /// The news in an event.
    pub(crate) fn read(&self, body: &[u8]) -> Vec<Notice> {
        let facet = self.connector.notices().unwrap();
        let delivery = Delivery { body, headers: &[] };
        let read = facet.read(&delivery).unwrap();
        let is_open = |notice: &Notice| notice.content == NoticeContent::Unresolved;
        if !read.iter().any(is_open) {
            return read;
        }
        let link = self.link();
        self.play(facet.resolve(&link, &delivery)).unwrap()
    }

    /// A link on whose way back answers are changed.
    pub(crate) fn bent<'a>(&'a self, bent: &'a Bent) -> Link<'a> {
        Link {
            http: ProcessorHttp::new(bent, &self.hosts),
            ..self.link()
        }
    }

    /// Plays something to its end.
    pub(crate) fn play<T>(&self, story: impl Future<Output = T>) -> T {
        self.sim.run_until(story).unwrap()
    }
}

/// Stripe, with its answers changed.
pub(crate) struct Bent {
    pub(crate) stripe: Played<Machine>,
    pub(crate) bend: fn(&mut Value),
}

impl Http for Bent {
    fn send<'a>(
        &'a self,
        to: Recipient<'a>,
        request: &'a Outgoing<'a>,
    ) -> BoxFuture<'a, Result<Reply, HttpError>> {
        Box::pin(async move {
            let mut reply = self.stripe.send(to, request).await?;
            let mut body: Value = serde_json::from_slice(&reply.body).unwrap();
            (self.bend)(&mut body);
            reply.body = serde_json::to_vec(&body).unwrap().into();
            Ok(reply)
        })
    }
}

pub(crate) fn card(number: &str) -> CardData {
    CardData {
        number: CardNumber::parse(number.to_owned()).unwrap(),
        expiry: Expiry::parse(12, 2034).unwrap(),
        cvc: Some(SecurityCode::parse("123".to_owned()).unwrap()),
        brand: "VISA".to_owned(),
        name: Some("Jo Shopper".to_owned()),
        address: None,
    }
}
