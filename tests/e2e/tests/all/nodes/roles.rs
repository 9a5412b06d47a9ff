//! The vault with a role of its own.

use std::process::Command;

use testkit::{Backend, Order, Postgres, Setup, cards};

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
        let output =
            Command::new("psql").args(["-X", "-A", "-t", "-c", &text, &postgres.url_of(role)]).output().unwrap();
        output.status.success()
    };
    assert!(read(&store, &format!("{name}.payment")) && read(&vault, &format!("{name}_vault.sealed")));
    for table in ["sealed", "secret", "security_code", "sealing_key"] {
        assert!(!read(&store, &format!("{name}_vault.{table}")), "{table}");
    }
    assert!(!read(&vault, &format!("{name}.payment")), "nor the other way round");
    shop.assert_books_equal_payments();
}
