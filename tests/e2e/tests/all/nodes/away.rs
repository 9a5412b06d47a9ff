//! The database goes, and comes back.

use std::time::{Duration, Instant};

use serde_json::json;
use testkit::{Order, PATIENCE, Postgres, Setup, cards, until};

#[test]
fn without_its_database_a_node_says_so_in_time_and_recovers_by_itself() {
    let postgres: &'static Postgres = Box::leak(Box::new(Postgres::start(&[])));
    let server = Setup::new()
        .on_server(postgres)
        .setting("database.patience", "1s")
        // The database's server is killed, and a processor forgets nothing.
        .setting("sandbox.sync_books", "true")
        .start();
    let shop = server.shop();
    let before = shop.authorise(cards::VISA).id();
    for how in ["stop", "kill"] {
        postgres.control(how);
        until(PATIENCE, "it is not ready", || {
            (!server.is_ready()).then_some(())
        });
        let start = Instant::now();
        let answer = shop.try_authorise(&Order::card(cards::VISA), Some(&format!("after-{how}")));
        assert_eq!(
            answer.error_code(),
            Some("error.unavailable"),
            "{}",
            answer.json()
        );
        assert!(
            start.elapsed() < Duration::from_secs(35),
            "{:?}",
            start.elapsed()
        );
        assert_eq!(shop.get("/health/live").status, 200);
        postgres.control("start");
        until(PATIENCE, "it is ready again", || {
            server.is_ready().then_some(())
        });
        shop.payment(&before).assert_status("SUCCEEDED");
        let again = until(PATIENCE, "the same request", || {
            let answer =
                shop.try_authorise(&Order::card(cards::VISA), Some(&format!("after-{how}")));
            (answer.error_code() != Some("error.unavailable")).then_some(answer)
        });
        assert_eq!(again.root()["status"], json!("SUCCEEDED"));
    }
    assert_eq!(shop.books().charges(), 3);
    shop.assert_books_equal_payments();
}
