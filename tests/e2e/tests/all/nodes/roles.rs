//! The vault with a role of its own.

use std::process::Command;

use testkit::{Backend, Order, Postgres, Setup, cards, schema_of};

#[test]
fn the_stores_role_can_not_look_into_the_vault() {
    let (postgres, name) = (Postgres::shared(), format!("roles_{}", std::process::id()));
    let (store, vault) = (format!("{name}_s"), format!("{name}_v"));
    // As docs/postgresql.md has it.
    for text in [
        format!("create role {store} login"),
        format!("create role {vault} login"),
        format!("create schema {name} authorization {store}"),
        format!("create schema {name}_simulator authorization {store}"),
        format!("create schema {name}_vault authorization {vault}"),
    ] {
        postgres.sql(&text);
    }
    let server = Setup::new()
        .on(Backend::Postgres)
        .setting("database.url", &postgres.url_of(&store))
        .setting("database.schema", &name)
        .setting("vault.database_url", &postgres.url_of(&vault))
        .start();
    let shop = server.shop();
    let token = shop.tokenise(cards::VISA);
    shop.order(&Order::token(&token)).assert_status("SUCCEEDED");
    shop.authorise(cards::VISA).assert_status("SUCCEEDED");
    let checked = server.run(&["check", "--sandbox"]);
    assert!(!checked.contains("warning"), "{checked}");
    let read = |role: &str, table: &str| {
        let text = format!("select count(*) from {table}");
        let output = Command::new("psql")
            .args(["-X", "-A", "-t", "-c", &text, &postgres.url_of(role)])
            .output()
            .unwrap();
        output.status.success()
    };
    assert!(
        read(&store, &format!("{name}.payment")) && read(&vault, &format!("{name}_vault.sealed"))
    );
    for table in ["sealed", "secret", "security_code", "sealing_key"] {
        assert!(!read(&store, &format!("{name}_vault.{table}")), "{table}");
    }
    assert!(
        !read(&vault, &format!("{name}.payment")),
        "nor the other way round"
    );
    shop.assert_books_equal_payments();
}

#[test]
fn a_node_that_looks_for_the_vault_in_a_wrong_place_does_not_begin_another() {
    let postgres = Postgres::shared();
    let server = Setup::new().on(Backend::Postgres).start();
    server.shop().tokenise(cards::VISA);
    let other = format!("other_{}", std::process::id());
    postgres.sql(&format!("create database {other}"));
    let (schema, keys) = (
        schema_of(&server.root()),
        server.data_dir().join("vault.keys"),
    );
    let kept = std::fs::read(&keys).unwrap();
    let wrong = Setup::new()
        .on(Backend::Postgres)
        .setting("database.schema", &schema)
        .setting("vault.key_file", keys.to_str().unwrap())
        .setting(
            "vault.database_url",
            &postgres.url().replace("/postgres?", &format!("/{other}?")),
        );
    let said = wrong.start_refused();
    assert!(said.contains("nothing in its vault yet"), "{said}");
    assert_eq!(std::fs::read(&keys).unwrap(), kept);
    server
        .shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
}
