//! Webhooks that are made by API.

use connector::{CallError, Connector, Registered};
use processors::Request;
use serde_json::Value;

use super::shop::{ADDRESS, Shop};

impl Shop {
    fn register(&self) -> Result<Registered, CallError> {
        let link = self.link();
        self.play(self.connector.registers().unwrap().register(&link))
    }

    fn retire(&self, ids: &[String]) -> Result<(), CallError> {
        let link = self.link();
        self.play(self.connector.registers().unwrap().retire(&link, ids))
    }

    fn webhooks(&self) -> Vec<Value> {
        let request = Request {
            method: "GET".to_owned(),
            path: "/v3/merchants/ShopECOM/webhooks".to_owned(),
            headers: [("x-api-key".to_owned(), "AQE-secret-1".to_owned())].into(),
            ..Request::default()
        };
        let listed: Value = serde_json::from_slice(&self.adyen.asked(&request).body).unwrap();
        listed["data"].as_array().unwrap().clone()
    }
}

fn key(registered: &Registered) -> String {
    let fields: Value = serde_json::from_str(&registered.document()).unwrap();
    fields["hmacKey"].as_str().unwrap().to_owned()
}

#[test]
fn a_repeated_registration_has_a_key_of_its_own_and_those_before_it_can_be_removed() {
    let shop = Shop::open();
    let first = shop.register().unwrap();
    assert_eq!(key(&first).len(), 64);
    assert_eq!(first.earlier(), [""; 0]);
    let webhook = shop.webhooks().remove(0);
    assert_eq!(webhook["url"], ADDRESS);
    assert_eq!(webhook["username"], "adyen");
    let second = shop.register().unwrap();
    assert_ne!(key(&first), key(&second));
    assert_eq!(second.earlier(), [first.id()]);
    assert_eq!(shop.webhooks().len(), 2);
    shop.retire(second.earlier()).unwrap();
    let left = shop.webhooks();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["id"], second.id());
}

#[test]
fn a_webhook_whose_answer_was_lost_is_among_those_before_the_next() {
    let webhooks = "/v3/merchants/ShopECOM/webhooks";
    for (fault, made) in [
        ("lost-before", 0),
        ("lost-after", 1),
        ("error-after", 1),
        ("cut=20", 1),
        ("html", 1),
    ] {
        for (method, end, made) in [("GET", "", 0), ("POST", "", made), ("POST", "/WBHK", 1)] {
            let shop = Shop::open();
            shop.register().unwrap();
            let path = format!("{method} {webhooks}{end}");
            shop.arm(fault, &path);
            assert!(shop.register().is_err(), "{fault} {path}");
            assert_eq!(shop.webhooks().len(), 1 + made, "{fault} {path}");
            let last = shop.register().unwrap();
            shop.retire(last.earlier()).unwrap();
            assert_eq!(shop.webhooks().len(), 1, "{fault} {path}");
        }
    }
}

#[test]
fn a_removal_that_failed_is_repeated() {
    for fault in ["lost-before", "error-before"] {
        let shop = Shop::open();
        shop.register().unwrap();
        let second = shop.register().unwrap();
        shop.arm(fault, "DELETE /v3/merchants/ShopECOM/webhooks/WBHK");
        assert!(shop.retire(second.earlier()).is_err(), "{fault}");
        shop.retire(second.earlier()).unwrap();
        assert_eq!(shop.webhooks().len(), 1, "{fault}");
    }
}
