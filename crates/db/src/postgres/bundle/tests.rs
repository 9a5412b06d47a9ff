//! What becomes of texts.

use super::*;
use crate::{Select, params};

fn bundle(statements: &[Statement]) -> Option<Bundle<'_>> {
    let changes: Vec<&[Statement]> = statements.iter().map(std::slice::from_ref).collect();
    match bundled(&changes)?.into_iter().next()? {
        Part::Bundle(bundle) => Some(bundle),
        Part::Change(_) => None,
    }
}

static NEW: Insert = Insert::new("t", &["a", "b"]);
static OWN: Insert = Insert::new("t", &["team_id", "a"]);
static OR: Insert = Insert::or(
    "t",
    &["a", "b", "c"],
    &["on conflict (a) do update set b = excluded.b - ", ""],
);
static NEXT: Update = Update::new("t", &["id"], &["a"]).expecting(&["version"]);
static OF_TEAM: Update = Update::new("t", &["team_id", "id"], &["a"]);

#[test]
fn guards_of_dates_become_one_that_counts_those_that_pass() {
    let dated = |date: i64| {
        let guard = Statement {
            parts: Parts::DateGuard,
            ..Statement::one(dates::GUARD, params![date])
        };
        [NEW.with(params![date, 1]), guard]
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
    let all = [
        OR.with(params!["x", 7, None::<&str>, 9]),
        OR.with(params!["y", None::<i64>, None::<&str>, 9]),
    ];
    let made = bundle(&all).unwrap();
    assert_eq!(
        made.sql,
        "insert into t (a, b, c) select u.arg_1, u.arg_2, null \
         from unnest($1::text[], $2::bigint[]) as u(arg_1, arg_2) on conflict (a) do update set b = excluded.b - $3"
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
    let unlike = [all[0].clone(), OR.with(params!["y", 7, None::<&str>, 10])];
    assert!(
        bundle(&unlike).is_none(),
        "what stands behind the values must be the same for all"
    );
}

#[test]
fn the_team_of_all_is_one_parameter() {
    let own = [OWN.with(params!["one", 1]), OWN.with(params!["one", 2])];
    let made = bundle(&own).unwrap();
    assert_eq!(
        made.sql,
        "insert into t (team_id, a) select $1, u.arg_2 from unnest($2::bigint[]) as u(arg_2)"
    );
    let of_two = [OWN.with(params!["one", 1]), OWN.with(params!["two", 2])];
    assert_eq!(
        bundle(&of_two).unwrap().sql,
        "insert into t (team_id, a) select u.arg_1, u.arg_2 from unnest($1::text[], $2::bigint[]) as u(arg_1, arg_2)"
    );
    let updates = [1, 2].map(|id| OF_TEAM.with(params!["one", id, "v"]));
    let sql = bundle(&updates).unwrap().sql;
    assert!(
        sql.contains("where team_id = $1 and id = u.arg_2 returning"),
        "{sql}"
    );
}

#[test]
fn updates_become_one_in_which_each_touches_one_row() {
    let all = [NEXT.with(params![1, "x", 3]), NEXT.with(params![2, "x", 4])];
    assert_eq!(
        bundle(&all).unwrap().sql,
        "with done as (update t set a = u.arg_2 from unnest($1::bigint[], $2::text[], $3::bigint[]) with ordinality \
         as u(arg_1, arg_2, arg_3, arg_no) where id = u.arg_1 and version = u.arg_3 returning u.arg_no) \
         select from done group by arg_no having count(*) = 1"
    );
}

#[test]
fn updates_that_may_touch_any_number_of_rows_are_bundled_when_their_rows_are_surely_apart() {
    let any = |keys: [i64; 2]| keys.map(|key| NEXT.with(params![key, "v", key]).or_none());
    assert!(bundle(&any([1, 2])).is_some());
    assert!(bundle(&any([1, 1])).is_none());
}

#[test]
fn what_has_no_parts_and_what_is_not_of_one_type_is_left_as_it_is() {
    let text = "insert into t (a, b) values ($1, $2)";
    let plain = [1, 2].map(|number| Statement::one(text, params![number, 1]));
    assert!(bundle(&plain).is_none());
    let reworded = [1, 2].map(|number| NEW.with(params![number, 1]).reworded(text));
    assert!(bundle(&reworded).is_none());
    assert!(bundle(&[NEW.with(params![1, 1]), NEW.with(params!["1", 1])]).is_none());
    assert!(bundle(&[NEW.with(params![1, 1]), NEW.with(params![1])]).is_none());
}

#[test]
fn only_changes_of_one_shape_are_bundled_and_only_when_their_statements_write_different_tables() {
    static OTHER: Insert = Insert::new("u", &["a"]);
    let sent = |changes: &[Vec<Statement>]| {
        let changes: Vec<&[Statement]> = changes.iter().map(Vec::as_slice).collect();
        bundled(&changes).map(|parts| {
            let shown = |part: Part<'_>| match part {
                Part::Bundle(bundle) => bundle.sql.split(' ').nth(2).map(str::to_owned),
                Part::Change(index) => Some(index.to_string()),
            };
            parts.into_iter().filter_map(shown).collect::<Vec<_>>()
        })
    };
    let insert = |key: i64| NEW.with(params![key, key]);
    let both = |key: i64| vec![insert(key), OTHER.with(params![key])];
    let one = |key: i64| vec![insert(key)];
    assert_eq!(
        sent(&[both(1), one(2), both(3), both(4)]),
        Some(["t", "u", "1"].map(str::to_owned).into())
    );
    assert_eq!(sent(&[both(1), one(2)]), None);
    let twice = |key: i64| vec![insert(key), OTHER.with(params![key]), insert(key + 10)];
    assert_eq!(sent(&[twice(1), twice(2)]), None);
}

#[test]
fn reads_become_one_in_which_each_row_says_for_whom_it_is() {
    static READ: Select = Select::new("t", &["a", "b"], &["id", "c"]).only_if("d is null");
    let all = [READ.with(params!["x", 1]), READ.with(params!["y", 2])];
    let asked =
        |all: &[Statement]| bundled_read(&all.iter().collect::<Vec<_>>()).map(|bundle| bundle.sql);
    assert_eq!(
        asked(&all).unwrap(),
        "select q.*, u.arg_no from unnest($1::text[], $2::bigint[]) with ordinality as u(arg_1, arg_2, arg_no), \
         lateral (select a, b from t where id = u.arg_1 and c = u.arg_2 and d is null) as q"
    );
    assert_eq!(asked(&all[..1]), None);
    let plain =
        [1, 2].map(|number| Statement::any("select a from t where b = $1", params![number]));
    assert_eq!(asked(&plain), None);
}
