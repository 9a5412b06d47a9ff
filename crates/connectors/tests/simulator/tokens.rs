//! Tokens of the simulator's own.

use connector::{Action, CallError, Stored, Tokenise, Tokenised};
use connectors::simulator::Progress;
use domain::decline::DeclineCode;
use serde_json::Value;

use crate::shop::{Shop, card, eur};

fn tokenise(
    shop: &Shop,
    reference: &str,
    number: &str,
    return_url: Option<&str>,
) -> Result<Tokenised, CallError> {
    let card = card(number);
    let call = Tokenise {
        reference,
        card: &card,
        currency: eur(1).currency(),
        shopper: "",
        return_url,
    };
    shop.in_time(shop.simulator.tokenise(&shop.link(), &call))
        .unwrap()
}

fn is_token(reported: &Result<Tokenised, CallError>) -> bool {
    matches!(reported, Ok(Tokenised::Token(own)) if own.reusable && own.value.starts_with("simtok_") && own.value.len() == 31
        && own.customer.is_some())
}

#[test]
fn a_card_has_one_token_per_request_and_no_money_moves() {
    let shop = Shop::open();
    let first = tokenise(&shop, "token-1", "4242424242424242", None);
    assert!(is_token(&first), "{first:?}");
    assert_eq!(tokenise(&shop, "token-1", "4242424242424242", None), first);
    assert_ne!(tokenise(&shop, "token-2", "4242424242424242", None), first);
    assert!(matches!(
        tokenise(&shop, "token-1", "4000000000000002", None),
        Err(CallError::Rejected { .. })
    ));
    assert_eq!(shop.read(), [] as [Value; 0]);
}

#[test]
fn a_declined_card_has_none() {
    let shop = Shop::open();
    let reported = tokenise(&shop, "t", "4000000000009995", None);
    assert!(
        matches!(&reported, Ok(Tokenised::Declined(decline)) if decline.code == DeclineCode::InsufficientFunds),
        "{reported:?}"
    );
    let failed = tokenise(&shop, "f", "4000000000000119", None);
    assert!(
        matches!(failed, Err(CallError::Rejected { .. })),
        "{failed:?}"
    );
}

#[test]
fn a_challenge_is_passed_first() {
    const NUMBER: &str = "4000002760003184";
    let shop = Shop::open();
    let absent = tokenise(&shop, "absent", NUMBER, None);
    assert!(
        matches!(&absent, Ok(Tokenised::Declined(decline)) if decline.code == DeclineCode::AuthorizationRequired),
        "{absent:?}"
    );
    for pass in [true, false] {
        let reference = if pass { "pass" } else { "fail" };
        let back = Some("https://pay.example/return/x");
        let asked = tokenise(&shop, reference, NUMBER, back);
        assert_eq!(tokenise(&shop, reference, NUMBER, back), asked);
        let Ok(Tokenised::ActionRequired(Action {
            url, ready: false, ..
        })) = asked
        else {
            panic!("{asked:?}")
        };
        let token = url.strip_prefix("/sandbox/pages/").unwrap();
        let page = shop
            .play(shop.simulator.decide(token, pass))
            .unwrap()
            .unwrap();
        assert_eq!(
            (page.state, page.money.is_zero()),
            (
                if pass {
                    Progress::Passed
                } else {
                    Progress::Failed
                },
                true
            )
        );
        let reported = tokenise(&shop, reference, NUMBER, back);
        if pass {
            assert!(is_token(&reported), "{reported:?}");
            assert_eq!(tokenise(&shop, reference, NUMBER, back), reported);
        } else {
            assert!(
                matches!(&reported, Ok(Tokenised::Declined(decline)) if decline.code == DeclineCode::ThreeDSecure),
                "{reported:?}"
            );
        }
    }
}

#[test]
fn references_that_can_stand_in_an_address_are_taken_alone() {
    let shop = Shop::open();
    for reference in ["", "a/b", "a b", "é", &"a".repeat(101)] {
        assert!(matches!(
            tokenise(&shop, reference, "4242424242424242", None),
            Err(CallError::Rejected { .. })
        ));
    }
}
