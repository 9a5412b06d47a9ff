//! Webhooks that come in, and those that flows call.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use testkit::{Order, PATIENCE, Setup, cards};

use super::{counts, publish, titles, webhook};
use crate::shared;

/// A merchant's server: answers 200 to whatever comes and tells the key and the body.
pub(super) fn listening() -> (String, mpsc::Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/hook", listener.local_addr().unwrap());
    let (control, reported) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut length, mut key) = (0, String::new());
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if line.trim().is_empty() {
                    break;
                }
                let Some((name, value)) = line.trim().split_once(": ") else {
                    continue;
                };
                match name.to_ascii_lowercase().as_str() {
                    "content-length" => length = value.parse().unwrap(),
                    "x-idempotency-key" => value.clone_into(&mut key),
                    _ => {}
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                .unwrap();
            if control
                .send((key, serde_json::from_slice(&body).unwrap()))
                .is_err()
            {
                return;
            }
        }
    });
    (address, reported)
}

#[test]
fn a_webhook_captures_once_also_after_a_crash() {
    let mut server = Setup::new().start();
    publish(
        &server.shop(),
        "ship",
        &json!({"name": "Ship", "trigger": "payment", "steps": [
            {"authorise": {"connection": "simulator-a"}}, {"capture": {"webhook": "shipped"}},
        ]}),
    );
    let payment = server.shop().order(&Order::card(cards::VISA).flow("ship"));
    payment.assert_status("AUTHORISED");
    server.restart();
    let shop = server.shop();
    assert_eq!(
        counts(&webhook(&shop, "other", &json!({"payment": payment.id()}))),
        (0, 0)
    );
    shop.payment(&payment.id()).assert_status("AUTHORISED");
    assert_eq!(
        counts(&webhook(
            &shop,
            "shipped",
            &json!({"payment": payment.id()})
        )),
        (1, 0)
    );
    shop.wait_for_status(&payment.id(), "SUCCEEDED");
    assert_eq!(
        counts(&webhook(
            &shop,
            "shipped",
            &json!({"payment": payment.id()})
        )),
        (0, 0)
    );
}

#[test]
fn conditions_read_what_a_webhook_said() {
    let shop = shared::shop();
    publish(
        &shop,
        "await-stock",
        &json!({"name": "Stock", "trigger": "payment", "steps": [
            {"authorise": {"connection": "simulator-a"}}, {"await_webhook": {"name": "stock", "within": "1d"}},
            {"if": "webhook.body.left > 0", "then": [{"capture": "now"}], "else": [{"cancel": {"reason": "Sold out"}}]},
        ]}),
    );
    for (left, status) in [(3, "SUCCEEDED"), (0, "CANCELLED")] {
        let payment = shop.order(&Order::card(cards::VISA).flow("await-stock"));
        let said = json!({"payment": payment.id(), "left": left});
        assert_eq!(webhook(&shared::other_shop(), "stock", &said).status, 404);
        assert_eq!(counts(&webhook(&shop, "stock", &said)), (1, 0));
        shop.wait_for_status(&payment.id(), status);
    }
}

#[test]
fn what_is_no_webhook_is_refused() {
    let shop = shared::shop();
    assert_eq!(webhook(&shop, "x", &json!([])).status, 400);
    assert_eq!(webhook(&shop, "x", &json!({"payment": "x"})).status, 404);
    assert_eq!(
        webhook(&shop, "x", &json!({"note": "4242 4242 4242 4242"})).status,
        400
    );
    assert_eq!(
        webhook(&shop, "x", &json!({"long": "x".repeat(17_000)})).status,
        413
    );
    assert_eq!(
        webhook(&shared::server().stranger(), "x", &json!({})).status,
        401
    );
    assert_eq!(counts(&webhook(&shop, "nobody-waits", &json!({}))), (0, 0));
}

#[test]
fn a_flow_calls_the_merchant_and_goes_on() {
    let (address, reported) = listening();
    let shop = shared::shop();
    publish(
        &shop,
        "tell",
        &json!({"name": "Tell", "trigger": "payment", "steps": [
            {"authorise": {"connection": "simulator-a"}}, {"call_webhook": {"url": address}}, {"capture": "now"},
        ]}),
    );
    let payment = shop.order(
        &Order::card(cards::VISA)
            .flow("tell")
            .with("orderId", json!("o-1")),
    );
    let (key, said) = reported.recv_timeout(PATIENCE).unwrap();
    let instance = payment.text("/flowInstanceId");
    assert!(key.starts_with(instance), "{key}");
    assert_eq!(
        (&said["payment"], &said["orderId"]),
        (&json!(payment.id()), &json!("o-1"))
    );
    assert_eq!(
        (&said["status"], &said["amount"], &said["instance"]),
        (&json!("AUTHORISED"), &json!(1000), &json!(instance))
    );
    let paid = shop.wait_for_status(&payment.id(), "SUCCEEDED");
    assert!(
        titles(&paid).contains(&"Webhook called".to_owned()),
        "{:?}",
        titles(&paid)
    );
}

#[test]
fn a_flow_goes_on_when_nobody_answers_its_call() {
    let shop = shared::shop();
    publish(
        &shop,
        "tell-nobody",
        &json!({"name": "Nobody", "trigger": "payment", "steps": [
            {"authorise": {"connection": "simulator-a"}}, {"call_webhook": {"url": "http://127.0.0.1:1/"}}, {"capture": "now"},
        ]}),
    );
    let payment = shop.order(&Order::card(cards::VISA).flow("tell-nobody"));
    let paid = shop.wait_for_status(&payment.id(), "SUCCEEDED");
    assert!(
        titles(&paid).contains(&"Webhook call failed".to_owned()),
        "{:?}",
        titles(&paid)
    );
}

#[test]
fn a_webhook_starts_flows_that_go_on_after_a_crash() {
    let (address, reported) = listening();
    let mut server = Setup::new().start();
    publish(
        &server.shop(),
        "on-stock",
        &json!({"name": "On stock", "trigger": {"webhook": {"name": "stock"}}, "steps": [
            {"delay": "6s"}, {"if": "webhook.body.left == 0", "then": [{"call_webhook": {"url": address}}]},
        ]}),
    );
    assert_eq!(
        counts(&webhook(&server.shop(), "stock", &json!({"left": 0}))),
        (0, 1)
    );
    server.restart();
    // Killed while it was being run, it is found again when its lease of a minute ends.
    let (_, said) = reported
        .recv_timeout(PATIENCE + Duration::from_mins(1))
        .unwrap();
    assert_eq!(said["flow"], "on-stock");
}
