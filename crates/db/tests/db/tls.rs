//! The server is spoken to as `sslmode` says.

use std::time::Duration;

use db::{Db, DbError, PostgresOptions, params};
use world::World;

use crate::{books::MIGRATIONS, postgres_server::Server};

/// Whether what is said is encrypted.
async fn encrypted(server: &Server, host: &str, query: &str) -> Result<bool, DbError> {
    let url = format!(
        "postgres://postgres@{host}:{}/postgres{query}",
        server.port()
    );
    let options = PostgresOptions {
        url,
        patience: Duration::ZERO,
        ..server.options(None)
    };
    let db = Db::postgres(options, MIGRATIONS, &World::real()).await?;
    let sql = "select count(*) from pg_stat_ssl where pid = pg_backend_pid() and ssl";
    let rows = db.read(sql, params![]).await.unwrap();
    db.close().await;
    rows[0].flag(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_is_spoken_and_the_server_is_checked_as_asked_for() {
    let server = Server::start(&["ssl=on"]);
    let with = |mode: &str, file: &str| {
        format!(
            "?sslmode={mode}&sslrootcert={}",
            server.directory().join(file).display()
        )
    };
    assert_eq!(
        encrypted(&server, "localhost", "?sslmode=disable").await,
        Ok(false)
    );
    // The server's certificate is for `localhost`.
    for (host, query) in [
        ("localhost", String::new()),
        ("127.0.0.1", "?sslmode=require".to_owned()),
        ("127.0.0.1", with("require", "ca.pem")),
        ("127.0.0.1", with("verify-ca", "ca.pem")),
        ("localhost", with("verify-full", "ca.pem")),
    ] {
        assert_eq!(
            encrypted(&server, host, &query).await,
            Ok(true),
            "{host} {query}"
        );
    }
    for (host, query, why) in [
        (
            "127.0.0.1",
            with("verify-full", "ca.pem"),
            "not valid for name",
        ),
        (
            "localhost",
            with("verify-full", "other.pem"),
            "UnknownIssuer",
        ),
        ("localhost", with("verify-ca", "other.pem"), "UnknownIssuer"),
        ("localhost", with("require", "other.pem"), "UnknownIssuer"),
        (
            "localhost",
            "?sslmode=verify-full".to_owned(),
            "UnknownIssuer",
        ),
    ] {
        let refused = encrypted(&server, host, &query)
            .await
            .unwrap_err()
            .to_string();
        assert!(refused.contains(why), "{host} {query}: {refused}");
    }
    let nothing = encrypted(&server, "localhost", &with("verify-full", "log"))
        .await
        .unwrap_err();
    assert!(
        matches!(&nothing, DbError::Address(why) if why.contains("no certificate")),
        "{nothing}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_demands_a_certificate_gets_it() {
    let server = Server::start(&["ssl=on", "ssl_ca_file=../ca.pem"]);
    let file = |name: &str| server.directory().join(name).display().to_string();
    let plain = format!("?sslmode=verify-full&sslrootcert={}", file("ca.pem"));
    let shown = |name: &str| {
        let (certificate, key) = (file(&format!("{name}.pem")), file(&format!("{name}.key")));
        format!("{plain}&sslcert={certificate}&sslkey={key}")
    };
    assert_eq!(
        encrypted(&server, "localhost", &shown("postgres")).await,
        Ok(true)
    );
    for (query, why) in [
        (plain.clone(), "requires a valid client certificate"),
        (shown("mallory"), "authentication failed for user"),
    ] {
        let refused = encrypted(&server, "localhost", &query).await.unwrap_err();
        assert!(refused.to_string().contains(why), "{query}: {refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_tls_is_refused_when_tls_is_required() {
    let server = Server::shared();
    assert_eq!(encrypted(server, "127.0.0.1", "").await, Ok(false));
    let refused = encrypted(server, "127.0.0.1", "?sslmode=require")
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("server does not support TLS"),
        "{refused}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_of_the_same_machine_is_spoken_to_plainly() {
    let server = Server::start(&["unix_socket_directories=."]);
    let place = server.directory().join("data");
    let (place, port) = (place.to_str().unwrap(), server.port());
    let encoded = place.replace('/', "%2F");
    for url in [
        format!("postgres://postgres@{encoded}:{port}/postgres"),
        format!("postgres://postgres@{encoded}:{port}/postgres?sslmode=verify-full"),
        format!("postgres://postgres@/postgres?host={place}&port={port}"),
    ] {
        let options = PostgresOptions {
            url: url.clone(),
            patience: Duration::ZERO,
            ..server.options(None)
        };
        let db = Db::postgres(options, MIGRATIONS, &World::real()).await;
        assert!(db.is_ok(), "{url}: {:?}", db.err());
    }
}
