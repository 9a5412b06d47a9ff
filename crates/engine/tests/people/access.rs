//! Credentials.

use std::time::Duration;

use domain::{
    Code,
    caller::{Caller, ClientGrant, Credential, Mode},
    id::{CustomerId, FlowId},
};
use engine::{KeyKind, MAX_CLIENT_ATTEMPTS};

use crate::shop::{KEY, Shop};

fn refused(shop: &Shop, bearer: &str) -> bool {
    shop.run(shop.engine.authenticate(bearer))
        .is_err_and(|fault| fault.code == Code::Unauthorized)
}

#[test]
fn a_key_leads_to_its_team_and_rights() {
    let shop = Shop::open(1);
    assert_eq!(
        (shop.server.credential.clone(), shop.server.mode),
        (Credential::Secret, Mode::Test)
    );
    assert_eq!(shop.public().credential, Credential::Public);
    assert_eq!(shop.public().team, shop.team);
}

#[test]
fn a_wrong_malformed_or_foreign_credential_is_refused_and_not_repeated() {
    let shop = Shop::open(2);
    for bearer in [
        "",
        "x",
        "sk_test_",
        "sk_test_shopkey1",
        "sk_test_shopkey",
        "SK_TEST_SHOPKEY0",
        "pk_test_shopkey0",
        "sk_live_shopkey0",
    ] {
        assert!(refused(&shop, bearer), "{bearer}");
        let message = shop
            .run(shop.engine.authenticate(bearer))
            .unwrap_err()
            .message;
        assert!(bearer.len() < 9 || !message.contains(bearer));
    }
    assert!(refused(&shop, &format!("{KEY} ")) && !refused(&shop, KEY));
}

#[test]
fn no_row_holds_a_key() {
    let shop = Shop::open(3);
    let rows = shop
        .run(
            shop.store
                .read("select hash, name, hint from credential", Vec::new()),
        )
        .unwrap();
    assert_eq!(rows.len(), 1);
    for column in 0..3 {
        assert!(!rows[0].text(column).unwrap().contains("shopkey0"));
    }
}

#[test]
fn a_revoked_key_is_refused_at_once_here_and_within_a_second_elsewhere() {
    let shop = Shop::open(4);
    let made = shop
        .run(
            shop.engine
                .create_key(engine::NewKey::of(shop.team, KeyKind::Secret, "old")),
        )
        .unwrap();
    let elsewhere = shop.another_node();
    let use_elsewhere = || shop.run(elsewhere.authenticate(&made.token)).is_ok();
    assert!(!refused(&shop, &made.token) && use_elsewhere());
    shop.run(shop.engine.revoke_key(made.id)).unwrap();
    assert!(refused(&shop, &made.token));
    assert!(
        use_elsewhere(),
        "the story can fail: the finding is kept there"
    );
    shop.pass(Duration::from_millis(999));
    assert!(!use_elsewhere());
    shop.run(shop.engine.revoke_key(made.id)).unwrap();
    assert!(!refused(&shop, KEY), "other keys stay good");
}

#[test]
fn a_client_token_ends_with_its_time_also_while_it_is_in_use() {
    let shop = Shop::open(5);
    let Ok(made) = shop.run(
        shop.engine
            .client_token(&shop.server, ClientGrant::default()),
    ) else {
        panic!()
    };
    assert_eq!(made.ttl_seconds, 10_800);
    assert!(made.token.starts_with("ct_test_") && made.token.len() > 40);
    shop.pass(Duration::from_millis(10_799_900));
    assert!(!refused(&shop, &made.token));
    shop.pass(Duration::from_millis(100));
    assert!(refused(&shop, &made.token));
}

#[test]
fn a_client_token_knows_what_it_was_made_for() {
    let shop = Shop::open(6);
    let grant = ClientGrant {
        amount: Some(1000),
        currency: Some("EUR".to_owned()),
        customer: Some(shop.create_customer("Ada")),
        flow: FlowId::parse("default"),
        intent: None,
        max_cards: Some(3),
        link: None,
    };
    let browser = shop.client(grant.clone());
    assert_eq!(browser.credential, Credential::Client(grant));
    assert_eq!(MAX_CLIENT_ATTEMPTS, 10);
}

#[test]
fn a_client_token_is_made_for_things_that_exist() {
    let shop = Shop::open(7);
    let make = |caller: &Caller, grant| {
        shop.run(shop.engine.client_token(caller, grant))
            .err()
            .map(|fault| fault.code)
    };
    let before = shop.count("credential");
    let grant = ClientGrant {
        flow: FlowId::parse("no-such-flow"),
        ..ClientGrant::default()
    };
    assert_eq!(make(&shop.server, grant), Some(Code::FlowNotFound));
    let grant = ClientGrant {
        customer: Some(CustomerId::new(uuid::Uuid::nil())),
        ..ClientGrant::default()
    };
    assert_eq!(make(&shop.server, grant), Some(Code::CustomerNotFound));
    let grant = ClientGrant {
        amount: Some(1000),
        ..ClientGrant::default()
    };
    assert_eq!(make(&shop.server, grant), Some(Code::Validation));
    assert_eq!(shop.count("credential"), before);
}
