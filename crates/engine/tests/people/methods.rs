//! Stored methods.

use std::time::Duration;

use domain::{
    Code, Fault,
    caller::ClientGrant,
    id::{CustomerId, VaultToken},
};
use engine::Owner;
use futures_util::future::BoxFuture;

use crate::{
    cards::{AMEX, MASTERCARD, VISA, card, token},
    shop::Shop,
};

fn of_nobody(shop: &Shop) -> VaultToken {
    shop.tokenise(&shop.server, None, token(card(VISA), Owner::Nobody))
        .result
        .unwrap()
        .method
        .token
}

fn code(result: Result<(), Fault>) -> Code {
    result.unwrap_err().code
}

#[test]
fn the_newest_remaining_method_takes_the_place_of_a_deleted_default() {
    let shop = Shop::open(1);
    let customer = shop.create_customer("Ada");
    let [first, second, third] = [VISA, MASTERCARD, AMEX].map(|number| {
        shop.pass(Duration::from_millis(1));
        shop.add(customer, number)
    });
    assert_eq!(shop.default_of(customer).as_ref(), Some(&first));
    shop.run(shop.engine.delete_method(&shop.server, first))
        .unwrap();
    assert_eq!(shop.default_of(customer).as_ref(), Some(&third));
    shop.run(shop.engine.delete_method(&shop.server, second))
        .unwrap();
    assert_eq!(
        shop.default_of(customer).as_ref(),
        Some(&third),
        "deleting another leaves the default"
    );
    shop.run(shop.engine.delete_method(&shop.server, third))
        .unwrap();
    assert_eq!(shop.default_of(customer), None);
}

#[test]
fn a_method_that_is_to_be_the_default_becomes_it() {
    let shop = Shop::open(2);
    let customer = shop.create_customer("Ada");
    let first = shop.add(customer, VISA);
    let mut input = card(MASTERCARD);
    input.make_default = true;
    let made = shop
        .tokenise(
            &shop.server,
            None,
            token(input, Owner::Existing(customer.to_string())),
        )
        .result
        .unwrap();
    assert_eq!(shop.default_of(customer).as_ref(), Some(&made.method.token));
    for _ in 0..2 {
        shop.run(shop.engine.make_default(&shop.server, first.clone()))
            .unwrap();
        assert_eq!(shop.default_of(customer).as_ref(), Some(&first));
    }
    let fault = shop
        .run(shop.engine.make_default(&shop.server, of_nobody(&shop)))
        .unwrap_err();
    assert_eq!(
        (fault.code, fault.field.as_deref()),
        (Code::Validation, Some("token"))
    );
}

#[test]
fn a_token_of_nobody_is_attached_once() {
    let shop = Shop::open(3);
    let (ada, eve) = (shop.create_customer("Ada"), shop.create_customer("Eve"));
    let token = of_nobody(&shop);
    for _ in 0..2 {
        shop.run(shop.engine.attach_method(&shop.server, token.clone(), ada))
            .unwrap();
    }
    assert_eq!(shop.default_of(ada).as_ref(), Some(&token));
    assert_eq!(
        code(shop.run(shop.engine.attach_method(&shop.server, token, eve))),
        Code::MethodNotFound
    );
    assert!(shop.tokens(eve).is_empty());
    let unknown = CustomerId::new(uuid::Uuid::nil());
    let lonely = of_nobody(&shop);
    assert_eq!(
        code(
            shop.run(
                shop.engine
                    .attach_method(&shop.server, lonely.clone(), unknown)
            )
        ),
        Code::CustomerNotFound
    );
    assert_eq!(
        shop.run(shop.engine.method(&shop.server, lonely))
            .unwrap()
            .customer,
        None
    );
}

#[test]
fn a_deleted_token_is_not_found_at_once_and_its_number_is_erased_later() {
    let shop = Shop::open(4);
    let customer = shop.create_customer("Ada");
    let tokens = [shop.add(customer, VISA), of_nobody(&shop)];
    for token in tokens {
        shop.run(shop.engine.delete_method(&shop.server, token.clone()))
            .unwrap();
        assert_eq!(
            shop.run(shop.engine.method(&shop.server, token.clone()))
                .unwrap_err()
                .code,
            Code::MethodNotFound
        );
        for result in [
            shop.run(shop.engine.delete_method(&shop.server, token.clone())),
            shop.run(shop.engine.make_default(&shop.server, token.clone())),
            shop.run(
                shop.engine
                    .attach_method(&shop.server, token.clone(), customer),
            ),
        ] {
            assert_eq!(code(result), Code::MethodNotFound);
        }
    }
    assert_eq!(shop.sealed(), 2);
    shop.engine.start();
    shop.pass(Duration::from_mins(2));
    assert_eq!((shop.sealed(), shop.count("method")), (0, 0));
}

#[test]
fn a_client_token_reads_the_methods_of_those_it_may_name_and_a_public_key_none() {
    let shop = Shop::open(5);
    let (ada, eve) = (shop.create_customer("Ada"), shop.create_customer("Eve"));
    let token = shop.add(ada, VISA);
    let browser = shop.client(ClientGrant {
        customer: Some(ada),
        ..ClientGrant::default()
    });
    assert_eq!(
        shop.run(shop.engine.methods(&browser, ada)).unwrap().len(),
        1
    );
    assert_eq!(
        shop.run(shop.engine.methods(&browser, eve))
            .unwrap_err()
            .code,
        Code::CustomerNotFound
    );
    assert_eq!(
        shop.run(shop.engine.methods(&shop.public(), ada))
            .unwrap_err()
            .code,
        Code::CustomerNotFound
    );
    assert_eq!(shop.default_of(ada), Some(token));
}

/// Whatever races on however many nodes, the default is one of the customer's methods, and there is one when there are
/// methods.
#[test]
fn the_default_is_always_one_of_the_methods() {
    for seed in 0..100 {
        let shop = Shop::open(seed);
        let customer = shop.create_customer("Ada");
        let [first, second] = [VISA, MASTERCARD].map(|number| shop.add(customer, number));
        let (lonely, doomed) = (of_nobody(&shop), of_nobody(&shop));
        let node = || (shop.another_node(), shop.server.clone());
        let deletes = [first.clone(), second.clone(), doomed.clone()].map(
            |token| -> BoxFuture<'static, ()> {
                let (engine, server) = node();
                Box::pin(async move { engine.delete_method(&server, token).await.unwrap() })
            },
        );
        let chooses = [first, second].map(|token| -> BoxFuture<'static, ()> {
            let (engine, server) = node();
            Box::pin(async move { drop(engine.make_default(&server, token).await) })
        });
        let attaches = [lonely.clone(), doomed].map(|token| -> BoxFuture<'static, ()> {
            let (engine, server) = node();
            Box::pin(async move { drop(engine.attach_method(&server, token, customer).await) })
        });
        shop.at_once(deletes.into_iter().chain(chooses).chain(attaches).collect());
        assert_eq!(shop.tokens(customer), [lonely]);
        assert!(shop.default_of(customer).is_some(), "seed {seed}");
    }
}

#[test]
fn a_token_that_is_deleted_while_it_is_attached_leaves_no_default_behind() {
    for seed in 0..50 {
        let shop = Shop::open(seed);
        let (customer, doomed) = (shop.create_customer("Ada"), of_nobody(&shop));
        let callers = [(); 2].map(|()| (shop.another_node(), shop.server.clone(), doomed.clone()));
        let [attacher, deleter] = callers;
        let stories: Vec<BoxFuture<'static, bool>> = vec![
            Box::pin(async move {
                attacher
                    .0
                    .attach_method(&attacher.1, attacher.2, customer)
                    .await
                    .is_ok()
            }),
            Box::pin(async move { deleter.0.delete_method(&deleter.1, deleter.2).await.is_ok() }),
        ];
        assert!(shop.at_once(stories)[1], "a deletion always comes through");
        assert_eq!(shop.default_of(customer), None, "seed {seed}");
    }
}

#[test]
fn a_token_that_two_customers_are_given_at_once_becomes_one_customers() {
    for seed in 0..50 {
        let shop = Shop::open(seed);
        let (people, token) = (
            ["Ada", "Eve"].map(|name| shop.create_customer(name)),
            of_nobody(&shop),
        );
        let give = |customer| -> BoxFuture<'static, bool> {
            let (engine, server, token) = (shop.another_node(), shop.server.clone(), token.clone());
            Box::pin(async move { engine.attach_method(&server, token, customer).await.is_ok() })
        };
        let given = shop.at_once(people.map(give).into());
        assert_eq!(
            given.iter().filter(|given| **given).count(),
            1,
            "seed {seed}"
        );
        for (customer, given) in people.into_iter().zip(given) {
            assert_eq!(
                (shop.tokens(customer).len(), shop.default_of(customer)),
                (usize::from(given), given.then(|| token.clone()))
            );
        }
    }
}
