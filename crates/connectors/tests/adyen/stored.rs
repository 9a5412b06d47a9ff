//! Cards that Adyen stores, and the schemes' transactions of others.

use connector::{
    Answer, Approval, Authorise, CallError, Cause, Connector, FundingSource, OwnToken,
    RecurringReason, StoredCardData, StoredCredential, ThreeDsCall, Tokenise, Tokenised,
};
use domain::{
    card_number::SecurityCode,
    method::Method,
    money::{Currency, Money},
    payment::ThreeDsWish,
};
use processors::Armed;
use serde_json::Value;

use super::shop::{Shop, card};

const SHOPPER: &str = "0192f0c4-8a51-7000-8000-00000000c0de";

fn eur() -> Currency {
    Currency::parse("EUR").unwrap()
}

/// What is asked for.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    funding_source: FundingSource<'a>,
    merchant_initiated: bool,
    stored: Option<StoredCredential<'a>>,
}

const fn credential(first: bool, network_id: Option<&str>) -> StoredCredential<'_> {
    StoredCredential {
        reason: RecurringReason::Instalments,
        first,
        network_id,
    }
}

impl Shop {
    fn paid(&self, wanted: Wanted<'_>) -> Result<Answer, CallError> {
        let reference = self.reference();
        let call = Authorise {
            reference: &reference,
            money: Money::new(1000, eur()),
            capture: true,
            method: Method::Visa,
            funding_source: wanted.funding_source,
            three_ds: ThreeDsCall {
                wish: ThreeDsWish::AsIssuer,
                return_url: None,
                browser: None,
            },
            merchant_initiated: wanted.merchant_initiated,
            stored: wanted.stored,
            shopper: Some(SHOPPER),
            payer: None,
            statement_descriptor: None,
            fraud: None,
        };
        let link = self.link();
        self.play(self.connector.authorise(&link, &call))
    }

    fn token(&self, number: &str, reference: &str) -> Result<Tokenised, CallError> {
        let card = card(number);
        let call = Tokenise {
            reference,
            card: &card,
            currency: eur(),
            shopper: SHOPPER,
            return_url: None,
        };
        let link = self.link();
        self.play(self.connector.stored().unwrap().tokenise(&link, &call))
    }

    fn last_payment(&self) -> Value {
        let books = self.books();
        books["payments"]
            .as_array()
            .unwrap()
            .last()
            .unwrap()
            .clone()
    }
}

fn stored(own: OwnToken, cvc: Option<&str>) -> StoredCardData {
    StoredCardData {
        token: own,
        cvc: cvc.map(|cvc| SecurityCode::parse(cvc.to_owned()).unwrap()),
        brand: "VISA".to_owned(),
        name: None,
        address: None,
    }
}

fn approved(answer: Result<Answer, CallError>) -> Approval {
    match answer {
        Ok(Answer::Approved { approval, .. }) => approval,
        other => panic!("{other:?}"),
    }
}

#[test]
pub(crate) fn a_card_is_stored_by_the_payment_in_which_the_customer_agrees_alone() {
    let shop = Shop::open();
    let number = card("4111111111111111");
    let asked = |stored| {
        approved(shop.paid(Wanted {
            funding_source: FundingSource::Card(&number),
            merchant_initiated: false,
            stored,
        }))
    };
    assert_eq!(asked(None).stored_card, None);
    assert_eq!(asked(Some(credential(false, None))).stored_card, None);
    let first = asked(Some(credential(true, None)));
    let own = first.stored_card.unwrap();
    assert_eq!(own.customer.as_deref(), Some(SHOPPER));
    // It pays with the code that was typed, and without the customer.
    for (cvc, merchant_initiated) in [(Some("737"), false), (None, true)] {
        let card = stored(own.clone(), cvc);
        let later = approved(shop.paid(Wanted {
            funding_source: FundingSource::StoredCard(&card),
            merchant_initiated,
            stored: merchant_initiated.then(|| credential(false, None)),
        }));
        assert_eq!(later.stored_card, None);
        let seen = shop.last_payment();
        let interaction = if merchant_initiated {
            "ContAuth"
        } else {
            "Ecommerce"
        };
        let model = if merchant_initiated {
            "Subscription"
        } else {
            "CardOnFile"
        };
        assert_eq!(seen["shopperInteraction"], interaction, "{seen}");
        assert_eq!(seen["recurringProcessingModel"], model, "{seen}");
    }
}

#[test]
pub(crate) fn a_stored_card_that_is_gone_is_said_to_be_gone() {
    let shop = Shop::open();
    let gone = |value: &str, customer: &str| {
        let own = OwnToken {
            value: value.to_owned(),
            customer: Some(customer.to_owned()),
            reusable: true,
        };
        let card = stored(own, None);
        let answer = shop.paid(Wanted {
            funding_source: FundingSource::StoredCard(&card),
            merchant_initiated: true,
            stored: Some(credential(false, None)),
        });
        let is_gone = matches!(
            answer,
            Err(CallError::Rejected {
                cause: Cause::StoredCardGone,
                ..
            })
        );
        assert!(is_gone, "{answer:?}");
    };
    // The shopper has none at all, has others, and is another one.
    gone("M5N7TQ4TG5PFWR50", SHOPPER);
    let Ok(Tokenised::Token(own)) = shop.token("4111111111111111", "request-1") else {
        panic!("a token");
    };
    gone("M5N7TQ4TG5PFWR50", SHOPPER);
    gone(&own.value, "another-shopper");
    assert_eq!(shop.charges(), 0);
}

#[test]
pub(crate) fn whatever_happens_to_an_answer_one_card_is_stored_for_a_request() {
    for fault in [
        "lost-before",
        "lost-after",
        "error-after",
        "cut=20",
        "html",
        "rate-limit",
    ] {
        let shop = Shop::open();
        let armed = Armed::parse(fault).unwrap().times(1);
        let armed = armed.at("/v72/storedPaymentMethods");
        shop.adyen.machine().arm(armed);
        let first = shop.token("4111111111111111", "request-1");
        let seen = format!("{fault}: {first:?}");
        assert!(
            matches!(
                first,
                Err(CallError::Unknown { .. } | CallError::NotSent { .. })
            ),
            "{seen}"
        );
        // What was answered is kept under the key: the next request has another reference.
        let next = if fault == "error-after" {
            "request-2"
        } else {
            "request-1"
        };
        let again = shop.token("4111111111111111", next);
        assert!(
            matches!(again, Ok(Tokenised::Token(_))),
            "{seen}, {again:?}"
        );
        let books = shop.books();
        let kept = books["storedPaymentMethods"].as_array().unwrap();
        let expected = if fault == "error-after" { 2 } else { 1 };
        assert_eq!(kept.len(), expected, "{seen}");
    }
}

#[test]
pub(crate) fn a_transaction_of_the_scheme_is_named_where_it_can_be_one() {
    let shop = Shop::open();
    let number = card("4111111111111111");
    let asked = |network_id, merchant_initiated| {
        approved(shop.paid(Wanted {
            funding_source: FundingSource::Card(&number),
            merchant_initiated,
            stored: Some(credential(false, network_id)),
        }));
        shop.last_payment()["networkPaymentReference"].clone()
    };
    assert_eq!(asked(Some("123456789012345"), true), "123456789012345");
    // Not Visa's or Mastercard's: Adyen would refuse the payment.
    for other in ["SIM-0192f0c4/8a51", "12345678", "a-word-of-others"] {
        assert_eq!(asked(Some(other), true), Value::Null, "{other}");
    }
    // The customer is present: it is no later payment.
    assert_eq!(asked(Some("123456789012345"), false), Value::Null);
}
