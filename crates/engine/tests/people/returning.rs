//! The customer's way back: its address long afterwards, and what the browser brings.

use std::time::Duration;

use domain::{
    id::{ConnectionId, PaymentId},
    payment::Status,
    redirect::RedirectUrl,
    returned::Parameter,
};
use engine::{Authorise, Returned, SaveConnection, Target};
use serde_json::json;

use crate::{
    cards::VISA,
    flows::published,
    shop::{Shop, order},
};

/// A shop with a payment whose customer was sent to the issuer's page.
fn asked(processor: &str) -> (Shop, PaymentId) {
    let shop = Shop::open(1);
    let connection = SaveConnection {
        id: ConnectionId::parse("asks"),
        processor: processor.to_owned(),
        name: "Asks".to_owned(),
        settings: json!({"asks": 1}),
        credentials: None,
        imports: None,
        skips_probe: false,
    };
    shop.run(shop.engine.save_connection(&shop.server, connection))
        .unwrap();
    let flow = "name: Asks\ntrigger: payment\nsteps:\n- authorise:\n    connection: asks\n- capture: now\n";
    published(&shop, "asks", flow);
    let customer = shop.create_customer("Ada");
    shop.add(customer, VISA);
    let command = Authorise {
        target: Target::Flow(Some("asks".to_owned())),
        three_ds_redirect: RedirectUrl::parse("https://shop.example/done", "url").ok(),
        ..order(customer)
    };
    let asked = shop.run(shop.engine.authorise(&shop.server, None, Ok(command)));
    let fault = asked.result.unwrap_err();
    let id = PaymentId::parse(&fault.id.unwrap()).unwrap();
    (shop, id)
}

fn status(shop: &Shop, id: PaymentId) -> Status {
    let payment = shop.run(store::payment::of_team(&shop.store, shop.team, id));
    payment.unwrap().unwrap().status()
}

/// The customer's browser opens the address of the return with these parameters.
fn back(shop: &Shop, parameters: &[(&str, &str)]) -> Returned {
    let parameter = |(name, value): &(&str, &str)| Parameter {
        name: (*name).to_owned(),
        value: (*value).to_owned(),
    };
    let parameters = parameters.iter().map(parameter).collect();
    let token = shop.challenge.token();
    shop.run(shop.engine.returned(&token, parameters, None))
}

#[test]
fn a_return_sends_the_customer_on_for_an_hour_after_its_end_and_no_longer() {
    let (shop, _) = asked("approves");
    shop.challenge.passed();
    shop.pass(Duration::from_hours(2));
    assert!(
        matches!(back(&shop, &[]), Returned::Redirect(_)),
        "however late the first time is"
    );
    shop.pass(Duration::from_mins(50));
    assert!(matches!(back(&shop, &[]), Returned::Redirect(_)));
    shop.pass(Duration::from_mins(20));
    assert_eq!(back(&shop, &[]), Returned::Closed { paid: true });
}

#[test]
fn what_the_customer_comes_back_with_completes_once_where_the_processor_wants_it() {
    let (shop, id) = asked("returns");
    let completed = back(&shop, &[("other", "1"), ("result", "passed")]);
    assert!(matches!(completed, Returned::Redirect(_)), "{completed:?}");
    assert!(matches!(
        back(&shop, &[("result", "passed")]),
        Returned::Redirect(_)
    ));
    assert_eq!(shop.challenge.completed(), 1);
    assert_eq!(status(&shop, id), Status::Succeeded);
}

#[test]
fn what_the_processor_does_not_take_changes_nothing() {
    let (shop, id) = asked("returns");
    let doubled = [("result", "passed"), ("result", "passed")];
    let card = [("result", VISA)];
    let wrong: [&[(&str, &str)]; 6] = [
        &[],
        &[("other", "passed")],
        &[("result", "forged")],
        &[("result", "")],
        &doubled,
        &card,
    ];
    for parameters in wrong {
        let unfinished = back(&shop, parameters);
        assert!(
            matches!(unfinished, Returned::Unfinished { .. }),
            "{parameters:?}: {unfinished:?}"
        );
        assert_eq!(status(&shop, id), Status::Needs3dSecure);
    }
    let completed = back(&shop, &[("result", "passed")]);
    assert!(matches!(completed, Returned::Redirect(_)), "{completed:?}");
    assert_eq!(shop.challenge.completed(), 1);
}

#[test]
fn a_completion_whose_answer_was_lost_is_not_sent_again_and_nothing_is_let_stand() {
    let (shop, id) = asked("returns");
    shop.engine.start();
    let undecided = back(&shop, &[("result", "lost")]);
    assert_eq!(undecided, Returned::Undecided);
    shop.pass(Duration::from_mins(14));
    assert_eq!(back(&shop, &[("result", "lost")]), Returned::Undecided);
    assert_eq!(status(&shop, id), Status::NoAnswerFromPsp);
    shop.pass(Duration::from_mins(2));
    assert_eq!(status(&shop, id), Status::Failed);
    assert_eq!(shop.challenge.completed(), 1);
    assert!(shop.challenge.is_given_up());
}
