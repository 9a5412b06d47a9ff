//! What becomes of texts.

use super::*;
use crate::params;

fn bundle(statements: &[Statement]) -> Option<Bundle<'_>> {
    let changes: Vec<&[Statement]> = statements.iter().map(std::slice::from_ref).collect();
    match bundled(&changes)?.into_iter().next()? {
        Part::Bundle(bundle) => Some(bundle),
        Part::Change(_) => None,
    }
}

#[test]
fn guards_of_dates_become_one_that_counts_those_that_pass() {
    let dated = |date: i64| {
        let insert = "insert into t (a) values ($1)";
        [
            Statement::one(insert, params![date]),
            Statement::one(dates::GUARD, params![date]),
        ]
    };
    let (one, other) = (dated(1), dated(2));
    let parts = bundled(&[&one, &other]).unwrap();
    let [Part::Bundle(_), Part::Bundle(guards)] = parts.as_slice() else {
        panic!("not bundled")
    };
    assert_eq!(guards.sql, dates::GUARDS);
    assert_eq!(guards.params, [Param::Ints(vec![Some(1), Some(2)])]);
    assert_eq!(guards.wanted, Some(2));
}

#[test]
fn inserts_become_one_over_arrays() {
    let sql = "insert into t (a, b, c, d) values ($1, 1, $2, coalesce($3, $1)) on conflict (a) do update set b = $4";
    let all = [
        Statement::one(sql, params!["x", 7, None::<&str>, 9]),
        Statement::one(sql, params!["y", None::<i64>, None::<&str>, 9]),
    ];
    let made = bundle(&all).unwrap();
    assert_eq!(
        made.sql,
        "insert into t (a, b, c, d) select u.arg_1, 1, u.arg_2, coalesce(null, u.arg_1) \
         from unnest($1::text[], $2::bigint[]) as u(arg_1, arg_2) on conflict (a) do update set b = $3"
    );
    let wanted = [
        Param::Texts(vec![Some("x"), Some("y")]),
        Param::Ints(vec![Some(7), None]),
        Param::One(&Value::Int(9)),
    ];
    assert_eq!(
        (made.params.as_slice(), made.wanted),
        (wanted.as_slice(), Some(2))
    );
    let unlike = [
        all[0].clone(),
        Statement::one(sql, params!["y", 7, None::<&str>, 10]),
    ];
    assert!(
        bundle(&unlike).is_none(),
        "what stands behind the values must be the same for all"
    );
}

#[test]
fn updates_become_one_in_which_each_touches_one_row() {
    let sql = "update t set a = $2, b = b + 1 where id = $1 and a < $2";
    let all = [
        Statement::one(sql, params!["x", 1]),
        Statement::one(sql, params!["x", 2]),
    ];
    assert_eq!(
        bundle(&all).unwrap().sql,
        "with done as (update t set a = u.arg_2, b = b + 1 from unnest($1::bigint[], $2::text[]) with ordinality \
         as u(arg_2, arg_1, arg_no) where id = u.arg_1 and a < u.arg_2 returning u.arg_no) \
         select from done group by arg_no having count(*) = 1"
    );
}

#[test]
fn updates_that_may_touch_any_number_of_rows_are_bundled_when_their_rows_are_surely_apart() {
    let any =
        |sql: &'static str, keys: [i64; 2]| keys.map(|key| Statement::any(sql, params![key, "v"]));
    let (keyed, open) = (
        "update t set a = $2 where id = $1",
        "update t set a = $2 where id < $1",
    );
    assert!(bundle(&any(keyed, [1, 2])).is_some());
    assert!(bundle(&any(keyed, [1, 1])).is_none());
    assert!(bundle(&any(open, [1, 2])).is_none());
}

#[test]
fn what_cannot_be_told_apart_safely_is_left_as_it_is() {
    let pair = |sql: &'static str| [1, 2].map(|number| Statement::one(sql, params![number]));
    for sql in [
        "insert into t (a) select $1",
        "insert into t (a, b) values ($1, '$2')",
        "insert into t (a) values (1)",
        "update t set a = $1",
        "update t set a = (select 1) where b = $1",
        "update t set a = 1 where b = $1 returning a",
        "delete from t where a = $1",
    ] {
        assert!(bundle(&pair(sql)).is_none(), "{sql}");
    }
    let mixed = "insert into t (a) values ($1)";
    assert!(
        bundle(&[
            Statement::one(mixed, params![1]),
            Statement::one(mixed, params!["1"])
        ])
        .is_none()
    );
}

#[test]
fn only_changes_of_one_shape_are_bundled_and_only_when_their_statements_write_different_tables() {
    let insert = |table: &str, key: i64| {
        Statement::one(format!("insert into {table} (a) values ($1)"), params![key])
    };
    let sent = |changes: &[Vec<Statement>]| {
        let changes: Vec<&[Statement]> = changes.iter().map(Vec::as_slice).collect();
        bundled(&changes).map(|parts| {
            let told = |part: Part<'_>| match part {
                Part::Bundle(bundle) => bundle.sql.split(' ').nth(2).map(str::to_owned),
                Part::Change(index) => Some(index.to_string()),
            };
            parts.into_iter().filter_map(told).collect::<Vec<_>>()
        })
    };
    let both = |key| vec![insert("t", key), insert("u", key)];
    let one = |key| vec![insert("t", key)];
    assert_eq!(
        sent(&[both(1), one(2), both(3), both(4)]),
        Some(["t", "u", "1"].map(str::to_owned).into())
    );
    assert_eq!(sent(&[both(1), one(2)]), None);
    let twice = |key| vec![insert("t", key), insert("u", key), insert("t", key + 10)];
    assert_eq!(sent(&[twice(1), twice(2)]), None);
}

#[test]
fn reads_become_one_in_which_each_row_says_for_whom_it_is() {
    let sql = "select a, b from t where id = $1 and c > $2";
    let all = [
        Statement::any(sql, params!["x", 1]),
        Statement::any(sql, params!["y", 2]),
    ];
    let asked =
        |all: &[Statement]| bundled_read(&all.iter().collect::<Vec<_>>()).map(|bundle| bundle.sql);
    assert_eq!(
        asked(&all).unwrap(),
        "select q.*, u.arg_no from unnest($1::text[], $2::bigint[]) with ordinality as u(arg_1, arg_2, arg_no), \
         lateral (select a, b from t where id = u.arg_1 and c > u.arg_2) as q"
    );
    assert_eq!(asked(&all[..1]), None);
    for other in [
        "select a from t where b = $1 order by a",
        "select a from t where b = $1 and c = 'x'",
        "select 1",
    ] {
        assert_eq!(
            asked(&[1, 2].map(|number| Statement::any(other, params![number]))),
            None,
            "{other}"
        );
    }
}
