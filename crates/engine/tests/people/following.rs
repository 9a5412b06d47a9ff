//! Streams in a simulated world.

use std::time::Duration;

use db::Statement;
use domain::id::PaymentId;
use engine::Refund;

use crate::{cards::VISA, shop::Shop, sweeps::commit};

/// Makes the payment unreadable, or readable again.
fn change(shop: &Shop, id: PaymentId, nth: u128, sql: &'static str) {
    let params = vec![shop.team.key().into(), id.key().into()];
    commit(shop, 9_000 + nth, vec![Statement::one(sql, params)]);
}

#[test]
fn a_change_that_could_not_be_read_is_shown_once_it_can_be() {
    let shop = Shop::open(7);
    let customer = shop.create_customer("Zebedee");
    shop.add(customer, VISA);
    let payment = shop.pay(customer, None).result.unwrap();
    let id = payment.id();
    let mut followed = shop
        .run(shop.engine.follow_payment(&shop.server, id))
        .unwrap();
    let first = shop.run(followed.next()).unwrap();
    assert_eq!(first.payment.version(), payment.version());
    let refund = Refund {
        id,
        amount: Some(10),
        reason: None,
    };
    shop.run(shop.engine.refund(&shop.server, None, Ok(refund)))
        .result
        .unwrap();
    change(
        &shop,
        id,
        1,
        "update payment set body = '!' || body where team_id = $1 and payment_id = $2",
    );
    assert!(shop.run(followed.next()).is_err());
    change(
        &shop,
        id,
        2,
        "update payment set body = substr(body, 2) where team_id = $1 and payment_id = $2",
    );
    let world = shop.world.clone();
    let later = shop.run(world.timeout(Duration::from_secs(10), followed.next()));
    let later = later
        .expect("it is shown without a further change")
        .unwrap();
    assert!(later.payment.version() > payment.version());
}
