//! How streams end.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use testkit::{KeyKind, PATIENCE, Server, Setup, cards, until};

#[test]
fn a_stop_ends_streams_in_order_and_they_are_not_complete() {
    let mut server = Setup::new().start();
    let shop = server.shop();
    let mut streams: Vec<_> = (0..10).map(|_| shop.follow(None)).collect();
    shop.authorise(cards::VISA);
    for stream in &mut streams {
        stream.next_data();
    }
    server.ask_to_stop();
    for mut stream in streams {
        // Whole events to an orderly end, without `complete`: the client connects again.
        while let Some(next) = stream.next_event() {
            assert_eq!(next.event, "next");
        }
    }
    assert!(server.wait_for_end().success());
}

/// Revokes a key.
fn revoke(server: &Server, key: &str) {
    let listed = server.run(&["key", "list"]);
    let line = listed
        .lines()
        .find(|line| line.contains(&key[key.len() - 4..]));
    let id = line.unwrap().split(' ').next().unwrap();
    server.run(&["key", "revoke", id]);
}

#[test]
fn a_stream_ends_with_its_credential() {
    let server = Setup::new().start();
    let key = server.create_key(KeyKind::Secret);
    let shop = server.shop_with(&key);
    let mut stream = shop.follow(None);
    revoke(&server, &key);
    let said = stream.next_event().unwrap();
    assert_eq!(
        said.data["errors"][0]["extensions"]["code"],
        "api.key.unauthorized"
    );
    assert_eq!(stream.next_event().unwrap().event, "complete");
    assert!(stream.next_event().is_none());
}

#[test]
fn a_stream_on_which_events_come_all_the_time_ends_with_its_credential_too() {
    let server = Setup::new().start();
    let key = server.create_key(KeyKind::Secret);
    let mut stream = server.shop_with(&key).follow(None);
    let (shop, is_over) = (server.shop(), Arc::new(AtomicBool::new(false)));
    let busy = {
        let is_over = Arc::clone(&is_over);
        thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                shop.authorise(cards::VISA);
                thread::sleep(Duration::from_millis(500));
            }
        })
    };
    stream.next_data();
    revoke(&server, &key);
    let revoked = Instant::now();
    let said = loop {
        let said = stream.next_event().unwrap();
        if said.data["errors"].is_array() {
            break said;
        }
        assert!(revoked.elapsed() < PATIENCE, "it goes on without its key");
    };
    is_over.store(true, Ordering::Relaxed);
    assert_eq!(
        said.data["errors"][0]["extensions"]["code"],
        "api.key.unauthorized"
    );
    assert_eq!(stream.next_event().unwrap().event, "complete");
    busy.join().unwrap();
}

#[test]
fn nothing_is_sent_to_a_key_that_was_revoked_more_than_a_second_ago() {
    let server = Setup::new().start();
    let key = server.create_key(KeyKind::Secret);
    let revoked = server.shop_with(&key);
    let mut stream = revoked.follow(None);
    revoke(&server, &key);
    until(PATIENCE, "requests with the key are refused", || {
        (revoked.gql("{ __typename }", json!({})).status() == 401).then_some(())
    });
    // The bound itself: what was judged a moment before the revocation may count for so long.
    thread::sleep(Duration::from_millis(1100));
    server.shop().authorise(cards::VISA);
    let said = stream.next_event().unwrap();
    assert_eq!(
        said.data["errors"][0]["extensions"]["code"],
        "api.key.unauthorized"
    );
}

#[test]
fn a_stream_ends_with_the_age_of_its_connection() {
    let server = Setup::new()
        .setting("server.max_connection_age", "1s")
        .start();
    let mut stream = server
        .shop()
        .subscribe("subscription { events { id } }", json!({}), None);
    // It lasts half a minute at least, and shows signs of life.
    assert!(stream.next_event().is_none());
    assert!(stream.comments >= 2, "{}", stream.comments);
}
