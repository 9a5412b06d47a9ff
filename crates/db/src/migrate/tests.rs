use super::*;

const FIRST: Migration = Migration {
    number: 1,
    name: "payments",
    sql: "create table payment (team_id text not null, id text not null, amount bigint not null, primary key (team_id, id));",
};
const SECOND: Migration = Migration {
    number: 2,
    name: "notes",
    sql: "alter table payment add column note text",
};

fn memory() -> Connection {
    Connection::open_in_memory().unwrap()
}

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

#[test]
fn migrations_are_applied_in_order_and_once() {
    let connection = memory();
    apply(&connection, &[FIRST], at(5)).unwrap();
    apply(&connection, &[FIRST, SECOND], at(6)).unwrap();
    apply(&connection, &[FIRST, SECOND], at(7)).unwrap();
    connection
        .execute(
            "insert into payment (team_id, id, amount, note) values ('t', 'p', 5, 'n')",
            (),
        )
        .unwrap();
    let book: Vec<(u32, String, i64)> = connection
        .prepare("select number, name, applied_at from schema_migration order by number")
        .unwrap()
        .query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(
        book,
        [(1, "payments".to_owned(), 5), (2, "notes".to_owned(), 6)]
    );
}

#[test]
fn tables_are_strict() {
    let connection = memory();
    apply(&connection, &[FIRST], at(1)).unwrap();
    let wrong = connection.execute(
        "insert into payment (team_id, id, amount) values ('t', 'p', 'five')",
        (),
    );
    assert!(
        wrong
            .unwrap_err()
            .to_string()
            .contains("cannot store TEXT value in INTEGER column")
    );
}

#[test]
fn an_edited_migration_is_refused() {
    let connection = memory();
    apply(&connection, &[FIRST], at(1)).unwrap();
    let edited = Migration {
        sql: "create table payment (id text)",
        ..FIRST
    };
    let error = apply(&connection, &[edited, SECOND], at(2)).unwrap_err();
    assert_eq!(
        error,
        DbError::Schema("migration 1 is not the one that was applied to it".into())
    );
    assert!(
        connection
            .execute("update payment set note = 'x'", ())
            .is_err(),
        "the second must not be applied"
    );
}

#[test]
fn a_database_of_a_newer_release_is_refused() {
    let connection = memory();
    apply(&connection, &[FIRST, SECOND], at(1)).unwrap();
    let error = apply(&connection, &[FIRST], at(2)).unwrap_err();
    assert_eq!(
        error,
        DbError::Schema("it has migration 2, which only a newer release knows".into())
    );
}

#[test]
fn code_runs_on_tables_of_a_newer_release_that_says_so() {
    let connection = memory();
    let second = Migration {
        sql: "-- code from: 1\nalter table payment add column note text",
        ..SECOND
    };
    let third = Migration {
        number: 3,
        name: "more",
        sql: "-- code from: 2\ncreate table more (a text)",
    };
    apply(&connection, &[FIRST, second], at(1)).unwrap();
    apply(&connection, &[FIRST], at(2)).unwrap();
    connection
        .execute(
            "insert into payment (team_id, id, amount) values ('t', 'p', 5)",
            (),
        )
        .unwrap();
    apply(&connection, &[FIRST, second, third], at(3)).unwrap();
    apply(&connection, &[FIRST, second], at(4)).unwrap();
    let error = apply(&connection, &[FIRST], at(5)).unwrap_err();
    assert_eq!(
        error,
        DbError::Schema("it has migration 3, which only a newer release knows".into())
    );
}

#[test]
fn what_older_code_may_run_on_only_adds() {
    let lenient = |sql: &'static str| not_for_older_code(&[FIRST, Migration { sql, ..SECOND }]);
    assert!(
        lenient("-- code from: 1\ncreate table a (b text);\n\ncreate index a_b on a (b);")
            .is_empty()
    );
    assert!(lenient("-- code from: 1\nalter table payment add column c bigint;").is_empty());
    assert!(
        lenient("-- code from: 1\nalter table payment add column c bigint not null default 0")
            .is_empty()
    );
    assert!(
        lenient("drop table payment").is_empty(),
        "older code does not run on it"
    );
    for wrong in [
        "-- code from: 1\ndrop table payment",
        "-- code from: 1\nalter table payment add column c bigint not null",
        "-- code from: 1\ncreate unique index one on payment (team_id)",
        "-- code from: 1\nupdate payment set amount = 0",
    ] {
        assert_eq!(lenient(wrong).len(), 1, "{wrong}");
    }
}

#[test]
fn numbers_ascend_and_may_have_gaps() {
    let third = Migration {
        number: 3,
        ..SECOND
    };
    apply(&memory(), &[FIRST, third], at(1)).unwrap();
    let error = apply(&memory(), &[third, FIRST], at(1)).unwrap_err();
    assert_eq!(error, DbError::Schema("migration 1 stands behind 3".into()));
}

#[test]
fn an_index_on_a_table_in_use_must_be_made_concurrently() {
    let blocking = |sql| {
        let third = Migration {
            number: 3,
            name: "index",
            sql,
        };
        blocking_indexes(&[FIRST, SECOND, third], 1)
    };
    assert_eq!(blocking("create index a on payment (amount)").len(), 1);
    let fine = "-- concurrently\ncreate index a on payment (amount);\ncreate unique index b on payment (id)";
    assert_eq!(blocking(fine), [""; 0]);
    let own = "create table b (id text not null, primary key (id)); create index a on b (id)";
    assert_eq!(blocking(own), [""; 0]);
    assert_eq!(blocking("-- concurrently\ndrop table payment").len(), 1);
}

#[test]
fn a_migration_that_fails_leaves_nothing_of_itself() {
    let connection = memory();
    let broken = Migration {
        sql: "create table half (id text not null); create table",
        ..SECOND
    };
    let error = apply(&connection, &[FIRST, broken], at(1)).unwrap_err();
    assert!(matches!(error, DbError::Schema(text) if text.starts_with("migration 2 failed")));
    assert!(connection.is_autocommit());
    assert!(connection.prepare("select id from half").is_err());
    apply(&connection, &[FIRST, SECOND], at(2)).unwrap();
}

#[test]
fn a_key_that_may_be_null_is_found() {
    let loose = Migration {
        number: 2,
        name: "loose",
        sql: "create table loose (a text not null, b bigint, primary key (a, b))",
    };
    assert_eq!(nullable_keys(&[FIRST, loose]).unwrap(), ["loose.b"]);
    assert_eq!(
        nullable_keys(&[FIRST, SECOND]).unwrap(),
        Vec::<String>::new()
    );
}
