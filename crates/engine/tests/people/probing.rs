//! Connections whose processor is asked about the account before they are kept.

use domain::{Code, Fault, caller::Mode, id::ConnectionId};
use engine::{ConnectionView, SaveConnection, TestOutcome};

use crate::{connections::connection, shop::Shop};

fn with_key(key: &str) -> SaveConnection {
    let credentials = format!(r#"{{"key":"{key}"}}"#);
    SaveConnection {
        credentials: Some(credentials.into()),
        ..connection("own")
    }
}

fn save(shop: &Shop, command: SaveConnection) -> Result<ConnectionView, Fault> {
    shop.run(shop.engine.save_connection(&shop.server, command))
}

fn exists(shop: &Shop) -> bool {
    let all = shop.run(shop.engine.list_connections(&shop.server));
    all.unwrap().iter().any(|one| one.id.as_str() == "own")
}

fn secrets(shop: &Shop) -> usize {
    let end = domain::Timestamp::from_micros(i64::MAX);
    let found = shop.run(shop.vault.secrets_older_than(end, None, 100));
    found.unwrap().len()
}

fn outcome(saved: &ConnectionView) -> Option<TestOutcome> {
    saved.test.as_ref().map(|test| test.outcome)
}

#[test]
fn credentials_that_the_processor_accepts_are_kept_with_what_it_says() {
    let shop = Shop::open(61);
    let saved = save(&shop, with_key("fine")).unwrap();
    assert_eq!(outcome(&saved), Some(TestOutcome::Passed));
    let facts = saved.test.unwrap().facts;
    assert_eq!(facts.id.as_deref(), Some("acct_1"));
    let listed = shop.run(shop.engine.list_connections(&shop.server));
    assert!(listed.unwrap().iter().all(|one| one.test.is_none()));
}

#[test]
fn credentials_that_the_processor_refuses_or_that_are_live_are_not_kept() {
    for key in ["refused", "live", "live_by_its_text"] {
        let shop = Shop::open(62);
        let before = secrets(&shop);
        let refused = save(&shop, with_key(key)).unwrap_err();
        assert_eq!(refused.code, Code::Validation, "{key}");
        assert_eq!(refused.field.as_deref(), Some("credentials"), "{key}");
        assert!(!exists(&shop) && secrets(&shop) == before, "{key}");
        let skipped = SaveConnection {
            skips_probe: true,
            ..with_key(key)
        };
        let saved = save(&shop, skipped);
        // What the text alone tells is never skipped.
        assert_eq!(saved.is_ok(), key != "live_by_its_text", "{key}");
        assert!(saved.is_err() || saved.unwrap().test.is_none());
    }
}

#[test]
fn a_processor_that_is_away_is_a_warning() {
    for key in ["away", "cut", "silent"] {
        let shop = Shop::open(63);
        let before = shop.world.now();
        let saved = save(&shop, with_key(key)).unwrap();
        assert_eq!(outcome(&saved), Some(TestOutcome::NoAnswer), "{key}");
        assert_eq!(saved.warnings().len(), 1, "{key}");
        assert!(exists(&shop));
        let took = shop.world.now().since(before);
        assert!(took < std::time::Duration::from_secs(3), "{key}: {took:?}");
    }
}

#[test]
fn stored_credentials_that_are_refused_since_do_not_stand_in_the_way_of_another_name() {
    let shop = Shop::open(64);
    let skipped = SaveConnection {
        skips_probe: true,
        ..with_key("refused")
    };
    save(&shop, skipped).unwrap();
    let renamed = SaveConnection {
        name: "Another name".to_owned(),
        ..connection("own")
    };
    let saved = save(&shop, renamed).unwrap();
    assert_eq!(saved.name, "Another name");
    assert_eq!(outcome(&saved), Some(TestOutcome::Refused));
    let own = ConnectionId::parse("own").unwrap();
    let tested = shop.run(shop.engine.test_connection(&shop.server, &own));
    assert_eq!(tested.unwrap().outcome, TestOutcome::Refused);
}

#[test]
fn a_test_account_is_refused_in_live_mode() {
    let shop = Shop::open_in(65, Mode::Live);
    let refused = save(&shop, with_key("fine")).unwrap_err();
    assert_eq!(refused.field.as_deref(), Some("credentials"));
    let saved = save(&shop, with_key("live")).unwrap();
    assert_eq!(outcome(&saved), Some(TestOutcome::Passed));
}

#[test]
fn a_test_changes_nothing_and_knows_no_other_team() {
    let shop = Shop::open(66);
    save(&shop, with_key("fine")).unwrap();
    let own = ConnectionId::parse("own").unwrap();
    shop.run(shop.engine.disable_connection(&shop.server, &own))
        .unwrap();
    let tested = shop.run(shop.engine.test_connection(&shop.server, &own));
    assert_eq!(tested.unwrap().outcome, TestOutcome::Passed);
    let all = shop.run(shop.engine.list_connections(&shop.server));
    let is_off = |one: &ConnectionView| one.id == own && !one.is_enabled;
    assert!(all.unwrap().iter().any(is_off));
    let mut other = shop.server.clone();
    other.team = domain::id::TeamId::new(uuid::Uuid::from_u128(7));
    let foreign = shop.run(shop.engine.test_connection(&other, &own));
    assert_eq!(foreign.unwrap_err().code, Code::ConnectionNotFound);
}
