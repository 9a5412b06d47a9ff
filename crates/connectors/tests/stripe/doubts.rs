//! What an answer, or an event, does not prove.

use connector::{
    Answer, Authorise, CallError, Capture, Connector, Delivery, Earlier, FundingSource,
    LaterAnswer, NotGenuine, NoticeContent, Reference, Refund, ThreeDsCall,
};
use domain::{
    decline::DeclineCode,
    method::Method,
    money::{Currency, Money},
    payment::ThreeDsWish,
};
use processors::Machine as _;
use serde_json::{Value, json};

use crate::shop::{Bent, Shop, card};

fn money(minor: i64, currency: &str) -> Money {
    Money::new(minor, Currency::parse(currency).unwrap())
}

/// The operation of the same payment with another number.
fn numbered(reference: &Reference, n: u32) -> Reference {
    let (payment, _) = Reference::parse(reference.as_str()).unwrap();
    Reference::new(payment, n)
}

impl Shop {
    fn bending(&self, bend: fn(&mut Value)) -> Bent {
        Bent {
            stripe: self.stripe.clone(),
            bend,
        }
    }

    fn authorised(
        &self,
        bent: &Bent,
        reference: &Reference,
        money: Money,
    ) -> Result<Answer, CallError> {
        let card = card("4242424242424242");
        let call = Authorise {
            reference,
            money,
            capture: false,
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
        self.play(self.connector.authorise(&self.bent(bent), &call))
    }

    /// An authorisation of 10.00 EUR; its intent.
    fn held(&self, reference: &Reference) -> String {
        let held = self.authorised(&self.bending(|_| {}), reference, money(1000, "EUR"));
        let Ok(Answer::Approved { approval, .. }) = held else {
            panic!("{held:?}");
        };
        approval.processor_id.unwrap()
    }

    fn captured(
        &self,
        bent: &Bent,
        reference: &Reference,
        intent: &str,
    ) -> Result<LaterAnswer, CallError> {
        let call = Capture {
            reference: &numbered(reference, 2),
            authorisation: Earlier {
                reference,
                processor_id: Some(intent),
            },
            money: money(600, "EUR"),
            is_final: true,
            reason: None,
        };
        self.play(self.connector.capture(&self.bent(bent), &call))
    }
}

#[test]
pub(crate) fn an_answer_about_another_intent_proves_nothing() {
    let shop = Shop::open();
    let bent = shop.bending(|answer| {
        if answer["status"] == "requires_capture" {
            answer["id"] = json!("pi_of_another");
        }
    });
    let answer = shop.authorised(&bent, &shop.reference(), money(1000, "EUR"));
    assert!(
        matches!(answer, Err(CallError::Unknown { .. })),
        "{answer:?}"
    );
}

#[test]
pub(crate) fn a_decline_brings_no_facts_of_another_intent() {
    let shop = Shop::open();
    let bent = shop.bending(|answer| {
        if answer["status"] == "requires_capture" {
            let mut intent = answer.take();
            intent["id"] = json!("pi_of_another");
            *answer = json!({"error": {"type": "card_error", "code": "card_declined", "payment_intent": intent}});
        }
    });
    // A decline with status 200 is none: the status says that it was carried out.
    let answer = shop.authorised(&bent, &shop.reference(), money(1000, "EUR"));
    assert!(
        matches!(answer, Err(CallError::Unknown { .. })),
        "{answer:?}"
    );
    let bent = shop.bending(|answer| {
        if let Some(intent) = answer.pointer_mut("/error/payment_intent/id") {
            *intent = json!("pi_of_another");
        }
    });
    let reference = shop.reference();
    let declined = card("4000000000000002");
    let call = Authorise {
        reference: &reference,
        money: money(1000, "EUR"),
        capture: true,
        method: Method::Visa,
        funding_source: FundingSource::Card(&declined),
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
    let answer = shop.play(shop.connector.authorise(&shop.bent(&bent), &call));
    let Ok(Answer::Declined { approval, .. }) = answer else {
        panic!("{answer:?}");
    };
    assert_ne!(approval.processor_id.as_deref(), Some("pi_of_another"));
}

#[test]
pub(crate) fn a_capture_that_its_answer_does_not_show_is_unknown_and_one_without_its_mark_is_not_absent()
 {
    let shop = Shop::open();
    let reference = shop.reference();
    let intent = shop.held(&reference);
    let bent = shop.bending(|answer| answer["metadata"] = json!({}));
    let captured = shop.captured(&bent, &reference, &intent);
    assert!(
        matches!(captured, Err(CallError::Unknown { .. })),
        "{captured:?}"
    );
    // The mark counts as far as there is money, and what has none is somebody's: ours, perhaps.
    let path = format!("/v1/payment_intents/{intent}");
    shop.ask(&path, "metadata[pointsman-capture-2]=");
    let found = shop.looked_up(&reference, Some(&intent)).unwrap();
    let asked = numbered(&reference, 2);
    let asked = Earlier {
        reference: &asked,
        processor_id: None,
    };
    assert_eq!(found.operation(asked), None);
    assert!(found.has_other(|_| false));
}

#[test]
pub(crate) fn marks_of_more_than_was_captured_prove_nothing() {
    let shop = Shop::open();
    let reference = shop.reference();
    let intent = shop.held(&reference);
    let path = format!("/v1/payment_intents/{intent}");
    shop.ask(&path, "metadata[pointsman-capture-2]=600");
    let found = shop.looked_up(&reference, Some(&intent));
    assert!(matches!(found, Err(CallError::Unknown { .. })), "{found:?}");
}

#[test]
pub(crate) fn an_intent_that_the_account_does_not_know_proves_nothing() {
    let shop = Shop::open();
    let found = shop.looked_up(&shop.reference(), Some("pi_unknown"));
    assert!(matches!(found, Err(CallError::Unknown { .. })), "{found:?}");
    for odd in ["../charges", "pi_1/capture", "pi_1?expand=a", ""] {
        let found = shop.looked_up(&shop.reference(), Some(odd));
        assert!(
            matches!(found, Err(CallError::Rejected { .. })),
            "{found:?}"
        );
    }
}

#[test]
pub(crate) fn of_two_intents_under_one_reference_none_is_taken() {
    let shop = Shop::open();
    let reference = shop.reference();
    shop.held(&reference);
    let copy = format!(
        "amount=1000&currency=eur&metadata[pointsman]={}",
        reference.as_str()
    );
    shop.ask("/v1/payment_intents", &copy);
    let found = shop.looked_up(&reference, None);
    assert!(matches!(found, Err(CallError::Unknown { .. })), "{found:?}");
}

#[test]
fn what_asks_a_customer_who_has_no_page_is_given_up() {
    let shop = Shop::open();
    let reference = shop.reference();
    let made = format!(
        "amount=1000&currency=eur&confirm=true&payment_method=pm_card_threeDSecure2Required&payment_method_types[0]=card\
         &confirmation_method=manual&metadata[pointsman]={}",
        reference.as_str()
    );
    let intent = shop.ask("/v1/payment_intents", &made);
    assert_eq!(intent["next_action"]["type"], "use_stripe_sdk");
    let found = shop.found(&reference, intent["id"].as_str());
    let Some(Answer::Declined { decline, .. }) = found else {
        panic!("{found:?}");
    };
    assert_eq!(decline.code, DeclineCode::AuthorizationRequired);
    let bent = shop.bending(|answer| {
        if answer["status"] == "requires_capture" {
            answer["status"] = json!("requires_action");
            answer["next_action"] = json!({"type": "a_new_word"});
        }
    });
    let answer = shop.authorised(&bent, &shop.reference(), money(1000, "EUR"));
    let Ok(Answer::Declined { decline, approval }) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!(decline.code, DeclineCode::AuthorizationRequired);
    let books = shop.books();
    let intents = books["payment_intents"].as_array().unwrap();
    let given_up = intents
        .iter()
        .find(|intent| intent["id"].as_str() == approval.processor_id.as_deref());
    assert_eq!(given_up.unwrap()["status"], "canceled");
}

#[test]
pub(crate) fn each_currency_is_charged_as_it_is() {
    for (minor, code, wire) in [
        (5000, "JPY", 5000),
        (5120, "KWD", 5120),
        (5, "ISK", 500),
        (5000, "HUF", 5000),
        (1000, "EUR", 1000),
    ] {
        let shop = Shop::open();
        let answer = shop.authorised(&shop.bending(|_| {}), &shop.reference(), money(minor, code));
        let Ok(Answer::Approved { approval, .. }) = answer else {
            panic!("{code}: {answer:?}");
        };
        assert_eq!(approval.booked, Some(money(minor, code)));
        assert_eq!(shop.books()["charges"][0]["amount"], json!(wire), "{code}");
    }
}

#[test]
pub(crate) fn a_refund_that_is_under_way_is_not_done() {
    let shop = Shop::open();
    let reference = shop.reference();
    let paid = shop.sale(&reference, "4000000000007726").unwrap().unwrap();
    let Answer::Approved { approval, .. } = paid else {
        panic!("{paid:?}");
    };
    let call = Refund {
        reference: &numbered(&reference, 2),
        authorisation: Earlier {
            reference: &reference,
            processor_id: approval.processor_id.as_deref(),
        },
        capture: None,
        money: money(1000, "EUR"),
        reason: None,
    };
    let refunded = shop.play(shop.connector.refund(&shop.link(), &call));
    assert!(
        matches!(refunded, Ok(LaterAnswer::Pending { .. })),
        "{refunded:?}"
    );
}

#[test]
pub(crate) fn an_event_is_believed_by_its_signature_and_about_the_own_account() {
    let shop = Shop::open();
    shop.listen();
    shop.sale(&shop.reference(), "4242424242424242")
        .unwrap()
        .unwrap();
    let now = shop.stripe.now();
    let posts = shop.stripe.machine().due(now);
    let facet = shop.connector.notices().unwrap();
    for post in &posts {
        let headers: Vec<(String, String)> = post
            .headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        let delivery = Delivery {
            body: &post.body,
            headers: &headers,
        };
        // It is signed with the secret of an endpoint that this connection does not have.
        assert_eq!(
            facet.prove(&shop.link(), &delivery),
            Err(NotGenuine::Forged)
        );
        let mut event: Value = serde_json::from_slice(&post.body).unwrap();
        event["account"] = json!("acct_of_another");
        let body = event.to_string();
        let delivery = Delivery {
            body: body.as_bytes(),
            headers: &headers,
        };
        assert!(facet.read(&delivery).is_err(), "{body}");
    }
}

#[test]
fn one_try_that_failed_is_not_the_end_of_an_intent() {
    let shop = Shop::open();
    shop.listen();
    shop.sale(&shop.reference(), "4000000000000002")
        .unwrap()
        .unwrap();
    let news = shop.news();
    let of = |word: &str| {
        let found = news.iter().find(|notice| notice.word == word);
        &found.unwrap().content
    };
    assert_eq!(of("charge.failed"), &NoticeContent::Other);
    assert!(matches!(
        of("payment_intent.payment_failed"),
        NoticeContent::Authorisation(Answer::Declined { .. })
    ));
}

#[test]
fn news_names_the_connection_that_sent_what_it_is_about() {
    let shop = Shop::open();
    shop.listen();
    let reference = shop.reference();
    let intent = shop.held(&reference);
    let captured = shop.captured(&shop.bending(|_| {}), &reference, &intent);
    assert!(
        matches!(captured, Ok(LaterAnswer::Done { .. })),
        "{captured:?}"
    );
    for notice in shop.news() {
        if notice.subject.reference.is_some() {
            let sent_by = notice.subject.sent_by.as_deref();
            assert_eq!(sent_by, shop.link().mark, "{notice:?}");
        }
    }
}
