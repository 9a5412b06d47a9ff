//! Lists of payments: whatever the payments, the filter and the order, SQL agrees with the language's own meaning.

mod any;
mod meaning;

use std::collections::BTreeSet;

use db::{Committed, Db, Statement};
use domain::{
    cursor::CursorShape,
    filter::{FieldName, Sort, parse},
    id::{CustomerId, FlowId, IntentId, PaymentId},
    intent::{self, Intent},
    method::Method,
    money::{Currency, Money},
    page::{Direction, Page},
    payment::{FlowRun, Gateway, PaidWith, Payment, Status},
};
use proptest::{prelude::*, sample::select, strategy::ValueTree, test_runner::TestRunner};
use serde_json::json;
use store::{
    Part,
    payment_list::{self, Wanted},
};
use uuid::Uuid;
use world::World;

use any::wanted;
use meaning::expected;

use crate::samples::{self, NEW_YEAR, at, commit, from_country, payer, team, with};

const CUSTOMERS: [u128; 3] = [0xa, 0xb, 0xc];
const TEXTS: [Option<&str>; 6] = [
    None,
    Some("a"),
    Some("ab"),
    Some("A-b"),
    Some("ö%_b"),
    Some("zz"),
];
const COUNTRIES: [Option<&str>; 3] = [None, Some("IE"), Some("DE")];
/// Times around midnight, some of them the same: milliseconds after the new year.
const TIMES: [i64; 6] = [-1, 0, 1, 86_399_999, 86_400_000, 200_000_000];

/// What tells a payment apart in a list.
#[derive(Debug, Clone)]
struct Sketch {
    time: i64,
    amount: i64,
    currency: &'static str,
    status: Status,
    method: Method,
    texts: [Option<&'static str>; 3],
    country: Option<&'static str>,
    customer: Option<u128>,
    intent: Option<u128>,
}

fn sketch() -> impl Strategy<Value = Sketch> {
    let money = (
        select(vec![1_i64, 2, 3, 500, i64::MAX]),
        select(vec!["EUR", "JPY", "USD"]),
    );
    let kind = (
        select(&Status::ALL[..6]),
        select(vec![Method::Visa, Method::Mastercard, Method::WalletaPay]),
    );
    let texts = [select(&TEXTS[..]), select(&TEXTS[..]), select(&TEXTS[..])];
    let people = (
        select(&COUNTRIES[..]),
        prop::option::of(select(&CUSTOMERS[..])),
        prop::option::of(1_u128..5),
    );
    (select(&TIMES[..]), money, kind, texts, people).prop_map(
        |(time, money, kind, texts, people)| Sketch {
            time,
            amount: money.0,
            currency: money.1,
            status: kind.0,
            method: kind.1,
            texts,
            country: people.0,
            customer: people.1,
            intent: people.2,
        },
    )
}

fn payment(sketch: &Sketch, n: usize) -> Payment {
    let payment = samples::payment(team(1), NEW_YEAR + sketch.time, u64::try_from(n).unwrap());
    let [order, gateway, flow] = sketch.texts;
    let method = PaidWith {
        method: sketch.method,
        ..payment.method().clone()
    };
    let gateway = gateway.map(|id| Gateway {
        processor: id.to_owned(),
        name: "x".to_owned(),
        logo: None,
    });
    // A flow's id has no umlauts and no blanks.
    let flow = flow.and_then(FlowId::parse).map(|id| FlowRun {
        id,
        name: "x".to_owned(),
        instance: Uuid::nil(),
        started_at: at(0),
        version: 1,
        dispute: None,
        pause: None,
    });
    let customer = sketch.customer;
    let customer = customer.map(|id| payer(CustomerId::new(Uuid::from_u128(id))));
    let members = json!({
        "money": Money::new(sketch.amount, Currency::parse(sketch.currency).unwrap()),
        "status": sketch.status,
        "method": method,
        "order_id": order,
        "gateway": gateway,
        "flow": flow,
        "customer": customer,
        "intent": sketch.intent.map(intent_id),
    });
    from_country(&with(&payment, &members), sketch.country)
}

fn intent_id(n: u128) -> IntentId {
    IntentId::new(Uuid::from_u128(n))
}

/// The statuses of the intents 1, 2 and 3; there is no other.
fn intent_status(id: IntentId) -> Option<intent::Status> {
    let statuses = intent::Status::ALL.iter().copied();
    (1..)
        .zip(statuses)
        .find(|(n, _)| intent_id(*n) == id)
        .map(|(_, status)| status)
}

/// The intents of both teams. Those of the other team have another status.
async fn stock_intents(db: &Db) {
    for n in 1..4 {
        let mut own = samples::intent(team(1), NEW_YEAR, 0);
        own.id = intent_id(n);
        own.status = intent_status(own.id).unwrap();
        let mut other = Intent {
            team: team(2),
            ..own.clone()
        };
        other.status = intent_status(intent_id(n % 3 + 1)).unwrap();
        for row in [own, other] {
            if store::intent::of_team(db, row.team, row.id)
                .await
                .unwrap()
                .is_none()
            {
                assert_eq!(
                    commit(db, [store::intent::insert(&row)]).await,
                    Committed::Done
                );
            }
        }
    }
}

async fn stock(db: &Db, payments: &[Payment]) {
    stock_intents(db).await;
    assert_eq!(
        commit(
            db,
            payments
                .iter()
                .map(|one| store::payment::insert(one, at(0)))
        )
        .await,
        Committed::Done
    );
    // Each has a twin in another team, which no list may show.
    let team = json!({ "team": team(2) });
    let twins: Vec<Payment> = payments.iter().map(|one| with(one, &team)).collect();
    assert_eq!(
        commit(
            db,
            twins.iter().map(|one| store::payment::insert(one, at(0)))
        )
        .await,
        Committed::Done
    );
}

/// Reads a whole list page by page, through the text of the cursors. Before each page `between` may change the payments.
async fn read_through(
    db: &Db,
    wanted: &Wanted,
    size: u16,
    direction: Direction,
    mut between: impl AsyncFnMut(),
) -> Vec<PaymentId> {
    let shape = CursorShape::of_payments(&wanted.sort);
    let (mut seen, mut cursor): (Vec<PaymentId>, Option<String>) = (Vec::new(), None);
    loop {
        let count = Some(i32::from(size));
        let page = match direction {
            Direction::Forward => Page::parse(count, cursor.clone(), None, None),
            Direction::Backward => Page::parse(None, None, count, cursor.clone()),
        };
        let part = Part::of(&page.unwrap(), &shape).unwrap();
        let listed = payment_list::page(db, team(1), wanted, &part)
            .await
            .unwrap();
        assert!(
            listed
                .rows
                .iter()
                .all(|(_, payment)| payment.team() == team(1))
        );
        assert!(listed.rows.len() <= usize::from(size));
        let ids: Vec<PaymentId> = listed
            .rows
            .iter()
            .map(|(_, payment)| payment.id())
            .collect();
        let (ahead, behind, edge) = match direction {
            Direction::Forward => (listed.has_next, listed.has_previous, listed.rows.last()),
            Direction::Backward => (listed.has_previous, listed.has_next, listed.rows.first()),
        };
        assert_eq!(behind, cursor.is_some(), "what was read lies behind");
        cursor = edge.map(|(cursor, _)| cursor.encode(&shape));
        seen = match direction {
            Direction::Forward => [seen, ids].concat(),
            Direction::Backward => [ids, seen].concat(),
        };
        if !ahead {
            return seen;
        }
        assert_eq!(
            listed.rows.len(),
            usize::from(size),
            "a page is full when more follow"
        );
        between().await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn pages_in_both_directions_join_up_to_what_the_filter_and_the_sort_mean(
        sketches in prop::collection::vec(sketch(), 0..25),
        wanted in wanted(),
        size in 1_u16..6,
    ) {
        let (world, sim) = World::simulated(1);
        let db = Db::sqlite_inline(store::MIGRATIONS, &world).unwrap();
        let payments: Vec<Payment> = sketches.iter().zip(0..).map(|(sketch, n)| payment(sketch, n)).collect();
        let list = expected(&payments, &wanted);
        let (forwards, backwards, whole, count) = sim.run_until(async {
            stock(&db, &payments).await;
            (
                read_through(&db, &wanted, size, Direction::Forward, async || ()).await,
                read_through(&db, &wanted, size, Direction::Backward, async || ()).await,
                read_through(&db, &wanted, 100, Direction::Forward, async || ()).await,
                payment_list::count(&db, team(1), &wanted).await.unwrap(),
            )
        }).unwrap();
        prop_assert_eq!(&whole, &list);
        prop_assert_eq!(&forwards, &list);
        prop_assert_eq!(&backwards, &list);
        prop_assert_eq!(usize::try_from(count).unwrap(), list.len());
    }

    #[test]
    fn pages_stay_right_while_payments_are_added(
        sketches in prop::collection::vec(sketch(), 4..20),
        added in prop::collection::vec(sketch(), 1..12),
        (wanted, size, direction) in (wanted(), 1_u16..4, select(vec![Direction::Forward, Direction::Backward])),
    ) {
        let (world, sim) = World::simulated(1);
        let db = Db::sqlite_inline(store::MIGRATIONS, &world).unwrap();
        let all: Vec<Payment> = sketches.iter().chain(&added).zip(0..).map(|(sketch, n)| payment(sketch, n)).collect();
        let (there, more) = all.split_at(sketches.len());
        let seen = sim.run_until(async {
            stock(&db, there).await;
            let mut more = more.chunks(3);
            read_through(&db, &wanted, size, direction, async || stock(&db, more.next().unwrap_or_default()).await).await
        }).unwrap();
        // Some of those that were added came before the place that was reached; the rest stand where they belong.
        let shown: BTreeSet<PaymentId> = seen.iter().copied().collect();
        let in_order: Vec<PaymentId> = expected(&all, &wanted).into_iter().filter(|id| shown.contains(id)).collect();
        prop_assert_eq!(&seen, &in_order);
        for id in expected(there, &wanted) {
            prop_assert!(shown.contains(&id), "a payment that was there is lost");
        }
    }
}

/// Random payments, filters and sorts, one round after the other.
pub(crate) async fn listed_on_a_server(db: &Db) {
    let mut runner = TestRunner::deterministic();
    let mut draw = || {
        let sketches = prop::collection::vec(sketch(), 1..25)
            .new_tree(&mut runner)
            .unwrap()
            .current();
        let wanted: Vec<Wanted> = (0..60)
            .map(|_| wanted().new_tree(&mut runner).unwrap().current())
            .collect();
        (sketches, wanted)
    };
    for _ in 0..3 {
        let (sketches, wanted) = draw();
        let payments: Vec<Payment> = sketches
            .iter()
            .zip(0..)
            .map(|(sketch, n)| payment(sketch, n))
            .collect();
        stock(db, &payments).await;
        for wanted in wanted {
            let list = expected(&payments, &wanted);
            assert_eq!(
                read_through(db, &wanted, 4, Direction::Forward, async || ()).await,
                list,
                "{wanted:?}"
            );
            assert_eq!(
                read_through(db, &wanted, 4, Direction::Backward, async || ()).await,
                list,
                "{wanted:?}"
            );
            let count = payment_list::count(db, team(1), &wanted).await.unwrap();
            assert_eq!(usize::try_from(count).unwrap(), list.len(), "{wanted:?}");
        }
        for team in [team(1), team(2)] {
            let gone = Statement::any(
                "delete from payment where team_id = $1",
                vec![team.key().into()],
            );
            assert_eq!(commit(db, [gone]).await, Committed::Done);
        }
    }
}

#[test]
fn a_page_knows_what_lies_around_it_when_its_cursors_row_has_left_the_list() {
    let (world, sim) = World::simulated(1);
    let db = Db::sqlite_inline(store::MIGRATIONS, &world).unwrap();
    let mut payments: Vec<Payment> = (0..3)
        .map(|n| samples::payment(team(1), NEW_YEAR + n, 0))
        .collect();
    let active = parse(FieldName::Status, Some(&json!("ACTIVE")), None).unwrap();
    let wanted = Wanted {
        conditions: active.into_iter().collect(),
        id: None,
        sort: Sort::default(),
    };
    sim.run_until(async {
        stock(&db, &payments).await;
        let first = Part {
            size: 1,
            direction: Direction::Forward,
            cursor: None,
            until: None,
        };
        let first = payment_list::page(&db, team(1), &wanted, &first)
            .await
            .unwrap();
        assert_eq!((first.has_next, first.has_previous), (true, false));
        let gone = &mut payments[2];
        assert_eq!(gone.id(), first.rows[0].1.id());
        *gone = with(gone, &json!({ "status": Status::Succeeded, "version": 2 }));
        assert_eq!(
            commit(&db, [store::payment::update(gone, at(0))]).await,
            Committed::Done
        );
        let rest = Part {
            size: 2,
            direction: Direction::Forward,
            cursor: Some(first.rows[0].0.clone()),
            until: None,
        };
        let rest = payment_list::page(&db, team(1), &wanted, &rest)
            .await
            .unwrap();
        let ids: Vec<PaymentId> = rest.rows.iter().map(|(_, payment)| payment.id()).collect();
        assert_eq!(ids, [payments[1].id(), payments[0].id()]);
        assert_eq!((rest.has_next, rest.has_previous), (false, false));
    })
    .unwrap();
}

#[test]
fn a_value_that_is_listed_twice_shows_its_payments_once() {
    let (world, sim) = World::simulated(1);
    let db = Db::sqlite_inline(store::MIGRATIONS, &world).unwrap();
    let order = json!({ "order_id": "o" });
    let payments: Vec<Payment> = (0..2)
        .map(|n| with(&samples::payment(team(1), NEW_YEAR + n, 0), &order))
        .collect();
    sim.run_until(async {
        stock(&db, &payments).await;
        for (field, value) in [(FieldName::OrderId, "o"), (FieldName::Status, "ACTIVE")] {
            let condition = parse(field, Some(&json!([value, value])), None).unwrap();
            let wanted = Wanted {
                conditions: condition.into_iter().collect(),
                id: None,
                sort: Sort::default(),
            };
            let seen = read_through(&db, &wanted, 5, Direction::Forward, async || ()).await;
            assert_eq!(seen, [payments[1].id(), payments[0].id()], "{field}");
            assert_eq!(
                payment_list::count(&db, team(1), &wanted).await,
                Ok(2),
                "{field}"
            );
        }
    })
    .unwrap();
}

#[test]
fn whether_a_team_has_more_than_so_many_payments_is_reported_exactly() {
    let (world, sim) = World::simulated(1);
    let db = Db::sqlite_inline(store::MIGRATIONS, &world).unwrap();
    let payments: Vec<Payment> = (0..4)
        .map(|n| samples::payment(team(1), NEW_YEAR + n, 0))
        .collect();
    sim.run_until(async {
        stock(&db, &payments).await;
        for (limit, more) in [
            (0, true),
            (3, true),
            (4, false),
            (5, false),
            (i64::MAX, false),
        ] {
            assert_eq!(
                payment_list::are_more_than(&db, team(1), limit).await,
                Ok(more),
                "{limit}"
            );
        }
        assert_eq!(
            payment_list::are_more_than(&db, team(3), 0).await,
            Ok(false)
        );
    })
    .unwrap();
}
