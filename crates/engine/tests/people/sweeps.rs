//! What is past its time goes, however much it is.

use std::time::Duration;

use db::{Change, ChangeId, Statement};
use domain::{Timestamp, caller::ClientGrant};

use crate::{cards, shop::Shop};

fn count(shop: &Shop, table: &'static str) -> i64 {
    let sql = format!("select count(*) from {table}");
    let rows = shop.run(shop.store.read(sql, Vec::new())).unwrap();
    rows[0].int(0).unwrap()
}

pub(crate) fn commit(shop: &Shop, id: u128, statements: Vec<Statement>) {
    let mut change = Change::new(ChangeId(id), "sweeps");
    for statement in statements {
        change.push(statement);
    }
    shop.run(shop.store.commit(change)).unwrap();
}

/// Results of requests under keys, made at this time.
pub(crate) fn remember(shop: &Shop, many: i64, at: Timestamp) {
    let insert = |n: i64| {
        Statement::one(
            "insert into once (team_id, scope, key_hash, fingerprint, answer, created_at) values ($1, 'x', $2, '', '{}', $3)",
            vec![
                shop.team.key().into(),
                format!("{}-{n}", at.micros()).as_str().into(),
                at.micros().into(),
            ],
        )
    };
    let id = u128::from(at.micros().unsigned_abs());
    commit(shop, id, (0..many).map(insert).collect());
}

#[test]
fn five_thousand_keys_past_their_time_are_gone_within_one_sweep() {
    let shop = Shop::open(11);
    let now = shop.world.now();
    remember(&shop, 5_000, now.before(Duration::from_hours(30)));
    remember(&shop, 10, now.before(Duration::from_hours(20)));
    shop.engine.start();
    shop.pass(Duration::from_secs(31));
    assert_eq!(count(&shop, "once"), 10);
    // What comes in behind the place where the job looks is found too.
    remember(&shop, 1_200, now.before(Duration::from_hours(40)));
    shop.pass(Duration::from_secs(91));
    assert_eq!(count(&shop, "once"), 10);
}

#[test]
fn client_tokens_that_have_ended_go_too() {
    let shop = Shop::open(12);
    for _ in 0..3 {
        shop.client(ClientGrant::default());
    }
    let before = count(&shop, "credential");
    shop.pass(Duration::from_hours(28));
    shop.engine.start();
    shop.pass(Duration::from_secs(31));
    assert_eq!(count(&shop, "credential"), before - 3);
}

#[test]
fn sealed_secrets_that_nothing_refers_to_are_erased() {
    let shop = Shop::open(14);
    let save = |name: &str| {
        let command = engine::SaveConnection {
            id: domain::id::ConnectionId::parse("with-credentials"),
            processor: "approves".to_owned(),
            name: name.to_owned(),
            settings: serde_json::json!({}),
            credentials: Some("{\"key\": \"the secret\"}".to_owned().into()),
            imports: None,
            skips_probe: false,
        };
        shop.run(shop.engine.save_connection(&shop.server, command))
            .unwrap();
    };
    save("Acquirer");
    // As a crash between the vault's commit and the store's leaves it.
    let holder = vault::Holder::wallet("nobody");
    for _ in 0..3 {
        shop.run(shop.vault.seal_secret(shop.team, &holder, b"an orphan"))
            .unwrap();
    }
    let there = |shop: &Shop| {
        let end = shop.world.now().after(Duration::from_hours(1));
        let found = shop.run(shop.vault.secrets_older_than(end, None, 100));
        found.unwrap().len()
    };
    assert_eq!(there(&shop), 4);
    shop.engine.start();
    shop.pass(Duration::from_secs(40));
    assert_eq!(there(&shop), 4, "what is young may be referred to yet");
    shop.pass(Duration::from_hours(25));
    assert_eq!(there(&shop), 1, "the credentials in use stay");
    save("Acquirer again");
    assert_eq!(there(&shop), 1);
}

#[test]
fn the_search_for_orphans_goes_on_where_it_was() {
    let shop = Shop::open(13);
    let orphans = |many: u64| {
        for _ in 0..many {
            let number = cards::card(cards::VISA).number;
            let holder = vault::Holder::wallet("nobody");
            shop.run(shop.vault.seal_card(shop.team, &holder, &number))
                .unwrap();
        }
    };
    orphans(700);
    let customer = shop.create_customer("Zebedee");
    shop.add(customer, cards::VISA);
    shop.pass(Duration::from_hours(25));
    shop.engine.start();
    shop.pass(Duration::from_secs(40));
    let place = |shop: &Shop| {
        shop.run(store::job_place::get(&shop.store, "erase_orphans"))
            .unwrap()
    };
    let first = place(&shop);
    assert!(first.is_some(), "what was looked at is written down");
    let left = shop.run(shop.vault.older_than(shop.world.now(), None, 1_000));
    assert_eq!(left.unwrap().len(), 1, "the card in use stays");
    shop.run(shop.engine.drain(Duration::ZERO));
    orphans(1);
    shop.pass(Duration::from_hours(25));
    // Another process takes it up.
    shop.another_node().start();
    shop.pass(Duration::from_secs(40));
    assert_ne!(place(&shop), first);
    let left = shop.run(shop.vault.older_than(shop.world.now(), None, 1_000));
    assert_eq!(left.unwrap().len(), 1);
}
