//! The same on PostgreSQL: stories that are played on SQLite elsewhere, and the vault's tables.

use std::time::Duration;

use db::Db;
use domain::card_number::CardNumber;
use vault::{KeySource, Vault};
use world::World;

use crate::{customer_list, payment_list, postgres_server::Server, samples::team, story};

/// The record that numbers and secrets are sealed for.
fn holder() -> vault::Holder {
    vault::Holder::wallet("of a test")
}

async fn store() -> Db {
    Db::postgres(
        Server::shared().options(None),
        store::MIGRATIONS,
        &World::real(),
    )
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_story_holds_on_postgresql() {
    story::story(&store().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn customers_are_listed_the_same_on_postgresql() {
    customer_list::found_by_address_or_part_of_a_name(&store().await).await;
    customer_list::joined_up(&store().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn payments_are_listed_the_same_on_postgresql() {
    payment_list::listed_on_a_server(&store().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_is_sealed_and_rotated_on_postgresql() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::real();
    let db = Db::postgres(Server::shared().options(None), vault::MIGRATIONS, &world)
        .await
        .unwrap();
    let source = KeySource::File(folder.path().join("keys.json"));
    let vault = Vault::open(db, source, world, Duration::from_hours(1)).unwrap();
    vault.check().await.unwrap();
    let number = CardNumber::parse("4242424242424242".to_owned())
        .ok()
        .unwrap();
    let blob = vault.seal_card(team(1), &holder(), &number).await.unwrap();
    let secret = vault.seal_secret(team(1), &holder(), b"key").await.unwrap();
    assert_eq!(vault.rotate_begin().unwrap(), 2);
    while !vault.rotate_step(10).await.unwrap().finished {}
    let opened = vault
        .open_card(team(1), &holder(), blob)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(opened.expose(), number.expose());
    assert!(
        vault
            .open_card(team(2), &holder(), blob)
            .await
            .unwrap()
            .is_none()
    );
    assert_eq!(
        vault
            .open_secret(team(1), &holder(), secret)
            .await
            .unwrap()
            .unwrap()
            .as_slice(),
        b"key"
    );
    assert!(
        vault
            .open_secret(team(2), &holder(), secret)
            .await
            .unwrap()
            .is_none()
    );
    vault.erase_secret(team(1), secret).await.unwrap();
    assert!(
        vault
            .open_secret(team(1), &holder(), secret)
            .await
            .unwrap()
            .is_none()
    );
}

/// A node of one vault: its own connections, keys from a file.
async fn node(options: &db::PostgresOptions, keys: &std::path::Path) -> Vault {
    let world = World::real();
    let db = Db::postgres(options.clone(), vault::MIGRATIONS, &world)
        .await
        .unwrap();
    Vault::open(
        db,
        KeySource::File(keys.to_owned()),
        world,
        Duration::from_hours(1),
    )
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn other_keys_than_those_of_the_first_node_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let options = Server::shared().options(None);
    let (ours, others) = (
        folder.path().join("ours.json"),
        folder.path().join("others.json"),
    );
    let first = node(&options, &ours).await;
    let db = Db::postgres(options.clone(), vault::MIGRATIONS, &World::real())
        .await
        .unwrap();
    assert!(!vault::has_had_keys(&db).await.unwrap());
    first.take_up().await.unwrap();
    assert!(
        vault::has_had_keys(&db).await.unwrap(),
        "known before anything is sealed"
    );
    node(&options, &ours).await.take_up().await.unwrap();
    let foreign = node(&options, &others).await;
    assert!(matches!(
        foreign.take_up().await,
        Err(vault::VaultError::WrongKey(1))
    ));
    // Foreign keys of a version that the vault does not know are no rotation of ours.
    foreign.rotate_begin().unwrap();
    let text = std::fs::read_to_string(&others).unwrap();
    let mut keys: serde_json::Value = serde_json::from_str(&text).unwrap();
    keys["keys"].as_object_mut().unwrap().remove("1");
    std::fs::write(&others, keys.to_string()).unwrap();
    assert!(matches!(
        node(&options, &others).await.take_up().await,
        Err(vault::VaultError::WrongKey(2))
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_on_one_node_is_followed_by_the_others_that_share_its_key_file() {
    let folder = tempfile::tempdir().unwrap();
    let (options, keys) = (
        Server::shared().options(None),
        folder.path().join("keys.json"),
    );
    let (one, two) = (node(&options, &keys).await, node(&options, &keys).await);
    let number = CardNumber::parse("4242424242424242".to_owned())
        .ok()
        .unwrap();
    one.take_up().await.unwrap();
    two.take_up().await.unwrap();
    let before = two.seal_card(team(1), &holder(), &number).await.unwrap();
    one.rotate_begin().unwrap();
    let under_new = one.seal_card(team(1), &holder(), &number).await.unwrap();
    let under_old = two.seal_card(team(1), &holder(), &number).await.unwrap();
    assert!(
        two.open_card(team(1), &holder(), under_new)
            .await
            .unwrap()
            .is_some(),
        "it reads the keys again"
    );
    let three = node(&options, &keys).await;
    while !one.rotate_step(10).await.unwrap().finished {}
    let after = two.seal_card(team(1), &holder(), &number).await.unwrap();
    for blob in [before, under_old, under_new, after] {
        for vault in [&one, &two, &three] {
            assert_eq!(
                vault
                    .open_card(team(1), &holder(), blob)
                    .await
                    .unwrap()
                    .unwrap()
                    .expose(),
                number.expose()
            );
        }
    }
    assert!(
        three.seal_card(team(1), &holder(), &number).await.is_ok(),
        "also one that sealed nothing before"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_security_code_is_there_for_every_node_until_it_is_erased_and_never_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let (options, keys) = (
        Server::shared().options(None),
        folder.path().join("keys.json"),
    );
    let (one, two) = (node(&options, &keys).await, node(&options, &keys).await);
    let code = domain::card_number::SecurityCode::parse("737".to_owned())
        .ok()
        .unwrap();
    one.keep_cvc("a", &code).await.unwrap();
    one.keep_cvc("b", &code).await.unwrap();
    one.keep_cryptogram("b", "AgAA", Some("05")).await.unwrap();
    assert_eq!(two.open_cvc("a").await.unwrap().unwrap().expose(), "737");
    assert!(two.open_cvc("c").await.unwrap().is_none());
    let Some(vault::Code::Cryptogram { value, eci }) = two.open_code("b").await.unwrap() else {
        panic!("a cryptogram")
    };
    assert_eq!((value.as_str(), eci.as_deref()), ("AgAA", Some("05")));
    two.erase_cvc("a").await;
    assert!(one.open_cvc("a").await.unwrap().is_none());
    // A node that found none and then takes one erases it all the same.
    one.keep_cvc("a", &code).await.unwrap();
    one.erase_cvc("a").await;
    assert!(two.open_cvc("a").await.unwrap().is_none());
    let db = Db::postgres(options.clone(), vault::MIGRATIONS, &World::real())
        .await
        .unwrap();
    let sealed = db
        .read("select sealed from security_code", Vec::new())
        .await
        .unwrap();
    assert!(sealed.len() == 1 && !sealed[0].text(0).unwrap().contains("AgAA"));
    let kind = "select count(*) from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace \
                where n.nspname = $1 and c.relname in ('security_code', 'security_code_until') and c.relpersistence = 'u'";
    let unlogged = db
        .read(kind, vec![options.schema.as_str().into()])
        .await
        .unwrap();
    assert_eq!(unlogged[0].int(0).unwrap(), 2);
    assert_eq!(one.sweep_codes().await.unwrap(), 0, "none is over");
}
