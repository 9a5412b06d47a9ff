//! A processor that can't be read: what is wanted is sent again under the same reference, and nothing is let stand without an answer.

use std::time::Duration;

use domain::{
    id::{ConnectionId, PaymentId},
    payment::Status,
};
use engine::{Authorise, SaveConnection, Target};
use serde_json::{Value, json};

use crate::{
    cards::VISA,
    flows::published,
    shop::{Shop, order},
};

/// A shop that has paid through a connection with these settings, and what became of it at first.
fn paid(settings: Value) -> (Shop, PaymentId, Status) {
    let shop = Shop::open(1);
    shop.engine.start();
    let connection = SaveConnection {
        id: ConnectionId::parse("blind"),
        processor: "returns".to_owned(),
        name: "Blind".to_owned(),
        settings,
        credentials: None,
        imports: None,
        skips_probe: false,
    };
    shop.run(shop.engine.save_connection(&shop.server, connection))
        .unwrap();
    let flow = "name: Blind\ntrigger: payment\nsteps:\n- authorise:\n    connection: blind\n- capture: {after: 1s}\n";
    published(&shop, "blind", flow);
    let customer = shop.create_customer("Ada");
    shop.add(customer, VISA);
    let command = Authorise {
        target: Target::Flow(Some("blind".to_owned())),
        ..order(customer)
    };
    let answer = shop.run(shop.engine.authorise(&shop.server, None, Ok(command)));
    let payment = answer.result.unwrap().payment;
    let status = payment.status();
    (shop, payment.id(), status)
}

fn status(shop: &Shop, id: PaymentId) -> Status {
    let payment = shop.run(store::payment::of_team(&shop.store, shop.team, id));
    payment.unwrap().unwrap().status()
}

#[test]
fn a_capture_without_an_answer_is_sent_again_under_its_own_reference() {
    let (shop, id, first) = paid(json!({"loses_captures": 1}));
    assert_eq!(first, Status::Authorised);
    shop.pass(Duration::from_mins(1));
    assert_eq!(status(&shop, id), Status::Succeeded);
    let references = shop.challenge.captures();
    assert_eq!(references.len(), 2, "{references:?}");
    assert_eq!(references[0], references[1]);
}

#[test]
fn that_a_repeat_is_refused_proves_nothing_of_the_first() {
    let (shop, id, _) = paid(json!({"loses_captures": 1, "refuses_replay": 1}));
    shop.pass(Duration::from_secs(20));
    assert_eq!(shop.challenge.captures().len(), 2);
    assert_eq!(status(&shop, id), Status::Authorised);
    shop.pass(Duration::from_mins(1));
    assert_eq!(status(&shop, id), Status::Succeeded);
    let references = shop.challenge.captures();
    assert!(
        references.iter().all(|one| *one == references[0]),
        "{references:?}"
    );
}

#[test]
fn what_its_processor_may_have_forgotten_is_not_sent_again() {
    let (shop, id, _) = paid(json!({"loses_captures": 1000}));
    shop.pass(Duration::from_hours(2));
    let before = shop.challenge.captures().len();
    assert!(before > 3, "{before}");
    shop.pass(Duration::from_hours(26));
    assert_eq!(shop.challenge.captures().len(), before);
    assert_eq!(status(&shop, id), Status::Authorised);
}

#[test]
fn an_authorisation_without_an_answer_is_given_up_after_a_while_and_again_where_that_is_refused() {
    let (shop, id, first) = paid(json!({"silent": 1}));
    assert_eq!(first, Status::NoAnswerFromPsp);
    shop.pass(Duration::from_mins(14));
    assert_eq!(status(&shop, id), Status::NoAnswerFromPsp);
    shop.pass(Duration::from_mins(2));
    assert_eq!(status(&shop, id), Status::Failed);

    let (shop, id, _) = paid(json!({"silent": 1, "refuses_abandon": 1}));
    shop.pass(Duration::from_hours(2));
    assert_eq!(status(&shop, id), Status::NoAnswerFromPsp);
}
