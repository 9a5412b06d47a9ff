//! Connections whose settings make the processor misbehave.

use connector::{
    Answer, Authorise, CallError, Cause, Connector, Credentials, Earlier, FundingSource, Known,
    LookUp, Reference, ThreeDsCall,
};
use domain::payment::ThreeDsWish;
use serde_json::{Value, json};
use world::Elapsed;

use crate::shop::{Call, Seen, Shop, card, earlier, eur, link};

fn authorise(shop: &Shop, reference: &Reference, settings: &Value) -> Call<Answer> {
    let card = card("4242424242424242");
    let call = Authorise {
        reference,
        money: eur(1000),
        capture: true,
        method: card.number.brand().method(),
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
    let link = link(&shop.connection, settings, None);
    shop.in_time(shop.simulator.authorise(&link, &call))
}

fn look_up(shop: &Shop, reference: &Reference, settings: &Value) -> Result<Seen, CallError> {
    let call = LookUp::new(earlier(reference), earlier(reference));
    let link = link(&shop.connection, settings, None);
    let found = shop.in_time(shop.simulator.look_up(&link, &call)).unwrap();
    found.map(|finding| Seen::of(finding, &call))
}

#[test]
fn a_connection_that_is_down_is_sent_nothing() {
    let (shop, settings) = (Shop::open(), json!({"fault": "down"}));
    let reference = shop.reference();
    assert!(matches!(
        authorise(&shop, &reference, &settings),
        Ok(Err(CallError::NotSent { .. }))
    ));
    assert!(matches!(
        look_up(&shop, &reference, &settings),
        Err(CallError::NotSent { .. })
    ));
    assert_eq!(shop.read(), [] as [Value; 0]);
}

#[test]
fn a_slow_one_does_it_and_answers_late() {
    let shop = Shop::open();
    let (reference, settings) = (shop.reference(), json!({"fault": "slow", "delay": "500ms"}));
    let before = shop.world.now();
    assert!(matches!(
        authorise(&shop, &reference, &settings),
        Ok(Ok(Answer::Approved { .. }))
    ));
    assert_eq!(shop.world.now().since(before).as_millis(), 500);
    let (reference, settings) = (shop.reference(), json!({"fault": "slow"}));
    assert_eq!(authorise(&shop, &reference, &settings), Err(Elapsed));
    assert!(matches!(
        look_up(&shop, &reference, &settings),
        Ok(Seen::Authorisation(Answer::Approved { .. }))
    ));
}

#[test]
fn one_that_breaks_or_answers_garbage_has_charged_once() {
    let shop = Shop::open();
    for fault in ["dies_after_charging", "garbage"] {
        let (reference, settings) = (shop.reference(), json!({ "fault": fault }));
        for _ in 0..2 {
            let answer = authorise(&shop, &reference, &settings);
            assert!(
                matches!(answer, Ok(Err(CallError::Unknown { .. }))),
                "{answer:?}"
            );
        }
        assert!(matches!(
            look_up(&shop, &reference, &settings),
            Ok(Seen::Authorisation(Answer::Approved { .. }))
        ));
        assert_eq!(shop.sums(&reference), [1000, 1000, 0]);
    }
}

#[test]
fn one_that_fails_authorises_nothing() {
    let (shop, settings) = (Shop::open(), json!({"fault": "fails"}));
    let reference = shop.reference();
    assert!(matches!(
        authorise(&shop, &reference, &settings),
        Ok(Ok(Answer::Failed { .. }))
    ));
    let found = look_up(&shop, &reference, &settings);
    assert!(
        matches!(found, Ok(Seen::Authorisation(Answer::Failed { .. }))),
        "{found:?}"
    );
    assert_eq!(shop.sums(&reference), [0, 0, 0]);
}

#[test]
fn settings_are_checked_before_they_are_kept_and_before_they_are_used() {
    let shop = Shop::open();
    for fine in [
        json!({}),
        json!({"fault": "down"}),
        json!({"fault": "slow", "delay": "3s"}),
    ] {
        assert_eq!(shop.simulator.check_settings(&fine), Ok(()), "{fine}");
    }
    for wrong in [
        json!(null),
        json!([]),
        json!({"fault": "other"}),
        json!({"faults": "down"}),
    ] {
        assert!(shop.simulator.check_settings(&wrong).is_err(), "{wrong}");
    }
    let answer = authorise(&shop, &shop.reference(), &json!({"fault": "other"}));
    assert!(
        matches!(answer, Ok(Err(CallError::Rejected { .. }))),
        "{answer:?}"
    );
}

#[test]
fn a_connection_that_breaks_after_the_head_of_the_answer_tells_the_id_by_which_it_is_found() {
    let (shop, settings) = (Shop::open(), json!({"fault": "dies_after_charging"}));
    let reference = shop.reference();
    let Ok(Err(CallError::Unknown { known, .. })) = authorise(&shop, &reference, &settings) else {
        panic!("an answer");
    };
    let id = format!("sim_{}", reference.as_str());
    let expected = Known {
        processor_id: Some(id.clone()),
        ..Known::default()
    };
    assert_eq!(known, expected);
    let by_id = |id: &str| {
        // Under another reference: only the id leads there.
        let other = shop.reference();
        let authorisation = Earlier {
            reference: &other,
            processor_id: Some(id),
        };
        let call = LookUp::new(authorisation, authorisation);
        let found = shop.in_time(shop.simulator.look_up(&shop.link(), &call));
        found.unwrap().unwrap()
    };
    assert!(matches!(
        by_id(&id).authorisation,
        Some(Answer::Approved { .. })
    ));
    for wrong in ["sim_other", "pi_123", ""] {
        assert!(by_id(wrong).is_nothing(), "{wrong}");
    }
}

#[test]
fn the_key_of_the_account_is_checked_where_there_is_one() {
    let (shop, settings) = (Shop::open(), json!({}));
    for (key, is_fine) in [("simulator-key", true), ("other", false), ("", false)] {
        let document = json!({ "apiKey": key }).to_string();
        let credentials = Credentials::read(document.as_bytes()).unwrap();
        let link = link(&shop.connection, &settings, Some(&credentials));
        let (reference, card) = (shop.reference(), card("4242424242424242"));
        let call = Authorise {
            reference: &reference,
            money: eur(1000),
            capture: true,
            method: card.number.brand().method(),
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
        let answer = shop
            .in_time(shop.simulator.authorise(&link, &call))
            .unwrap();
        let refused = matches!(
            &answer,
            Err(CallError::Rejected { cause: Cause::Credentials, reason, .. }) if !reason.contains("other")
        );
        assert_eq!((answer.is_ok(), refused), (is_fine, !is_fine), "{answer:?}");
        assert_eq!(
            shop.look_up(&reference, &reference) != Seen::NotFound,
            is_fine
        );
    }
}
