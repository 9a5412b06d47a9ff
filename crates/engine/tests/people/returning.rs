//! The address of a return, long after the customer was there.

use std::time::Duration;

use domain::{id::ConnectionId, redirect::RedirectUrl};
use engine::{Authorise, Returned, SaveConnection, Target};
use serde_json::json;

use crate::{
    cards::VISA,
    flows::published,
    shop::{Shop, order},
};

#[test]
fn a_return_sends_the_customer_on_for_an_hour_after_its_end_and_no_longer() {
    let shop = Shop::open(1);
    let connection = SaveConnection {
        id: ConnectionId::parse("asks"),
        processor: "approves".to_owned(),
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
    assert!(asked.result.is_err());
    let token = shop.challenge.passed();
    let back = || shop.run(shop.engine.returned(&token, None));
    shop.pass(Duration::from_hours(2));
    assert!(
        matches!(back(), Returned::Redirect(_)),
        "however late the first time is"
    );
    shop.pass(Duration::from_mins(50));
    assert!(matches!(back(), Returned::Redirect(_)));
    shop.pass(Duration::from_mins(20));
    assert_eq!(back(), Returned::Closed { paid: true });
}
