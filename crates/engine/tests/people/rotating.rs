//! Credentials that are rotated: two secrets of notifications prove deliveries, for a day.

use std::time::Duration;

use domain::{Code, Fault, audit::Act, id::ConnectionId};
use engine::{
    ConnectionView, Inbound, NotificationAnswer, RotateConnection, SaveConnection, TrailFilter,
};

use crate::{connections::connection, shop::Shop};

const DAY: Duration = Duration::from_hours(24);

pub(crate) fn opened(seed: u64, credentials: &str) -> Shop {
    let shop = Shop::open(seed);
    save(&shop, credentials);
    shop
}

fn save(shop: &Shop, credentials: &str) {
    let command = SaveConnection {
        credentials: Some(credentials.to_owned().into()),
        ..connection("own")
    };
    shop.run(shop.engine.save_connection(&shop.server, command))
        .unwrap();
}

fn rotation(credentials: &str) -> RotateConnection {
    RotateConnection {
        id: ConnectionId::parse("own").unwrap(),
        credentials: credentials.to_owned().into(),
        ends_earlier: false,
        skips_probe: false,
    }
}

fn try_rotate(shop: &Shop, command: RotateConnection) -> Result<ConnectionView, Fault> {
    shop.run(shop.engine.rotate_connection(&shop.server, command))
}

fn rotate(shop: &Shop, credentials: &str) -> ConnectionView {
    try_rotate(shop, rotation(credentials)).unwrap()
}

/// Whether a delivery with this secret is believed.
pub(crate) fn proves(shop: &Shop, secret: &str) -> bool {
    delivered(shop, &[("secret", secret)]) == NotificationAnswer::Accepted
}

fn delivered(shop: &Shop, headers: &[(&str, &str)]) -> NotificationAnswer {
    delivered_with(shop, headers, shop.world.uuid_v7().to_string())
}

/// The same with a body of one's own.
pub(crate) fn delivered_with(
    shop: &Shop,
    headers: &[(&str, &str)],
    body: String,
) -> NotificationAnswer {
    let all = shop
        .run(shop.engine.list_connections(&shop.server))
        .unwrap();
    let own = all.into_iter().find(|one| one.id.as_str() == "own");
    let url = own.unwrap().notification_url.unwrap();
    let token = url.rsplit('/').next().unwrap();
    let headers = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let inbound = Inbound {
        headers: headers.collect(),
        body: body.into_bytes(),
    };
    shop.run(async {
        let address = shop.engine.notification_address(token).await;
        let address = address.unwrap().unwrap();
        shop.engine.receive_notification(address, inbound).await
    })
    .unwrap()
}

/// What is stored of the connection's credentials, opened: those that count, and those before.
fn stored(shop: &Shop) -> (Option<String>, Option<String>) {
    let rows = shop.run(store::connection::of_team(&shop.store, shop.team));
    let row = rows
        .unwrap()
        .into_iter()
        .find(|row| row.id.as_str() == "own")
        .unwrap();
    let holder = vault::Holder::connection(&row.id);
    let opened = |record: Option<domain::id::BlobId>| {
        let found = shop.run(shop.vault.open_secret(shop.team, &holder, record?));
        Some(String::from_utf8(found.unwrap()?.to_vec()).unwrap())
    };
    (
        opened(row.credentials),
        opened(row.earlier.map(|earlier| earlier.record)),
    )
}

fn secrets(shop: &Shop) -> usize {
    let end = domain::Timestamp::from_micros(i64::MAX);
    let found = shop.run(shop.vault.secrets_older_than(end, None, 100));
    found.unwrap().len()
}

#[test]
fn the_secret_before_proves_deliveries_for_a_day_and_not_longer() {
    let shop = opened(71, r#"{"key":"k","hook":"one"}"#);
    let rotated = rotate(&shop, r#"{"hook":"two"}"#);
    let until = rotated.earlier_secret_until.unwrap();
    assert_eq!(until, shop.world.now().after(DAY));
    assert!(proves(&shop, "one") && proves(&shop, "two"));
    assert!(!proves(&shop, "three"));
    shop.pass(DAY.saturating_sub(Duration::from_secs(1)));
    assert!(proves(&shop, "one") && proves(&shop, "two"));
    shop.pass(Duration::from_secs(1));
    assert!(!proves(&shop, "one") && proves(&shop, "two"));
    let all = shop.run(shop.engine.list_connections(&shop.server));
    assert!(
        all.unwrap()
            .iter()
            .all(|one| one.earlier_secret_until.is_none())
    );
}

#[test]
fn a_second_rotation_within_the_day_leaves_two_secrets() {
    let shop = opened(72, r#"{"hook":"one"}"#);
    let before = secrets(&shop);
    rotate(&shop, r#"{"hook":"two"}"#);
    rotate(&shop, r#"{"hook":"three"}"#);
    assert!(!proves(&shop, "one"));
    assert!(proves(&shop, "two") && proves(&shop, "three"));
    assert_eq!(secrets(&shop), before + 1, "the first one is erased");
}

#[test]
fn a_secret_is_ended_at_once_with_a_new_one_or_without() {
    let shop = opened(73, r#"{"key":"k","hook":"one"}"#);
    let stolen = RotateConnection {
        ends_earlier: true,
        ..rotation(r#"{"hook":"two"}"#)
    };
    assert_eq!(
        try_rotate(&shop, stolen).unwrap().earlier_secret_until,
        None
    );
    assert!(!proves(&shop, "one") && proves(&shop, "two"));
    rotate(&shop, r#"{"hook":"three"}"#);
    assert!(proves(&shop, "two"));
    let ended = RotateConnection {
        ends_earlier: true,
        ..rotation("{}")
    };
    try_rotate(&shop, ended).unwrap();
    assert!(!proves(&shop, "two") && proves(&shop, "three"));
    let (now, before) = stored(&shop);
    assert_eq!(now.as_deref(), Some(r#"{"hook":"three","key":"k"}"#));
    assert_eq!(before, None);
}

#[test]
fn fields_that_are_not_named_stay_and_a_key_alone_moves_no_secret() {
    let shop = opened(74, r#"{"key":"k","hook":"one"}"#);
    rotate(&shop, r#"{"hook":"two"}"#);
    let until = rotate(&shop, r#"{"key":"l"}"#).earlier_secret_until;
    assert!(until.is_some());
    assert!(proves(&shop, "one") && proves(&shop, "two"));
    let (now, _) = stored(&shop);
    assert_eq!(now.as_deref(), Some(r#"{"hook":"two","key":"l"}"#));
    // The same values again rotate nothing.
    rotate(&shop, r#"{"key":"l","hook":"two"}"#);
    assert!(proves(&shop, "one"));
}

#[test]
fn credentials_that_are_saved_whole_end_every_secret_before() {
    let shop = opened(75, r#"{"hook":"one"}"#);
    let before = secrets(&shop);
    rotate(&shop, r#"{"hook":"two"}"#);
    save(&shop, r#"{"hook":"three"}"#);
    assert!(!proves(&shop, "one") && !proves(&shop, "two") && proves(&shop, "three"));
    assert_eq!(secrets(&shop), before);
    rotate(&shop, r#"{"hook":"four"}"#);
    let renamed = shop.engine.save_connection(&shop.server, connection("own"));
    shop.run(renamed).unwrap();
    assert!(
        proves(&shop, "three") && proves(&shop, "four"),
        "a name ends nothing"
    );
}

#[test]
fn what_is_signed_by_the_secret_before_and_late_is_refused_as_late() {
    let shop = opened(76, r#"{"hook":"one"}"#);
    rotate(&shop, r#"{"hook":"two"}"#);
    let late = delivered(&shop, &[("secret", "one"), ("late", "yes")]);
    let untimely = NotificationAnswer::Refused(connector::NotGenuine::Untimely);
    assert_eq!(late, untimely);
    let forged = delivered(&shop, &[("secret", "none"), ("late", "yes")]);
    assert_eq!(
        forged,
        NotificationAnswer::Refused(connector::NotGenuine::Forged)
    );
}

#[test]
fn a_first_secret_ends_none_and_refused_credentials_change_nothing() {
    let shop = opened(77, r#"{"key":"k"}"#);
    let before = secrets(&shop);
    let first = rotate(&shop, r#"{"hook":"one"}"#);
    assert_eq!(first.earlier_secret_until, None);
    for wrong in [
        r#"{"key":"refused"}"#,
        r#"{"key":"live_x"}"#,
        r#"{"unknown":"x"}"#,
        r#"{"key":7}"#,
        "{}",
    ] {
        let refused = try_rotate(&shop, rotation(wrong)).unwrap_err();
        assert_eq!(refused.code, Code::Validation, "{wrong}");
        assert_eq!(refused.field.as_deref(), Some("credentials"), "{wrong}");
    }
    let (now, _) = stored(&shop);
    assert_eq!(now.as_deref(), Some(r#"{"hook":"one","key":"k"}"#));
    assert_eq!(secrets(&shop), before, "nothing is left behind");
    let unknown = RotateConnection {
        id: ConnectionId::parse("nobodys").unwrap(),
        ..rotation(r#"{"key":"l"}"#)
    };
    let unknown = try_rotate(&shop, unknown).unwrap_err();
    assert_eq!(unknown.code, Code::ConnectionNotFound);
}

#[test]
fn what_has_ended_is_erased_and_what_counts_is_not() {
    let shop = opened(78, r#"{"hook":"one"}"#);
    let before = secrets(&shop);
    shop.pass(DAY * 2);
    rotate(&shop, r#"{"hook":"two"}"#);
    shop.engine.start();
    shop.pass(Duration::from_hours(23));
    assert_eq!(
        secrets(&shop),
        before + 1,
        "the record is old, and still counts"
    );
    assert!(proves(&shop, "one"));
    shop.pass(Duration::from_hours(3));
    assert_eq!(secrets(&shop), before);
    assert!(proves(&shop, "two") && !proves(&shop, "one"));
}

#[test]
fn rotations_at_once_lose_no_value() {
    let shop = opened(79, r#"{"key":"k","hook":"one"}"#);
    let nodes = [shop.another_node(), shop.another_node()];
    let fields = [r#"{"key":"l"}"#, r#"{"hook":"two"}"#];
    let stories = nodes.into_iter().zip(fields).map(|(node, field)| {
        let server = shop.server.clone();
        let story: futures_util::future::BoxFuture<'static, bool> = Box::pin(async move {
            let rotated = node.rotate_connection(&server, rotation(field)).await;
            rotated.is_ok()
        });
        story
    });
    assert_eq!(shop.at_once(stories.collect()), [true, true]);
    let (now, _) = stored(&shop);
    assert_eq!(now.as_deref(), Some(r#"{"hook":"two","key":"l"}"#));
    assert!(proves(&shop, "one") && proves(&shop, "two"));
}

#[test]
fn the_trail_names_the_fields_and_no_value() {
    let shop = opened(80, r#"{"key":"k","hook":"one"}"#);
    rotate(&shop, r#"{"key":"sesame","hook":"open"}"#);
    let filter = TrailFilter {
        act: Some(Act::ConnectionRotated),
        ..TrailFilter::default()
    };
    let mut found = Vec::new();
    shop.run(shop.engine.list_audit(&filter, |entry| found.push(entry)))
        .unwrap();
    let [entry] = found.as_slice() else {
        panic!("{found:?}")
    };
    let details: serde_json::Value = serde_json::from_str(&entry.what.details).unwrap();
    assert_eq!(
        details,
        serde_json::json!({"fields": "hook, key", "ends_earlier": false})
    );
}
