//! Webhook endpoints that are made by API.

use std::time::Duration;

use connector::{CallError, Connector, Link, Registered};
use processors::Request;
use serde_json::Value;

use crate::shop::{ADDRESS, Shop};

impl Shop {
    fn register(&self) -> Result<Registered, CallError> {
        self.play(self.world.sleep(Duration::from_secs(1)));
        let link = Link {
            now: self.world.now(),
            ..self.link()
        };
        self.play(self.connector.registers().unwrap().register(&link))
    }

    fn retire(&self, ids: &[String]) -> Result<(), CallError> {
        self.play(
            self.connector
                .registers()
                .unwrap()
                .retire(&self.link(), ids),
        )
    }

    fn endpoints(&self) -> Vec<Value> {
        let request = Request {
            method: "GET".to_owned(),
            path: "/v1/webhook_endpoints".to_owned(),
            headers: [("authorization".to_owned(), "Bearer sk_test_1".to_owned())].into(),
            ..Request::default()
        };
        let listed: Value = serde_json::from_slice(&self.stripe.asked(&request).body).unwrap();
        let rows = listed["data"].as_array().unwrap().iter();
        rows.filter(|row| row["url"] == ADDRESS).cloned().collect()
    }
}

fn secret(registered: &Registered) -> String {
    let fields: Value = serde_json::from_str(&registered.document()).unwrap();
    fields["webhookSecret"].as_str().unwrap().to_owned()
}

#[test]
fn a_repeated_registration_has_a_secret_of_its_own_and_those_before_it_can_be_removed() {
    let shop = Shop::open();
    let first = shop.register().unwrap();
    assert!(secret(&first).starts_with("whsec_"));
    assert_eq!(first.earlier(), [""; 0]);
    let endpoint = shop.endpoints().remove(0);
    assert_eq!(endpoint["api_version"], "2026-10-28.endive");
    let events = endpoint["enabled_events"].as_array().unwrap();
    assert!(events.iter().any(|event| event == "refund.failed"));
    let second = shop.register().unwrap();
    assert_ne!(secret(&first), secret(&second));
    assert_eq!(second.earlier(), [first.id()]);
    assert_eq!(shop.endpoints().len(), 2);
    shop.retire(second.earlier()).unwrap();
    let left = shop.endpoints();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["id"], second.id());
    shop.retire(second.earlier()).unwrap();
    assert_eq!(shop.endpoints().len(), 1, "the same call repeated");
}

#[test]
fn an_endpoint_whose_answer_was_lost_is_among_those_before_the_next() {
    for (fault, made) in [
        ("lost-before", 0),
        ("lost-after", 1),
        ("error-after", 1),
        ("cut=20", 1),
        ("html", 1),
    ] {
        for (method, made) in [("GET", 0), ("POST", made)] {
            let shop = Shop::open();
            shop.register().unwrap();
            let path = format!("{method} /v1/webhook_endpoints");
            shop.arm(fault, &path);
            assert!(shop.register().is_err(), "{fault} {path}");
            assert_eq!(shop.endpoints().len(), 1 + made, "{fault} {path}");
            let last = shop.register().unwrap();
            assert_eq!(last.earlier().len(), 1 + made, "{fault} {path}");
            shop.retire(last.earlier()).unwrap();
            assert_eq!(shop.endpoints().len(), 1, "{fault} {path}");
        }
    }
}

#[test]
fn a_removal_that_failed_is_repeated() {
    for fault in ["lost-before", "lost-after", "error-after", "cut=5", "html"] {
        let shop = Shop::open();
        shop.register().unwrap();
        let second = shop.register().unwrap();
        shop.arm(fault, "DELETE /v1/webhook_endpoints/we_");
        assert!(shop.retire(second.earlier()).is_err(), "{fault}");
        shop.retire(second.earlier()).unwrap();
        assert_eq!(shop.endpoints().len(), 1, "{fault}");
    }
}
