//! What the customer must do first: 3D Secure and methods with a page of their own.

mod pages;

use connector::{
    AccountData, Action, ActionKind, Answer, Authorise, CallError, Complete, Connector, Cryptogram,
    FundingSource, LaterAnswer, Reference, ThreeDs, ThreeDsCall,
};
use connectors::simulator::{BookingKind, Progress};
use domain::{
    bank_account::AccountKind, card_number::AccountNumber, decline::DeclineCode, method::Method,
    payment::ThreeDsWish,
};
use serde_json::json;

use crate::shop::{Call, Charge, Seen, Shop, card, earlier, eur};

const CHALLENGE: &str = "4000002760003184";
const CHALLENGE_THEN_DECLINE: &str = "4000008400001629";
const BACK: &str = "https://pay.example/3ds/abc";

fn account(number: &str) -> AccountData {
    AccountData {
        number: AccountNumber::parse(number.to_owned()).ok().unwrap(),
        kind: AccountKind::Other,
        holder: Some("Ada Byron".to_owned()),
        mandate: None,
    }
}

/// A request with what matters here.
#[derive(Clone, Copy)]
struct Ask<'a> {
    number: Option<&'a str>,
    /// The number of a bank account.
    account: Option<&'a str>,
    method: Method,
    wish: ThreeDsWish,
    back: Option<&'a str>,
    merchant: bool,
    /// The wallet's ECI, empty when its token has none.
    cryptogram: Option<&'a str>,
    capture: bool,
}

fn with(number: &str) -> Ask<'_> {
    let method = card(number).number.brand().method();
    Ask {
        number: Some(number),
        method,
        ..by(Method::Visa)
    }
}

fn by<'a>(method: Method) -> Ask<'a> {
    let wish = ThreeDsWish::AsIssuer;
    Ask {
        number: None,
        account: None,
        method,
        wish,
        back: Some(BACK),
        merchant: false,
        cryptogram: None,
        capture: true,
    }
}

impl Shop {
    fn ask(&self, reference: &Reference, ask: Ask<'_>) -> Answer {
        let data = ask.number.map(card);
        let cryptogram = ask.cryptogram.map(|eci| Cryptogram {
            value: "AAAA".to_owned(),
            eci: (!eci.is_empty()).then(|| eci.to_owned()),
        });
        let account = ask.account.map(account);
        let funding_source = match (&data, &cryptogram, &account) {
            (Some(card), Some(cryptogram), _) => FundingSource::NetworkToken { card, cryptogram },
            (Some(card), None, _) => FundingSource::Card(card),
            (None, _, Some(account)) => FundingSource::Account(account),
            (None, _, None) => FundingSource::Page,
        };
        let call = Authorise {
            reference,
            money: eur(1000),
            capture: ask.capture,
            method: ask.method,
            funding_source,
            three_ds: ThreeDsCall {
                wish: ask.wish,
                return_url: ask.back,
                browser: None,
            },
            merchant_initiated: ask.merchant,
            stored: None,
            shopper: None,
            payer: None,
            statement_descriptor: None,
            fraud: None,
        };
        self.in_time(self.simulator.authorise(&self.link(), &call))
            .unwrap()
            .unwrap()
    }

    fn complete(&self, reference: &Reference, charge: Charge) -> Call<Answer> {
        let Charge { money, capture } = charge;
        let call = Complete {
            authorisation: earlier(reference),
            money,
            capture,
            returned: None,
        };
        self.in_time(self.simulator.complete(&self.link(), &call))
    }

    /// The answer to an authorisation that must wait, and the token of its page.
    fn waits(&self, reference: &Reference, ask: Ask<'_>) -> (Action, String) {
        match self.ask(reference, ask) {
            Answer::ActionRequired { action, .. } => {
                let token = action
                    .url
                    .strip_prefix("https://pay.example/sandbox/pages/")
                    .unwrap()
                    .to_owned();
                (action, token)
            }
            other => panic!("{other:?}"),
        }
    }

    fn decide(&self, token: &str, pass: bool) -> Progress {
        self.play(self.simulator.decide(token, pass))
            .unwrap()
            .unwrap()
            .state
    }
}

fn shop() -> Shop {
    let shop = Shop::open();
    shop.simulator
        .reachable_at("https://pay.example".to_owned());
    shop
}

fn three_ds(answer: &Answer) -> Option<ThreeDs> {
    match answer {
        Answer::Approved { approval, .. } | Answer::Declined { approval, .. } => {
            approval.three_ds.clone()
        }
        other => panic!("{other:?}"),
    }
}

fn authenticated(eci: &str, version: Option<&str>) -> ThreeDs {
    let result = Some("AUTHENTICATED".into());
    ThreeDs {
        eci: Some(eci.into()),
        version: version.map(Into::into),
        result,
    }
}

fn is_declined(answer: &Answer, code: DeclineCode) {
    assert!(
        matches!(answer, Answer::Declined { decline, .. } if decline.code == code),
        "{answer:?}"
    );
}

#[test]
fn a_challenge_charges_nothing_until_it_is_passed_and_completed() {
    let shop = shop();
    for capture in [false, true] {
        let reference = shop.reference();
        let (action, token) = shop.waits(
            &reference,
            Ask {
                capture,
                ..with(CHALLENGE)
            },
        );
        assert_eq!(
            (action.kind, action.ready),
            (ActionKind::ThreeDSecure, false)
        );
        assert_eq!(shop.sums(&reference), [0, 0, 0]);
        // Completed too early, it asks again.
        let early = shop
            .complete(&reference, Charge::of(1000, capture))
            .unwrap()
            .unwrap();
        assert!(
            matches!(&early, Answer::ActionRequired { action: again, .. } if *again == action),
            "{early:?}"
        );
        assert_eq!(shop.decide(&token, true), Progress::Passed);
        let Seen::Authorisation(Answer::ActionRequired { action: ready, .. }) =
            shop.look_up(&reference, &reference)
        else {
            panic!("it is not ready")
        };
        assert_eq!(
            ready,
            Action {
                ready: true,
                ..action
            }
        );
        assert_eq!(
            (
                shop.sums(&reference),
                shop.entry(&reference)["challenge"].clone()
            ),
            ([0, 0, 0], json!("passed"))
        );
        let done = shop
            .complete(&reference, Charge::of(1000, capture))
            .unwrap()
            .unwrap();
        assert!(
            matches!(&done, Answer::Approved { captured, .. } if *captured == capture),
            "{done:?}"
        );
        assert_eq!(three_ds(&done), Some(authenticated("05", Some("2.2.0"))));
        assert_eq!(
            shop.complete(&reference, Charge::of(1000, capture))
                .unwrap()
                .unwrap(),
            done
        );
        assert_eq!(
            shop.look_up(&reference, &reference),
            Seen::Authorisation(done)
        );
        assert_eq!(
            shop.sums(&reference),
            [1000, if capture { 1000 } else { 0 }, 0]
        );
        assert_eq!(shop.decide(&token, false), Progress::Completed);
    }
}

#[test]
fn the_same_request_again_waits_at_the_same_page() {
    let shop = shop();
    let reference = shop.reference();
    assert_eq!(
        shop.waits(&reference, with(CHALLENGE)).0,
        shop.waits(&reference, with(CHALLENGE)).0
    );
    let other = shop.reference();
    assert_ne!(
        shop.waits(&reference, with(CHALLENGE)).1[..22],
        shop.waits(&other, with(CHALLENGE)).1[..22]
    );
}

#[test]
fn a_decision_is_made_once() {
    let shop = shop();
    for (first, state) in [(true, Progress::Passed), (false, Progress::Failed)] {
        let (_, token) = shop.waits(&shop.reference(), with(CHALLENGE));
        assert_eq!(shop.decide(&token, first), state);
        assert_eq!(shop.decide(&token, !first), state);
    }
}

#[test]
fn a_challenge_that_is_not_passed_declines() {
    let shop = shop();
    for (ask, code) in [
        (with(CHALLENGE), DeclineCode::ThreeDSecure),
        (with(CHALLENGE_THEN_DECLINE), DeclineCode::ThreeDSecure),
        (by(Method::Walletc), DeclineCode::PaymentRejected),
    ] {
        let reference = shop.reference();
        let (_, token) = shop.waits(&reference, ask);
        shop.decide(&token, false);
        let answer = shop
            .complete(&reference, Charge::sale(1000))
            .unwrap()
            .unwrap();
        is_declined(&answer, code);
        assert_eq!(
            shop.look_up(&reference, &reference),
            Seen::Authorisation(answer)
        );
        assert_eq!(
            (
                shop.sums(&reference),
                shop.entry(&reference)["challenge"].clone()
            ),
            ([0, 0, 0], json!("failed"))
        );
    }
}

#[test]
fn an_issuer_may_decline_after_its_own_challenge() {
    let shop = shop();
    let reference = shop.reference();
    let (_, token) = shop.waits(&reference, with(CHALLENGE_THEN_DECLINE));
    shop.decide(&token, true);
    let answer = shop
        .complete(&reference, Charge::sale(1000))
        .unwrap()
        .unwrap();
    is_declined(&answer, DeclineCode::GeneralDecline);
    assert_eq!(three_ds(&answer), Some(authenticated("05", Some("2.2.0"))));
    assert_eq!(shop.sums(&reference), [0, 0, 0]);
}

#[test]
fn what_waits_can_be_given_up_and_is_never_charged_then() {
    let shop = shop();
    for ask in [with(CHALLENGE), by(Method::Bnpla)] {
        for passed in [false, true] {
            let reference = shop.reference();
            let (_, token) = shop.waits(&reference, ask);
            if passed {
                shop.decide(&token, true);
            }
            let cancel = shop
                .later(BookingKind::Cancel, &reference, &shop.reference(), 1000)
                .unwrap()
                .unwrap();
            assert!(matches!(cancel, LaterAnswer::Done { .. }), "{cancel:?}");
            assert_eq!(shop.decide(&token, true), Progress::Over);
            is_declined(
                &shop
                    .complete(&reference, Charge::sale(1000))
                    .unwrap()
                    .unwrap(),
                DeclineCode::PaymentCancelled,
            );
            let again = shop
                .later(BookingKind::Cancel, &reference, &shop.reference(), 1000)
                .unwrap()
                .unwrap();
            assert!(matches!(again, LaterAnswer::Refused { .. }), "{again:?}");
            assert_eq!(shop.sums(&reference), [0, 0, 0]);
            assert_eq!(shop.entry(&reference)["challenge"], json!("over"));
            assert_eq!(shop.entry(&reference)["cancelled"], json!(true));
        }
    }
}

#[test]
fn what_is_completed_is_cancelled_like_any_authorisation() {
    let shop = shop();
    let reference = shop.reference();
    let (_, token) = shop.waits(
        &reference,
        Ask {
            capture: false,
            ..with(CHALLENGE)
        },
    );
    for kind in [BookingKind::Capture, BookingKind::Refund] {
        let early = shop
            .later(kind, &reference, &shop.reference(), 1000)
            .unwrap()
            .unwrap();
        assert!(matches!(early, LaterAnswer::Refused { .. }), "{early:?}");
    }
    shop.decide(&token, true);
    shop.complete(&reference, Charge::hold(1000))
        .unwrap()
        .unwrap();
    let cancel = shop
        .later(BookingKind::Cancel, &reference, &shop.reference(), 1000)
        .unwrap()
        .unwrap();
    assert!(matches!(cancel, LaterAnswer::Done { .. }), "{cancel:?}");
    assert_eq!(shop.entry(&reference)["challenge"], json!("passed"));
}

#[test]
fn where_nobody_can_be_sent_to_a_page_a_challenge_is_a_soft_decline() {
    let shop = shop();
    for ask in [
        with(CHALLENGE),
        with(CHALLENGE_THEN_DECLINE),
        by(Method::Walletc),
        by(Method::Ideal),
    ] {
        for ask in [
            Ask { back: None, ..ask },
            Ask {
                merchant: true,
                ..ask
            },
        ] {
            let reference = shop.reference();
            let answer = shop.ask(&reference, ask);
            is_declined(&answer, DeclineCode::AuthorizationRequired);
            assert!(
                matches!(&answer, Answer::Declined { decline, .. } if decline.kind.code() == "SOFT")
            );
            assert_eq!(shop.entry(&reference).get("challenge"), None);
        }
    }
}

#[test]
fn who_avoids_a_challenge_meets_it_all_the_same() {
    let shop = shop();
    shop.waits(
        &shop.reference(),
        Ask {
            wish: ThreeDsWish::Avoid,
            ..with(CHALLENGE)
        },
    );
}

#[test]
fn other_cards_pass_without_a_challenge_when_it_is_asked_for() {
    let shop = shop();
    for (number, eci) in [("4242424242424242", "05"), ("5555555555554444", "02")] {
        let asked = Ask {
            wish: ThreeDsWish::Request,
            ..with(number)
        };
        assert_eq!(
            three_ds(&shop.ask(&shop.reference(), asked)),
            Some(authenticated(eci, Some("2.2.0")))
        );
        assert_eq!(three_ds(&shop.ask(&shop.reference(), with(number))), None);
        let absent = Ask {
            merchant: true,
            ..asked
        };
        assert_eq!(three_ds(&shop.ask(&shop.reference(), absent)), None);
    }
}

#[test]
fn a_wallets_cryptogram_stands_for_the_challenge() {
    let shop = shop();
    let reported = shop.ask(
        &shop.reference(),
        Ask {
            cryptogram: Some("07"),
            ..with(CHALLENGE)
        },
    );
    assert_eq!(three_ds(&reported), Some(authenticated("07", None)));
    let own = shop.ask(
        &shop.reference(),
        Ask {
            cryptogram: Some(""),
            ..with("5555555555554444")
        },
    );
    assert_eq!(three_ds(&own), Some(authenticated("02", None)));
    let declined = shop.ask(
        &shop.reference(),
        Ask {
            cryptogram: Some(""),
            ..with(CHALLENGE_THEN_DECLINE)
        },
    );
    is_declined(&declined, DeclineCode::GeneralDecline);
}

#[test]
fn only_the_authorisation_that_was_asked_for_is_completed() {
    let shop = shop();
    let reference = shop.reference();
    let (_, token) = shop.waits(&reference, with(CHALLENGE));
    shop.decide(&token, true);
    for wrong in [Charge::sale(999), Charge::hold(1000)] {
        assert!(
            matches!(
                shop.complete(&reference, wrong),
                Ok(Err(CallError::Rejected { .. }))
            ),
            "{wrong:?}"
        );
    }
    assert!(matches!(
        shop.complete(&shop.reference(), Charge::sale(1000)),
        Ok(Err(CallError::Rejected { .. }))
    ));
    assert_eq!(shop.sums(&reference), [0, 0, 0]);
}
