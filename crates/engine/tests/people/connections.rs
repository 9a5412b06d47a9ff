//! Connections: made, changed, switched off and on, with credentials.

use domain::id::ConnectionId;
use engine::SaveConnection;
use serde_json::json;

use crate::shop::Shop;

pub(crate) fn connection(id: &str) -> SaveConnection {
    SaveConnection {
        id: ConnectionId::parse(id),
        processor: "approves".to_owned(),
        name: "Approves".to_owned(),
        settings: json!({}),
        credentials: None,
        imports: None,
        skips_probe: false,
    }
}

#[test]
fn connections_are_made_changed_and_switched_off_and_on() {
    let shop = Shop::open(11);
    let save = |command| shop.run(shop.engine.save_connection(&shop.server, command));
    let made = save(SaveConnection {
        id: None,
        ..connection("x")
    })
    .unwrap();
    assert!(made.is_enabled && made.methods.contains(&domain::method::Method::Card));
    save(connection("own")).unwrap();
    let own = ConnectionId::parse("own").unwrap();
    shop.run(shop.engine.disable_connection(&shop.server, &own))
        .unwrap();
    let is_on = || {
        let found = shop
            .run(shop.engine.list_connections(&shop.server))
            .unwrap();
        found
            .into_iter()
            .find(|connection| connection.id == own)
            .unwrap()
            .is_enabled
    };
    assert!(!is_on());
    save(connection("own")).unwrap();
    assert!(is_on());
    for (command, field) in [
        (
            SaveConnection {
                processor: "nobody".to_owned(),
                ..connection("own")
            },
            "processor",
        ),
        (
            SaveConnection {
                name: " ".to_owned(),
                ..connection("own")
            },
            "name",
        ),
        (
            SaveConnection {
                settings: json!({ "refuse": true }),
                ..connection("own")
            },
            "settings",
        ),
    ] {
        assert_eq!(save(command).unwrap_err().field.as_deref(), Some(field));
    }
}

#[test]
fn credentials_are_sealed_replaced_and_kept_when_nothing_is_said_of_them() {
    let shop = Shop::open(12);
    let save = |credentials: Option<&str>| {
        let credentials = credentials.map(|text| text.to_owned().into());
        shop.run(shop.engine.save_connection(
            &shop.server,
            SaveConnection {
                credentials,
                imports: None,
                skips_probe: false,
                ..connection("own")
            },
        ))
        .unwrap();
        let rows = shop
            .run(store::connection::of_team(&shop.store, shop.team))
            .unwrap();
        rows.into_iter()
            .find(|row| row.id.as_str() == "own")
            .unwrap()
            .credentials
    };
    let holder = vault::Holder::connection(&connection("own").id.unwrap());
    let opened = |blob| {
        shop.run(shop.vault.open_secret(shop.team, &holder, blob))
            .unwrap()
            .map(|secret| secret.to_vec())
    };
    assert_eq!(save(None), None);
    let (one, two) = (r#"{"key":"one"}"#, r#"{"key":"two"}"#);
    let first = save(Some(one)).unwrap();
    assert_eq!(opened(first).unwrap(), one.as_bytes());
    assert_eq!(save(None), Some(first), "what is not given stays");
    let second = save(Some(two)).unwrap();
    assert_eq!(
        (opened(first), opened(second).unwrap()),
        (None, two.as_bytes().to_vec())
    );
}
