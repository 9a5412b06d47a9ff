//! Events that are sent, signed, doubled, reordered, forged and late.

use serde_json::Value;

use super::Client;
use crate::{Machine, Post, stripe::endpoints::sign};

/// Makes an endpoint that wants everything; its secret.
fn endpoint(client: &mut Client) -> String {
    let made = client.post(
        "/v1/webhook_endpoints",
        "url=http://shop.example/hook&enabled_events[]=*",
    );
    assert_eq!(made.status, 200);
    made.text("/secret").to_owned()
}

fn due(client: &mut Client) -> Vec<Post> {
    client.stripe.due(client.now)
}

fn name(post: &Post) -> String {
    let event: Value = serde_json::from_slice(&post.body).unwrap();
    event["type"].as_str().unwrap().to_owned()
}

fn is_genuine(post: &Post, secret: &str) -> bool {
    let header = &post.headers["stripe-signature"];
    let mut parts = header.split(',');
    let seconds: u64 = parts
        .next()
        .unwrap()
        .strip_prefix("t=")
        .unwrap()
        .parse()
        .unwrap();
    parts.any(|part| part == format!("v1={}", sign(secret, seconds, &post.body)))
}

/// Answers all that is sent.
fn take_all(client: &mut Client) -> Vec<String> {
    let posts = due(client);
    let now = client.now;
    for post in &posts {
        client.stripe.delivered(post.id, Some(200), now);
    }
    posts.iter().map(name).collect()
}

#[test]
fn events_are_signed_and_name_the_request_that_caused_them() {
    let mut client = Client::new();
    let secret = endpoint(&mut client);
    let sale = "amount=1000&currency=usd&confirm=true&payment_method=pm_card_visa";
    client.send("POST", "/v1/payment_intents", sale, Some("our-reference"));
    let posts = due(&mut client);
    assert_eq!(
        posts.iter().map(name).collect::<Vec<_>>(),
        [
            "payment_intent.created",
            "charge.succeeded",
            "payment_intent.succeeded"
        ]
    );
    for post in &posts {
        assert!(is_genuine(post, &secret));
        let event: Value = serde_json::from_slice(&post.body).unwrap();
        assert_eq!(event["request"]["idempotency_key"], "our-reference");
        assert_eq!(event["pending_webhooks"], 1);
        assert!(!is_genuine(
            &Post {
                body: b"{}".to_vec(),
                ..post.clone()
            },
            &secret
        ));
    }
    assert!(
        due(&mut client).is_empty(),
        "each is sent once until it fails"
    );
}

#[test]
fn what_is_refused_comes_again_with_a_new_signature() {
    let mut client = Client::new();
    let secret = endpoint(&mut client);
    client.pay("pm_card_visa", "");
    let first = due(&mut client);
    let now = client.now;
    for post in &first {
        client.stripe.delivered(post.id, Some(500), now);
    }
    client.wait(299);
    assert!(due(&mut client).is_empty());
    client.wait(1);
    let second = due(&mut client);
    assert_eq!(second.len(), first.len());
    assert_eq!(second[0].body, first[0].body);
    assert_ne!(second[0].headers, first[0].headers);
    assert!(is_genuine(&second[0], &secret));
}

#[test]
fn a_rolled_secret_signs_beside_its_successor_for_a_day() {
    let mut client = Client::new();
    let old = endpoint(&mut client);
    let id = client
        .get("/v1/webhook_endpoints")
        .text("/data/0/id")
        .to_owned();
    let new = client
        .post(&format!("/_sim/webhook_endpoints/{id}/roll"), "")
        .text("/secret")
        .to_owned();
    client.pay("pm_card_visa", "");
    let both = due(&mut client).remove(0);
    assert!(is_genuine(&both, &old) && is_genuine(&both, &new));
    client.wait(24 * 3600);
    client.pay("pm_card_visa", "");
    let posts = due(&mut client);
    let later = posts.last().unwrap();
    assert!(!is_genuine(later, &old) && is_genuine(later, &new));
}

#[test]
fn webhooks_go_wrong_as_asked() {
    let mut client = Client::new();
    let secret = endpoint(&mut client);
    client.arm("hook-twice");
    client.pay("pm_card_visa", "");
    assert_eq!(
        take_all(&mut client)
            .iter()
            .filter(|name| *name == "payment_intent.created")
            .count(),
        2
    );

    client.arm("hook-reordered");
    client.pay("pm_card_visa", "");
    let mut order = take_all(&mut client);
    client.wait(10);
    order.extend(take_all(&mut client));
    assert_eq!(
        order,
        [
            "charge.succeeded",
            "payment_intent.succeeded",
            "payment_intent.created"
        ]
    );

    client.arm("hook-late=3600");
    client.pay("pm_card_visa", "");
    assert_eq!(take_all(&mut client).len(), 2);
    client.wait(3600);
    assert_eq!(take_all(&mut client), ["payment_intent.created"]);

    client.arm("hook-forged");
    client.pay("pm_card_visa", "");
    let posts = due(&mut client);
    assert_eq!(posts.len(), 4);
    assert!(
        !is_genuine(&posts[0], &secret),
        "the forged one comes first"
    );
    assert!(posts[1..].iter().all(|post| is_genuine(post, &secret)));
}

#[test]
fn an_endpoint_gets_only_what_it_wants() {
    let mut client = Client::new();
    let made = client.post(
        "/v1/webhook_endpoints",
        "url=http://shop.example/hook&enabled_events[]=refund.created",
    );
    let paid = client.pay("pm_card_visa", "");
    client.post(
        "/v1/refunds",
        &format!("payment_intent={}", paid.text("/id")),
    );
    assert_eq!(take_all(&mut client), ["refund.created"]);
    client.post(
        &format!("/v1/webhook_endpoints/{}", made.text("/id")),
        "disabled=true",
    );
    client.pay("pm_card_visa", "");
    assert!(take_all(&mut client).is_empty());
    assert_eq!(
        client
            .send(
                "DELETE",
                &format!("/v1/webhook_endpoints/{}", made.text("/id")),
                "",
                None
            )
            .status,
        200
    );
    assert_eq!(
        client
            .post("/v1/webhook_endpoints", "url=ftp://x&enabled_events[]=*")
            .text("/error/code"),
        "url_invalid"
    );
    assert_eq!(
        client
            .post("/v1/webhook_endpoints", "url=http://x")
            .text("/error/code"),
        "parameter_missing"
    );
}
