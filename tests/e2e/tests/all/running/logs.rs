//! The log: one line for each request, the request in every line that it causes, JSON where it is asked for, no floods.

use serde_json::{Value, json};
use testkit::{Backend, Order, PATIENCE, Server, Setup, cards, until};

fn json_setup() -> Setup {
    Setup::new().setting("log.format", "json")
}

/// The lines of the log so far. Each must be a JSON object that has each name once.
#[track_caller]
fn lines(log: &str) -> Vec<Value> {
    log.lines()
        .map(|line| {
            let value: Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert!(value.is_object(), "no object: {line}");
            // What is read has each name once, in the order of the text.
            assert_eq!(value.to_string(), line, "a name stands there twice");
            value
        })
        .collect()
}

/// The lines of a server that runs. The last one may be on its way, in parts.
#[track_caller]
fn whole_lines(server: &Server) -> Vec<Value> {
    let log = server.log();
    lines(log.rfind('\n').map_or("", |end| &log[..=end]))
}

/// The line of the request with this id, once it is written.
#[track_caller]
fn access_line(server: &Server, request_id: &str) -> Value {
    until(PATIENCE, "the request's line", || {
        whole_lines(server)
            .into_iter()
            .find(|line| line["target"] == "access" && line["request_id"] == request_id)
    })
}

#[test]
fn a_request_has_a_line_with_team_operation_payment_and_outcome() {
    let server = json_setup().start();
    let shop = server.shop();
    let send = |request: testkit::http::Request, id: &str| {
        let reply = request.header("x-request-id", id).send(server.address());
        assert_eq!(reply.header("x-request-id"), Some(id));
        serde_json::from_slice::<Value>(&reply.body).unwrap()
    };
    let answer = send(
        shop.authorise_request(&Order::card(cards::VISA), None),
        "log-1",
    );
    let payment = &answer["data"]["authorizePayment"]["id"];
    let line = access_line(&server, "log-1");
    for (name, wanted) in [
        ("level", json!("INFO")),
        ("message", json!("answered")),
        ("operation", json!("authorizePayment")),
        ("payment.id", payment.clone()),
        ("code", json!("ok")),
        ("status", json!(200)),
        ("credential", json!("secret")),
        ("client", json!("127.0.0.1")),
        ("team", answer["data"]["authorizePayment"]["teamId"].clone()),
    ] {
        assert_eq!(line[name], wanted, "{name} of {line}");
        assert!(!wanted.is_null(), "{name}");
    }
    assert!(line["duration_ms"].is_u64(), "{line}");

    let refund = "mutation($id: ID!, $a: Long) { a: refundPayment(id: $id, amount: $a) { id } b: __typename c: refundPayment(id: $id, amount: $a) { id } }";
    send(
        shop.request(refund, json!({"id": payment, "a": 1_000_000}), None),
        "log-2",
    );
    let line = access_line(&server, "log-2");
    assert_eq!(line["operation"], "refundPayment");
    assert_eq!(line["operations"], "refundPayment introspection");
    assert_eq!(&line["payment.id"], payment);
    assert!(
        line["code"].as_str().unwrap().starts_with("error."),
        "{line}"
    );

    send(
        server
            .shop_with("sk_test_nobody0has0this0key")
            .request("{ __typename }", json!({}), None),
        "log-3",
    );
    let line = access_line(&server, "log-3");
    assert_eq!(line["code"], "api.key.unauthorized");
    assert_eq!(line["team"], Value::Null);
    assert!(!server.log().contains("nobody0has0this0key"));
    shop.get("/health/ready");
    shop.get("/metrics");
    shop.get("/nothing/here");
    let log = server.log();
    assert!(
        !log.contains("\"health\"") && !log.contains("\"metrics\""),
        "probes are for those who debug: {log}"
    );
}

#[test]
fn every_line_that_a_request_causes_names_it() {
    let server = json_setup().start();
    let shop = server.shop();
    let reply = shop
        .headless_request(&Order::card(cards::VISA).at("simulator-down"), None)
        .header("x-request-id", "log-down")
        .send(server.address());
    let answer: Value = serde_json::from_slice(&reply.body).unwrap();
    let access = access_line(&server, "log-down");
    let found = whole_lines(&server);
    let failed = found
        .iter()
        .find(|line| line["message"] == "a call failed")
        .unwrap_or_else(|| panic!("no call failed: {answer}"));
    assert_eq!(failed["level"], "WARN");
    assert_eq!(failed["request_id"], "log-down");
    assert_eq!(failed["payment.id"], access["payment.id"]);
    assert!(failed["payment.id"].is_string(), "{failed}");
}

#[test]
fn a_call_that_is_not_answered_is_a_warning_that_names_its_request() {
    let server = json_setup().start();
    let shop = server.shop();
    shop.authorise_request(&Order::card(cards::UNKNOWN_NOT_CHARGED), None)
        .header("x-request-id", "log-silent")
        .send(server.address());
    let access = access_line(&server, "log-silent");
    let found = whole_lines(&server);
    let silent = found
        .iter()
        .find(|line| line["message"] == "a call was not answered in time: its outcome is unknown")
        .unwrap_or_else(|| panic!("no line of the call: {found:?}"));
    assert_eq!(silent["level"], "WARN");
    assert_eq!(silent["request_id"], "log-silent");
    assert_eq!(silent["payment.id"], access["payment.id"]);
}

#[test]
fn the_log_is_json_from_the_first_line_to_the_last_and_holds_no_key() {
    let mut server = json_setup()
        .without_environment("POINTSMAN_ACCESS_TOKEN")
        .start();
    let shown = server.stdout();
    let key = shown
        .split_whitespace()
        .find(|word| word.starts_with("sk_test_"))
        .expect("the first key is shown on standard output")
        .to_owned();
    server
        .shop_with(&key)
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
    assert!(server.stop().success());
    let log = server.log();
    assert!(!log.contains(&key), "the log holds the key");
    let lines = lines(&log);
    let start = lines
        .iter()
        .find(|line| line["message"] == "starting")
        .expect("a start says what it is");
    assert_eq!(start["mode"], "test");
    for name in ["version", "node", "database", "place", "listen"] {
        assert!(
            start[name].as_str().is_some_and(|value| !value.is_empty()),
            "{name} of {start}"
        );
    }
    assert_eq!(lines.last().unwrap()["message"], "stopped");
}

#[test]
fn why_a_start_is_refused_is_json_too() {
    let refused = json_setup().setting("limits.depth", "soon").start_refused();
    let log = &refused[refused.find('{').expect("JSON")..];
    let [line] = &lines(log)[..] else {
        panic!("one line: {log}");
    };
    assert_eq!(line["level"], "ERROR");
    assert!(line["message"].as_str().unwrap().contains("limits.depth"));

    let server = json_setup().start();
    let second = json_setup().serve(&server.root()).output().unwrap();
    let log = String::from_utf8(second.stderr).unwrap();
    let lines = lines(&log);
    assert_eq!(lines.last().unwrap()["level"], "ERROR", "{log}");
}

#[test]
fn a_slow_request_is_a_warning() {
    let server = json_setup().setting("log.slow_request", "1ms").start();
    let shop = server.shop();
    shop.authorise_request(&Order::card(cards::VISA), None)
        .header("x-request-id", "log-slow")
        .send(server.address());
    let line = access_line(&server, "log-slow");
    assert_eq!(line["level"], "WARN");
    assert_eq!(line["message"], "answered slowly");
}

#[test]
fn equal_warnings_are_counted() {
    let mut server = json_setup().start();
    let shop = server.shop();
    let order = Order::card(cards::VISA).at("simulator-down");
    for _ in 0..20 {
        shop.headless_request(&order, None).send(server.address());
    }
    assert!(server.stop().success());
    let lines = lines(&server.log());
    let written =
        |message: &'static str| lines.iter().filter(move |line| line["message"] == message);
    let times: u64 = written("repeated: a call failed")
        .map(|line| line["times"].as_u64().unwrap())
        .sum();
    let each = written("a call failed").count();
    assert!((5..20).contains(&each), "{each} were written");
    assert_eq!(u64::try_from(each).unwrap() + times, 20);
}

#[test]
fn lines_of_requests_can_be_switched_off() {
    let server = json_setup().setting("log.level", "info,access=off").start();
    server.shop().authorise(cards::VISA);
    assert!(!server.log().contains("answered"), "{}", server.log());
}

#[test]
fn a_new_database_has_one_line_not_one_for_each_migration() {
    let server = json_setup().on(Backend::Embedded).start();
    let messages = |words: &str| {
        let lines = whole_lines(&server);
        lines.iter().filter(|line| line["message"] == words).count()
    };
    until(PATIENCE, "the store's, the vault's and the books'", || {
        (messages("new database: its tables are made") == 3).then_some(())
    });
    assert_eq!(messages("migration applied"), 0);
}
