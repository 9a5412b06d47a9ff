//! The scenarios of every connector.

use connector::{
    Credentials, Fact,
    scenarios::{self, Challenge, Fixtures, Skip},
};
use domain::money::Currency;
use processors::adyen::Account;

use super::{
    followed::Followed,
    shop::{Shop, card},
};

/// Of payments whose additional data the account shows: `answers` holds them.
const ELSEWHERE: &[Fact] = &[
    Fact::RiskLevel,
    Fact::RiskScore,
    Fact::CardType,
    Fact::IssuingBank,
];

const SKIPS: &[Skip] = &[
    Skip {
        scenario: "a refund names its capture",
        reason: "Adyen refunds a payment, not one of its captures; the domain divides refunds among captures",
    },
    Skip {
        scenario: "a refund of one of several captures takes no more than that one has left",
        reason: "Adyen refunds a payment, not one of its captures; the domain divides refunds among captures",
    },
    Skip {
        scenario: "a final capture ends the authorisation, whatever it leaves",
        reason: "with several captures switched on, Adyen keeps the rest until it expires; the domain captures no more of it",
    },
    Skip {
        scenario: "a reference is not taken for another amount",
        reason: "what Adyen does with another body under a known key is not published; `faults` holds that it never charges twice",
    },
    Skip {
        scenario: "a decline is found as it was answered",
        reason: "the reason of a decline is not signed in notifications, so that they bring the decline alone",
    },
    Skip {
        scenario: "wrong credentials are refused as such, and nothing happens",
        reason: "a look-up asks nobody, so that it can't be refused; `faults` holds the rest",
    },
    Skip {
        scenario: "a token is given once for a request, after the card's challenge",
        reason: "Adyen stores a card without asking its bank; one that is stored with a payment is asked for there",
    },
    Skip {
        scenario: "a merchant's payment whose issuer wants the customer is a soft decline",
        reason: "no published test card of Adyen's is declined so; `answers` holds that refusal 38 is",
    },
    Skip {
        scenario: "what waits for the customer is given up for good",
        reason: "Adyen is asked nothing for a card that waits: the engine completes nothing that it has given up; `news` holds the rest",
    },
];

#[test]
pub(crate) fn adyen_passes_the_scenarios_of_every_connector() {
    // A slow refund is one that the scenarios must follow to its end.
    for (approved, several_captures) in [
        ("4111111111111111", false),
        ("4111111111111111", true),
        ("4000000000007726", false),
    ] {
        let account = Account {
            several_captures,
            ..Account::default()
        };
        let shop: &'static Shop = Box::leak(Box::new(Shop::with(account)));
        let followed: &'static Followed<'static> = Box::leak(Box::new(Followed::of(shop)));
        let (approved, declined) = (card(approved), card("4000000000000002"));
        let challenged = card("4917610000000000");
        let wrong = br#"{"apiKey": "wrong", "merchantAccount": "ShopECOM"}"#;
        let wrong = Credentials::read(wrong).unwrap();
        let fixtures = Fixtures {
            link: shop.link(),
            wrong_credentials: Some(&wrong),
            currency: Currency::parse("EUR").unwrap(),
            approved: &approved,
            declined: &declined,
            challenge: Some(Challenge {
                card: &challenged,
                return_url: "https://pay.example/3ds/abc",
                customer: followed,
            }),
            facts_elsewhere: ELSEWHERE,
            skips: SKIPS,
        };
        let failures = shop.play(scenarios::play(followed, &shop.world, &fixtures));
        assert_eq!(failures, [], "several captures: {several_captures}");
    }
}
