//! A sweep whose statement hangs on the database.

use testkit::{Backend, PATIENCE, Setup, cards, until};

use super::upgrading::Open;

#[test]
fn recovery_does_not_wait_for_a_sweep_whose_statement_hangs() {
    let mut server = Setup::new()
        .on(Backend::Postgres)
        .setting("recovery.schedule", r#"["1h"]"#)
        // A statement waits for a lock for a third of it, which is longer than this story waits for anything.
        .setting("database.statement_timeout", "10m")
        .start();
    server.shop().authorise(cards::HELD);
    let postgres = server.setup().postgres();
    let schema = Setup::schema(&server.root());
    // Deleted customers: nothing but a sweep claims there.
    let held = Open::begin(
        postgres,
        &format!("lock table {schema}.erasure in exclusive mode"),
    );
    server.restart();
    let waiting = format!(
        "select pid from pg_locks where not granted and relation = '{schema}.erasure'::regclass"
    );
    until(PATIENCE, "the sweep waits", || {
        (!postgres.sql(&waiting).is_empty()).then_some(())
    });
    let now = "floor(extract(epoch from clock_timestamp()) * 1000000)::bigint";
    // Recovery takes it for a minute, and then it is due later, or settled.
    postgres.sql(&format!(
        "update {schema}.payment set due_at = {now} + 1000000"
    ));
    let taken = format!(
        "select payment_id from {schema}.payment where due_at is null or due_at > {now} + 600000000"
    );
    until(PATIENCE, "recovery has looked after the payment", || {
        (!postgres.sql(&taken).is_empty()).then_some(())
    });
    assert!(!postgres.sql(&waiting).is_empty(), "the sweep still waits");
    drop(held);
    until(PATIENCE, "the sweep goes on", || {
        postgres.sql(&waiting).is_empty().then_some(())
    });
}
