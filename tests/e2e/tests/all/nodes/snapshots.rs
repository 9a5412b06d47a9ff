//! A snapshot that stays open for long, as a dump's does.

use std::thread;
use std::time::Duration;

use testkit::{Backend, Setup, cards};

use super::upgrading::Open;

/// Payments that were due, and are not any more.
const DONE: i64 = 20_000;

#[test]
fn looking_for_what_is_due_does_not_walk_over_all_that_was() {
    let server = Setup::new()
        .on(Backend::Postgres)
        .setting("recovery.schedule", r#"["1s", "2s", "3s"]"#)
        .start();
    let (shop, postgres) = (server.shop(), server.setup().postgres());
    let schema = Setup::schema(&server.root());
    let open = Open::begin(postgres, &format!("select count(*) from {schema}.payment"));
    // Seen by nobody, and kept for the snapshot.
    postgres.sql(&format!(
        "begin; insert into {schema}.payment (team_id, payment_id, version, status, created_at, due_at, amount, currency, method, body) \
         select 'nobody', 'p' || n, 1, 'FAILED', 0, \
         floor(extract(epoch from clock_timestamp()) * 1000000)::bigint - 600000000, 1, 'EUR', 'CARD', '{{}}' \
         from generate_series(1, {DONE}) n; \
         update {schema}.payment set due_at = null where team_id = 'nobody'; commit"
    ));
    let read = || -> i64 {
        let text = format!(
            "select pg_stat_clear_snapshot(); select heap_blks_hit + heap_blks_read from pg_statio_user_tables \
             where schemaname = '{schema}' and relname = 'payment'"
        );
        postgres
            .sql(&text)
            .last()
            .and_then(|blocks| blocks.parse().ok())
            .unwrap()
    };
    // What was counted before comes late.
    thread::sleep(Duration::from_secs(3));
    let before = read();
    // Some forty looks.
    thread::sleep(Duration::from_secs(5));
    let blocks = read() - before;
    assert!(
        blocks < 4 * DONE,
        "{blocks} blocks were read to find that nothing is due"
    );
    // And what is due is found.
    let payment = shop.authorise(cards::HELD).id();
    shop.wait_for_status(&payment, "SUCCEEDED");
    drop(open);
}
