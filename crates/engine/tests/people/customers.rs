//! Customers.

use domain::{
    Code, Fault,
    customer::{CustomerPatch, Patch},
    expiry::Expiry,
    id::CustomerId,
};
use engine::{CreateCustomer, Scope};
use futures_util::future::{BoxFuture, join_all};
use serde_json::json;

use crate::{
    cards::{VISA, card, person},
    shop::{Shop, once},
};

#[test]
fn a_customer_with_a_card_has_a_default_method() {
    let shop = Shop::open(1);
    let command = CreateCustomer {
        draft: person("Ada"),
        card: Some(card(VISA)),
    };
    let id = shop
        .run(shop.engine.create_customer(&shop.server, None, Ok(command)))
        .result
        .unwrap();
    assert_eq!(Vec::from_iter(shop.default_of(id)), shop.tokens(id));
    assert_eq!(shop.tokens(id).len(), 1);
}

#[test]
fn an_expired_card_makes_no_customer() {
    let shop = Shop::open(2);
    let mut expired = card(VISA);
    expired.expiry = Expiry::parse(12, 2024).unwrap();
    let command = CreateCustomer {
        draft: person("Ada"),
        card: Some(expired),
    };
    let fault = shop
        .run(shop.engine.create_customer(&shop.server, None, Ok(command)))
        .result
        .unwrap_err();
    assert_eq!(fault.field.as_deref(), Some("data.card.expYear"));
    assert_eq!((shop.count("customer"), shop.sealed()), (0, 0));
}

#[test]
fn one_key_makes_one_customer_for_each_request() {
    let shop = Shop::open(3);
    let ask = |arguments: serde_json::Value| {
        let (engine, server) = (shop.engine.clone(), shop.server.clone());
        let command = CreateCustomer {
            draft: person("Ada"),
            card: Some(card(VISA)),
        };
        async move {
            engine
                .create_customer(
                    &server,
                    once(Scope::CreateCustomer, "life", &arguments),
                    Ok(command),
                )
                .await
        }
    };
    let reported = shop.run(join_all((0..10).map(|_| ask(json!("Ada")))));
    let first = reported[0].result.clone().unwrap();
    assert!(
        reported
            .iter()
            .all(|reported| reported.result.as_ref().unwrap() == &first)
    );
    assert_eq!(
        reported.iter().filter(|reported| reported.replayed).count(),
        9
    );
    let other = shop.run(ask(json!("Bea")));
    assert!(!other.replayed);
    assert_ne!(other.result.unwrap(), first);
    assert_eq!((shop.count("customer"), shop.sealed()), (2, 2));
}

#[test]
fn changes_at_once_on_two_nodes_are_all_kept() {
    let shop = Shop::open(4);
    let id = shop.create_customer("Ada");
    let patches = [
        CustomerPatch {
            name: Some("Ada Byron".to_owned()),
            ..CustomerPatch::default()
        },
        CustomerPatch {
            email: Patch::Clear,
            ..CustomerPatch::default()
        },
        CustomerPatch {
            phone: Patch::Set("1".to_owned()),
            ..CustomerPatch::default()
        },
        CustomerPatch {
            description: Patch::Set("likes engines".to_owned()),
            ..CustomerPatch::default()
        },
    ];
    let changes = patches
        .into_iter()
        .map(|patch| -> BoxFuture<'static, Result<(), Fault>> {
            let (engine, server) = (shop.another_node(), shop.server.clone());
            Box::pin(async move { engine.update_customer(&server, id, patch).await })
        });
    assert!(shop.at_once(changes.collect()).iter().all(Result::is_ok));
    let customer = shop.run(shop.engine.customer(&shop.server, id)).unwrap();
    assert_eq!(
        (customer.name.as_str(), customer.email),
        ("Ada Byron", None)
    );
    assert_eq!(
        (customer.phone.as_deref(), customer.description.as_deref()),
        (Some("1"), Some("likes engines"))
    );
    assert_eq!(customer.version, 5);
}

#[test]
fn a_customer_of_another_team_or_of_none_is_not_found() {
    let shop = Shop::open(5);
    let id = shop.create_customer("Ada");
    let team = shop.run(shop.engine.create_team("Other")).unwrap();
    let key = shop
        .run(
            shop.engine
                .create_key(engine::NewKey::of(team, engine::KeyKind::Secret, "server")),
        )
        .unwrap();
    let other = shop.run(shop.engine.authenticate(&key.token)).unwrap();
    let unknown = CustomerId::new(uuid::Uuid::nil());
    for (caller, id) in [(&other, id), (&shop.server, unknown)] {
        let found = [
            shop.run(shop.engine.customer(caller, id)).err(),
            shop.run(shop.engine.methods(caller, id)).err(),
            shop.run(
                shop.engine
                    .update_customer(caller, id, CustomerPatch::default()),
            )
            .err(),
            shop.run(shop.engine.delete_customer(caller, id)).err(),
        ];
        assert!(
            found
                .iter()
                .all(|fault| fault.as_ref().unwrap().code == Code::CustomerNotFound),
            "{found:?}"
        );
    }
    assert_eq!(
        shop.run(shop.engine.customer(&shop.server, id))
            .unwrap()
            .version,
        1
    );
}
