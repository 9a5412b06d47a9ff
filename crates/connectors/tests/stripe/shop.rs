//! A merchant with a connection to the simulated Stripe.

use std::future::Future;

use connector::{CardData, Credentials, Link};
use connectors::stripe::Stripe;
use domain::{
    caller::Mode,
    card_number::{CardNumber, SecurityCode},
    expiry::Expiry,
    id::ConnectionId,
};
use http_client::{HostPattern, ProcessorHttp};
use processors::{Played, Request, stripe::Stripe as Machine};
use serde_json::Value;
use world::{Sim, World};

pub(crate) static NO_SETTINGS: Value = Value::Null;

/// Where shoppers would reach the simulator's pages.
pub(crate) const PUBLIC: &str = "https://stripe.example";

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
            notification_url: Some("https://pay.example/notifications/the-token"),
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

    /// Plays something to its end.
    pub(crate) fn play<T>(&self, story: impl Future<Output = T>) -> T {
        self.sim.run_until(story).unwrap()
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
