//! The store's story: every aggregate, played on every kind of database, with another team looking on.

mod deliveries;
mod erasing;
mod requests;
mod stored_cards;

use std::time::Duration;

use db::{ChangeId, Committed, Db, DbError, SqliteOptions};
use domain::{
    Timestamp,
    customer::StoredMethod,
    id::{CustomerId, PaymentId, TeamId},
    payment::{Occurrence, Payment, Status},
};
use serde_json::json;
use store::team::Team;
use uuid::Uuid;
use world::World;

use erasing::{erasures, hidden_cards};
use requests::{answers_that_name_tokens, idempotency};

use crate::{
    configuration,
    samples::{self, EVER, NEW_YEAR, at, commit, is_done, is_refused, payer, team, with},
};

const DAY: i64 = 86_400_000;

/// Deleted tokens, all of which can be read.
async fn deleted(db: &Db, before: Timestamp) -> Vec<(StoredMethod, Timestamp)> {
    let found = store::method::deleted(db, before, EVER, 10).await.unwrap();
    found
        .into_iter()
        .map(|(method, at)| (method.unwrap(), at))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]

async fn the_story_holds_on_sqlite_in_a_file_with_threads() {
    let directory = tempfile::tempdir().unwrap();
    let options = SqliteOptions::new(directory.path().join("store.db"));
    let db = Db::sqlite(options, store::MIGRATIONS, &World::real()).unwrap();
    story(&db).await;
    db.close().await;
}

#[test]
fn the_story_holds_on_sqlite_in_a_file_without_threads() {
    let directory = tempfile::tempdir().unwrap();
    let (world, sim) = World::simulated(1);
    let db = Db::sqlite_inline_file(directory.path().join("store.db"), store::MIGRATIONS, &world)
        .unwrap();
    sim.run_until(story(&db)).unwrap();
}

#[test]
fn the_story_holds_on_sqlite_in_memory() {
    let (world, sim) = World::simulated(1);
    let db = Db::sqlite_inline(store::MIGRATIONS, &world).unwrap();
    sim.run_until(story(&db)).unwrap();
}

pub(crate) async fn story(db: &Db) {
    // Every row has its like in another team: what is read, changed or deleted for one must leave the other alone.
    let (own, other) = (team(1), team(2));
    teams(db, own, other).await;
    configuration::connections(db, own, other).await;
    configuration::flows(db, own, other).await;
    crate::credentials::credentials(db, own, other).await;
    crate::credentials::client_tokens(db, own, other).await;
    customers(db, own, other).await;
    methods(db, own, other).await;
    stored_cards::network_references(db, own, other).await;
    stored_cards::own_tokens(db, own, other).await;
    payments(db, own, other).await;
    due_payments(db, own, other).await;
    events(db, own, other).await;
    idempotency(db, own, other).await;
    answers_that_name_tokens(db, own, other).await;
    hidden_cards(db, own, other).await;
    erasures(db, own, other).await;
    crate::intents::story(db, own, other).await;
    deliveries::sequence_after_a_revival(db, own, other).await;
}

/// What a commit answers when a statement finds its row otherwise than it expects.
pub(crate) async fn teams(db: &Db, own: TeamId, other: TeamId) {
    let teams = [(own, "Own", 1), (other, "Other", 0)].map(|(id, name, n)| {
        (
            Team {
                id,
                name: name.to_owned(),
                closed_at: None,
            },
            at(n),
        )
    });
    for (team, made_at) in &teams {
        assert!(is_done(db, [store::team::insert(team, *made_at)]).await);
    }
    assert!(is_refused(db, [store::team::insert(&teams[0].0, at(2))]).await);
    let all: Vec<TeamId> = store::team::all(db)
        .await
        .unwrap()
        .into_iter()
        .map(|team| team.id)
        .collect();
    assert_eq!(all, [other, own], "oldest first");
}

async fn customers(db: &Db, own: TeamId, other: TeamId) {
    let mut ada = samples::customer(own, NEW_YEAR, "Ada", Some("Ada@example.com"));
    assert!(is_done(db, [store::customer::insert(&ada)]).await);
    assert!(is_refused(db, [store::customer::insert(&ada)]).await);
    assert_eq!(
        store::customer::of_team(db, own, ada.id).await.unwrap(),
        Some(ada.clone())
    );
    assert_eq!(
        store::customer::of_team(db, other, ada.id).await.unwrap(),
        None
    );
    (ada.name, ada.version) = ("Ada L.".to_owned(), 2);
    let foreign = domain::customer::Customer {
        team: other,
        ..ada.clone()
    };
    assert!(is_refused(db, [store::customer::update(&foreign)]).await);
    assert!(is_done(db, [store::customer::update(&ada)]).await);
    assert!(
        is_refused(db, [store::customer::update(&ada)]).await,
        "its version is written"
    );
    assert_eq!(
        store::customer::of_team(db, own, ada.id).await.unwrap(),
        Some(ada.clone())
    );
    let old = domain::customer::Customer {
        version: 1,
        ..ada.clone()
    };
    assert!(is_refused(db, [store::customer::delete(&old)]).await);
    assert!(is_refused(db, [store::customer::delete(&foreign)]).await);
    assert!(is_done(db, [store::customer::delete(&ada)]).await);
    assert_eq!(
        store::customer::of_team(db, own, ada.id).await.unwrap(),
        None
    );
}

async fn methods(db: &Db, own: TeamId, other: TeamId) {
    let [ada, bea] = [1, 2].map(|n| CustomerId::new(Uuid::from_u128(n)));
    let (first, mut nobodys, foreign) = (
        samples::method(own, 1, Some(ada)),
        samples::method(own, 2, None),
        samples::method(other, 1, Some(ada)),
    );
    for row in [&first, &nobodys, &foreign] {
        assert!(is_done(db, [store::method::insert(row)]).await);
    }
    assert!(is_refused(db, [store::method::insert(&first)]).await);
    assert_eq!(
        store::method::of_team(db, own, &first.token).await.unwrap(),
        Some(first.clone())
    );
    assert_eq!(
        store::method::of_team(db, other, &nobodys.token)
            .await
            .unwrap(),
        None
    );
    nobodys.customer = Some(ada);
    assert!(is_done(db, [store::method::attach(&nobodys)]).await);
    nobodys.customer = Some(bea);
    assert!(
        is_refused(db, [store::method::attach(&nobodys)]).await,
        "it is somebody's by now"
    );
    nobodys.customer = Some(ada);
    assert_eq!(
        store::method::of_customer(db, own, ada).await.unwrap(),
        [first.clone(), nobodys.clone()]
    );
    assert_eq!(store::method::of_customer(db, own, bea).await.unwrap(), []);
    assert_eq!(
        store::method::of_customer(db, other, ada).await.unwrap(),
        std::slice::from_ref(&foreign)
    );
    deleted_methods(db, own, other, &[first, nobodys, foreign]).await;
}

/// Methods of a customer that are deleted: one by itself, then all that are left.
async fn deleted_methods(db: &Db, own: TeamId, other: TeamId, made: &[StoredMethod; 3]) {
    let [ada, bea] = [1, 2].map(|n| CustomerId::new(Uuid::from_u128(n)));
    let [first, nobodys, foreign] = made.clone();
    let misread = StoredMethod {
        customer: Some(bea),
        ..first.clone()
    };
    assert!(
        is_refused(db, [store::method::delete(&misread, at(5))]).await,
        "its owner was read otherwise"
    );
    assert!(is_done(db, [store::method::delete(&first, at(5))]).await);
    assert!(is_refused(db, [store::method::delete(&first, at(6))]).await);
    assert_eq!(
        store::method::of_team(db, own, &first.token).await.unwrap(),
        None
    );
    assert_eq!(
        store::method::of_customer(db, own, ada).await.unwrap(),
        std::slice::from_ref(&nobodys)
    );
    // Its number is in use until it is erased; then the record goes too.
    assert!(store::method::uses_blob(db, own, first.blob).await.unwrap());
    assert!(
        !store::method::uses_blob(db, other, nobodys.blob)
            .await
            .unwrap()
    );
    assert_eq!(deleted(db, at(4)).await, []);
    assert_eq!(deleted(db, at(5)).await, [(first.clone(), at(5))]);
    commit(
        db,
        [
            store::method::forget(own, &nobodys.token),
            store::method::forget(own, &first.token),
        ],
    )
    .await;
    assert_eq!(deleted(db, at(9)).await, []);
    assert!(!store::method::uses_blob(db, own, first.blob).await.unwrap());
    assert_eq!(
        store::method::of_team(db, own, &nobodys.token)
            .await
            .unwrap(),
        Some(nobodys.clone()),
        "it lives"
    );
    commit(db, [store::method::delete_of_customer(own, ada, at(7))]).await;
    assert_eq!(store::method::of_customer(db, own, ada).await.unwrap(), []);
    assert_eq!(
        store::method::of_customer(db, other, ada).await.unwrap(),
        [foreign]
    );
}

async fn payments(db: &Db, own: TeamId, other: TeamId) {
    let ada = CustomerId::new(Uuid::from_u128(1));
    let of_ada = json!({ "customer": payer(ada) });
    let mut made: Vec<Payment> = (0..3)
        .map(|n| with(&samples::payment(own, NEW_YEAR + n, 0), &of_ada))
        .collect();
    for payment in &made {
        assert!(is_done(db, [store::payment::insert(payment, at(0))]).await);
        assert!(is_refused(db, [store::payment::insert(payment, at(0))]).await);
    }
    let payment = &mut made[0];
    assert_eq!(
        store::payment::of_team(db, own, payment.id())
            .await
            .unwrap()
            .as_ref(),
        Some(&*payment)
    );
    assert_eq!(
        store::payment::of_team(db, other, payment.id())
            .await
            .unwrap(),
        None
    );
    let early = with(
        payment,
        &json!({ "status": Status::Succeeded, "version": 3 }),
    );
    assert!(
        is_refused(db, [store::payment::update(&early, at(0))]).await,
        "a version was left out"
    );
    *payment = with(&early, &json!({ "version": 2 }));
    let foreign = with(payment, &json!({ "team": other }));
    assert!(is_refused(db, [store::payment::update(&foreign, at(0))]).await);
    assert!(is_done(db, [store::payment::update(payment, at(0))]).await);
    assert!(
        is_refused(db, [store::payment::update(payment, at(0))]).await,
        "its version is written"
    );
    assert_eq!(
        store::payment::of_team(db, own, payment.id())
            .await
            .unwrap()
            .as_ref(),
        Some(&*payment)
    );
    changed_payments(db, own, other, &made).await;
}

/// Payments that are changed together, and listed by their customer.
async fn changed_payments(db: &Db, own: TeamId, other: TeamId, made: &[Payment]) {
    let ada = CustomerId::new(Uuid::from_u128(1));
    // A refused statement takes the whole change with it.
    let (next, wrong) = (
        with(&made[0], &json!({ "version": 3 })),
        with(&made[1], &json!({ "version": 7 })),
    );
    let both = [
        store::payment::update(&next, at(0)),
        store::payment::update(&wrong, at(0)),
    ];
    assert_eq!(commit(db, both).await, Committed::Conflict { statement: 1 });
    assert_eq!(
        store::payment::of_team(db, own, next.id())
            .await
            .unwrap()
            .unwrap()
            .version(),
        2
    );
    let of_ada = async |after, limit| {
        store::payment::of_customer(db, own, ada, after, limit)
            .await
            .unwrap()
    };
    assert_eq!(of_ada(None, 2).await, made[..2]);
    assert_eq!(of_ada(Some(made[1].id()), 2).await, made[2..]);
    assert_eq!(
        store::payment::of_customer(db, other, ada, None, 9)
            .await
            .unwrap(),
        []
    );
}

async fn due_payments(db: &Db, own: TeamId, other: TeamId) {
    // The attempts of all payments wait for their answers: they are due when these can come no more.
    let later = |span: u64| at(NEW_YEAR).after(Duration::from_secs(span));
    let foreign = samples::payment(other, NEW_YEAR, 9);
    assert!(is_done(db, [store::payment::insert(&foreign, at(0))]).await);
    assert_eq!(
        store::payment::claim_due(db, later(14), later(60), EVER, 10).await,
        Ok(Vec::new())
    );
    let now = later(20);
    let first = store::payment::claim_due(db, now, later(60), EVER, 2)
        .await
        .unwrap();
    let second = store::payment::claim_due(db, now, later(60), EVER, 9)
        .await
        .unwrap();
    assert_eq!((first.len(), second.len()), (2, 2));
    let taken: std::collections::BTreeSet<(TeamId, PaymentId)> =
        first.into_iter().chain(second).collect();
    assert_eq!(taken.len(), 4, "none is taken twice");
    assert!(taken.contains(&(other, foreign.id())));
    assert_eq!(
        store::payment::claim_due(db, later(59), later(90), EVER, 9).await,
        Ok(Vec::new()),
        "the lease holds"
    );
    // One that was given back is taken again at once, but not under a version that is gone, or a lease that is another's.
    let stale = with(&foreign, &json!({ "version": 4 }));
    commit(db, [store::payment::set_due(&stale, at(0), later(60))]).await;
    commit(db, [store::payment::set_due(&foreign, at(0), later(61))]).await;
    assert_eq!(
        store::payment::claim_due(db, later(59), later(90), EVER, 9).await,
        Ok(Vec::new())
    );
    commit(db, [store::payment::set_due(&foreign, at(0), later(60))]).await;
    assert_eq!(
        store::payment::claim_due(db, later(59), later(90), EVER, 9).await,
        Ok(vec![(other, foreign.id())])
    );
    assert_eq!(
        store::payment::claim_due(db, later(60), later(120), EVER, 9)
            .await
            .unwrap()
            .len(),
        3,
        "the lease has ended"
    );
    let own_one = samples::payment(own, NEW_YEAR + 1, 0);
    assert!(
        store::payment::of_team(db, own, own_one.id())
            .await
            .unwrap()
            .is_some()
    );
}

async fn events(db: &Db, own: TeamId, other: TeamId) {
    let mut payment = samples::payment(own, NEW_YEAR, 77);
    let stream = payment.id().key();
    let (one, two) = (ChangeId(1), ChangeId(u128::MAX));
    let line = |n| Occurrence::new(at(NEW_YEAR + n), format!("line {n}"));
    let entry = |n| line(n).entry;
    let first = store::event::insert(&payment, &one.into(), &[line(0), line(1)], at(NEW_YEAR));
    assert!(is_done(db, [first.clone()]).await);
    assert!(
        is_refused(db, [first]).await,
        "an event has a number of its own in its stream"
    );
    let rival = store::event::insert(&payment, &two.into(), &[], at(NEW_YEAR));
    assert!(is_refused(db, [rival]).await);
    payment.next_version();
    let second = store::event::insert(&payment, &two.into(), &[line(2)], at(NEW_YEAR + 5));
    assert!(is_done(db, [second]).await);
    assert_eq!(
        store::event::timeline(db, own, &stream, 2).await.unwrap(),
        [entry(0), entry(1), entry(2)]
    );
    assert_eq!(
        store::event::timeline(db, own, &stream, 1).await.unwrap(),
        [entry(0), entry(1)]
    );
    assert_eq!(
        store::event::timeline(db, other, &stream, 2).await.unwrap(),
        []
    );
    for (team, seq, change, written) in [
        (own, 1, one, true),
        (own, 1, two, false),
        (own, 2, two, true),
        (own, 3, two, false),
        (other, 1, one, false),
    ] {
        assert_eq!(
            store::event::was_written_by(db, team, &stream, seq, change).await,
            Ok(written),
            "{seq}"
        );
    }
}

async fn swept_once(db: &Db, until: Timestamp, limit: i64) -> Result<usize, DbError> {
    let swept = store::once::sweep(db, until, EVER, limit).await;
    swept.map(|swept| swept.len())
}

pub(crate) async fn swept_credential(
    db: &Db,
    until: Timestamp,
    limit: i64,
) -> Result<usize, DbError> {
    let swept = store::credential::sweep(db, until, EVER, limit).await;
    swept.map(|swept| swept.len())
}
