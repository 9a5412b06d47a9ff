//! The scenarios of every connector.

use connector::{
    Action, Credentials, Fact,
    scenarios::{self, Challenge, Customer, Fixtures, Skip},
};
use domain::money::Currency;
use futures_util::future::BoxFuture;

use crate::shop::{Shop, card};

/// A customer who opens Stripe's pages.
struct Browser<'s>(&'s Shop);

impl Customer for Browser<'_> {
    fn decide<'a>(&'a self, action: &'a Action, pass: bool) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.0.press(&action.url, pass);
        })
    }
}

const SKIPS: &[Skip] = &[Skip {
    scenario: "a refund of one of several captures takes no more than that one has left",
    reason: "Stripe has one charge for all captures of an intent, and a refund is of the charge; the domain divides refunds among captures",
}];

/// Of charges in another currency than the account's, and what the simulator does not have: `answers` holds them.
const ELSEWHERE: &[Fact] = &[Fact::IssuingBank, Fact::ExchangeRate, Fact::Receipt];

#[test]
pub(crate) fn stripe_passes_the_scenarios_of_every_connector() {
    // A slow refund is one that the scenarios must follow to its end.
    for approved in ["4242424242424242", "4000000000007726"] {
        let shop = Shop::open();
        let (approved, declined) = (card(approved), card("4000000000000002"));
        let challenged = card("4000002760003184");
        let customer = Browser(&shop);
        let wrong = Credentials::read(br#"{"secretKey": "sk_live_1"}"#).unwrap();
        let fixtures = Fixtures {
            link: shop.link(),
            wrong_credentials: Some(&wrong),
            currency: Currency::parse("EUR").unwrap(),
            approved: &approved,
            declined: &declined,
            challenge: Some(Challenge {
                card: &challenged,
                return_url: "https://pay.example/3ds/abc",
                customer: &customer,
            }),
            facts_elsewhere: ELSEWHERE,
            skips: SKIPS,
        };
        let failures = shop.play(scenarios::play(&shop.connector, &shop.world, &fixtures));
        assert_eq!(failures, []);
    }
}
