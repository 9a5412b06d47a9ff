//! The same on PostgreSQL: stories that are told to SQLite elsewhere, and the vault's tables.

use std::time::Duration;

use db::Db;
use domain::card_number::CardNumber;
use vault::{KeySource, Vault};
use world::World;

use crate::{customer_list, payment_list, postgres_server::Server, samples::team, story};

async fn store() -> Db {
    Db::postgres(Server::shared().options(None), store::MIGRATIONS, &World::real()).await.unwrap()
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
    let db = Db::postgres(Server::shared().options(None), vault::MIGRATIONS, &world).await.unwrap();
    let source = KeySource::File(folder.path().join("keys.json"));
    let vault = Vault::open(db, source, world, Duration::from_hours(1)).unwrap();
    vault.check().await.unwrap();
    let number = CardNumber::parse("4242424242424242".to_owned()).ok().unwrap();
    let blob = vault.seal_card(team(1), &number).await.unwrap();
    let secret = vault.seal_secret(team(1), b"key").await.unwrap();
    assert_eq!(vault.rotate_begin().unwrap(), 2);
    while !vault.rotate_step(10).await.unwrap().finished {}
    let opened = vault.open_card(team(1), blob).await.unwrap().unwrap();
    assert_eq!(opened.expose(), number.expose());
    assert!(vault.open_card(team(2), blob).await.unwrap().is_none());
    assert_eq!(vault.open_secret(team(1), secret).await.unwrap().unwrap().as_slice(), b"key");
    assert!(vault.open_secret(team(2), secret).await.unwrap().is_none());
    vault.erase_secret(team(1), secret).await.unwrap();
    assert!(vault.open_secret(team(1), secret).await.unwrap().is_none());
}
