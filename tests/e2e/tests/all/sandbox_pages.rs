//! The pages of the simulated bank, as a shopper's browser loads them.

use serde_json::{Value, json};
use testkit::{
    Order, Setup, Shop, cards,
    http::{Reply, Request},
};

use crate::shared;

/// The path of the page to which a payment that needs 3D Secure sends the customer, and the payment's id.
fn challenge(shop: &Shop) -> (String, String) {
    let answer = shop.try_authorise(&Order::card(cards::CHALLENGE), None);
    answer.assert_error("error.authorize.requires3DSecure");
    let url = answer.extension("url").as_str().unwrap().to_owned();
    let path = url
        .strip_prefix(&format!("http://{}", shop.address()))
        .unwrap_or_else(|| panic!("{url} is not absolute"));
    (
        path.to_owned(),
        answer.extension("id").as_str().unwrap().to_owned(),
    )
}

fn get(shop: &Shop, path: &str) -> Reply {
    Request::new("GET", path).send(shop.address())
}

fn post(shop: &Shop, path: &str, form: &str) -> Reply {
    let request =
        Request::new("POST", path).header("Content-Type", "application/x-www-form-urlencoded");
    request.body(form).send(shop.address())
}

/// What the books say of the challenge of a payment, and what they have charged.
fn books(shop: &Shop, id: &str) -> (Value, i64) {
    let reference = format!("{}-1", id.trim_start_matches("payments:"));
    let reply = shop.get(&format!("/sandbox/books?reference={reference}"));
    let json: Value = serde_json::from_slice(&reply.body).unwrap();
    (
        json["entries"][0]["challenge"].clone(),
        json["entries"][0]["authorised"].as_i64().unwrap(),
    )
}

#[test]
fn a_challenge_has_a_page_that_is_decided_once_and_leads_back_to_us() {
    let shop = shared::shop();
    for (outcome, state) in [("complete", "passed"), ("fail", "failed")] {
        let (path, id) = challenge(&shop);
        let page = get(&shop, &path);
        assert_eq!(
            (page.status, page.header("content-type")),
            (200, Some("text/html; charset=utf-8"))
        );
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
        let text = page.text();
        assert!(
            text.contains("method=\"post\"") && text.contains("value=\"complete\""),
            "{text}"
        );
        assert!(
            !text.contains("<script") && !text.contains(cards::CHALLENGE),
            "{text}"
        );
        assert_eq!(books(&shop, &id), (json!("waiting"), 0));
        let wrong = post(&shop, &path, "outcome=other");
        assert_eq!(
            (wrong.status, books(&shop, &id)),
            (400, (json!("waiting"), 0))
        );
        let decided = post(&shop, &path, &format!("outcome={outcome}"));
        assert_eq!(decided.status, 303);
        let back = decided.header("location").unwrap().to_owned();
        assert!(
            back.starts_with(&format!("http://{}/3ds/", shop.address())),
            "{back}"
        );
        // A second tab decides nothing, but gets back too. Loading a page is no payment.
        for again in ["complete", "fail"] {
            let second = post(&shop, &path, &format!("outcome={again}"));
            assert_eq!(
                (second.status, second.header("location")),
                (303, Some(back.as_str()))
            );
        }
        assert_eq!(get(&shop, &path).status, 200);
        assert_eq!(books(&shop, &id), (json!(state), 0));
    }
}

#[test]
fn an_address_that_was_not_given_out_is_no_page() {
    let shop = shared::shop();
    let (path, id) = challenge(&shop);
    let token = path.rsplit('/').next().unwrap();
    let (secret, reference) = token.split_at(22);
    let turned: String = secret.chars().rev().collect();
    for token in [
        "x",
        secret,
        reference,
        &format!("{turned}{reference}"),
        "%ff",
        "%2e%2e",
    ] {
        for reply in [
            get(&shop, &format!("/sandbox/pages/{token}")),
            post(
                &shop,
                &format!("/sandbox/pages/{token}"),
                "outcome=complete",
            ),
        ] {
            assert!(
                matches!(reply.status, 400 | 404),
                "{token}: {}",
                reply.status
            );
            assert!(!reply.text().contains(&turned), "{}", reply.text());
        }
    }
    assert_eq!(books(&shop, &id), (json!("waiting"), 0));
}

#[test]
fn a_page_outlives_a_kill() {
    let mut server = Setup::new()
        .setting("server.public_url", "https://pay.example")
        .start();
    let answer = server
        .shop()
        .try_authorise(&Order::card(cards::CHALLENGE), None);
    answer.assert_error("error.authorize.requires3DSecure");
    let url = answer.extension("url").as_str().unwrap();
    let path = url.strip_prefix("https://pay.example").unwrap().to_owned();
    server.kill();
    server.restart();
    let shop = server.shop();
    assert_eq!(get(&shop, &path).status, 200);
    let back = post(&shop, &path, "outcome=complete");
    assert_eq!(back.status, 303);
    assert!(
        back.header("location")
            .unwrap()
            .starts_with("https://pay.example/3ds/")
    );
}
