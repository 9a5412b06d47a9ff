//! Everything arrives, lives on, and comes back.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use testkit::{Answer, Order, Postgres, Shop, cards};

use super::{embedded, migrate, on_postgres, place, succeeded};

/// Payments whose state does not change by itself, by id.
fn resting(shop: &Shop) -> BTreeMap<String, Value> {
    let all = shop.every_payment();
    let moves = |status: &str| {
        matches!(
            status,
            "NO_ANSWER_FROM_PSP" | "GATEWAY_HOLD" | "REFUND_PENDING" | "ACTIVE"
        )
    };
    all.into_iter()
        .filter(|payment| !moves(payment.status()))
        .map(|payment| (payment.id(), payment.0))
        .collect()
}

#[test]
fn an_installation_with_payments_of_every_state_moves_lives_on_and_moves_back() {
    let mut server = embedded().start();
    let shop = server.shop();
    for card in [
        cards::VISA,
        cards::GENERAL_DECLINE,
        cards::FAILED,
        cards::HELD,
        cards::UNKNOWN_CHARGED,
    ] {
        shop.authorise(card);
    }
    let refunded = shop.authorise(cards::AMEX).id();
    shop.refund(&refunded, 1000);
    let partly = shop.authorise(cards::MASTERCARD).id();
    shop.refund(&partly, 300);
    let pending = shop.authorise(cards::SLOW_REFUND).id();
    shop.refund(&pending, 400);
    let authorised = shop.authorise_later(cards::VISA).id();
    shop.cancel(&shop.authorise_later(cards::VISA).id());
    let challenged =
        shop.challenged(&Order::card(cards::CHALLENGE).three_ds("https://shop.example/back"));
    let customer = shop.create_customer("Grace");
    let token = shop.tokenise_for(&customer, cards::DISCOVER);
    let intent = shop.start_intent(json!({}))["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let key = Shop::fresh_key();
    let keyed = shop.authorise_request(&Order::token(&token).amount(4711), Some(&key));
    let first = Answer::of(keyed.clone().send(shop.address()));
    let before = resting(&shop);
    assert!(before.len() > 8, "{before:?}");
    let reported_intent = shop.intent(&intent);
    server.stop();

    assert_names_what_was_moved(&succeeded(migrate(&server).output().unwrap()));

    let old = embedded().start_in_refused(server.dir());
    assert!(old.contains("were moved to another database"), "{old}");

    server.restart_as(on_postgres());
    let shop = server.shop();
    let after = resting(&shop);
    for (id, payment) in &before {
        assert_eq!(after.get(id), Some(payment), "{id}");
    }
    assert_eq!(shop.intent(&intent), reported_intent);
    let again = Answer::of(keyed.send(shop.address()));
    assert!(again.replayed(), "{:?}", again.reply.headers);
    assert_eq!(again.reply.body, first.reply.body);
    shop.refund(&partly, 700).assert_status("REFUNDED");
    shop.capture(&authorised).assert_status("SUCCEEDED");
    shop.order(&Order::customer(&customer))
        .assert_status("SUCCEEDED");
    shop.order(&Order::token(&token)).assert_status("SUCCEEDED");
    shop.wait_for_status(&pending, "PARTIAL_REFUNDED");
    // The way back from the challenge leads to another address now, and its secret moved along.
    shop.decide_and_return(&challenged, "complete");
    shop.wait_for_status(&challenged.id, "SUCCEEDED");
    shop.assert_books_equal_payments();
    let there = resting(&shop);
    server.stop();

    back(&server, &there);
}

/// The command names the tables that it has moved, and the key file that it has not.
fn assert_names_what_was_moved(printed: &str) {
    for table in [
        "store.payment ",
        "store.event ",
        "vault.sealed ",
        "simulator.sim_entry ",
    ] {
        assert!(printed.contains(table), "{printed}");
    }
    assert!(
        printed.contains("vault.keys"),
        "the keys must be kept: {printed}"
    );
}

/// From PostgreSQL into a fresh data directory.
fn back(server: &testkit::Server, there: &BTreeMap<String, Value>) {
    let directory = std::sync::Arc::new(tempfile::tempdir().unwrap());
    let to = format!("sqlite:{}", directory.path().join("data").display());
    let arguments = ["migrate", "--from", &Postgres::shared().url(), "--to", &to];
    succeeded(
        on_postgres()
            .command(&server.root(), &arguments)
            .output()
            .unwrap(),
    );
    let old = on_postgres().start_in_refused(server.dir());
    assert!(old.contains("were moved to another database"), "{old}");
    // The keys are a file, and are brought by hand.
    std::fs::copy(
        server.data_dir().join("vault.keys"),
        directory.path().join("data/vault.keys"),
    )
    .unwrap();
    let home = embedded().start_in(directory);
    assert_eq!(resting(&home.shop()), *there);
    home.shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
    home.shop().assert_books_equal_payments();
    assert_ne!(place(&home), place(server));
}
