//! Cards that Stripe stores, and the schemes' transactions of others.

use connector::{
    Answer, Authorise, CallError, Cause, Connector, FundingSource, Link, OwnToken, RecurringReason,
    Reference, StoredCardData, StoredCredential, ThreeDsCall, Tokenise, Tokenised,
};
use domain::{
    card_number::SecurityCode,
    id::PaymentId,
    method::Method,
    money::{Currency, Money},
    payment::ThreeDsWish,
};
use processors::{Armed, Request};
use serde_json::{Value, json};

use crate::shop::{Shop, card};

fn eur() -> Currency {
    Currency::parse("EUR").unwrap()
}

impl Shop {
    /// A sale of 10.00 EUR that the merchant starts.
    fn merchants_sale(
        &self,
        link: &Link<'_>,
        funding_source: FundingSource<'_>,
        network_id: Option<&str>,
    ) -> Result<Answer, CallError> {
        let reference = Reference::new(PaymentId::new(self.world.uuid_v7()), 1);
        let call = Authorise {
            reference: &reference,
            money: Money::new(1000, eur()),
            capture: true,
            method: Method::Visa,
            funding_source,
            three_ds: ThreeDsCall {
                wish: ThreeDsWish::AsIssuer,
                return_url: None,
                browser: None,
            },
            merchant_initiated: true,
            stored: Some(StoredCredential {
                reason: RecurringReason::Unscheduled,
                first: false,
                network_id,
            }),
            shopper: None,
            payer: None,
            statement_descriptor: None,
            fraud: None,
        };
        self.play(self.connector.authorise(link, &call))
    }

    fn token(&self, number: &str, reference: &str) -> Result<Tokenised, CallError> {
        let card = card(number);
        let call = Tokenise {
            reference,
            card: &card,
            currency: eur(),
            shopper: "0192f0c4-8a51-7000-8000-00000000c0de",
            return_url: None,
        };
        let link = self.link();
        self.play(self.connector.stored().unwrap().tokenise(&link, &call))
    }

    fn own(&self) -> OwnToken {
        match self.token("4242424242424242", "request-1") {
            Ok(Tokenised::Token(own)) => own,
            other => panic!("{other:?}"),
        }
    }

    fn sees(&self, path: &str) -> Value {
        let request = Request {
            method: "GET".to_owned(),
            path: path.to_owned(),
            headers: [("authorization".to_owned(), "Bearer sk_test_1".to_owned())].into(),
            ..Request::default()
        };
        serde_json::from_slice(&self.stripe.asked(&request).body).unwrap()
    }
}

fn stored(token: OwnToken, cvc: Option<&str>) -> StoredCardData {
    StoredCardData {
        token,
        cvc: cvc.map(|cvc| SecurityCode::parse(cvc.to_owned()).unwrap()),
        brand: "VISA".to_owned(),
        name: None,
        address: None,
    }
}

#[test]
fn whatever_happens_to_an_answer_one_card_is_stored_for_a_request() {
    for fault in [
        "lost-before",
        "lost-after",
        "error-after",
        "cut=20",
        "html",
        "rate-limit",
    ] {
        for path in [
            "/v1/customers",
            "/v1/setup_intents",
            "/v1/setup_intents/seti_",
            "/v1/payment_methods",
        ] {
            let shop = Shop::open();
            let armed = Armed::parse(fault).unwrap().times(1).at(path);
            shop.stripe.machine().arm(armed);
            let first = shop.token("4242424242424242", "request-1");
            let seen = format!("{fault} at {path}: {first:?}");
            let own = match first {
                // Kept under the key: the request ends, and the next one has another reference.
                Err(CallError::Rejected { .. }) if fault == "error-after" => {
                    let next = shop.token("4242424242424242", "request-2");
                    assert!(matches!(next, Ok(Tokenised::Token(_))), "{seen}: {next:?}");
                    continue;
                }
                Ok(Tokenised::Token(own)) => own,
                Err(CallError::Unknown { .. } | CallError::NotSent { .. }) => shop.own(),
                _ => panic!("{seen}"),
            };
            assert_eq!(shop.own(), own, "{seen}");
            let setups = shop.sees("/v1/setup_intents");
            assert_eq!(setups["data"].as_array().unwrap().len(), 1, "{seen}");
        }
    }
}

#[test]
fn a_code_that_was_typed_goes_with_the_stored_card_and_a_foreign_owner_is_none() {
    let shop = Shop::open();
    let own = shop.own();
    let card = stored(own.clone(), Some("123"));
    let paid = shop.merchants_sale(&shop.link(), FundingSource::StoredCard(&card), None);
    assert!(matches!(paid, Ok(Answer::Approved { .. })), "{paid:?}");
    for (value, customer) in [
        ("pm_unknown", own.customer.as_deref()),
        (own.value.as_str(), Some("cus_unknown")),
    ] {
        let other = OwnToken {
            value: value.to_owned(),
            customer: customer.map(str::to_owned),
            reusable: true,
        };
        let card = stored(other, None);
        let gone = shop.merchants_sale(&shop.link(), FundingSource::StoredCard(&card), None);
        let is_gone = matches!(
            gone,
            Err(CallError::Rejected {
                cause: Cause::StoredCardGone,
                ..
            })
        );
        assert!(is_gone, "{gone:?}");
    }
}

#[test]
fn the_transaction_of_another_processor_is_named_only_where_stripe_has_agreed() {
    for (settings, is_named) in [
        (Value::Null, false),
        (json!({"network_transaction_ids": false}), false),
        (json!({"network_transaction_ids": true}), true),
    ] {
        let shop = Shop::open();
        let (card, link) = (card("4242424242424242"), shop.link());
        let link = Link {
            settings: &settings,
            ..link
        };
        // The simulator refuses a transaction that no scheme can have given.
        let paid = shop.merchants_sale(&link, FundingSource::Card(&card), Some("!"));
        assert_eq!(
            matches!(paid, Err(CallError::Rejected { .. })),
            is_named,
            "{settings}: {paid:?}"
        );
        let paid = shop.merchants_sale(&link, FundingSource::Card(&card), Some("MCC01234"));
        assert!(matches!(paid, Ok(Answer::Approved { .. })), "{paid:?}");
    }
    let shop = Shop::open();
    for wrong in [
        json!({"network_transaction_ids": "yes"}),
        json!({"other": 1}),
    ] {
        assert!(shop.connector.check_settings(&wrong).is_err(), "{wrong}");
    }
}
