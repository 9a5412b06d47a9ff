//! Connections whose settings make the processor misbehave.

use connector::{Answer, Authorise, CallError, Connector, Finding, LookUp, Reference, ThreeDsCall};
use domain::payment::ThreeDsWish;
use serde_json::{Value, json};
use world::Elapsed;

use crate::shop::{Call, Shop, card, eur};

fn authorise(shop: &Shop, reference: &Reference, settings: &Value) -> Call<Answer> {
    let card = card("4242424242424242");
    let call = Authorise {
        reference,
        connection: &shop.connection,
        money: eur(1000),
        capture: true,
        settings,
        method: card.number.brand().method(),
        card: Some(&card),
        account: None,
        three_ds: ThreeDsCall {
            wish: ThreeDsWish::AsIssuer,
            return_url: None,
        },
        merchant_initiated: false,
        statement_descriptor: None,
        fraud: None,
    };
    shop.in_time(shop.simulator.authorise(&call))
}

fn look_up(shop: &Shop, reference: &Reference, settings: &Value) -> Result<Finding, CallError> {
    let connection = &shop.connection;
    let call = LookUp {
        reference,
        authorisation: reference,
        processor_id: None,
        connection,
        settings,
    };
    shop.in_time(shop.simulator.look_up(&call)).unwrap()
}

#[test]
fn a_connection_that_is_down_is_sent_nothing() {
    let (shop, settings) = (Shop::open(), json!({"fault": "down"}));
    let reference = shop.reference();
    assert!(matches!(
        authorise(&shop, &reference, &settings),
        Ok(Err(CallError::NotSent(_)))
    ));
    assert!(matches!(
        look_up(&shop, &reference, &settings),
        Err(CallError::NotSent(_))
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
        Ok(Finding::Authorisation(Answer::Approved { .. }))
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
                matches!(answer, Ok(Err(CallError::Unknown(_)))),
                "{answer:?}"
            );
        }
        assert!(matches!(
            look_up(&shop, &reference, &settings),
            Ok(Finding::Authorisation(Answer::Approved { .. }))
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
        matches!(found, Ok(Finding::Authorisation(Answer::Failed { .. }))),
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
        matches!(answer, Ok(Err(CallError::Rejected(_)))),
        "{answer:?}"
    );
}
