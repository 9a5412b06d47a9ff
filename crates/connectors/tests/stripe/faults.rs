//! What breaks between a request and its answer: nothing that was charged is called a failure, and nothing is charged twice.

use connector::{
    Answer, Authorise, CallError, Complete, Connector, Earlier, Finding, FundingSource, LookUp,
    Reference, SentBetween, ThreeDsCall,
};
use domain::{
    id::PaymentId,
    method::Method,
    money::{Currency, Money},
    payment::ThreeDsWish,
};
use processors::{Armed, Request};
use serde_json::Value;

use crate::shop::{Shop, card};

/// The requests of an authorisation, by how their paths begin, with whether they can charge.
const REQUESTS: [(&str, bool); 3] = [
    ("/v1/payment_methods", false),
    ("/v1/payment_intents", false),
    ("/v1/payment_intents/pi_", true),
];

impl Shop {
    pub(crate) fn arm(&self, fault: &str, path: &str) {
        let armed = Armed::parse(fault).unwrap().times(1).at(path);
        self.stripe.machine().arm(armed);
    }

    pub(crate) fn reference(&self) -> Reference {
        Reference::new(PaymentId::new(self.world.uuid_v7()), 1)
    }

    /// A sale of 10.00 EUR within the time that a call has; `None`: its time was over.
    pub(crate) fn sale(
        &self,
        reference: &Reference,
        number: &str,
    ) -> Option<Result<Answer, CallError>> {
        let card = card(number);
        let call = Authorise {
            reference,
            money: Money::new(1000, Currency::parse("EUR").unwrap()),
            capture: true,
            method: Method::Visa,
            funding_source: FundingSource::Card(&card),
            three_ds: ThreeDsCall {
                wish: ThreeDsWish::AsIssuer,
                return_url: None,
                browser: None,
            },
            merchant_initiated: false,
            stored: None,
            shopper: None,
            payer: None,
            statement_descriptor: None,
            fraud: None,
        };
        let link = self.link();
        let timeout = self.connector.descriptor().call_timeout;
        let asked = self.connector.authorise(&link, &call);
        self.play(self.world.timeout(timeout, asked)).ok()
    }

    pub(crate) fn found(
        &self,
        reference: &Reference,
        processor_id: Option<&str>,
    ) -> Option<Answer> {
        self.looked_up(reference, processor_id)
            .unwrap()
            .authorisation
    }

    /// Looks an authorisation up that was sent within the last two minutes.
    pub(crate) fn looked_up(
        &self,
        reference: &Reference,
        processor_id: Option<&str>,
    ) -> Result<Finding, CallError> {
        let asked = Earlier {
            reference,
            processor_id,
        };
        let now = self.world.now();
        let call = LookUp {
            sent: SentBetween {
                from: now.before(std::time::Duration::from_mins(2)),
                until: now,
            },
            ..LookUp::new(asked, asked)
        };
        let link = self.link();
        self.play(self.connector.look_up(&link, &call))
    }

    pub(crate) fn books(&self) -> Value {
        let request = Request {
            method: "GET".to_owned(),
            path: "/_sim/books".to_owned(),
            ..Request::default()
        };
        serde_json::from_slice(&self.stripe.asked(&request).body).unwrap()
    }

    pub(crate) fn charges(&self) -> usize {
        self.books()["charges"].as_array().unwrap().len()
    }
}

#[test]
pub(crate) fn whatever_happens_to_an_answer_the_outcome_is_never_called_another() {
    for fault in [
        "lost-before",
        "lost-after",
        "error-before",
        "error-after",
        "html",
        "rate-limit",
        "cut=0",
        "cut=200",
        "slow=16000",
        "slow=60000",
    ] {
        for (path, charges) in REQUESTS {
            let shop = Shop::open();
            let reference = shop.reference();
            shop.arm(fault, path);
            let answer = shop.sale(&reference, "4242424242424242");
            let seen = format!("{fault} at {path}: {answer:?}");
            let charged = shop.charges();
            match &answer {
                Some(Ok(Answer::Approved { captured: true, .. })) => {
                    assert_eq!(charged, 1, "{seen}");
                }
                // Proof that nothing happened: the next connection may be tried.
                Some(Err(CallError::NotSent { .. })) => assert_eq!(charged, 0, "{seen}"),
                Some(Err(CallError::Unknown { known, .. })) => {
                    assert!(charges, "only what can charge may be unknown: {seen}");
                    let found = shop.found(&reference, known.processor_id.as_deref());
                    assert_eq!(found.is_some(), charged == 1, "{seen}");
                    assert!(known.processor_id.is_some(), "{seen}");
                }
                None => {
                    let found = shop.found(&reference, None);
                    assert_eq!(found.is_some(), charged == 1, "{seen}");
                }
                other => panic!("{seen}: {other:?}"),
            }
        }
    }
}

#[test]
pub(crate) fn a_request_that_is_repeated_charges_once_and_one_of_another_amount_is_an_alarm() {
    let shop = Shop::open();
    let reference = shop.reference();
    shop.arm("lost-after", "/v1/payment_intents/pi_");
    let first = shop.sale(&reference, "4242424242424242");
    assert!(
        matches!(first, Some(Err(CallError::Unknown { .. }))),
        "{first:?}"
    );
    let again = shop.sale(&reference, "4242424242424242");
    assert!(
        matches!(again, Some(Ok(Answer::Approved { .. }))),
        "{again:?}"
    );
    assert_eq!(shop.charges(), 1);
    let other_card = shop.sale(&reference, "5555555555554444");
    assert!(
        matches!(other_card, Some(Err(CallError::Rejected { .. }))),
        "{other_card:?}"
    );
    assert_eq!(shop.charges(), 1);
}

#[test]
pub(crate) fn a_request_under_way_is_never_a_decline() {
    let shop = Shop::open();
    let reference = shop.reference();
    // The first confirmation takes a minute; who asks again meanwhile gets a 409.
    shop.arm("slow=60000", "/v1/payment_intents/pi_");
    let first = shop.sale(&reference, "4242424242424242");
    assert!(
        matches!(first, Some(Err(CallError::Unknown { .. }))),
        "{first:?}"
    );
    let again = shop.sale(&reference, "4242424242424242");
    assert!(
        matches!(again, Some(Err(CallError::Unknown { .. }))),
        "{again:?}"
    );
    assert_eq!(shop.charges(), 1);
}

#[test]
fn nothing_that_a_call_says_holds_a_number_or_a_key() {
    for number in ["4242424242424242", "4000000000000002", "4242424242424241"] {
        for (path, _) in REQUESTS {
            for fault in ["html", "error-after", "cut=40", "rate-limit"] {
                let shop = Shop::open();
                shop.arm(fault, path);
                if domain::card_number::CardNumber::parse(number.to_owned()).is_err() {
                    continue;
                }
                let said = format!("{:?}", shop.sale(&shop.reference(), number));
                assert!(
                    !said.contains(number) && !said.contains("sk_test_1"),
                    "{said}"
                );
            }
        }
    }
}

#[test]
fn a_completion_that_is_not_carried_out_is_unknown_and_charges_once_when_it_is_repeated() {
    let shop = Shop::open();
    let reference = shop.reference();
    let card = card("4000002760003184");
    let money = Money::new(1000, Currency::parse("EUR").unwrap());
    let call = Authorise {
        reference: &reference,
        money,
        capture: true,
        method: Method::Visa,
        funding_source: FundingSource::Card(&card),
        three_ds: ThreeDsCall {
            wish: ThreeDsWish::AsIssuer,
            return_url: Some("https://pay.example/3ds/abc"),
            browser: None,
        },
        merchant_initiated: false,
        stored: None,
        shopper: None,
        payer: None,
        statement_descriptor: None,
        fraud: None,
    };
    let link = shop.link();
    let asked = shop.play(shop.connector.authorise(&link, &call)).unwrap();
    let Answer::ActionRequired { action, approval } = asked else {
        panic!("{asked:?}");
    };
    shop.press(&action.url, true);
    let id = approval.processor_id.unwrap();
    let complete = Complete {
        authorisation: Earlier {
            reference: &reference,
            processor_id: Some(&id),
        },
        money,
        capture: true,
        returned: None,
    };
    for fault in ["rate-limit", "lost-before"] {
        shop.arm(fault, &format!("/v1/payment_intents/{id}/confirm"));
        let answer = shop.play(shop.connector.complete(&shop.link(), &complete));
        assert!(
            matches!(answer, Err(CallError::Unknown { .. })),
            "{answer:?}"
        );
        assert_eq!(shop.charges(), 0);
    }
    for _ in 0..2 {
        let answer = shop.play(shop.connector.complete(&shop.link(), &complete));
        assert!(matches!(answer, Ok(Answer::Approved { .. })), "{answer:?}");
        assert_eq!(shop.charges(), 1);
    }
}
