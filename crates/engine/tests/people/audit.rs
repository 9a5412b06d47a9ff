//! The audit trail: what is in it, how it is sealed, and what is noticed.

use std::time::Duration;

use db::{Change, ChangeId, Statement};
use domain::{
    audit::{Act, Source},
    caller::Caller,
};
use engine::{Engine, Listed, SaveConnection, Settings, TrailFilter, UpdateTeam, Verified};

use crate::shop::{KEY, Shop};

fn listed(shop: &Shop, act: Act) -> Vec<Listed> {
    let filter = TrailFilter {
        act: Some(act),
        ..TrailFilter::default()
    };
    let mut found = Vec::new();
    shop.run(shop.engine.list_audit(&filter, |entry| found.push(entry)))
        .unwrap();
    found
}

fn verified(shop: &Shop) -> Vec<Verified> {
    shop.run(shop.engine.verify_audit(None)).unwrap()
}

fn holds(shop: &Shop) -> bool {
    let verified = verified(shop);
    assert!(!verified.is_empty());
    verified.iter().all(|chain| chain.broken.is_none())
}

fn count(entry: &Listed) -> u64 {
    let details: serde_json::Value = serde_json::from_str(&entry.what.details).unwrap();
    details["count"].as_u64().unwrap()
}

fn connection(name: &str, processor: &str) -> SaveConnection {
    SaveConnection {
        id: domain::id::ConnectionId::parse(name),
        processor: processor.to_owned(),
        name: name.to_owned(),
        settings: serde_json::json!({}),
        credentials: None,
        imports: None,
        skips_probe: false,
    }
}

fn save(shop: &Shop, caller: &Caller, wanted: SaveConnection) -> bool {
    let engine = shop.engine.on_behalf_of(caller);
    shop.run(engine.save_connection(caller, wanted)).is_ok()
}

#[test]
fn an_entry_names_the_credential_the_address_and_the_request() {
    let shop = Shop::open(1);
    let source = Source {
        address: Some("::ffff:192.0.2.9".parse().unwrap()),
        request: Some("req-7".into()),
    };
    let caller = shop
        .run(shop.engine.asked_from(source).authenticate(KEY))
        .unwrap();
    assert!(save(&shop, &caller, connection("spare", "approves")));
    assert!(!save(&shop, &caller, connection("other", "nobody")));
    let found = listed(&shop, Act::ConnectionSaved);
    let [entry] = found.as_slice() else {
        panic!("{found:?}")
    };
    let what = &entry.what;
    assert_eq!(what.team, shop.team.key());
    assert_eq!(
        (what.actor.as_str(), &what.actor_id),
        ("secret", &Some(caller.key.key()))
    );
    assert_eq!(what.address.as_deref(), Some("192.0.2.9"));
    assert_eq!(what.request_id.as_deref(), Some("req-7"));
    assert_eq!(
        (what.subject.as_str(), what.subject_id.as_deref()),
        ("connection", Some("spare"))
    );
    assert_eq!(what.outcome, "done");
    assert!(holds(&shop));
}

#[test]
fn four_thousand_wrong_keys_are_a_few_entries() {
    let shop = Shop::open(2);
    let from = |address: &str| {
        shop.engine.asked_from(Source {
            address: Some(address.parse().unwrap()),
            request: None,
        })
    };
    let (one, other) = (from("192.0.2.1"), from("2001:db8::7"));
    for n in 0..4_000 {
        let engine = if n % 4 == 0 { &other } else { &one };
        let refused = shop.run(engine.authenticate(&format!("sk_test_wrong{n}")));
        assert!(refused.is_err());
    }
    shop.run(one.authenticate("nonsense")).unwrap_err();
    let key = shop.run(shop.engine.create_key(engine::NewKey::of(
        shop.team,
        engine::KeyKind::Secret,
        "short-lived",
    )));
    let key = key.unwrap();
    shop.run(shop.engine.revoke_key(key.id)).unwrap();
    shop.run(one.authenticate(&key.token)).unwrap_err();
    let found = listed(&shop, Act::AuthenticationFailed);
    assert!(found.len() <= 8, "{found:?}");
    assert_eq!(found.iter().map(count).sum::<u64>(), 4_002);
    assert!(found.iter().all(|entry| entry.what.outcome == "refused"));
    let details = |text: &str| found.iter().any(|entry| entry.what.details.contains(text));
    assert!(details("\"192.0.2.1\"") && details("2001:db8::/64") && details("malformed"));
    let known = Some(key.id.key());
    let ended = found.iter().find(|entry| entry.what.subject_id == known);
    assert!(ended.is_some_and(|entry| entry.what.team == shop.team.key()));
    assert!(
        found
            .iter()
            .all(|entry| !entry.what.details.contains("wrong"))
    );
}

#[test]
fn reads_are_counted_and_a_missing_right_is_recorded() {
    let shop = Shop::open(3);
    let browser = shop.public();
    for _ in 0..5 {
        shop.engine.permit(&shop.server, "getPayment").unwrap();
        shop.engine.permit(&browser, "refundPayment").unwrap_err();
        shop.engine
            .permit(&shop.server, "authorizePayment")
            .unwrap();
    }
    let sum = |act| listed(&shop, act).iter().map(count).sum::<u64>();
    assert_eq!((sum(Act::DataAccessed), sum(Act::AccessRefused)), (5, 5));
    // Counted before anybody knows what comes of it.
    let read = listed(&shop, Act::DataAccessed);
    assert!(read.iter().all(|entry| entry.what.outcome == "tried"));
    let refused = listed(&shop, Act::AccessRefused);
    assert_eq!(refused[0].what.actor_id, Some(browser.key.key()));
    assert_eq!(refused[0].what.subject_id.as_deref(), Some("refundPayment"));
}

#[test]
fn counts_of_a_minute_are_written_by_the_job_when_it_is_over() {
    let shop = Shop::open(4);
    shop.engine.start();
    shop.engine.permit(&shop.server, "getPayment").unwrap();
    shop.pass(Duration::from_secs(64));
    let rows = "select count(*) from audit where act = 'data.accessed' and seq is not null";
    let rows = shop.run(shop.store.read(rows, Vec::new())).unwrap();
    assert_eq!(rows[0].int(0).unwrap(), 1);
}

#[test]
fn two_nodes_seal_one_chain() {
    let shop = Shop::open(5);
    let other = shop.another_node();
    shop.engine.start();
    other.start();
    for n in 0..40 {
        let caller = shop.server.clone();
        assert!(save(
            &shop,
            &caller,
            connection(&format!("c{n}"), "approves")
        ));
        shop.pass(Duration::from_millis(150));
    }
    shop.pass(Duration::from_secs(5));
    let unsealed = "select count(*) from audit where seq is null";
    let rows = shop.run(shop.store.read(unsealed, Vec::new())).unwrap();
    assert_eq!(rows[0].int(0).unwrap(), 0);
    assert_eq!(listed(&shop, Act::ConnectionSaved).len(), 40);
    assert!(holds(&shop));
}

/// What somebody with the store's password might do.
fn tamper(shop: &Shop, sql: &'static str) {
    let change = Change::new(ChangeId(99), "tamper").with(Statement::any(sql, Vec::new()));
    shop.run(shop.store.commit(change)).unwrap();
}

#[test]
fn a_change_of_the_trail_is_noticed_and_no_later_seal_covers_it() {
    let changes = [
        "update audit set act = 'key.revoked' where seq = 3",
        "update audit set actor_id = 'somebody' where seq = 1",
        "update audit set address = '192.0.2.1' where seq = 2",
        "update audit set at = at + 1 where seq = 4",
        "update audit set details = '{\"x\":1}' where seq = 2",
        "delete from audit where seq = 3",
        "delete from audit where seq = 1",
        "delete from audit where seq = (select max(seq) from audit)",
        "update audit set seq = 7 - seq where seq in (3, 4)",
        "update audit set audit_id = 'another' where seq = 2",
        "update audit set mac = link where seq = 2",
        "insert into audit (team_id, audit_id, at, act, actor, subject, outcome, details, seq, link, mac) \
         select team_id, 'added', at, 'key.created', actor, subject, outcome, details, seq, link, mac from audit where seq = 3",
        "update audit_chain set seq = 2, link = (select link from audit where seq = 2 and team_id = audit_chain.team_id), \
         mac = (select mac from audit where seq = 2 and team_id = audit_chain.team_id) where seq > 4",
        "delete from audit_chain",
        "update audit_chain set anchor_seq = 2, anchor_link = (select link from audit where seq = 2 and team_id = audit_chain.team_id) where seq > 4",
        "update audit set seq = 1000000000 where seq = 3",
        "update audit set seq = -3 where seq = 3",
        "insert into audit (team_id, audit_id, at, act, actor, subject, outcome, details, seq, link, mac) \
         select team_id, 'far', at, act, actor, subject, outcome, details, 1000000000, link, mac from audit where seq = 3",
        "insert into audit (team_id, audit_id, at, act, actor, subject, outcome, details, seq, link, mac) \
         select team_id, 'before', at, act, actor, subject, outcome, details, -1, link, mac from audit where seq = 3",
        "insert into audit (team_id, audit_id, at, act, actor, subject, outcome, details, seq) \
         select team_id, 'bare', at, act, actor, subject, outcome, details, 1000000000 from audit where seq = 3",
        CUT_SHORT,
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let shop = Shop::open(100 + n as u64);
        for key in 0..5 {
            assert!(save(
                &shop,
                &shop.server,
                connection(&format!("c{key}"), "approves")
            ));
        }
        assert!(holds(&shop), "before {change}");
        tamper(&shop, change);
        assert!(!holds(&shop), "not noticed: {change}");
        // Acts that come later are not sealed behind it as if nothing had happened.
        assert!(save(&shop, &shop.server, connection("late", "approves")));
        shop.pass(Duration::from_secs(5));
        assert!(!holds(&shop), "covered by a later seal: {change}");
    }
}

/// Entries are removed at the end, and the chain's row names the last one that is left.
const CUT_SHORT: &str = "update audit_chain set seq = 2, link = (select link from audit where seq = 2 and team_id = audit_chain.team_id) \
                         where seq > 4";

#[test]
fn a_chain_that_was_cut_short_gets_no_seal_from_the_service() {
    for (seed, cut) in [
        (200, vec!["delete from audit where seq > 2", CUT_SHORT]),
        (201, vec!["delete from audit_chain"]),
        (
            202,
            vec!["delete from audit where seq = 5", "delete from audit_chain"],
        ),
    ] {
        let shop = Shop::open(seed);
        for key in 0..5 {
            let wanted = connection(&format!("c{key}"), "approves");
            assert!(save(&shop, &shop.server, wanted));
        }
        assert!(holds(&shop));
        for sql in cut {
            tamper(&shop, sql);
        }
        shop.engine.start();
        shop.pass(Duration::from_secs(5));
        assert!(save(&shop, &shop.server, connection("late", "approves")));
        shop.pass(Duration::from_secs(5));
        let team = Some(shop.team);
        let chain = shop.run(shop.engine.verify_audit(team)).unwrap().remove(0);
        assert!(chain.broken.is_some(), "seed {seed}: {chain:?}");
        // What came later stays visible, without a number.
        let late = listed(&shop, Act::ConnectionSaved).pop().unwrap();
        assert_eq!(late.what.subject_id.as_deref(), Some("late"));
        assert_eq!(late.seq, None);
    }
}

/// An entry that can't be read stands before all that are to be sealed.
const UNREADABLE: &str = "insert into audit (team_id, audit_id, at, act, actor, subject, outcome, details) \
                          select team_id, '0', at, act, actor, subject, outcome, cast(x'ff' as text) from audit where seq = 3";

#[test]
fn entries_that_the_service_can_t_seal_are_found() {
    let shop = Shop::open(204);
    for key in 0..5 {
        let name = format!("c{key}");
        assert!(save(&shop, &shop.server, connection(&name, "approves")));
    }
    assert!(holds(&shop));
    tamper(&shop, UNREADABLE);
    assert!(save(&shop, &shop.server, connection("late", "approves")));
    shop.pass(Duration::from_secs(90));
    let broken: Vec<_> = verified(&shop)
        .into_iter()
        .filter_map(|chain| chain.broken)
        .collect();
    assert_eq!(broken.len(), 1, "{broken:?}");
    assert!(broken[0].why.contains("not sealed"), "{broken:?}");
}

#[test]
fn a_broken_chain_of_one_team_leaves_the_others_sealed() {
    let shop = Shop::open(203);
    assert!(save(&shop, &shop.server, connection("own", "approves")));
    assert!(holds(&shop));
    // The installation's chain, whose id is sorted first, and a row whose team can't be read.
    tamper(
        &shop,
        "update audit_chain set mac = link where team_id = '00000000-0000-0000-0000-000000000000'",
    );
    tamper(
        &shop,
        "insert into audit (team_id, audit_id, at, act, actor, subject, outcome, details) \
         values ('', 'x', 1, 'key.created', 'secret', 'key', 'done', '{}')",
    );
    assert!(save(&shop, &shop.server, connection("more", "approves")));
    shop.engine.start();
    shop.pass(Duration::from_secs(5));
    let sql = "select count(*) from audit where subject_id = 'more' and seq is not null";
    let rows = shop.run(shop.store.read(sql, Vec::new())).unwrap();
    assert_eq!(rows[0].int(0).unwrap(), 1);
}

#[test]
fn what_was_changed_is_not_removed_for_its_age() {
    for (seed, change) in [
        (210, "update audit set at = 0 where seq <= 3"),
        (211, "update audit set link = mac, at = 0 where seq = 3"),
        (212, "update audit_chain set anchor_seq = 1"),
    ] {
        let shop = Shop::open(seed);
        for key in 0..5 {
            let wanted = connection(&format!("c{key}"), "approves");
            assert!(save(&shop, &shop.server, wanted));
        }
        assert!(holds(&shop));
        tamper(&shop, change);
        let engine: Engine = shop.another_node_with(Settings {
            audit_retention: Duration::from_hours(2),
            poll_interval: Duration::from_secs(10),
            ..Settings::default()
        });
        engine.start();
        shop.pass(Duration::from_hours(if seed == 212 { 3 } else { 1 }));
        let team = Some(shop.team);
        let chain = shop.run(shop.engine.verify_audit(team)).unwrap().remove(0);
        assert!(chain.broken.is_some(), "{change}: {chain:?}");
        let kept = "select count(*) from audit where seq = 3 and act = 'connection.saved'";
        let rows = shop.run(shop.store.read(kept, Vec::new())).unwrap();
        assert_eq!(rows[0].int(0).unwrap(), 1, "{change}");
    }
}

#[test]
fn a_browser_s_address_is_not_kept_when_its_credential_is_refused() {
    let shop = Shop::open(214);
    let browser = shop.engine.asked_from(Source {
        address: Some("192.0.2.77".parse().unwrap()),
        request: None,
    });
    let public = shop.run(shop.engine.create_key(engine::NewKey::of(
        shop.team,
        engine::KeyKind::Public,
        "site",
    )));
    let public = public.unwrap();
    shop.run(shop.engine.revoke_key(public.id)).unwrap();
    for refused in [
        public.token.as_str(),
        "pk_test_unknown0",
        "ct_test_unknown0",
        "ct_live_othermode",
        "pk_broken",
    ] {
        shop.run(browser.authenticate(refused)).unwrap_err();
    }
    let found = listed(&shop, Act::AuthenticationFailed);
    assert_eq!(found.iter().map(count).sum::<u64>(), 5);
    for entry in &found {
        assert!(!entry.what.details.contains("192.0.2"), "{entry:?}");
    }
    shop.run(browser.authenticate("sk_test_unknown0"))
        .unwrap_err();
    let found = listed(&shop, Act::AuthenticationFailed);
    assert!(
        found
            .iter()
            .any(|entry| entry.what.details.contains("192.0.2.77"))
    );
}

#[test]
fn a_connection_that_is_switched_on_already_gets_no_entry_for_it() {
    let shop = Shop::open(215);
    assert!(save(&shop, &shop.server, connection("spare", "approves")));
    let id = domain::id::ConnectionId::parse("spare").unwrap();
    let nobody = domain::id::ConnectionId::parse("nobody").unwrap();
    for _ in 0..3 {
        shop.run(shop.engine.enable_connection(&shop.server, &id))
            .unwrap();
    }
    assert_eq!(listed(&shop, Act::ConnectionEnabled), []);
    for _ in 0..3 {
        shop.run(shop.engine.disable_connection(&shop.server, &id))
            .unwrap();
    }
    assert_eq!(listed(&shop, Act::ConnectionDisabled).len(), 1);
    shop.run(shop.engine.enable_connection(&shop.server, &id))
        .unwrap();
    assert_eq!(listed(&shop, Act::ConnectionEnabled).len(), 1);
    shop.run(shop.engine.enable_connection(&shop.server, &nobody))
        .unwrap_err();
}

#[test]
fn a_team_that_is_changed_to_what_it_is_gets_no_entry_for_it() {
    let shop = Shop::open(217);
    let rename = |name: Option<&str>| {
        let update = UpdateTeam {
            name: name.map(str::to_owned),
            ..UpdateTeam::default()
        };
        shop.run(shop.engine.update_team(&shop.server, update))
            .unwrap();
    };
    rename(None);
    assert_eq!(listed(&shop, Act::TeamChanged), []);
    rename(Some("Galway"));
    rename(Some("Galway"));
    assert_eq!(listed(&shop, Act::TeamChanged).len(), 1);
}

#[test]
fn counts_whose_rows_were_not_taken_are_written_later() {
    let shop = Shop::open(216);
    shop.engine.permit(&shop.server, "getPayment").unwrap();
    tamper(
        &shop,
        "create trigger full before insert on audit when new.act = 'data.accessed' begin select raise(ignore); end",
    );
    assert_eq!(listed(&shop, Act::DataAccessed), []);
    tamper(&shop, "drop trigger full");
    assert_eq!(
        listed(&shop, Act::DataAccessed)
            .iter()
            .map(count)
            .sum::<u64>(),
        1
    );
}

#[test]
fn what_is_old_is_removed_and_the_rest_still_holds() {
    let shop = Shop::open(6);
    let engine: Engine = shop.another_node_with(Settings {
        audit_retention: Duration::from_hours(1),
        poll_interval: Duration::from_secs(10),
        ..Settings::default()
    });
    engine.start();
    for n in 0..20 {
        assert!(save(
            &shop,
            &shop.server,
            connection(&format!("c{n}"), "approves")
        ));
        shop.pass(Duration::from_mins(6));
    }
    let left = listed(&shop, Act::ConnectionSaved);
    assert!((9..=12).contains(&left.len()), "{}", left.len());
    assert!(!listed(&shop, Act::AuditRemoved).is_empty());
    let chain = verified(&shop)
        .into_iter()
        .find(|chain| chain.team == shop.team.key())
        .unwrap();
    assert_eq!(chain.broken, None);
    assert!(chain.last > chain.entries.cast_signed(), "{chain:?}");
    tamper(
        &shop,
        "delete from audit where seq = (select min(seq) from audit)",
    );
    assert!(!holds(&shop));
}
