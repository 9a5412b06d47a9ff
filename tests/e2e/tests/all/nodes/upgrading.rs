//! Tables are brought up to date apart from serving, by a role of their own, while nodes write.

use std::fs;
use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use testkit::{Backend, Order, PATIENCE, Postgres, Server, Setup, cards, until};

/// A transaction that stays open until it is dropped.
pub(super) struct Open(Child);

impl Open {
    /// Begins one and runs this in it.
    pub(super) fn begin(postgres: &Postgres, text: &str) -> Self {
        let mut child = Command::new("psql")
            .args(["-X", "-q", "-A", "-t", &postgres.url()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("psql");
        // Stories at the same time have others.
        let name = format!("open_{}", child.id());
        let input = child.stdin.as_mut().expect("piped");
        writeln!(
            input,
            "set application_name = '{name}'; begin isolation level repeatable read; {text};"
        )
        .expect("psql reads");
        let is_open = format!(
            "select pid from pg_stat_activity where application_name = '{name}' and state = 'idle in transaction'"
        );
        until(PATIENCE, "the transaction is open", || {
            (!postgres.sql(&is_open).is_empty()).then_some(())
        });
        Self(child)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn upgrade(setup: &Setup, server: &Server, how: &str) -> Output {
    setup
        .command(&server.root(), &["upgrade", how, "--sandbox"])
        .output()
        .expect("the command runs")
}

/// A line for each database, and none for each migration.
#[track_caller]
fn assert_dry_run_of_nothing(reported: &str) {
    assert_eq!(
        reported.matches("nothing is there yet").count(),
        3,
        "{reported}"
    );
    assert!(!reported.contains("migration 1"), "{reported}");
}

/// Where the server can't be reached, the setting that says where it is is named.
#[track_caller]
fn assert_names_its_setting(mut command: Command) {
    let gone = command.output().expect("the command runs");
    assert!(said(&gone).contains("of database.url"), "{}", said(&gone));
}

fn said(output: &Output) -> String {
    format!(
        "{}{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// The first migration that is taken away: tables. The next one is an index.
const FIRST_GONE: u32 = 6;

/// The migration that makes the index for which the test of concurrent payments waits.
const INDEX: u32 = 7;

/// The code of the store's migrations from this one on, in order.
fn migrations(from: u32) -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/store/migrations");
    let mut texts: Vec<(u32, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|file| {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).unwrap();
            let code: Vec<&str> = text
                .lines()
                .filter(|line| !line.starts_with("--"))
                .collect();
            (name[..4].parse().unwrap(), code.join(" "))
        })
        .filter(|(number, _)| *number >= from)
        .collect();
    texts.sort();
    texts.into_iter().map(|(_, code)| code).collect()
}

/// Takes the last migrations of the store away, as if the tables were those of an older release.
fn age(postgres: &Postgres, schema: &str) {
    undo(postgres, schema, FIRST_GONE);
    for table in ["schema_migration", "schema_reach"] {
        postgres.sql(&format!(
            "delete from {schema}.{table} where number >= {FIRST_GONE}"
        ));
    }
}

/// Takes away what the migrations from this one on have made.
fn undo(postgres: &Postgres, schema: &str, from: u32) {
    for code in migrations(from).iter().rev() {
        for statement in code.split(';').rev() {
            let words: Vec<&str> = statement.split_whitespace().collect();
            let undone = match words.as_slice() {
                ["create", "table", name, ..] => format!("drop table {schema}.{name}"),
                ["create", "index", name, ..] | ["create", "unique", "index", name, ..] => {
                    format!("drop index if exists {schema}.{name}")
                }
                ["alter", "table", table, "add", "column", column, ..] => {
                    format!("alter table {schema}.{table} drop column {column}")
                }
                [] => continue,
                other => panic!("how is this undone? {other:?}"),
            };
            postgres.sql(&undone);
        }
    }
}

/// Makes by hand what the migrations from this one on would make.
fn redo(postgres: &Postgres, schema: &str, from: u32) {
    for code in migrations(from) {
        // With another collation the plans that the node has made before would not fit any more.
        let code = code.replace(" text", " text collate \"C\"");
        postgres.sql(&format!("set search_path to {schema}; {code}"));
    }
}

/// Makes the schemas, the role that owns them and the one that serves, as docs/postgresql.md has it.
fn make_roles(postgres: &Postgres, name: &str, owner: &str, serving: &str) {
    for text in [
        format!("create role {owner} login"),
        format!("create role {serving} login"),
        format!("create schema {name} authorization {owner}"),
        format!("create schema {name}_vault authorization {owner}"),
        format!("create schema {name}_simulator authorization {owner}"),
    ] {
        postgres.sql(&text);
    }
    for schema in [
        name.to_owned(),
        format!("{name}_vault"),
        format!("{name}_simulator"),
    ] {
        for text in [
            format!("grant usage on schema {schema} to {serving}"),
            format!(
                "alter default privileges for role {owner} in schema {schema} grant select, insert, update, delete on tables to {serving}"
            ),
        ] {
            postgres.sql(&text);
        }
    }
}

#[test]
fn a_role_that_may_not_change_the_tables_serves_and_another_brings_them_up_to_date() {
    let (postgres, name) = (Postgres::shared(), format!("up_{}", std::process::id()));
    let (owner, serving) = (format!("{name}_owner"), format!("{name}_serving"));
    make_roles(postgres, &name, &owner, &serving);
    let as_role = |role: &str| {
        Setup::new()
            .on(Backend::Postgres)
            .setting("database.url", &postgres.url_of(role))
            .setting("database.schema", &name)
    };
    let (as_owner, as_serving) = (as_role(&owner), as_role(&serving));
    let nothing = as_serving.clone().start_refused();
    assert!(!nothing.contains("listening"), "{nothing}");

    let scratch = tempfile::tempdir().unwrap();
    let run = |how: &str| {
        as_owner
            .command(scratch.path(), &["upgrade", how, "--sandbox"])
            .output()
            .unwrap()
    };
    assert_dry_run_of_nothing(&said(&run("--dry-run")));
    let elsewhere = as_owner
        .clone()
        .setting("database.url", "postgres://nobody@127.0.0.1:1/none");
    let gone = elsewhere.command(scratch.path(), &["upgrade", "--dry-run", "--sandbox"]);
    assert_names_its_setting(gone);
    let tables = format!("select count(*) from pg_tables where schemaname = '{name}'");
    assert_eq!(postgres.sql(&tables), ["0"]);
    let applied = run("--apply");
    assert!(applied.status.success(), "{}", said(&applied));

    let mut server = as_serving.clone().start();
    let shop = server.shop();
    let token = shop.tokenise(cards::VISA);
    shop.order(&Order::token(&token)).assert_status("SUCCEEDED");
    let checked = server.run(&["check", "--sandbox"]);
    assert!(!checked.contains("PROBLEM"), "{checked}");

    age(postgres, &name);
    let checked = server.command(&["check", "--sandbox"]);
    assert!(
        !checked.status.success() && said(&checked).contains("pointsman upgrade --apply"),
        "{}",
        said(&checked)
    );
    server.stop();
    let refused = as_serving.clone().start_in_refused(server.dir());
    assert!(
        refused.contains("migration 6") && refused.contains("pointsman upgrade --apply"),
        "{refused}"
    );
    let reported = upgrade(&as_owner, &server, "--dry-run");
    assert!(
        said(&reported).contains("migration 7 (feed of events): makes an index while nodes write"),
        "{}",
        said(&reported)
    );
    // One that was cut off when its index was whole has noted its reach already, and not yet itself.
    postgres.sql(&format!(
        "insert into {name}.schema_reach (number, code_from) values (7, 5)"
    ));
    let applied = upgrade(&as_owner, &server, "--apply");
    assert!(applied.status.success(), "{}", said(&applied));
    let server = as_serving.start_in(server.dir());
    server
        .shop()
        .order(&Order::token(&token))
        .assert_status("SUCCEEDED");
    server.shop().assert_books_equal_payments();
}

#[test]
fn with_migrate_at_start_off_a_start_refuses_tables_that_are_behind() {
    let mut server = Setup::new().on(Backend::Postgres).start();
    server.stop();
    let setup = server.setup().clone();
    age(setup.postgres(), &Setup::schema(&server.root()));
    let refused = setup
        .clone()
        .setting("database.migrate_at_start", "false")
        .start_in_refused(server.dir());
    assert!(refused.contains("pointsman upgrade --apply"), "{refused}");
    // Where it may, it does.
    let again = setup.start_in(server.dir());
    again
        .shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
}

#[test]
fn payments_go_on_while_an_index_is_made() {
    let server = Setup::new().on(Backend::Postgres).start();
    let (setup, shop) = (server.setup().clone(), server.shop());
    shop.authorise(cards::VISA).assert_status("SUCCEEDED");
    let (postgres, schema) = (setup.postgres(), Setup::schema(&server.root()));
    age(postgres, &schema);
    // The node that serves is of today: it needs what comes behind the index.
    redo(postgres, &schema, INDEX + 1);
    // The index waits for older transactions, and nobody waits for the index.
    let open = Open::begin(postgres, &format!("select count(*) from {schema}.payment"));
    let mut upgrading = setup
        .command(&server.root(), &["upgrade", "--apply", "--sandbox"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let invalid = format!(
        "select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid \
         join pg_namespace n on n.oid = c.relnamespace where n.nspname = '{schema}' and not i.indisvalid"
    );
    until(PATIENCE, "the index is begun", || {
        (postgres.sql(&invalid) == ["event_feed"]).then_some(())
    });
    // The index waits for as long as the transaction is open: payments that waited for it would find no end.
    for _ in 0..5 {
        shop.authorise(cards::VISA).assert_status("SUCCEEDED");
    }
    assert_eq!(postgres.sql(&invalid), ["event_feed"]);
    // It is killed, and what it left is made again.
    upgrading.kill().unwrap();
    upgrading.wait().unwrap();
    undo(postgres, &schema, INDEX + 1);
    let second = thread::scope(|scope| {
        let second = scope.spawn(|| upgrade(&setup, &server, "--apply"));
        // Most often it waits by then for the older transaction; it need not.
        thread::sleep(Duration::from_secs(1));
        drop(open);
        second.join().unwrap()
    });
    assert!(second.status.success(), "{}", said(&second));
    assert_eq!(postgres.sql(&invalid), [""; 0]);
    let numbers = format!("select count(*) from {schema}.schema_migration where number in (6, 7)");
    assert_eq!(postgres.sql(&numbers), ["2"]);
    shop.authorise(cards::VISA).assert_status("SUCCEEDED");
}
