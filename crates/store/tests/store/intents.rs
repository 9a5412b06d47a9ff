//! Intents: their versions, the payment that holds one, their due times, and lists of them.

use std::time::Duration;

use db::{ChangeId, Db};
use domain::{
    Timestamp,
    id::{CustomerId, IntentId, PaymentId, TeamId},
    intent::{Changes, Customer, Intent, IntentEvent, Status},
    page::{Direction, Page},
};
use store::{
    Part,
    intent_list::{self, Wanted},
};
use uuid::Uuid;

use crate::samples::{self, EVER, NEW_YEAR, at, commit, is_done, is_refused};

const PATIENCE: Duration = Duration::from_mins(5);

pub(crate) async fn story(db: &Db, own: TeamId, other: TeamId) {
    versions(db, own, other).await;
    holders(db, own, other).await;
    payments(db, own, other).await;
    due(db, own, other).await;
    of_a_customer(db, own, other).await;
    lists(db, samples::team(7), other).await;
}

async fn versions(db: &Db, own: TeamId, other: TeamId) {
    let mut intent = samples::intent(own, NEW_YEAR, 1);
    assert!(is_done(db, [store::intent::insert(&intent)]).await);
    assert!(is_refused(db, [store::intent::insert(&intent)]).await);
    assert_eq!(
        store::intent::of_team(db, own, intent.id).await.unwrap(),
        Some(intent.clone())
    );
    assert_eq!(
        store::intent::of_team(db, other, intent.id).await.unwrap(),
        None
    );
    intent
        .update(
            Changes {
                amount: Some(5),
                ..Changes::default()
            },
            at(NEW_YEAR + 1),
            PATIENCE,
        )
        .unwrap();
    assert!(
        is_refused(db, [store::intent::update(&intent)]).await,
        "it has the version that is there"
    );
    intent.version = 2;
    let foreign = Intent {
        team: other,
        ..intent.clone()
    };
    assert!(is_refused(db, [store::intent::update(&foreign)]).await);
    assert!(is_done(db, [store::intent::update(&intent)]).await);
    assert!(
        is_refused(db, [store::intent::update(&intent)]).await,
        "its version is written"
    );
    assert_eq!(
        store::intent::of_team(db, own, intent.id).await.unwrap(),
        Some(intent.clone())
    );
    let stream = intent.id.key();
    let answered = store::event::insert_of_intent(
        &intent,
        &ChangeId(9).into(),
        IntentEvent::Updated,
        at(NEW_YEAR),
    );
    assert!(is_done(db, [answered.clone()]).await);
    assert!(
        is_refused(db, [answered]).await,
        "an event has a number of its own in its stream"
    );
    assert_eq!(
        store::event::was_written_by(db, own, &stream, 2, ChangeId(9)).await,
        Ok(true)
    );
    assert_eq!(
        store::event::was_written_by(db, other, &stream, 2, ChangeId(9)).await,
        Ok(false)
    );
}

async fn holders(db: &Db, own: TeamId, other: TeamId) {
    let [one, two] = [101, 102].map(|n| PaymentId::new(Uuid::from_u128(n)));
    let intent = samples::intent(own, NEW_YEAR, 2);
    let (id, foreign) = (
        intent.id,
        Intent {
            team: other,
            ..intent.clone()
        },
    );
    commit(
        db,
        [
            store::intent::insert(&intent),
            store::intent::insert(&foreign),
        ],
    )
    .await;
    let holder = async |team| store::intent::claimed_by(db, team, id).await.unwrap();
    assert_eq!(holder(own).await, None);
    assert!(is_done(db, [store::intent::claim(own, id, one)]).await);
    assert!(
        is_refused(db, [store::intent::claim(own, id, two)]).await,
        "one live or paid payment"
    );
    assert!(
        is_refused(db, [store::intent::claim(own, id, one)]).await,
        "once"
    );
    assert_eq!((holder(own).await, holder(other).await), (Some(one), None));
    assert!(
        is_done(db, [store::intent::claim(other, id, one)]).await,
        "another team's is its own"
    );
    // A payment holds one intent.
    let second = samples::intent(own, NEW_YEAR, 3);
    commit(db, [store::intent::insert(&second)]).await;
    assert!(is_refused(db, [store::intent::hold(own, second.id, one)]).await);
    commit(db, [store::intent::release(own, id, two)]).await;
    assert_eq!(holder(own).await, Some(one), "only the holder frees it");
    commit(db, [store::intent::release(own, id, one)]).await;
    assert_eq!((holder(own).await, holder(other).await), (None, Some(one)));
    assert!(
        is_done(db, [store::intent::claim(own, id, two)]).await,
        "it is free again"
    );
    assert!(is_refused(db, [store::intent::hold(own, id, one)]).await);
    assert!(
        is_done(db, [store::intent::hold(own, id, two)]).await,
        "the holder may complete it"
    );
    // A complete intent is held by nobody new.
    let mut done = second;
    done.complete(None, at(NEW_YEAR + 5)).unwrap();
    done.version = 2;
    assert!(is_done(db, [store::intent::update(&done)]).await);
    assert!(is_refused(db, [store::intent::claim(own, done.id, one)]).await);
    let unknown = samples::intent(own, NEW_YEAR, 99).id;
    assert!(is_refused(db, [store::intent::claim(own, unknown, one)]).await);
    assert_eq!(
        store::intent::claimed_by(db, own, unknown).await.unwrap(),
        None
    );
}

async fn payments(db: &Db, own: TeamId, other: TeamId) {
    let intent = samples::intent(own, NEW_YEAR, 4).id;
    let mut made = Vec::new();
    for (team, n) in [(own, 401), (own, 402), (own, 403), (other, 404)] {
        let payment = samples::payment(team, NEW_YEAR + i64::try_from(n).unwrap(), n);
        let payment = samples::with(&payment, &serde_json::json!({ "intent": intent }));
        assert!(is_done(db, [store::payment::insert(&payment, at(0))]).await);
        made.push(payment);
    }
    let read = async |team, limit| {
        store::intent::payments(db, team, intent, limit)
            .await
            .unwrap()
    };
    assert_eq!(read(own, 10).await, made[..3], "oldest first");
    assert_eq!(read(own, 2).await, made[1..3], "the newest of them");
    assert_eq!(read(other, 10).await, made[3..]);
    assert_eq!(
        store::intent::payments(db, own, samples::intent(own, NEW_YEAR, 5).id, 10)
            .await
            .unwrap(),
        []
    );
}

async fn due(db: &Db, own: TeamId, other: TeamId) {
    // Long before those of the other chapters.
    let early = NEW_YEAR - 10_000_000;
    let (mut intent, foreign) = (
        samples::intent(own, early, 1),
        samples::intent(other, early + 1000, 2),
    );
    commit(
        db,
        [
            store::intent::insert(&intent),
            store::intent::insert(&foreign),
        ],
    )
    .await;
    let later = |span: u64| at(early).after(Duration::from_secs(span));
    let due = async |now: Timestamp, again| {
        store::intent::claim_due(db, now, again, EVER, 9)
            .await
            .unwrap()
    };
    assert_eq!(due(later(299), later(400)).await, []);
    assert_eq!(due(later(300), later(400)).await, [(own, intent.id)]);
    assert_eq!(
        due(later(350), later(500)).await,
        [(other, foreign.id)],
        "the lease of the first one holds"
    );
    commit(db, [store::intent::set_due(&intent, later(500))]).await;
    assert_eq!(
        due(later(399), later(450)).await,
        [],
        "another has the lease"
    );
    commit(db, [store::intent::set_due(&intent, later(400))]).await;
    assert_eq!(
        due(later(350), later(450)).await,
        [(own, intent.id)],
        "it was given back"
    );
    assert!(intent.expire(later(350)));
    commit(
        db,
        [store::intent::set_due(
            &Intent {
                version: 7,
                ..intent.clone()
            },
            later(450),
        )],
    )
    .await;
    intent.version = 2;
    assert!(is_done(db, [store::intent::update(&intent)]).await);
    assert_eq!(
        due(later(1000), later(2000)).await,
        [(other, foreign.id)],
        "an inactive one is due no more"
    );
    let mut gone = foreign;
    gone.complete(None, later(1000)).unwrap();
    gone.version = 2;
    assert!(is_done(db, [store::intent::update(&gone)]).await);
    assert_eq!(due(later(3000), later(4000)).await, []);
}

async fn of_a_customer(db: &Db, own: TeamId, other: TeamId) {
    let ada = CustomerId::new(Uuid::from_u128(0xada));
    let mut made = Vec::new();
    for (team, n, id) in [
        (own, 11, ada.key()),
        (own, 12, "shop-7".to_owned()),
        (own, 13, ada.key()),
        (other, 14, ada.key()),
    ] {
        let mut intent = samples::intent(team, NEW_YEAR + 100, n);
        intent.customer = Some(Customer {
            id: Some(id),
            ..Customer::default()
        });
        assert!(is_done(db, [store::intent::insert(&intent)]).await);
        made.push(intent);
    }
    let read = async |team, after, limit| {
        store::intent::of_customer(db, team, ada, after, limit)
            .await
            .unwrap()
    };
    assert_eq!(read(own, None, 9).await, [made[0].clone(), made[2].clone()]);
    assert_eq!(read(own, None, 1).await, made[..1]);
    assert_eq!(read(own, Some(made[0].id), 9).await, made[2..3]);
    assert_eq!(read(other, None, 9).await, made[3..]);
}

async fn lists(db: &Db, own: TeamId, other: TeamId) {
    let mut made = Vec::new();
    for (n, (tracking, status)) in [
        ("a", Status::Active),
        ("b", Status::Inactive),
        ("a", Status::Complete),
        ("c", Status::Active),
    ]
    .iter()
    .enumerate()
    {
        let mut intent = samples::intent(own, NEW_YEAR + i64::try_from(n).unwrap(), 21);
        (intent.tracking_id, intent.status) = ((*tracking).to_owned(), *status);
        let foreign = Intent {
            team: other,
            ..intent.clone()
        };
        assert!(is_done(db, [&intent, &foreign].map(store::intent::insert)).await);
        made.push(intent.id);
    }
    filtered_lists(db, own, &made).await;
    pages(db, own, &made).await;
}

const ALL: Part = Part {
    size: 10,
    direction: Direction::Forward,
    cursor: None,
    until: None,
};

async fn filtered_lists(db: &Db, own: TeamId, made: &[IntentId]) {
    for (statuses, tracking, found) in [
        (vec![], None, vec![3, 2, 1, 0]),
        (vec![Status::Active], None, vec![3, 0]),
        (vec![Status::Inactive, Status::Complete], None, vec![2, 1]),
        (vec![], Some("a"), vec![2, 0]),
        (vec![Status::Active], Some("a"), vec![0]),
        (vec![], Some("A"), vec![]),
    ] {
        let wanted = Wanted {
            order: domain::filter::SortOrder::Descending,
            statuses,
            tracking_id: tracking.map(str::to_owned),
        };
        let listed = intent_list::page(db, own, &wanted, &ALL).await.unwrap();
        let ids: Vec<_> = listed.rows.iter().map(|(_, intent)| intent.id).collect();
        assert_eq!(
            ids,
            found.iter().map(|n| made[*n]).collect::<Vec<_>>(),
            "{wanted:?}"
        );
        assert!(listed.rows.iter().all(|(_, intent)| intent.team == own));
        let count = intent_list::count(db, own, &wanted).await.unwrap();
        assert_eq!(usize::try_from(count).unwrap(), found.len(), "{wanted:?}");
    }
}

async fn pages(db: &Db, own: TeamId, made: &[IntentId]) {
    let (wanted, shape) = (
        Wanted::default(),
        intent_list::shape(domain::filter::SortOrder::Descending),
    );
    let first = Part { size: 3, ..ALL };
    let first = intent_list::page(db, own, &wanted, &first).await.unwrap();
    assert_eq!(
        (first.rows.len(), first.has_next, first.has_previous),
        (3, true, false)
    );
    let after = first.rows[2].0.encode(&shape);
    let page = Page::parse(Some(3), Some(after.clone()), None, None).unwrap();
    let rest = intent_list::page(db, own, &wanted, &Part::of(&page, &shape).unwrap())
        .await
        .unwrap();
    assert_eq!(
        (rest.rows[0].1.id, rest.has_next, rest.has_previous),
        (made[0], false, true)
    );
    let page = Page::parse(None, None, Some(1), Some(after)).unwrap();
    let back = intent_list::page(db, own, &wanted, &Part::of(&page, &shape).unwrap())
        .await
        .unwrap();
    assert_eq!(
        (back.rows[0].1.id, back.has_next, back.has_previous),
        (made[2], true, true)
    );
}
