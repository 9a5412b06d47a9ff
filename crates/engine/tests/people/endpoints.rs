//! Webhook endpoints: which addresses they may have, and how long what was sent and what came is kept.

use std::time::Duration;

use db::Statement;
use domain::{Timestamp, caller::Mode};
use engine::SaveEndpoint;
use futures_util::FutureExt as _;

use crate::{shop::Shop, sweeps::commit};

fn save(shop: &Shop, url: &str) -> Result<(), String> {
    let command = SaveEndpoint {
        id: None,
        url: url.to_owned(),
        kinds: None,
        enabled: None,
        resume: None,
    };
    let saved = shop.run(shop.engine.save_endpoint(&shop.server, command));
    saved.map(|_| ()).map_err(|fault| fault.message)
}

#[test]
fn in_live_mode_an_endpoint_is_https() {
    let (live, test) = (Shop::open_in(31, Mode::Live), Shop::open_in(32, Mode::Test));
    for url in ["http://shop.example/hooks", "http://203.0.113.7/"] {
        assert!(save(&live, url).is_err(), "{url}");
        assert_eq!(save(&test, url), Ok(()), "{url}");
    }
    for url in ["https://shop.example/hooks", "https://203.0.113.7/"] {
        assert_eq!(save(&live, url), Ok(()), "{url}");
    }
    for url in [
        "ftp://shop.example",
        "https://user:word@shop.example",
        "shop.example",
        "",
    ] {
        assert!(
            save(&live, url).is_err() && save(&test, url).is_err(),
            "{url}"
        );
    }
}

/// Makes endpoints at the same time. Returns how many were made.
fn save_at_once(shop: &Shop, urls: Vec<String>) -> usize {
    let stories = urls.into_iter().map(|url| {
        let (engine, caller) = (shop.engine.clone(), shop.server.clone());
        async move {
            let command = SaveEndpoint {
                id: None,
                url,
                kinds: None,
                enabled: None,
                resume: None,
            };
            engine.save_endpoint(&caller, command).await.is_ok()
        }
        .boxed()
    });
    let made = shop.at_once(stories.collect());
    made.into_iter().filter(|is_made| *is_made).count()
}

#[test]
fn the_bound_of_a_team_holds_for_those_that_are_made_at_once() {
    for seed in 34..38 {
        let shop = Shop::open(seed);
        for n in 0..98 {
            assert_eq!(save(&shop, &format!("https://shop.example/{n}")), Ok(()));
        }
        let urls = (98..104).map(|n| format!("https://shop.example/{n}"));
        assert_eq!(save_at_once(&shop, urls.collect()), 2);
        assert_eq!(shop.count("webhook_endpoint"), 100);
    }
}

#[test]
fn of_two_that_are_made_at_once_with_one_address_one_is_refused() {
    for seed in 38..42 {
        let shop = Shop::open(seed);
        let urls = vec!["https://shop.example/hooks".to_owned(); 4];
        assert_eq!(save_at_once(&shop, urls), 1);
        assert_eq!(shop.count("webhook_endpoint"), 1);
    }
}

/// One row of each of what is kept for 30 days, of this time.
fn keep(shop: &Shop, n: u128, at: Timestamp) {
    let (team, micros) = (shop.team.key(), at.micros());
    let delivery = Statement::one(
        "insert into webhook_delivery (team_id, endpoint_id, delivery_id, event_id, kind, stream, sequence, state, tries, \
         next_at, created_at, body) values ($1, 'e', $2, 'x:1:0', 'payment.created', 'x', 1, 'DELIVERED', 1, null, $3, '{}')",
        vec![
            team.as_str().into(),
            n.to_string().as_str().into(),
            micros.into(),
        ],
    );
    let received = Statement::one(
        "insert into webhook_received (team_id, endpoint_id, message_id, received_at) values ($1, 'e', $2, $3)",
        vec![
            team.as_str().into(),
            n.to_string().as_str().into(),
            micros.into(),
        ],
    );
    let notification = Statement::one(
        "insert into notification (team_id, notification_id, connection_id, received_at, word, status, message, payment_id, \
         tries, due_at, body, mark) values ($1, $2, 'a', $3, 'x', 'IGNORED', null, null, 1, null, '{}', $2)",
        vec![
            team.as_str().into(),
            n.to_string().as_str().into(),
            micros.into(),
        ],
    );
    commit(shop, n, vec![delivery, received, notification]);
}

#[test]
fn deliveries_and_notifications_are_kept_for_thirty_days() {
    let shop = Shop::open(33);
    let now = shop.world.now();
    keep(&shop, 1, now.before(Duration::from_hours(31 * 24)));
    keep(&shop, 2, now.before(Duration::from_hours(29 * 24)));
    let count = |table: &str| {
        let sql = format!("select count(*) from {table}");
        let rows = shop.run(shop.store.read(sql, Vec::new())).unwrap();
        rows[0].int(0).unwrap()
    };
    let counts = || ["webhook_delivery", "webhook_received", "notification"].map(count);
    assert_eq!(counts(), [2, 2, 2]);
    shop.engine.start();
    shop.pass(Duration::from_mins(5));
    assert_eq!(counts(), [1, 1, 1]);
    // Two days later the other one goes.
    shop.pass(Duration::from_hours(48));
    assert_eq!(counts(), [0, 0, 0]);
}
