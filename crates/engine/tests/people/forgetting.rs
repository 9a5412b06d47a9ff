//! What browsers made and nobody used goes in the end; what is used, and what a server made, stays.

use std::time::Duration;

use domain::{
    caller::Caller, caller::ClientGrant, id::CustomerId, intent::Changes, money::Currency,
};
use engine::{IntentView, Owner, StartIntent};

use crate::{
    cards::{VISA, card, person, token},
    flows::published,
    shop::Shop,
};

const DAY: Duration = Duration::from_hours(24);

fn is_there(shop: &Shop, customer: CustomerId) -> bool {
    shop.run(shop.engine.customer(&shop.server, customer))
        .is_ok()
}

fn start(shop: &Shop, caller: &Caller) -> IntentView {
    let command = StartIntent {
        tracking_id: "order-1".to_owned(),
        flow: "default".to_owned(),
        currency: Currency::parse("EUR").unwrap(),
        changes: Changes::default(),
    };
    shop.run(shop.engine.start_intent(caller, command)).unwrap()
}

fn is_kept(shop: &Shop, intent: &IntentView) -> bool {
    let id = intent.intent.id;
    shop.run(shop.engine.intent(&shop.server, id)).is_ok()
}

#[test]
fn a_customer_that_a_browser_made_goes_after_a_day_unless_it_has_a_method() {
    let shop = Shop::open(1);
    let browser = shop.client(ClientGrant::default());
    let unused = shop.create_customer_by(&browser, person("Ada")).unwrap();
    let used = shop.create_customer_by(&browser, person("Grace")).unwrap();
    let command = token(card(VISA), Owner::Existing(used.to_string()));
    shop.tokenise(&browser, None, command).result.unwrap();
    let of_server = shop.create_customer("Mary");
    shop.pass(DAY / 2);
    work(&shop);
    assert!(is_there(&shop, unused));
    shop.pass(DAY / 2);
    work(&shop);
    assert!(!is_there(&shop, unused));
    assert!(is_there(&shop, used) && is_there(&shop, of_server));
    assert_eq!(shop.count("browser_made"), 0);
}

/// A node's jobs are at work for some minutes.
fn work(shop: &Shop) {
    let node = shop.another_node();
    node.start();
    shop.pass(Duration::from_mins(15));
    shop.run(node.drain(Duration::from_secs(5)));
    shop.pass(Duration::from_mins(1));
}

#[test]
fn an_intent_that_a_browser_started_goes_after_thirty_days_and_one_of_a_server_stays() {
    let shop = Shop::open(1);
    let browser = shop.public();
    let (unpaid, of_server) = (start(&shop, &browser), start(&shop, &shop.server));
    work(&shop);
    shop.pass(DAY * 29);
    work(&shop);
    assert!(is_kept(&shop, &unpaid));
    shop.pass(DAY * 2);
    work(&shop);
    assert!(!is_kept(&shop, &unpaid));
    assert!(is_kept(&shop, &of_server));
    assert_eq!(shop.count("browser_made"), 0);
}

#[test]
fn an_intent_whose_flow_goes_on_is_kept() {
    let shop = Shop::open(1);
    let flow =
        "name: Remind\ntrigger: intent_inactive\nsteps:\n  - delay: 40d\n  - note: Still there\n";
    published(&shop, "remind", flow);
    let intent = start(&shop, &shop.public());
    work(&shop);
    assert_eq!(shop.count("flow_instance"), 1);
    shop.pass(DAY * 39);
    work(&shop);
    assert!(is_kept(&shop, &intent));
    shop.pass(DAY * 3);
    work(&shop);
    // Of the two jobs either may have been first: an intent whose flow still went on is looked at again a day later.
    shop.pass(DAY * 2);
    work(&shop);
    assert!(!is_kept(&shop, &intent));
    assert_eq!(shop.count("flow_instance"), 0);
}
