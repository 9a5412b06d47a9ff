//! The books on disk, and the simulator on them.

use std::{path::Path, sync::Arc};

use connector::{
    Answer, Authorise, CardData, Connector, Earlier, Finding, FundingSource, LaterAnswer, Link,
    LookUp, Reference, Refund, ThreeDsCall,
};
use connectors::simulator::{Simulator, read_books};
use db::{SqliteOptions, nullable_keys};
use domain::{
    card_number::CardNumber,
    expiry::Expiry,
    id::{ConnectionId, PaymentId},
    money::{Currency, Money},
    payment::ThreeDsWish,
};
use futures_util::{FutureExt, future::join_all};
use world::World;

use super::*;

static NO_SETTINGS: serde_json::Value = serde_json::Value::Null;

const NUMBER: &str = "4242424242424242";

/// A simulator with books on disk.
struct Desk {
    world: World,
    db: Db,
    books: Arc<DbBooks>,
    simulator: Simulator,
    connection: ConnectionId,
    card: CardData,
}

impl Desk {
    fn open(path: &Path) -> Self {
        let world = World::real();
        let db = Db::sqlite(SqliteOptions::new(path), DbBooks::MIGRATIONS, &world).unwrap();
        let books = Arc::new(DbBooks::new(db.clone()));
        let simulator = Simulator::new(world.clone(), Arc::clone(&books) as Arc<_>);
        let number = CardNumber::parse(NUMBER.to_owned()).unwrap();
        let expiry = Expiry::parse(11, 2033).unwrap();
        let card = CardData {
            number,
            expiry,
            cvc: None,
            brand: "VISA".to_owned(),
            name: None,
            address: None,
        };
        Self {
            world,
            db,
            books,
            simulator,
            connection: ConnectionId::parse("simulator-a").unwrap(),
            card,
        }
    }

    fn reference(&self) -> Reference {
        Reference::new(PaymentId::new(self.world.uuid_v7()), 1)
    }

    /// A request for a sale of 1000.
    fn sale<'a>(&'a self, reference: &'a Reference) -> Authorise<'a> {
        Authorise {
            reference,
            money: eur(1000),
            capture: true,
            method: self.card.number.brand().method(),
            funding_source: FundingSource::Card(&self.card),
            three_ds: ThreeDsCall {
                wish: ThreeDsWish::AsIssuer,
                return_url: None,
                browser: None,
            },
            merchant_initiated: false,
            stored: None,
            shopper: None,
            payer: None,
            statement_descriptor: None,
            fraud: None,
        }
    }

    fn link(&self) -> Link<'_> {
        Link::offline(&self.connection, &NO_SETTINGS, self.world.now())
    }

    async fn sold(&self) -> Reference {
        let reference = self.reference();
        let answer = self
            .simulator
            .authorise(&self.link(), &self.sale(&reference))
            .await
            .unwrap();
        assert!(
            matches!(answer, Answer::Approved { captured: true, .. }),
            "{answer:?}"
        );
        reference
    }

    async fn look_up(&self, authorisation: &Reference, reference: &Reference) -> Finding {
        let call = LookUp::new(earlier(reference), earlier(authorisation));
        self.simulator.look_up(&self.link(), &call).await.unwrap()
    }

    async fn shown(&self) -> serde_json::Value {
        read_books(self.books.as_ref(), None, self.world.now())
            .await
            .unwrap()
    }
}

fn refund_of<'a>(authorisation: &'a Reference, reference: &'a Reference, minor: i64) -> Refund<'a> {
    Refund {
        reference,
        authorisation: earlier(authorisation),
        capture: None,
        money: eur(minor),
        reason: None,
    }
}

fn earlier(reference: &Reference) -> Earlier<'_> {
    Earlier {
        reference,
        processor_id: None,
    }
}

fn is_done(found: &Finding, reference: &Reference) -> bool {
    matches!(
        found.operation(earlier(reference)),
        Some(LaterAnswer::Done { .. })
    )
}

fn eur(minor: i64) -> Money {
    Money::new(minor, Currency::parse("EUR").unwrap())
}

#[tokio::test]
async fn entries_are_written_once_and_replaced_by_version() {
    let directory = tempfile::tempdir().unwrap();
    let desk = Desk::open(&directory.path().join("simulator.db"));
    assert_eq!(desk.books.load("nothing").await, Ok(None));
    let reference = desk.sold().await;
    let first = desk.books.load(reference.as_str()).await.unwrap().unwrap();
    assert_eq!(first.version, 1);
    assert_eq!(desk.books.insert(&first).await, Ok(false));
    let second = Entry {
        version: 2,
        ..first.clone()
    };
    assert_eq!(
        desk.books.update(&second, 2).await,
        Ok(false),
        "it is at version 1"
    );
    assert_eq!(desk.books.update(&second, 1).await, Ok(true));
    assert_eq!(desk.books.update(&second, 1).await, Ok(false));
    assert_eq!(desk.books.load(reference.as_str()).await, Ok(Some(second)));
    let unknown = Entry {
        reference: desk.reference(),
        ..first
    };
    assert_eq!(desk.books.update(&unknown, 1).await, Ok(false));
    assert_eq!(desk.books.load(unknown.reference.as_str()).await, Ok(None));
}

#[tokio::test]
async fn the_books_are_read_page_by_page_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let desk = Desk::open(&directory.path().join("simulator.db"));
    assert_eq!(desk.books.all(None, 10).await, Ok(Vec::new()));
    let mut references = Vec::new();
    for _ in 0..5 {
        references.push(desk.sold().await.as_str().to_owned());
    }
    references.sort();
    let page = |entries: Vec<Entry>| {
        entries
            .iter()
            .map(|entry| entry.reference.as_str().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        page(desk.books.all(None, 3).await.unwrap()),
        references[..3]
    );
    assert_eq!(
        page(desk.books.all(Some(&references[2]), 3).await.unwrap()),
        references[3..]
    );
    assert_eq!(
        desk.books.all(Some(&references[4]), 3).await,
        Ok(Vec::new())
    );
}

#[tokio::test]
async fn the_books_outlive_the_process_and_never_hold_the_number() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("simulator.db");
    let desk = Desk::open(&path);
    let (sale, refund) = (desk.sold().await, desk.reference());
    desk.simulator
        .refund(&desk.link(), &refund_of(&sale, &refund, 300))
        .await
        .unwrap();
    let before = desk.shown().await;
    assert_eq!(before["entries"][0]["refunded"], 300);
    desk.db.close().await;
    let desk = Desk::open(&path);
    assert_eq!(desk.shown().await, before);
    assert!(is_done(&desk.look_up(&sale, &refund).await, &refund));
    for file in std::fs::read_dir(directory.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(
            !bytes
                .windows(NUMBER.len())
                .any(|window| window == NUMBER.as_bytes())
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_up_tells_for_good_what_became_of_a_call_that_was_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let desk = Desk::open(&directory.path().join("simulator.db"));
    for _ in 0..20 {
        let reference = desk.reference();
        let call = desk.sale(&reference);
        // One poll hands the write to the database; then the caller goes.
        let answer = desk.simulator.authorise(&desk.link(), &call).now_or_never();
        let found = desk.look_up(&reference, &reference).await;
        assert!(
            answer.is_some() || found.authorisation.is_some(),
            "{found:?}"
        );
        let refund = desk.reference();
        let call = refund_of(&reference, &refund, 300);
        let answer = desk.simulator.refund(&desk.link(), &call).now_or_never();
        let found = desk.look_up(&reference, &refund).await;
        assert!(answer.is_some() || is_done(&found, &refund), "{found:?}");
    }
}

#[tokio::test]
async fn what_a_look_up_did_not_find_does_not_come_any_more_from_any_node() {
    let directory = tempfile::tempdir().unwrap();
    let desk = Desk::open(&directory.path().join("simulator.db"));
    let late = Simulator::new(desk.world.clone(), Arc::clone(&desk.books) as Arc<_>);
    let reference = desk.reference();
    assert!(desk.look_up(&reference, &reference).await.is_nothing());
    assert_eq!(desk.books.load(reference.as_str()).await, Ok(None));
    assert_eq!(
        desk.books.all(None, 10).await,
        Ok(Vec::new()),
        "a fence is no entry"
    );
    let refused = late.authorise(&desk.link(), &desk.sale(&reference)).await;
    assert!(
        matches!(refused, Err(connector::CallError::Rejected { .. })),
        "{refused:?}"
    );
    assert!(desk.look_up(&reference, &reference).await.is_nothing());
    // A node that had read the entry before the look-up can't write after it.
    let (sale, refund) = (desk.sold().await, desk.reference());
    let read = desk.books.load(sale.as_str()).await.unwrap().unwrap();
    let found = desk.look_up(&sale, &refund).await;
    assert_eq!(found.operation(earlier(&refund)), None);
    let overdue = Entry {
        version: read.version + 1,
        ..read.clone()
    };
    assert_eq!(desk.books.update(&overdue, read.version).await, Ok(false));
    let answer = late
        .refund(&desk.link(), &refund_of(&sale, &desk.reference(), 300))
        .await;
    assert!(
        matches!(answer, Ok(LaterAnswer::Done { .. })),
        "the entry itself goes on: {answer:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn refunds_on_two_nodes_at_once_never_give_back_more_than_was_captured() {
    let directory = tempfile::tempdir().unwrap();
    let desk = Desk::open(&directory.path().join("simulator.db"));
    let other = Simulator::new(desk.world.clone(), Arc::clone(&desk.books) as Arc<_>);
    let sale = desk.sold().await;
    let references: Vec<_> = (0..60).map(|_| desk.reference()).collect();
    let calls: Vec<_> = references
        .iter()
        .map(|reference| refund_of(&sale, reference, 30))
        .collect();
    let nodes = [&desk.simulator, &other];
    let link = desk.link();
    let answers = join_all(
        calls
            .iter()
            .enumerate()
            .map(|(index, call)| nodes[index % 2].refund(&link, call)),
    )
    .await;
    let done = answers
        .iter()
        .filter(|answer| matches!(answer, Ok(LaterAnswer::Done { .. })))
        .count();
    let refused = answers
        .iter()
        .filter(|answer| matches!(answer, Ok(LaterAnswer::Refused { .. })))
        .count();
    assert_eq!((done, refused), (33, 27), "{answers:?}");
    assert_eq!(desk.shown().await["entries"][0]["refunded"], 990);
}

#[tokio::test]
async fn an_unreadable_entry_is_an_error_and_not_a_stranger() {
    let directory = tempfile::tempdir().unwrap();
    let desk = Desk::open(&directory.path().join("simulator.db"));
    let reference = desk.sold().await;
    let change = Change::new(ChangeId(1), "a").with(Statement::one(
        "update sim_entry set body = '{}'",
        Vec::new(),
    ));
    assert_eq!(desk.db.commit(change).await, Ok(Committed::Done));
    assert!(matches!(
        desk.books.load(reference.as_str()).await,
        Err(BooksError::Untouched(_))
    ));
    desk.db.close().await;
    assert!(matches!(
        desk.books.all(None, 1).await,
        Err(BooksError::Untouched(_))
    ));
}

#[test]
fn no_part_of_a_key_may_be_null() {
    assert_eq!(nullable_keys(DbBooks::MIGRATIONS), Ok(Vec::new()));
    assert_eq!(db::not_for_older_code(DbBooks::MIGRATIONS), [""; 0]);
}
