//! Which index a list is read from.

use db::Db;
use domain::{
    cursor::KeyValue,
    filter::{FieldName, SortField, SortOrder, parse},
    id::CustomerId,
    page::Direction,
};
use serde_json::{Value as Json, json};
use uuid::Uuid;
use world::{Sim, World};

use super::*;

/// The steps in which SQLite would run the query of a page and those of what lies behind it.
fn plans(sim: &Sim, db: &Db, wanted: &Wanted, direction: Direction) -> [Vec<String>; 3] {
    let team = TeamId::new(Uuid::from_u128(1));
    let order = Order::of(&wanted.sort);
    let shape = domain::cursor::CursorShape::of_payments(&wanted.sort);
    let key = |field: SortField| match field {
        SortField::Date | SortField::Amount => KeyValue::Int(0),
        _ => KeyValue::Text(String::new()),
    };
    let keys = wanted
        .sort
        .keys()
        .iter()
        .map(|one| key(one.field))
        .collect();
    let cursor = Cursor {
        keys,
        id: Uuid::from_u128(7),
    };
    assert!(Cursor::decode(&cursor.encode(&shape), &shape, "after").is_ok());
    let part = Part {
        size: 20,
        direction,
        cursor: Some(cursor.clone()),
        until: None,
    };
    let selection = Selection::of(wanted).unwrap();
    let query = Query {
        team,
        selection: &selection,
        order: &order,
        until: IdRange::ALL,
    };
    let queries = [
        query.rows(&part),
        query.behind(&cursor, direction),
        query.at(&cursor, direction),
    ];
    queries.map(|(sql, params)| {
        let plan = sim
            .run_until(db.read(format!("explain query plan {sql}"), params))
            .unwrap()
            .unwrap();
        plan.iter()
            .map(|row| row.text(3).unwrap().to_owned())
            .collect()
    })
}

fn wanted(filters: &[(FieldName, &str, Json)]) -> Wanted {
    let conditions = filters
        .iter()
        .filter_map(|(field, verb, value)| parse(*field, Some(value), Some(verb)).unwrap());
    Wanted {
        conditions: conditions.collect(),
        id: None,
        sort: Sort::default(),
    }
}

fn open() -> (Sim, Db) {
    let (world, sim) = World::simulated(1);
    (sim, Db::sqlite_inline(crate::MIGRATIONS, &world).unwrap())
}

#[test]
fn lists_by_date_are_read_from_an_index_in_its_order_in_both_directions() {
    let (sim, db) = open();
    let customer = CustomerId::new(Uuid::from_u128(9)).key();
    let days = json!(["2026-01-01", "2026-02-01"]);
    let span = (FieldName::Date, "BETWEEN_INCLUSIVE", days.clone());
    let is = |field, value: &str| (field, "EQUALS", json!(value));
    let failed = (FieldName::Status, "IN_LIST", json!(["DECLINED", "FAILED"]));
    let own = "INDEX sqlite_autoindex_payment_1 (team_id=? AND payment_id";
    let status = "INDEX payment_status (team_id=? AND (status,payment_id)>";
    let of_customer = "INDEX payment_customer (team_id=? AND (customer_id,payment_id)>";
    let of_order = "INDEX payment_order (team_id=? AND (order_id,payment_id)>";
    for (filters, index) in [
        (vec![], own),
        (vec![is(FieldName::Type, "PAYMENT")], own),
        (vec![(FieldName::Status, "NOT_EMPTY", json!(null))], own),
        (vec![span.clone()], own),
        (vec![(FieldName::Date, "IN_LIST", days.clone())], own),
        (
            vec![(FieldName::Date, "NOT_EQUALS", json!("2026-01-01"))],
            own,
        ),
        (vec![is(FieldName::Status, "SUCCEEDED")], status),
        (
            vec![is(FieldName::Status, "SUCCEEDED"), span.clone()],
            status,
        ),
        (vec![failed.clone(), span.clone()], status),
        (
            vec![(FieldName::Status, "NOT_EQUALS", json!("SUCCEEDED"))],
            status,
        ),
        (vec![is(FieldName::CustomerId, &customer)], of_customer),
        (
            vec![is(FieldName::CustomerId, &customer), span.clone(), failed],
            of_customer,
        ),
        (vec![is(FieldName::OrderId, "o-1"), span], of_order),
        (
            vec![(FieldName::OrderId, "IN_LIST", json!(["o-1", "o-2"]))],
            of_order,
        ),
    ] {
        let mut wanted = wanted(&filters);
        assert_eq!(wanted.reach(), Reach::Indexed, "{filters:?}");
        for order in [SortOrder::Ascending, SortOrder::Descending] {
            wanted.sort = Sort::parse([(Some("date"), Some(order))]).unwrap();
            for direction in [Direction::Forward, Direction::Backward] {
                let [page, behind, at] = plans(&sim, &db, &wanted, direction);
                assert!(
                    at.iter().all(|step| step.starts_with("SEARCH")),
                    "{filters:?}: {at:?}"
                );
                for plan in [page, behind] {
                    let case = format!("{filters:?} {direction:?}: {plan:?}");
                    assert!(reads_in_order(&plan, index), "{case}");
                }
            }
        }
    }
}

/// Whether a plan reads payments, all from the index, and sorts nothing that it has read from there.
fn reads_in_order(plan: &[String], index: &str) -> bool {
    let mut reads = plan
        .iter()
        .filter(|step| step.contains(" payment "))
        .peekable();
    let is_indexed = |step: &String| step.starts_with("SEARCH") && step.contains(index);
    let sorts = |pair: &[String]| pair[0].starts_with("SEARCH payment") && pair[1].contains("TEMP");
    reads.peek().is_some() && reads.all(is_indexed) && !plan.windows(2).any(sorts)
}

#[test]
fn the_cursors_own_row_is_searched_by_its_id_alone_whatever_the_window() {
    let span = (
        FieldName::Date,
        "BETWEEN_INCLUSIVE",
        json!(["2026-01-01", "2026-02-01"]),
    );
    for filters in [
        vec![span.clone()],
        vec![(FieldName::Amount, "LESS_THAN", json!(5)), span],
    ] {
        let wanted = wanted(&filters);
        let (selection, order) = (Selection::of(&wanted).unwrap(), Order::of(&wanted.sort));
        let query = Query {
            team: TeamId::new(Uuid::from_u128(1)),
            selection: &selection,
            order: &order,
            until: IdRange::ALL,
        };
        // In the midst of the window: 2026-01-15.
        let id = "019bbf80-0000-7000-8000-000000000001";
        let cursor = Cursor {
            keys: Vec::new(),
            id: id.parse().unwrap(),
        };
        for direction in [Direction::Forward, Direction::Backward] {
            let (sql, params) = query.at(&cursor, direction);
            assert_eq!(
                (
                    sql.matches("payment_id >= ").count(),
                    sql.matches("payment_id < ").count()
                ),
                (1, 1),
                "{sql}"
            );
            assert!(params.contains(&id.into()), "{params:?}");
        }
    }
}

#[test]
fn what_no_index_holds_is_looked_for_where_no_documents_are() {
    let (sim, db) = open();
    let is = |field, value: &str| (field, "EQUALS", json!(value));
    let span = (
        FieldName::Date,
        "BETWEEN_INCLUSIVE",
        json!(["2026-01-01", "2026-02-01"]),
    );
    let contained = (FieldName::OrderId, "CONTAINS", json!("a"));
    let by_keys = [
        vec![],
        vec!["amount"],
        vec!["status", "date"],
        vec!["gateway", "country", "currency", "method"],
    ];
    for filters in [
        vec![],
        vec![(FieldName::Amount, "LESS_THAN", json!(5)), span],
        vec![
            is(FieldName::Currency, "EUR"),
            is(FieldName::Status, "SUCCEEDED"),
        ],
        vec![is(FieldName::Status, "SUCCEEDED")],
        vec![
            is(FieldName::Gateway, "a"),
            is(FieldName::Country, "IE"),
            is(FieldName::FlowId, "a"),
            contained,
        ],
        vec![
            is(FieldName::Method, "VISA"),
            is(FieldName::IntentStatus, "ACTIVE"),
        ],
    ] {
        for keys in &by_keys {
            let mut wanted = wanted(&filters);
            wanted.sort = Sort::parse(keys.iter().map(|key| (Some(*key), None))).unwrap();
            if wanted.reach() == Reach::Indexed {
                continue;
            }
            for direction in [Direction::Forward, Direction::Backward] {
                let [page, behind, at] = plans(&sim, &db, &wanted, direction);
                let looks = "SEARCH payment USING COVERING INDEX payment_scan (team_id=?";
                let on_payments = |step: &&String| {
                    step.starts_with("SEARCH payment") || step.starts_with("SCAN payment")
                };
                let [found, looked] = page.iter().filter(on_payments).collect::<Vec<_>>()[..]
                else {
                    panic!("{page:?}")
                };
                let own = "SEARCH payment USING INDEX sqlite_autoindex_payment_1 (team_id=? AND payment_id=?)";
                assert_eq!(found, own, "{filters:?} {keys:?}: {page:?}");
                assert!(looked.starts_with(looks), "{filters:?} {keys:?}: {page:?}");
                assert!(
                    behind.iter().find(on_payments).unwrap().starts_with(looks),
                    "{filters:?} {keys:?}: {behind:?}"
                );
                let at = at.iter().find(on_payments).unwrap();
                assert!(
                    at.contains("(team_id=? AND payment_id>? AND payment_id<?)"),
                    "{filters:?} {keys:?}: {at:?}"
                );
            }
        }
    }
}

#[test]
fn what_no_index_holds_is_said_to_be_scanned() {
    for (field, verb, value) in [
        (FieldName::Amount, "EQUALS", json!(5)),
        (FieldName::Currency, "EQUALS", json!("EUR")),
        (FieldName::Country, "IS_EMPTY", json!(null)),
        (FieldName::FlowId, "CONTAINS", json!("a")),
        (FieldName::OrderId, "CONTAINS", json!("a")),
    ] {
        assert_eq!(
            wanted(&[(field, verb, value)]).reach(),
            Reach::Scanned,
            "{field}"
        );
    }
    for field in domain::filter::SortField::ALL {
        let sort = Sort::parse([(Some(field.code()), None)]).unwrap();
        let by_id = matches!(field.code(), "date" | "type");
        let wanted = Wanted {
            conditions: Vec::new(),
            id: None,
            sort,
        };
        assert_eq!(wanted.reach() == Reach::Indexed, by_id, "{field}");
    }
    let nothing = wanted(&[
        (FieldName::Type, "EQUALS", json!("PAYOUT")),
        (FieldName::Amount, "EQUALS", json!(5)),
    ]);
    assert_eq!(nothing.reach(), Reach::Indexed, "nothing is looked at");
}

#[test]
fn the_window_is_what_all_conditions_on_dates_leave() {
    let at = |text: &str| Timestamp::parse(text).unwrap();
    let window = |filters: &[(FieldName, &str, Json)]| wanted(filters).window();
    assert_eq!(
        window(&[]),
        Window {
            start: None,
            end: None
        }
    );
    let between = (
        FieldName::Date,
        "BETWEEN_INCLUSIVE",
        json!(["2026-01-01", "2026-01-31"]),
    );
    let (start, end) = (
        at("2026-01-01T00:00:00Z"),
        at("2026-01-31T23:59:59.999999Z"),
    );
    assert_eq!(
        window(std::slice::from_ref(&between)),
        Window {
            start: Some(start),
            end: Some(end)
        }
    );
    let before = (
        FieldName::DateRange,
        "LESS_THAN",
        json!("2026-01-10T00:00:00Z"),
    );
    let earlier = at("2026-01-09T23:59:59.999999Z");
    assert_eq!(
        window(std::slice::from_ref(&before)),
        Window {
            start: None,
            end: Some(earlier)
        }
    );
    assert_eq!(
        window(&[between, before]),
        Window {
            start: Some(start),
            end: Some(earlier)
        }
    );
    let days = (
        FieldName::Date,
        "IN_LIST",
        json!(["2026-03-01", "2026-02-01"]),
    );
    let spread = Window {
        start: Some(at("2026-02-01T00:00:00Z")),
        end: Some(at("2026-03-01T23:59:59.999999Z")),
    };
    assert_eq!(window(&[days]), spread);
    let not = (FieldName::Date, "NOT_EQUALS", json!("2026-03-01"));
    assert_eq!(
        window(&[not, (FieldName::Amount, "EQUALS", json!(5))]),
        Window {
            start: None,
            end: None
        }
    );
}
