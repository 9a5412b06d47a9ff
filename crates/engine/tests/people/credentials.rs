//! Credentials of connections: opened for each call, also while they are replaced.

use std::time::Duration;

use domain::{id::ConnectionId, payment::Status};
use engine::{SaveConnection, Target};
use serde_json::json;

use crate::{
    cards::{VISA, person},
    shop::{Shop, order},
};

fn save(shop: &Shop, credentials: Option<&str>) -> Result<(), domain::Fault> {
    let command = SaveConnection {
        id: ConnectionId::parse("keyed"),
        processor: "approves".to_owned(),
        name: "Keyed".to_owned(),
        settings: json!({}),
        credentials: credentials.map(|text| text.to_owned().into()),
        imports: None,
        skips_probe: false,
    };
    shop.run(shop.engine.save_connection(&shop.server, command))
        .map(drop)
}

#[test]
fn a_node_that_knows_the_replaced_credentials_pays_with_the_new_ones() {
    let shop = Shop::open(77);
    let customer = shop
        .create_customer_by(&shop.server, person("Zebedee"))
        .unwrap();
    shop.add(customer, VISA);
    save(&shop, Some(r#"{"key": "first"}"#)).unwrap();
    let other = shop.another_node();
    let pay = || {
        let command = engine::Authorise {
            target: Target::Connection("keyed".to_owned()),
            ..order(customer)
        };
        let reported = shop.run(other.authorise(&shop.server, None, Ok(command)));
        reported.result.unwrap().payment.status()
    };
    assert_eq!(pay(), Status::Authorised);
    // The other node has just read the connection, and goes on naming the record that is erased now.
    save(&shop, Some(r#"{"key": "second"}"#)).unwrap();
    assert_eq!(pay(), Status::Authorised);
    shop.pass(Duration::from_secs(1));
    assert_eq!(pay(), Status::Authorised);
}

#[test]
fn what_can_not_be_credentials_is_refused_and_what_was_kept_stays() {
    let shop = Shop::open(78);
    save(&shop, Some(r#"{"key": "first"}"#)).unwrap();
    for wrong in [r#"{"other": "x"}"#, r#"{"key": 1}"#, "[]"] {
        let fault = save(&shop, Some(wrong)).unwrap_err();
        assert_eq!(fault.field.as_deref(), Some("credentials"), "{wrong}");
    }
    let end = shop.world.now().after(Duration::from_hours(1));
    let kept = shop.run(shop.vault.secrets_older_than(end, None, 100));
    assert_eq!(kept.unwrap().len(), 1);
}
