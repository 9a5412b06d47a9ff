//! The scenarios of every connector.

use connector::{
    Action, Credentials,
    scenarios::{self, Challenge, Customer, Fixtures},
};
use connectors::simulator::Simulator;
use futures_util::future::BoxFuture;

use crate::shop::{NO_SETTINGS, Shop, card, link};

/// A customer who opens the simulator's pages.
pub(crate) struct Browser<'s>(pub(crate) &'s Simulator);

impl Customer for Browser<'_> {
    fn decide<'a>(&'a self, action: &'a Action, pass: bool) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let token = action.url.strip_prefix("/sandbox/pages/").unwrap();
            self.0.decide(token, pass).await.unwrap().unwrap();
        })
    }
}

#[test]
fn the_simulator_passes_the_scenarios_of_every_connector() {
    // A slow refund is one that the scenarios must follow to its end.
    for approved in ["4242424242424242", "4000000000007726"] {
        let shop = Shop::open();
        let (approved, declined) = (card(approved), card("4000000000000002"));
        let challenged = card("4000002760003184");
        let customer = Browser(&shop.simulator);
        let return_url = "https://pay.example/3ds/abc";
        let wrong = Credentials::read(br#"{"apiKey": "wrong"}"#).unwrap();
        let fixtures = Fixtures {
            link: link(&shop.connection, &NO_SETTINGS, None),
            wrong_credentials: Some(&wrong),
            currency: crate::shop::eur(1).currency(),
            approved: &approved,
            declined: &declined,
            challenge: Some(Challenge {
                card: &challenged,
                return_url,
                customer: &customer,
            }),
            facts_elsewhere: &[],
            skips: &[],
        };
        let failures = shop.play(scenarios::play(&shop.simulator, &shop.world, &fixtures));
        assert_eq!(failures, []);
    }
}
