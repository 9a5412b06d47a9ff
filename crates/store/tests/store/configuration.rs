//! Connections, and flows with their versions.

use db::{Committed, Db};
use domain::id::{BlobId, ConnectionId, FlowId, TeamId};
use serde_json::json;
use store::{
    connection::{Connection, EarlierCredentials},
    flow::Flow,
    flow_version::FlowVersion,
};
use uuid::Uuid;

use crate::samples::{at, commit, is_done, is_refused};

fn blob(n: u128) -> BlobId {
    BlobId::new(Uuid::from_u128(n))
}

fn connection(team: TeamId, id: &str, processor: &str) -> Connection {
    Connection {
        team,
        id: ConnectionId::parse(id).unwrap(),
        processor: processor.to_owned(),
        name: id.to_owned(),
        enabled: id != "off",
        settings: json!({"of": id}),
        credentials: (id == "off").then(|| blob(1)),
        earlier: None,
        inbound_token: Some(format!("token of {id}")),
        imports: domain::payment::ImportMode::Quiet,
    }
}

pub(crate) async fn connections(db: &Db, own: TeamId, other: TeamId) {
    let connections = [
        connection(own, "on", "bank"),
        connection(own, "off", "bank"),
        connection(other, "on", "shop"),
    ];
    for row in &connections {
        assert!(is_done(db, [store::connection::insert(row, at(0))]).await);
        assert!(
            is_refused(db, [store::connection::insert(row, at(0))]).await,
            "an id is taken once a team"
        );
    }
    let [mut on, off, foreign] = connections;
    assert_eq!(
        store::connection::of_team(db, own).await.unwrap(),
        [off.clone(), on.clone()]
    );
    assert_eq!(
        store::connection::processors(db).await.unwrap(),
        ["bank", "shop"]
    );

    let before = on.clone();
    on = Connection {
        name: "New".to_owned(),
        settings: json!({}),
        credentials: Some(blob(2)),
        ..on
    };
    let read_by_another = Connection {
        credentials: Some(blob(9)),
        ..before.clone()
    };
    assert!(
        is_refused(db, [store::connection::update(&on, &read_by_another)]).await,
        "others' credentials"
    );
    assert!(is_done(db, [store::connection::update(&on, &before)]).await);
    let on = rotated(db, on).await;
    let renewed = Connection {
        credentials: None,
        earlier: None,
        ..on.clone()
    };
    assert!(is_done(db, [store::connection::update(&renewed, &on)]).await);
    assert!(is_done(db, [store::connection::switch(own, &on.id, false)]).await);
    for (team, id) in [(own, &on.id), (other, &off.id)] {
        let off = store::connection::switch(team, id, false);
        assert!(is_refused(db, [off]).await, "off already, another team's");
    }
    let disabled = Connection {
        enabled: false,
        ..renewed
    };
    assert_eq!(
        store::connection::of_team(db, own).await.unwrap(),
        [off, disabled]
    );
    assert_eq!(
        store::connection::of_team(db, other).await.unwrap(),
        [foreign]
    );
}

/// Rotates the credentials of a connection: the ones before count until a time.
async fn rotated(db: &Db, before: Connection) -> Connection {
    let earlier = EarlierCredentials {
        record: blob(2),
        until: at(50),
    };
    let rotated = Connection {
        credentials: Some(blob(3)),
        earlier: Some(earlier),
        // What a rotation leaves alone.
        name: "Not changed by it".to_owned(),
        ..before.clone()
    };
    assert!(is_done(db, [store::connection::rotate(&rotated, &before)]).await);
    assert!(
        is_refused(db, [store::connection::rotate(&rotated, &before)]).await,
        "it was rotated since"
    );
    let stored = Connection {
        name: before.name.clone(),
        ..rotated
    };
    let team = before.team;
    let of_team = store::connection::of_team(db, team).await.unwrap();
    assert!(of_team.contains(&stored), "{of_team:?}");
    let uses = async |n, second| {
        store::connection::uses_secret(db, team, blob(n), at(second))
            .await
            .unwrap()
    };
    assert!(uses(3, 99).await, "the credentials");
    assert!(uses(2, 49).await, "those before, until their time");
    assert!(!uses(2, 50).await && !uses(9, 0).await);
    let ended_by = async |milli| {
        store::connection::with_ended_credentials(db, at(milli), 10)
            .await
            .unwrap()
    };
    assert_eq!(ended_by(49).await, []);
    assert_eq!(ended_by(50).await, std::slice::from_ref(&stored));
    let ended = Connection {
        earlier: None,
        ..stored.clone()
    };
    assert!(is_done(db, [store::connection::rotate(&ended, &stored)]).await);
    assert!(
        is_refused(db, [store::connection::update(&stored, &stored)]).await,
        "what was ended does not come back"
    );
    ended
}

fn flow(team: TeamId, id: &str) -> Flow {
    Flow {
        team,
        id: FlowId::parse(id).unwrap(),
        name: id.to_owned(),
        is_default: id == "default",
        latest: 1,
        published: None,
    }
}

fn version(flow: &Flow, version: u32) -> FlowVersion {
    let (document, saved_at) = (json!({"says": version}), at(i64::from(version)));
    FlowVersion {
        team: flow.team,
        flow: flow.id.clone(),
        version,
        document,
        saved_at,
        published_at: None,
    }
}

pub(crate) async fn flows(db: &Db, own: TeamId, other: TeamId) {
    let flows = [
        flow(own, "default"),
        flow(own, "by-api"),
        flow(other, "default"),
    ];
    for row in &flows {
        assert!(is_done(db, [store::flow::insert(row, at(0))]).await);
        assert!(
            is_refused(db, [store::flow::insert(row, at(0))]).await,
            "an id is taken once a team"
        );
    }
    let second_default = Flow {
        is_default: true,
        ..flow(own, "second")
    };
    assert!(
        is_refused(db, [store::flow::insert(&second_default, at(0))]).await,
        "one default a team"
    );
    let [default, by_api, foreign] = flows;
    assert_eq!(
        store::flow::of_team(db, own).await.unwrap(),
        [by_api.clone(), default.clone()]
    );

    let by_api = versions(db, by_api, &foreign).await;
    change_default(db, default, by_api).await;
    assert_eq!(store::flow::of_team(db, other).await.unwrap(), [foreign]);
    assert!(
        store::flow_version::latest_of_team(db, other)
            .await
            .unwrap()
            .is_empty()
    );
}

/// Gives the flow two versions and publishes the first.
async fn versions(db: &Db, mut flow: Flow, foreign: &Flow) -> Flow {
    let (one, two) = (version(&flow, 1), version(&flow, 2));
    let advance = |from, to| store::flow::advance(flow.team, &flow.id, from, to);
    assert!(is_done(db, [store::flow_version::insert(&one)]).await);
    assert!(
        is_refused(db, [advance(0, 1)]).await,
        "somebody else has saved meanwhile"
    );
    assert!(is_done(db, [advance(1, 2), store::flow_version::insert(&two)]).await);
    assert!(
        is_refused(db, [store::flow_version::insert(&two)]).await,
        "a version is written once"
    );
    let publish =
        |version, milli| store::flow_version::publish(flow.team, &flow.id, version, at(milli));
    assert!(
        is_refused(db, [publish(3, 1)]).await,
        "there is no such version"
    );
    assert!(is_done(db, [publish(1, 5)]).await);
    assert!(is_done(db, [publish(1, 6)]).await);
    let found = store::flow_version::find(db, flow.team, &flow.id, 1)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        found,
        FlowVersion {
            published_at: Some(at(5)),
            ..one
        },
        "the first time stays"
    );
    assert!(
        store::flow_version::find(db, foreign.team, &flow.id, 1)
            .await
            .unwrap()
            .is_none()
    );
    assert_eq!(
        store::flow_version::latest_of_team(db, flow.team)
            .await
            .unwrap(),
        [two]
    );
    flow = Flow {
        name: "Named".to_owned(),
        latest: 2,
        published: Some(1),
        ..flow
    };
    assert!(is_done(db, [store::flow::publish(&flow)]).await);
    flow
}

async fn change_default(db: &Db, default: Flow, published: Flow) {
    let change = |id: &FlowId| {
        [
            store::flow::unset_default(published.team),
            store::flow::set_default(published.team, id),
        ]
    };
    let unpublished = Committed::Conflict { statement: 1 };
    assert_eq!(
        commit(db, change(&default.id)).await,
        unpublished,
        "and the default stays what it was"
    );
    assert!(
        is_refused(
            db,
            [store::flow::set_default(published.team, &published.id)]
        )
        .await,
        "there is one"
    );
    assert!(is_done(db, change(&published.id)).await);
    let (published, default) = (
        Flow {
            is_default: true,
            ..published
        },
        Flow {
            is_default: false,
            ..default
        },
    );
    assert_eq!(
        store::flow::of_team(db, published.team).await.unwrap(),
        [published, default]
    );
}

#[test]
fn migrations_that_older_code_may_run_on_only_add() {
    assert_eq!(db::not_for_older_code(store::MIGRATIONS), [""; 0]);
    assert_eq!(db::blocking_indexes(store::MIGRATIONS, 1), [""; 0]);
}
