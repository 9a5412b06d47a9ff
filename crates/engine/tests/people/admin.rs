//! What the people who run the service do.

use std::time::Duration;

use domain::{caller::Mode, id::KeyId};
use engine::{AdminError, KeyKind};

use crate::shop::{KEY, Shop, beginnings, order};

fn refusal<T>(result: Result<T, AdminError>) -> String {
    match result {
        Ok(_) => panic!("not refused"),
        Err(AdminError::Refused(why)) => why,
        Err(AdminError::Database(error)) => panic!("{error}"),
    }
}

#[test]
fn a_first_start_makes_a_team_that_can_take_payments() {
    let shop = Shop::without_team(1, Mode::Test);
    let made = shop
        .run(shop.engine.seed(beginnings(None)))
        .unwrap()
        .unwrap();
    assert!(made.token.starts_with("sk_test_") && made.token.len() > 40);
    let server = shop.run(shop.engine.authenticate(&made.token)).unwrap();
    assert_eq!(server.key, made.id);
    let teams = shop.run(shop.engine.teams()).unwrap();
    assert_eq!(
        (teams.len(), teams[0].id, teams[0].name.as_str()),
        (1, server.team, "The shop")
    );
    assert_eq!(
        shop.run(shop.engine.processors_in_use()).unwrap(),
        ["approves"]
    );
    assert!(
        shop.run(shop.engine.seed(beginnings(None)))
            .unwrap()
            .is_none(),
        "the second start makes nothing"
    );
    assert_eq!(
        (
            shop.count("team"),
            shop.count("credential"),
            shop.count("flow")
        ),
        (1, 1, 1)
    );
}

#[test]
fn a_first_start_that_is_refused_makes_nothing() {
    let shop = Shop::without_team(2, Mode::Test);
    for key in [
        "sk_live_shopkey0",
        "sk_test_abc",
        "pk_test_shopkey0",
        "sk_test_shop+key0",
        "secret",
    ] {
        let why = refusal(shop.run(shop.engine.seed(beginnings(Some(key)))));
        assert!(!why.contains(key), "{why}");
    }
    let mut twice = beginnings(None);
    twice.flows.push(twice.flows[0].clone());
    refusal(shop.run(shop.engine.seed(twice)));
    for table in ["team", "connection", "flow", "credential"] {
        assert_eq!(shop.count(table), 0, "{table}");
    }
}

#[test]
fn a_given_key_is_added_once_and_stays_revoked() {
    let shop = Shop::open(3);
    assert!(
        shop.run(shop.engine.seed(beginnings(Some(KEY))))
            .unwrap()
            .is_none()
    );
    let added = shop
        .run(shop.engine.seed(beginnings(Some("sk_test_another_key"))))
        .unwrap()
        .unwrap();
    assert_eq!(
        shop.run(shop.engine.authenticate("sk_test_another_key"))
            .unwrap()
            .team,
        shop.team
    );
    shop.run(shop.engine.revoke_key(added.id)).unwrap();
    assert!(
        shop.run(shop.engine.seed(beginnings(Some("sk_test_another_key"))))
            .unwrap()
            .is_none()
    );
    assert!(
        shop.run(shop.engine.authenticate("sk_test_another_key"))
            .is_err()
    );
    assert_eq!(shop.count("team"), 1);
}

#[test]
fn keys_are_listed_without_themselves() {
    let shop = Shop::open(4);
    shop.pass(Duration::from_millis(1));
    let made = shop
        .run(
            shop.engine
                .create_key(engine::NewKey::of(shop.team, KeyKind::Public, "site")),
        )
        .unwrap();
    shop.client(domain::caller::ClientGrant::default());
    let other = shop.run(shop.engine.create_team("Other")).unwrap();
    shop.run(
        shop.engine
            .create_key(engine::NewKey::of(other, KeyKind::Secret, "server")),
    )
    .unwrap();
    let all = shop.run(shop.engine.keys(None)).unwrap();
    assert_eq!(
        all.iter().map(|key| key.name.as_str()).collect::<Vec<_>>(),
        ["Given at start", "site", "server"]
    );
    let ours = shop.run(shop.engine.keys(Some(shop.team))).unwrap();
    assert_eq!(ours, all[..2]);
    assert_eq!(
        (ours[1].id, ours[1].kind, ours[1].revoked_at),
        (made.id, KeyKind::Public, None)
    );
    assert!(
        made.token
            .ends_with(&ours[1].hint[ours[1].hint.len() - 4..])
            && !format!("{all:?}").contains(&made.token)
    );
    shop.run(shop.engine.revoke_key(made.id)).unwrap();
    assert!(
        shop.run(shop.engine.keys(Some(shop.team))).unwrap()[1]
            .revoked_at
            .is_some()
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let shop = Shop::open(5);
    refusal(shop.run(shop.engine.revoke_key(KeyId::new(uuid::Uuid::nil()))));
    let nobody = domain::id::TeamId::new(uuid::Uuid::nil());
    refusal(
        shop.run(
            shop.engine
                .create_key(engine::NewKey::of(nobody, KeyKind::Secret, "x")),
        ),
    );
    refusal(shop.run(shop.engine.create_key(
        engine::NewKey::of(shop.team, KeyKind::Public, "x").given("sk_test_abcdefgh".to_owned()),
    )));
    refusal(
        shop.run(
            shop.engine.create_key(
                engine::NewKey::of(shop.team, KeyKind::Secret, "x").given(KEY.to_owned()),
            ),
        ),
    );
    refusal(shop.run(shop.engine.create_team(&"x".repeat(301))));
    refusal(shop.run(shop.engine.create_team("a\0b")));
    assert_eq!((shop.count("team"), shop.count("credential")), (1, 1));
}

#[test]
fn a_team_made_with_connections_and_flows_takes_payments_of_its_own() {
    let shop = Shop::open(6);
    let team = shop
        .run(shop.engine.create_team_with(&beginnings(None)))
        .unwrap();
    let key = shop
        .run(
            shop.engine
                .create_key(engine::NewKey::of(team, KeyKind::Secret, "server")),
        )
        .unwrap();
    let server = shop.run(shop.engine.authenticate(&key.token)).unwrap();
    let customer = shop
        .create_customer_by(&server, crate::cards::person("Ada"))
        .unwrap();
    let command = crate::cards::token(
        crate::cards::card(crate::cards::VISA),
        engine::Owner::Existing(customer.to_string()),
    );
    shop.tokenise(&server, None, command).result.unwrap();
    let paid = shop
        .run(shop.engine.authorise(&server, None, Ok(order(customer))))
        .result
        .unwrap();
    assert_eq!(paid.payment.team(), team);
    assert_eq!(paid.payment.status(), domain::payment::Status::Succeeded);
}
