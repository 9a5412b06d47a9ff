//! Lists of customers, on the paths that a merchant takes.

use db::{Committed, Db};
use domain::page::{Direction, Page};
use store::{
    Part,
    customer_list::{self, Wanted},
};
use world::World;

use crate::samples::{NEW_YEAR, commit, customer, team};

fn names(listed: &store::Listed<domain::customer::Customer>) -> Vec<&str> {
    listed
        .rows
        .iter()
        .map(|(_, customer)| customer.name.as_str())
        .collect()
}

#[test]
fn customers_are_listed_newest_first_and_found_by_address_or_part_of_a_name() {
    let (world, sim) = World::simulated(1);
    let db = Db::sqlite_inline(store::MIGRATIONS, &world).unwrap();
    sim.run_until(found_by_address_or_part_of_a_name(&db))
        .unwrap();
}

pub(crate) async fn found_by_address_or_part_of_a_name(db: &Db) {
    let (own, other) = (team(1), team(2));
    for (n, (name, email)) in [
        ("Ada Lovelace", Some("Ada@Example.com")),
        ("Bea", None),
        ("Ådne Ada", Some("a@b.c")),
        ("100% Ltd", None),
    ]
    .into_iter()
    .enumerate()
    {
        let made_at = NEW_YEAR + i64::try_from(n).unwrap();
        let rows = [
            customer(own, made_at, name, email),
            customer(other, made_at, "Ada of another", email),
        ];
        assert_eq!(
            commit(db, rows.iter().map(store::customer::insert)).await,
            Committed::Done
        );
    }
    let all = Part {
        size: 10,
        direction: Direction::Forward,
        cursor: None,
        until: None,
    };
    for (email, name, found) in [
        (
            None,
            None,
            vec!["100% Ltd", "Ådne Ada", "Bea", "Ada Lovelace"],
        ),
        (Some("ADA@example.COM"), None, vec!["Ada Lovelace"]),
        (Some("ada@example.co"), None, vec![]),
        (None, Some("aDA"), vec!["Ådne Ada", "Ada Lovelace"]),
        (None, Some("å"), vec!["Ådne Ada"]),
        (None, Some("%"), vec!["100% Ltd"]),
        (
            None,
            Some(""),
            vec!["100% Ltd", "Ådne Ada", "Bea", "Ada Lovelace"],
        ),
        (None, Some("of another"), vec![]),
        (Some("a@b.c"), Some("ada"), vec!["Ådne Ada"]),
        (Some(""), None, vec![]),
    ] {
        let wanted = Wanted {
            order: domain::filter::SortOrder::Descending,
            email: email.map(str::to_owned),
            name: name.map(str::to_owned),
        };
        let listed = customer_list::page(db, own, &wanted, &all).await.unwrap();
        assert_eq!(names(&listed), found, "{wanted:?}");
        let count = customer_list::count(db, own, &wanted).await.unwrap();
        assert_eq!(usize::try_from(count).unwrap(), found.len(), "{wanted:?}");
    }
}

#[test]
fn pages_of_customers_join_up_in_both_directions_while_one_is_deleted_and_one_added() {
    let (world, sim) = World::simulated(1);
    let db = Db::sqlite_inline(store::MIGRATIONS, &world).unwrap();
    sim.run_until(joined_up(&db)).unwrap();
}

pub(crate) async fn joined_up(db: &Db) {
    // A team that has no customers yet.
    let own = team(3);
    let (wanted, shape) = (
        Wanted::default(),
        customer_list::shape(domain::filter::SortOrder::Descending),
    );
    for n in 0..5 {
        commit(
            db,
            [store::customer::insert(&customer(
                own,
                NEW_YEAR + n,
                &n.to_string(),
                None,
            ))],
        )
        .await;
    }
    let first = Part {
        size: 2,
        direction: Direction::Forward,
        cursor: None,
        until: None,
    };
    let first = customer_list::page(db, own, &wanted, &first).await.unwrap();
    assert_eq!(
        (names(&first), first.has_next, first.has_previous),
        (vec!["4", "3"], true, false)
    );
    commit(db, [store::customer::delete(&first.rows[1].1)]).await;
    commit(
        db,
        [store::customer::insert(&customer(
            own,
            NEW_YEAR + 9,
            "9",
            None,
        ))],
    )
    .await;
    let after = first.rows[1].0.encode(&shape);
    let page = Page::parse(Some(3), Some(after.clone()), None, None).unwrap();
    let rest = customer_list::page(db, own, &wanted, &Part::of(&page, &shape).unwrap())
        .await
        .unwrap();
    assert_eq!(
        (names(&rest), rest.has_next, rest.has_previous),
        (vec!["2", "1", "0"], false, true)
    );
    let page = Page::parse(None, None, Some(1), Some(after)).unwrap();
    let back = customer_list::page(db, own, &wanted, &Part::of(&page, &shape).unwrap())
        .await
        .unwrap();
    assert_eq!(
        (names(&back), back.has_next, back.has_previous),
        (vec!["4"], true, true)
    );
    let last = Part {
        size: 2,
        direction: Direction::Backward,
        cursor: None,
        until: None,
    };
    let last = customer_list::page(db, own, &wanted, &last).await.unwrap();
    assert_eq!(
        (names(&last), last.has_next, last.has_previous),
        (vec!["1", "0"], false, true)
    );
}
