//! The shop that `demo` opens after its story: a page of another origin, its server, and the timeline beside the checkout.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{
    PATIENCE, Setup, Shop,
    http::{Reply, Request},
    until,
};

/// A process that is interrupted, and waited for.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = Command::new("kill")
            .args(["-INT", &self.0.id().to_string()])
            .status();
        let _ = until(PATIENCE, "the demo's end", || self.0.try_wait().unwrap());
    }
}

/// A demo whose story is over.
struct Demo {
    _process: Process,
    service: SocketAddr,
    shop: SocketAddr,
    /// The path of the payment link.
    link: String,
    _dir: TempDir,
}

impl Demo {
    fn play() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut command = Setup::new()
            .without_environment("POINTSMAN_ACCESS_TOKEN")
            .command(dir.path(), &["demo", "--listen", "127.0.0.1:0"]);
        command
            .env("TMPDIR", dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = Process(command.spawn().unwrap());
        let reported = BufReader::new(process.0.stdout.take().unwrap());
        let mut shop = None;
        let mut link = None;
        for line in reported.lines().map(Result::unwrap) {
            if let Some((_, rest)) = line.split_once("http://localhost:") {
                let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
                shop = Some(format!("127.0.0.1:{port}").parse().unwrap());
            }
            if let Some((_, rest)) = line.split_once("/pay/") {
                let token = rest.split(' ').next().unwrap();
                link = Some(format!("/pay/{token}"));
            }
            if let Some((_, service)) = line.split_once("pointsman listening on http://") {
                return Self {
                    _process: process,
                    service: service.parse().unwrap(),
                    shop: shop.expect("an address of the shop"),
                    link: link.expect("a payment link"),
                    _dir: dir,
                };
            }
        }
        panic!("the demo ended before it said where it listens");
    }

    fn get(&self, path: &str) -> Reply {
        Request::new("GET", path).send(self.shop)
    }

    /// What the page sends to the shop's server.
    fn post(&self, path: &str, body: &Value) -> Reply {
        let request = Request::new("POST", path).header("Content-Type", "application/json");
        request.body(body.to_string()).send(self.shop)
    }

    /// The first data of the timeline beside an order that has this text.
    fn live(&self, order: &str, text: &str) -> String {
        let mut stream = TcpStream::connect(self.shop).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        let request = format!("GET /api/live/{order} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut seen = String::new();
        let mut part = [0; 4096];
        while !seen.contains(text) {
            let read = stream.read(&mut part).unwrap();
            assert!(read > 0, "the stream ended: {seen}");
            seen.push_str(&String::from_utf8_lossy(&part[..read]));
        }
        seen
    }
}

fn json_of(reply: &Reply) -> Value {
    serde_json::from_slice(&reply.body).unwrap()
}

fn text(json: &Value, name: &str) -> String {
    json[name].as_str().unwrap().to_owned()
}

fn status(demo: &Demo, order: &str) -> String {
    let reply = demo.get(&format!("/api/orders/{order}"));
    text(&json_of(&reply), "status")
}

#[test]
fn the_demos_shop_sells_and_believes_nobody_but_the_service() {
    let demo = Demo::play();
    its_page_allows_the_service_and_nothing_else(&demo);
    its_server_refuses_what_it_does_not_sell(&demo);
    let items = json!({ "items": { "house-blend": 2 }, "amount": 1 });
    let checkout = json_of(&demo.post("/api/checkout", &items));
    assert_eq!(checkout["amount"], 2400);
    a_webhook_that_nobody_signed_pays_nothing(&demo, &checkout);
    a_card_pays_and_the_timeline_shows_it(&demo, &checkout);
    its_payment_link_shows_what_is_to_be_paid(&demo);
}

fn its_payment_link_shows_what_is_to_be_paid(demo: &Demo) {
    let page = Request::new("GET", &demo.link).send(demo.service);
    assert_eq!(page.status, 200);
    let html = page.text();
    for part in ["50.99", "A box of coffee", "Harbour Coffee"] {
        assert!(html.contains(part), "{part}: {html}");
    }
}

fn its_page_allows_the_service_and_nothing_else(demo: &Demo) {
    let page = demo.get("/");
    let policy = page.header("content-security-policy").unwrap().to_owned();
    let service = format!("http://{}", demo.service);
    assert!(
        policy.contains(&format!(
            "script-src 'self' {service}; frame-src {service};"
        )),
        "{policy}"
    );
    let html = page.text();
    let script = format!("src=\"{service}/sdk/v1/pointsman.");
    assert!(
        html.contains(&script) && html.contains("integrity=\"sha384-"),
        "{html}"
    );
    assert!(!html.contains("{{") && !html.contains("sk_test_"), "{html}");
}

fn its_server_refuses_what_it_does_not_sell(demo: &Demo) {
    for (path, body) in [
        ("/api/checkout", json!({ "items": {} })),
        ("/api/checkout", json!({ "items": { "house-blend": -1 } })),
        (
            "/api/checkout",
            json!({ "items": { "gold": 1 }, "amount": 1 }),
        ),
        ("/api/pay", json!({ "order": "none", "token": "t" })),
    ] {
        assert_eq!(demo.post(path, &body).status, 400, "{body}");
    }
    assert_eq!(demo.get("/api/orders/none").status, 400);
    let form = Request::new("POST", "/api/checkout").header("Content-Type", "text/plain");
    assert_eq!(
        form.body("{\"items\":{\"house-blend\":1}}")
            .send(demo.shop)
            .status,
        400
    );
}

fn a_webhook_that_nobody_signed_pays_nothing(demo: &Demo, checkout: &Value) {
    let order = text(checkout, "order");
    assert_eq!(status(demo, &order), "open");
    let forged = json!({ "type": "payment.captured", "data": { "intentId": checkout["intent"], "status": "SUCCEEDED", "amount": 2400 } });
    let unsigned = Request::new("POST", "/hooks")
        .header("webhook-id", "1")
        .header("webhook-timestamp", "1767225600")
        .header("webhook-signature", "v1,AAAA")
        .body(forged.to_string());
    assert_eq!(unsigned.send(demo.shop).status, 400);
    assert_eq!(status(demo, &order), "open");
}

fn a_card_pays_and_the_timeline_shows_it(demo: &Demo, checkout: &Value) {
    let order = text(checkout, "order");

    // What the frame of the service does in a browser, with the token of the checkout.
    let browser = Shop::new(demo.service, Some(&text(checkout, "clientToken")));
    let card =
        json!({ "number": "4242424242424242", "expMonth": 11, "expYear": 2033, "cvc": "737" });
    let tokenised = browser.gql(
        "mutation($data: TokenInput!) { tokenisePaymentMethod(data: $data) { token } }",
        json!({ "data": { "paymentMethod": { "card": card } } }),
    );
    let token = text(tokenised.root(), "token");
    let paid = demo.post("/api/pay", &json!({ "order": order, "token": token }));
    assert_eq!(json_of(&paid), json!({ "status": "paid" }));
    assert_eq!(status(demo, &order), "paid");
    let live = demo.live(&order, "SUCCEEDED");
    assert!(
        live.contains("data: {") && live.contains("Payment created"),
        "{live}"
    );
}
