//! Metrics: families with help, held against the linter of Prometheus, and what they say of payments.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use testkit::{Backend, Order, PATIENCE, Server, Setup, Shop, cards, until};

/// Runs Prometheus' own tool; nothing may be found.
#[track_caller]
fn promtool(arguments: &[&str], input: &str) {
    let mut tool = Command::new("promtool")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool is installed (Debian's package prometheus)");
    let mut stdin = tool.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = tool.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}{}\n{input}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The sum of the samples that have all of the words.
fn value(text: &str, words: &[&str]) -> f64 {
    text.lines()
        .filter(|line| !line.starts_with('#') && words.iter().all(|word| line.contains(word)))
        .map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap())
        .sum()
}

fn metrics(shop: &Shop) -> String {
    shop.get("/metrics").text()
}

fn a_day(server: &Server) -> Shop {
    let shop = server.shop();
    for card in [cards::VISA, cards::MASTERCARD] {
        shop.authorise(card).assert_status("SUCCEEDED");
    }
    shop.authorise(cards::INSUFFICIENT_FUNDS)
        .assert_status("DECLINED");
    let later = shop.authorise_later(cards::VISA).id();
    shop.capture(&later);
    shop.refund(&later, 100);
    let down = Order::card(cards::VISA).at("simulator-down");
    shop.try_headless(&down, None);
    let key = Shop::fresh_key();
    for _ in 0..2 {
        shop.try_authorise(&Order::card(cards::VISA), Some(&key));
    }
    shop
}

#[test]
fn promtool_finds_nothing_in_the_metrics_of_a_busy_server() {
    let server = Setup::new().start();
    let text = metrics(&a_day(&server));
    promtool(&["check", "metrics"], &text);
    for line in text.lines().filter(|line| line.starts_with("# TYPE ")) {
        let name = line.split(' ').nth(2).unwrap();
        assert!(
            text.contains(&format!("# HELP {name} ")),
            "{name} has no help"
        );
    }
}

#[test]
fn promtool_finds_nothing_in_the_alert_rules_and_they_name_what_there_is() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let rules = format!("{root}/docs/alerts.yml");
    promtool(&["check", "rules", &rules], "");
    let document = std::fs::read_to_string(format!("{root}/docs/metrics.md")).unwrap();
    let rules = std::fs::read_to_string(rules).unwrap();
    let is_name = |letter: char| letter.is_ascii_lowercase() || letter == '_';
    for name in rules
        .split(|letter| !is_name(letter))
        .filter(|word| word.starts_with("pointsman_") || word.starts_with("process_"))
    {
        let family = name
            .trim_end_matches("_bucket")
            .trim_end_matches("_count")
            .trim_end_matches("_sum");
        assert!(
            document.contains(&format!("`{family}`")),
            "docs/metrics.md does not name {family}"
        );
    }
}

/// Every selector of the rules' expressions: a family, with the labels that must equal something.
fn selectors(rules: &str) -> Vec<(String, Vec<String>)> {
    let mut expressions = String::new();
    let mut inside = false;
    for line in rules.lines() {
        let line = line.trim();
        inside = line.starts_with("expr:") || (inside && !line.contains(": "));
        if inside {
            expressions += line;
            expressions.push(' ');
        }
    }
    let is_name = |letter: char| letter.is_ascii_lowercase() || letter == '_';
    let mut found = Vec::new();
    let mut rest = expressions.as_str();
    while let Some(at) = ["pointsman_", "process_"]
        .iter()
        .filter_map(|prefix| rest.find(prefix))
        .min()
    {
        rest = &rest[at..];
        let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let inner = behind
            .strip_prefix('{')
            .and_then(|inner| inner.split_once('}'))
            .map_or("", |(inner, _)| inner);
        let labels = inner
            .split(',')
            .map(str::trim)
            .filter(|label| label.contains("=\"") && !label.contains("!="))
            .map(str::to_owned)
            .collect();
        found.push((name.to_owned(), labels));
        rest = behind;
    }
    found
}

#[test]
fn a_fresh_server_shows_everything_that_the_alert_rules_ask_for() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let rules = std::fs::read_to_string(format!("{root}/docs/alerts.yml")).unwrap();
    let wanted = selectors(&rules);
    assert!(wanted.len() > 20, "{wanted:?}");
    let server = Setup::new().start();
    let shop = server.shop();
    // What waits in the database is counted by a task of its own.
    let text = until(PATIENCE, "the connections are counted", || {
        let text = metrics(&shop);
        text.contains("pointsman_payments_overdue_seconds ")
            .then_some(text)
    });
    let is_shared = server.setup().backend() == Backend::Postgres;
    for (family, labels) in wanted {
        // Only where the service has a certificate, or a database's server.
        if family.starts_with("pointsman_tls_certificate")
            || (!is_shared
                && (family.starts_with("pointsman_db_connections_")
                    || family == "pointsman_db_clock_skew_seconds"))
        {
            continue;
        }
        let is_shown = text.lines().any(|line| {
            line.strip_prefix(&family)
                .is_some_and(|more| more.starts_with(['{', ' ']))
                && labels.iter().all(|label| line.contains(label))
        });
        assert!(is_shown, "{family} {labels:?} is not shown: {text}");
    }
    for unavailable in ["error.unavailable", "error.unknown"] {
        let shown = format!(
            "pointsman_http_requests_total{{operation=\"authorizePayment\",code=\"{unavailable}\"}} 0"
        );
        assert!(text.contains(&shown), "{text}");
    }
    promtool(&["check", "metrics"], &text);
}

#[test]
fn payments_are_counted_once_by_outcome_and_connection() {
    let server = Setup::new().start();
    let text = metrics(&a_day(&server));
    let payments = |words: &[&str]| {
        let words: Vec<&str> = ["pointsman_payments_total{"]
            .iter()
            .chain(words)
            .copied()
            .collect();
        value(&text, &words)
    };
    let is = |found: f64, wanted: f64| (found - wanted).abs() < 0.5;
    assert!(is(payments(&[]), 6.0), "{text}");
    assert!(
        is(payments(&["simulator-a", "\"SUCCEEDED\""]), 3.0),
        "{text}"
    );
    assert!(
        is(payments(&["simulator-a", "\"AUTHORISED\""]), 1.0),
        "{text}"
    );
    assert!(
        is(payments(&["simulator-a", "\"DECLINED\""]), 1.0),
        "{text}"
    );
    assert!(
        is(payments(&["simulator-down", "\"FAILED\""]), 1.0),
        "{text}"
    );
    let declines = [
        "pointsman_declines_total{",
        "INSUFFICIENT_FUNDS",
        "SOFT",
        "simulator-a",
    ];
    assert!(is(value(&text, &declines), 1.0), "{text}");
    assert!(is(
        value(&text, &["pointsman_idempotent_replays_total{"]),
        1.0
    ));
    assert!(is(value(&text, &["pointsman_ready "]), 1.0));
    assert!(value(&text, &["process_resident_memory_bytes "]) > 1e6);
    assert!(value(&text, &["pointsman_db_schema_version{"]) >= 7.0);
    for bucket in ["le=\"0.0001\"", "le=\"0.5\"", "le=\"5\""] {
        assert!(text.contains(bucket), "no bucket {bucket}");
    }
    let calls = [
        "pointsman_attempt_call_duration_seconds_count{",
        "connection=\"simulator-down\"",
    ];
    assert!(value(&text, &calls) >= 1.0, "{text}");
}

#[test]
fn unknown_outcomes_are_a_gauge_with_an_age() {
    let server = Setup::new().setting("recovery.schedule", "1h").start();
    let shop = server.shop();
    shop.authorise(cards::UNKNOWN_CHARGED)
        .assert_status("NO_ANSWER_FROM_PSP");
    let text = until(PATIENCE, "the unknown payment is counted", || {
        let text = metrics(&shop);
        (value(&text, &["pointsman_payments_unknown "]) > 0.5).then_some(text)
    });
    assert!(value(&text, &["pointsman_payments_unknown_age_seconds "]) > 0.0);
}

#[test]
fn what_is_given_up_is_no_decline() {
    let server = Setup::new().start();
    let shop = server.shop();
    let given_up = |order: &Order| {
        let answer = shop.try_authorise(order, None);
        let id = answer.extension("id").as_str().expect("an id").to_owned();
        shop.abandon(&id)
    };
    let back = "https://shop.example/back";
    given_up(&Order::method("BNPLA", back)).assert_status("CANCELLED");
    given_up(&Order::card(cards::CHALLENGE).three_ds(back)).assert_status("DECLINED");
    shop.authorise(cards::INSUFFICIENT_FUNDS)
        .assert_status("DECLINED");
    let text = metrics(&shop);
    assert!(value(&text, &["pointsman_declines_total", "INSUFFICIENT_FUNDS"]) > 0.5);
    assert!(
        value(&text, &["pointsman_declines_total", "PAYMENT_CANCELLED"]) < 0.5,
        "{text}"
    );
}
