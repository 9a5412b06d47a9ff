//! Health and metrics.

use testkit::{Order, PATIENCE, Setup, cards, until};

use crate::shared;

#[test]
fn health_needs_no_credential() {
    let stranger = shared::server().stranger();
    assert_eq!(stranger.get("/health/live").status, 200);
    assert_eq!(stranger.get("/health/ready").status, 200);
}

#[test]
fn metrics_are_prometheus_text_that_counts_requests_operations_and_commits() {
    let server = Setup::new().start();
    let shop = server.shop();
    shop.try_authorise(&Order::card(cards::VISA), None).data();
    shop.authorise(cards::GENERAL_DECLINE);
    let reply = shop.get("/metrics");
    assert_eq!(reply.status, 200);
    assert!(
        reply
            .header("content-type")
            .is_some_and(|kind| kind.starts_with("text/plain"))
    );
    let text = reply.text();
    for word in ["request", "operation", "attempt", "commit", "job"] {
        assert!(
            text.lines()
                .any(|line| !line.starts_with('#') && line.contains(word)),
            "nothing about {word}:\n{text}"
        );
    }
    for line in text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
    {
        let value = line.rsplit(' ').next().unwrap();
        assert!(value.parse::<f64>().is_ok(), "no metric: {line}");
    }
}

#[test]
fn logs_go_to_standard_error_and_can_be_json() {
    let server = Setup::new().setting("log.format", "json").start();
    server.shop().authorise(cards::VISA);
    // What is written last may be on its way, in parts.
    let log = until(PATIENCE, "a line", || {
        let log = server.log();
        log.rfind('\n').map(|end| log[..end].to_owned())
    });
    for line in log.lines().filter(|line| !line.trim().is_empty()) {
        assert!(
            serde_json::from_str::<serde_json::Value>(line).is_ok(),
            "no JSON: {line}"
        );
    }
}
