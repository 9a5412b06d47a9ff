//! A snapshot that stays open for long, as a dump's does.

use testkit::{Backend, PATIENCE, Server, Setup, cards, until};

use super::upgrading::Open;

/// How often the job looks while reads are counted. Every tenth of a second, so that PostgreSQL has counted most of them.
const LOOKS: u64 = 60;

/// Payments that were due, and are not any more.
const DONE: i64 = 20_000;

/// How often the node has looked for payments that are due.
fn looks(server: &Server) -> u64 {
    let text = server.shop().get("/metrics").text();
    let counter = r#"pointsman_job_runs_total{job="recover",outcome="ok"} "#;
    let found = text.lines().find_map(|line| line.strip_prefix(counter));
    found.unwrap().parse().unwrap()
}

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
    // The first looks walk over everything, and are counted late: later ones don't.
    until(PATIENCE, "looks that find nothing are short", || {
        let before = read();
        let until_looks = looks(&server) + LOOKS;
        until(PATIENCE, "the job has looked", || {
            (looks(&server) >= until_looks).then_some(())
        });
        (read() - before < 4 * DONE).then_some(())
    });
    // And what is due is found.
    let payment = shop.authorise(cards::HELD).id();
    shop.wait_for_status(&payment, "SUCCEEDED");
    drop(open);
}
