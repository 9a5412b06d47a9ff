//! The feed of events: each once, none passed over, those of one payment in their order.

use std::time::Duration;

use db::{ChangeId, Committed as Ended, Db, SqliteOptions, Statement};
use domain::{
    event::{EventKind, Happened, public_events},
    id::{ConnectionId, TeamId},
    intent::IntentEvent,
    payment::{Begin, Occurrence, Payment, PaymentEvent},
};
use store::feed::{self, Committed, FeedPosition};
use world::World;

use crate::{
    postgres_server::Server,
    samples::{self, NEW_YEAR, at, commit, team},
};

async fn databases(folder: &std::path::Path) -> [Db; 2] {
    let world = World::real();
    let file = SqliteOptions::new(folder.join("store.db"));
    let server = Server::shared().options(None);
    [
        Db::sqlite(file, store::MIGRATIONS, &world).unwrap(),
        Db::postgres(server, store::MIGRATIONS, &world)
            .await
            .unwrap(),
    ]
}

/// A payment before its first commit.
fn uncommitted(team: TeamId, n: u64) -> Payment {
    let payment = samples::payment(team, NEW_YEAR, n);
    samples::with(&payment, &serde_json::json!({ "version": 0 }))
}

/// The event of the payment's next commit.
fn event(payment: &mut Payment, n: u128) -> Statement {
    payment.next_version();
    let begin = Begin {
        at: at(NEW_YEAR),
        send_within: Duration::from_secs(5),
        answer_within: Duration::from_secs(5),
        once: None,
        return_key: None,
    };
    let connection = ConnectionId::parse("bank-a").unwrap();
    let (_, started) = payment.clone().begin_authorise(connection, true, begin);
    let created = Occurrence::new(at(NEW_YEAR), "Payment created").event(payment.created());
    let occurred = [created, started];
    payment.count_public_events(&occurred);
    store::event::insert(payment, &ChangeId(n).into(), &occurred, at(NEW_YEAR))
}

/// The rows behind a place, page by page, as soon as there are `count`.
async fn followed(
    db: &Db,
    team: TeamId,
    after: Option<FeedPosition>,
    count: usize,
) -> Vec<Committed> {
    let following = async {
        let (mut place, mut seen) = (after, Vec::new());
        while seen.len() < count {
            let page = feed::read(db, team, place.as_ref(), 2).await.unwrap();
            assert!(page.len() <= 2);
            if page.is_empty() {
                World::real().sleep(Duration::from_millis(5)).await;
            }
            place = page.last().map(|last| last.place.clone()).or(place);
            seen.extend(page);
        }
        seen
    };
    World::real()
        .timeout(Duration::from_secs(30), following)
        .await
        .unwrap()
}

fn numbers(rows: &[Committed], stream: &str) -> Vec<i64> {
    let own = rows.iter().filter(|row| row.commit.stream == stream);
    own.map(|row| row.commit.version).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_gets_each_event_once_typed_and_in_the_order_of_its_payment() {
    let folder = tempfile::tempdir().unwrap();
    for db in databases(folder.path()).await {
        let (own, other) = (team(1), team(2));
        let [mut one, mut two, mut foreign] =
            [(own, 1), (own, 2), (other, 1)].map(|(team, n)| uncommitted(team, n));
        for n in 0..3 {
            // Both in one commit, so that they may have one stamp.
            let both = [event(&mut one, n), event(&mut two, n)];
            assert_eq!(commit(&db, both).await, Ended::Done);
            assert_eq!(commit(&db, [event(&mut foreign, n)]).await, Ended::Done);
        }
        let intent = samples::intent(own, NEW_YEAR, 5);
        let updated = IntentEvent::Updated;
        let changed =
            store::event::insert_of_intent(&intent, &ChangeId(9).into(), updated, at(NEW_YEAR));
        assert_eq!(commit(&db, [changed]).await, Ended::Done);

        let rows = followed(&db, own, None, 7).await;
        assert_eq!(rows.len(), 7, "{db:?}");
        assert_eq!(numbers(&rows, &one.id().key()), [1, 2, 3]);
        assert_eq!(numbers(&rows, &two.id().key()), [1, 2, 3]);
        assert_eq!(rows[6].commit.stream, intent.id.key());
        assert_eq!(
            rows[6].commit.happened,
            Happened::Intent(vec![IntentEvent::Updated])
        );
        let Happened::Payment(events) = &rows[0].commit.happened else {
            panic!("{:?}", rows[0])
        };
        assert_eq!(events[0], one.created());
        assert!(matches!(&events[1], PaymentEvent::OperationStarted(started)
            if started.captures && started.operation.connection.as_str() == "bank-a"));
        assert_eq!(rows[0].commit.status, one.status().text());
        let public: Vec<_> = rows
            .iter()
            .flat_map(|row| public_events(&row.commit))
            .collect();
        assert!(
            public
                .iter()
                .all(|event| event.kind == EventKind::PaymentCreated)
        );
        let own_events = public.iter().filter(|event| event.stream == one.id().key());
        assert_eq!(
            own_events.map(|event| event.sequence).collect::<Vec<_>>(),
            [1, 2, 3]
        );
        assert!(rows.windows(2).all(|two| two[0].place < two[1].place));
        // From every place on: the rest, and nothing twice.
        for (n, row) in rows.iter().enumerate() {
            let place: FeedPosition = row.place.to_string().parse().unwrap();
            let rest = followed(&db, own, Some(place), 6 - n).await;
            assert_eq!(rest, rows[n + 1..]);
        }
        let last = rows[6].place.clone();
        assert_eq!(feed::read(&db, own, Some(&last), 9).await, Ok(Vec::new()));
        let foreign_rows = followed(&db, other, None, 3).await;
        assert_eq!(numbers(&foreign_rows, &foreign.id().key()), [1, 2, 3]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_older_writer_holds_younger_events_back_until_it_has_ended() {
    let server = Server::shared();
    let options = server.options(None);
    let schema = options.schema.clone();
    let db = Db::postgres(options, store::MIGRATIONS, &World::real())
        .await
        .unwrap();
    let (client, driven) = tokio_postgres::connect(&server.url(None), tokio_postgres::NoTls)
        .await
        .unwrap();
    World::real().spawn(async move { driven.await.unwrap_or_default() });
    let own = team(1);
    let [mut one, two, mut three] = [1, 2, 3].map(|n| uncommitted(own, n));
    assert_eq!(commit(&db, [event(&mut one, 1)]).await, Ended::Done);
    let seen = followed(&db, own, None, 1).await;
    let older = format!(
        "set search_path to \"{schema}\"; begin; \
         insert into event (team_id, stream, seq, change_id, at, kind, data, stamp) \
         select team_id, '{}', 1, 'x', at, kind, data, \
         (select base from schema_stamp) + pg_current_xact_id()::text::bigint from event",
        two.id().key()
    );
    client.batch_execute(&older).await.unwrap();
    assert_eq!(commit(&db, [event(&mut three, 3)]).await, Ended::Done);
    let behind = seen.last().map(|row| row.place.clone());
    let read = feed::read(&db, own, behind.as_ref(), 9).await;
    assert_eq!(read, Ok(Vec::new()), "the older writer is open");
    client.batch_execute("commit").await.unwrap();
    let rest = followed(&db, own, behind, 2).await;
    let streams: Vec<&str> = rest.iter().map(|row| row.commit.stream.as_str()).collect();
    assert_eq!(streams, [two.id().key(), three.id().key()]);
}
