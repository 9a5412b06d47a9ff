//! Keys that end, that are replaced and that are used; teams that close.

use std::time::Duration;

use domain::caller::ClientGrant;
use engine::{KeyKind, ListedKey, NewKey};

use crate::shop::{KEY, Shop};

fn accepted(shop: &Shop, bearer: &str) -> bool {
    shop.run(shop.engine.authenticate(bearer)).is_ok()
}

fn listed(shop: &Shop, name: &str) -> ListedKey {
    let keys = shop.run(shop.engine.keys(Some(shop.team))).unwrap();
    keys.into_iter().find(|key| key.name == name).unwrap()
}

fn hours(n: u64) -> Duration {
    Duration::from_hours(n)
}

#[test]
fn a_key_ends_at_its_time_with_its_client_tokens_and_stays_listed() {
    let shop = Shop::open(31);
    let made = shop
        .run(shop.engine.create_key(NewKey {
            expires_at: Some(shop.engine.key_expiry("1h").unwrap()),
            ..NewKey::of(shop.team, KeyKind::Secret, "short")
        }))
        .unwrap();
    shop.pass(Duration::from_mins(59));
    let caller = shop.run(shop.engine.authenticate(&made.token)).unwrap();
    let token = shop
        .run(shop.engine.client_token(&caller, ClientGrant::default()))
        .unwrap_or_else(|fault| panic!("{}", fault.message))
        .token;
    assert!(accepted(&shop, &made.token) && accepted(&shop, &token));
    shop.pass(Duration::from_secs(61));
    assert!(!accepted(&shop, &made.token) && !accepted(&shop, &token));
    assert!(accepted(&shop, KEY));
    shop.engine.start();
    shop.pass(hours(48));
    let key = listed(&shop, "short");
    assert!(!key.is_usable(shop.world.now()) && key.revoked_at.is_none());
}

#[test]
fn a_rotated_key_goes_on_for_a_while_and_its_successor_lives_as_long() {
    let shop = Shop::open(32);
    let old = shop
        .run(shop.engine.create_key(NewKey {
            expires_at: Some(shop.engine.key_expiry("90d").unwrap()),
            ..NewKey::of(shop.team, KeyKind::Secret, "shop")
        }))
        .unwrap();
    shop.pass(hours(24));
    let day = shop.engine.key_expiry("24h").unwrap();
    let rotated = shop.run(shop.engine.rotate_key(old.id, day, None)).unwrap();
    assert_eq!(rotated.old_ends_at, day);
    assert_eq!(
        rotated.expires_at,
        Some(shop.world.now().after(hours(90 * 24)))
    );
    // Also when the first successor is lost: the old one has been made for 90 days, whatever became of it.
    let once_more = shop.run(shop.engine.rotate_key(old.id, shop.world.now(), None));
    assert!(once_more.unwrap().expires_at > Some(shop.world.now().after(hours(89 * 24))));
}

#[test]
fn a_rotated_key_is_accepted_until_it_ends() {
    let shop = Shop::open(33);
    let old = shop
        .run(
            shop.engine
                .create_key(NewKey::of(shop.team, KeyKind::Secret, "shop")),
        )
        .unwrap();
    let day = shop.engine.key_expiry("24h").unwrap();
    let rotated = shop.run(shop.engine.rotate_key(old.id, day, None)).unwrap();
    assert_eq!(rotated.expires_at, None);
    let new = &rotated.made.token;
    assert!(accepted(&shop, &old.token) && accepted(&shop, new));
    shop.pass(hours(24));
    assert!(!accepted(&shop, &old.token) && accepted(&shop, new));
    let again = shop.run(shop.engine.rotate_key(old.id, day, None));
    assert!(again.is_err(), "it has ended");
    let now = shop.world.now();
    shop.run(shop.engine.rotate_key(rotated.made.id, now, None))
        .unwrap();
    assert!(!accepted(&shop, new), "at once");
}

#[test]
fn a_closed_team_gets_no_key_by_rotation_either() {
    let shop = Shop::open(34);
    let key = shop
        .run(
            shop.engine
                .create_key(NewKey::of(shop.team, KeyKind::Secret, "shop")),
        )
        .unwrap();
    shop.run(shop.engine.close_team(shop.team)).unwrap();
    let day = shop.engine.key_expiry("24h").unwrap();
    assert!(shop.run(shop.engine.rotate_key(key.id, day, None)).is_err());
}

#[test]
fn the_last_use_of_a_key_is_written_by_a_job_at_most_once_in_five_minutes() {
    let shop = Shop::open(33);
    let made = shop
        .run(
            shop.engine
                .create_key(NewKey::of(shop.team, KeyKind::Public, "site")),
        )
        .unwrap();
    let written = || {
        let sql = "select last_used_at from credential where name = 'site'";
        let rows = shop.run(shop.store.read(sql, Vec::new())).unwrap();
        rows[0].opt_time(0).unwrap()
    };
    shop.engine.start();
    shop.pass(Duration::from_mins(1));
    assert_eq!(
        (written(), listed(&shop, "site").last_used_at),
        (None, None)
    );
    let first = shop.world.now();
    assert!(accepted(&shop, &made.token));
    assert_eq!(
        (written(), listed(&shop, "site").last_used_at),
        (None, Some(first))
    );
    shop.pass(Duration::from_mins(1));
    assert_eq!(written(), Some(first));
    let second = shop.world.now();
    assert!(accepted(&shop, &made.token));
    shop.pass(Duration::from_mins(1));
    assert_eq!(
        (written(), listed(&shop, "site").last_used_at),
        (Some(first), Some(second))
    );
    shop.pass(Duration::from_mins(5));
    assert_eq!(written(), Some(second));
}

#[test]
fn no_key_of_a_closed_team_is_accepted_until_it_is_opened_again() {
    let shop = Shop::open(34);
    let token = shop
        .run(
            shop.engine
                .client_token(&shop.server, ClientGrant::default()),
        )
        .unwrap_or_else(|fault| panic!("{}", fault.message))
        .token;
    let elsewhere = shop.another_node();
    assert!(shop.run(elsewhere.authenticate(KEY)).is_ok());
    assert!(shop.run(shop.engine.close_team(shop.team)).unwrap());
    assert!(!shop.run(shop.engine.close_team(shop.team)).unwrap());
    assert!(!accepted(&shop, KEY) && !accepted(&shop, &token));
    shop.pass(Duration::from_millis(999));
    assert!(shop.run(elsewhere.authenticate(KEY)).is_err());
    let refused = shop.run(
        shop.engine
            .create_key(NewKey::of(shop.team, KeyKind::Secret, "more")),
    );
    assert!(refused.is_err_and(|why| why.to_string().contains("closed")));
    assert!(shop.run(shop.engine.reopen_team(shop.team)).unwrap());
    assert!(accepted(&shop, KEY) && accepted(&shop, &token));
}
