//! Quotas of callers in a browser.

use serde_json::{Value, json};
use testkit::{Answer, Detour, KeyKind, Order, Server, Setup, Shop, at_once, cards};

/// A server behind a proxy on this machine, which names its clients.
fn behind_a_proxy() -> Setup {
    Setup::new().setting("server.trusted_proxies", "127.0.0.1")
}

/// A browser at an address.
#[derive(Clone)]
struct Browser {
    shop: Shop,
    address: String,
}

impl Browser {
    fn at(server: &Server, credential: &str, address: impl Into<String>) -> Self {
        Self {
            shop: server.shop_with(credential),
            address: address.into(),
        }
    }

    fn ask(&self, query: &str, variables: Value) -> Answer {
        let request = self.shop.request(query, variables, None);
        let request = request.header("X-Forwarded-For", self.address.as_str());
        Answer::of(request.send(self.shop.address()))
    }

    /// One of the questions of every checkout.
    fn is_served(&self) -> bool {
        let answer = self.ask("{ initializeSDK }", json!({}));
        answer.status() == 200 && answer.error_code().is_none()
    }

    fn start_intent(&self, items: usize, title: &str) -> Answer {
        let item = json!({"id": "1", "quantity": 1, "title": title, "price": 100});
        self.ask(
            "mutation($cart: IntentCartInput) { startIntent(trackingId: \"t-1\", paymentFlowId: \"default\", \
             amount: {amount: 1000, currency: \"EUR\"}, cart: $cart) { id } }",
            json!({"cart": {"items": vec![item; items]}}),
        )
    }

    fn pay(&self, order: &Order) -> Answer {
        let request = self.shop.authorise_request(order, None);
        let request = request.header("X-Forwarded-For", self.address.as_str());
        Answer::of(request.send(self.shop.address()))
    }
}

#[track_caller]
fn assert_limited(answer: &Answer) {
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.error_code(), Some("error.rate-limited"));
    let wait = &answer.extension("retryAfter");
    assert!(wait.as_u64().is_some_and(|seconds| seconds >= 1), "{wait}");
}

#[test]
fn one_hostile_visitor_leaves_the_others_served() {
    let server = behind_a_proxy()
        .setting("limits.requests_per_second", "200")
        .start();
    let public = server.create_key(KeyKind::Public);
    let hostile = Browser::at(&server, &public, "198.51.100.66");
    let many: Vec<String> = (0..20).map(|n| format!("a{n}: initializeSDK")).collect();
    let many = many.join(" ");
    let outcomes = at_once(64, |n| {
        if n >= 60 {
            let refused = |_: &i32| hostile.ask(&format!("{{ {many} }}"), json!({}));
            return (0..200)
                .map(|n| refused(&n))
                .filter(|answer| answer.status() != 200 || answer.error_code().is_some())
                .count();
        }
        let shopper = Browser::at(&server, &public, format!("203.0.113.{n}"));
        usize::from((0..5).all(|_| shopper.is_served()))
    });
    let (shoppers, refused) = outcomes.split_at(60);
    assert!(shoppers.iter().sum::<usize>() >= 59, "{shoppers:?}");
    // Most are refused, how many depends on how long they take: what is refilled meanwhile is served.
    assert!(refused.iter().sum::<usize>() > 0, "{refused:?}");
}

#[test]
fn many_shoppers_behind_one_address_are_served_as_is_everybody_behind_a_balancer_that_names_nobody()
{
    let server = behind_a_proxy()
        .setting("limits.requests_per_second", "200")
        .start();
    let public = server.create_key(KeyKind::Public);
    let outcomes = at_once(60, |_| {
        let shopper = Browser::at(&server, &public, "203.0.113.1");
        let page = "{ a: initializeSDK b: initializeSDK c: initializeSDK d: initializeSDK }";
        (0..3).all(|_| {
            let answer = shopper.ask(page, json!({}));
            answer.status() == 200 && answer.error_code().is_none()
        })
    });
    assert!(outcomes.iter().all(|is_served| *is_served));
    let shop = server.shop_with(&public);
    for _ in 0..300 {
        assert_eq!(shop.gql("{ initializeSDK }", json!({})).root(), true);
    }
}

#[test]
fn root_fields_are_counted_one_by_one_and_a_merchants_server_is_not() {
    let server = behind_a_proxy()
        .setting("quotas.visitor_fields_per_second", "1")
        .start();
    let public = server.create_key(KeyKind::Public);
    let document = "{ a: initializeSDK b: initializeSDK c: initializeSDK d: initializeSDK e: initializeSDK f: initializeSDK }";
    let browser = Browser::at(&server, &public, "2001:db8::1");
    assert_eq!(browser.ask(document, json!({})).error_code(), None);
    let limited = browser.ask(document, json!({}));
    assert_limited(&limited);
    let data = &limited.json()["data"];
    assert_eq!((&data["a"], &data["f"]), (&json!(true), &Value::Null));
    let neighbour = Browser::at(&server, &public, "2001:db8::ffff:2");
    assert_limited(&neighbour.ask(document, json!({})));
    let other = Browser::at(&server, &public, "2001:db8:0:1::1");
    assert_eq!(other.ask(document, json!({})).error_code(), None);
    for _ in 0..5 {
        assert_eq!(server.shop().gql(document, json!({})).error_code(), None);
    }
}

#[test]
fn what_a_visitor_stores_is_bounded_and_carts_are_small() {
    let server = behind_a_proxy()
        .setting("quotas.visitor_bytes_per_hour", "64KiB")
        .start();
    let public = server.create_key(KeyKind::Public);
    let browser = Browser::at(&server, &public, "203.0.113.1");
    let large = browser.start_intent(51, "x");
    assert_eq!(large.error_code(), Some("error.validation"));
    let wide = browser.start_intent(50, &"x".repeat(400));
    assert_eq!(wide.error_code(), Some("error.validation"));
    browser.start_intent(20, "x").data();
    let limited = (0..40)
        .map(|_| browser.start_intent(20, "x"))
        .find(|answer| answer.error_code().is_some())
        .expect("one of forty is too many");
    assert_limited(&limited);
    let other = Browser::at(&server, &public, "203.0.113.2");
    other.start_intent(20, "x").data();
}

#[test]
fn declines_are_counted_over_time_those_after_3d_secure_too() {
    let server = behind_a_proxy()
        .setting("quotas.visitor_declines_per_hour", "100")
        .setting("quotas.network_declines_per_hour", "4")
        .start();
    let token = || {
        let made = server.shop().gql(
            "mutation { generateClientToken(amount: 1000, currency: \"EUR\") { token } }",
            json!({}),
        );
        made.root()["token"].as_str().unwrap().to_owned()
    };
    let here = "203.0.113.7";
    for _ in 0..3 {
        let browser = Browser::at(&server, &token(), here);
        let declined = browser.pay(&Order::card(cards::GENERAL_DECLINE));
        assert_eq!(declined.root()["status"], "DECLINED");
    }
    let browser = Browser::at(&server, &token(), here);
    let order = Order::card(cards::CHALLENGE_THEN_DECLINED).three_ds("https://shop.example/back");
    let detour = Detour::of(&browser.pay(&order), "error.authorize.requires3DSecure");
    let back = browser.shop.decide_and_return(&detour, "complete");
    assert_eq!(back.parameter("decline_code"), Some("GENERAL_DECLINE"));
    let browser = Browser::at(&server, &token(), here);
    assert_limited(&browser.pay(&Order::card(cards::VISA)));
    let elsewhere = Browser::at(&server, &token(), "203.0.113.8");
    assert_eq!(
        elsewhere.pay(&Order::card(cards::VISA)).root()["status"],
        "SUCCEEDED"
    );
}
