//! Genuine notifications: once, a hundred times, early, and about what nobody knows.

use serde_json::{Value, json};
use testkit::{Order, PATIENCE, Setup, Shop, at_once, cards, until};

use super::{Post, chargeback, path, stored};
use crate::shared;

/// A payment at a connection of its own.
fn paid_at(shop: &Shop, connection: &str) -> String {
    let order = Order::card(cards::VISA).amount(1000).at(connection);
    let id = shop.try_headless(&order, None).root()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    shop.capture(&id);
    id
}

fn reference(payment: &str) -> String {
    format!("{}-1", payment.trim_start_matches("payments:"))
}

/// The notifications of a connection once none of them is to be applied any more.
fn settled(shop: &Shop, connection: &str, count: usize) -> Vec<Value> {
    until(PATIENCE, "the notifications", || {
        let all = stored(shop, connection);
        let is_open = |one: &Value| one["status"] == "RECEIVED";
        (all.len() >= count && !all.iter().any(is_open)).then_some(all)
    })
}

#[test]
fn a_hundred_copies_at_once_have_one_effect() {
    let shop = shared::shop();
    shop.connection("copies", json!({}));
    let (payment, path) = (paid_at(&shop, "copies"), path(&shop, "copies"));
    let post = Post::signed(&path, "msg_1", &chargeback(&reference(&payment), "dp_1"));
    let statuses = at_once(100, |_| post.send(&shop).status);
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    shop.wait_for_status(&payment, "DISPUTED");
    let all = settled(&shop, "copies", 1);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0]["status"], "APPLIED");
    assert_eq!(all[0]["paymentId"], json!(payment));
    // The same report under other ids, at once: they change nothing.
    let others = at_once(20, |n| {
        let body = chargeback(&reference(&payment), "dp_1");
        Post::signed(&path, &format!("msg_other_{n}"), &body)
            .send(&shop)
            .status
    });
    assert!(others.iter().all(|status| *status == 200));
    let all = settled(&shop, "copies", 21);
    let applied = all.iter().filter(|one| one["status"] == "APPLIED");
    assert!(applied.count() >= 1);
    let says = shop.payment(&payment).titles();
    let disputed = says.iter().filter(|title| *title == "Disputed");
    assert_eq!(disputed.count(), 1, "{says:?}");
}

#[test]
fn news_of_what_nobody_knows_makes_nothing_and_is_kept() {
    let shop = shared::shop();
    shop.connection("strange", json!({}));
    shop.connection("elsewhere", json!({}));
    let path = path(&shop, "strange");
    let unknown = chargeback("0192a000-0000-7000-8000-000000000000-1", "dp_x");
    let foreign = chargeback("order-17", "dp_y");
    let at_another = chargeback(&reference(&paid_at(&shop, "elsewhere")), "dp_z");
    let of_another_team = {
        let other = shared::other_shop();
        chargeback(&reference(&other.authorise(cards::VISA).id()), "dp_w")
    };
    for (n, body) in [unknown, foreign, at_another, of_another_team]
        .iter()
        .enumerate()
    {
        let post = Post::signed(&path, &format!("msg_strange_{n}"), body);
        assert_eq!(post.send(&shop).status, 200);
        settled(&shop, "strange", n + 1);
    }
    let all = stored(&shop, "strange");
    let statuses: Vec<&str> = all
        .iter()
        .map(|one| one["status"].as_str().unwrap())
        .collect();
    let wanted = [
        "UNKNOWN_PAYMENT",
        "UNKNOWN_PAYMENT",
        "FOREIGN",
        "UNKNOWN_PAYMENT",
    ];
    assert_eq!(statuses, wanted, "{all:?}");
    let none = shop.gql(
        "query($data: DisputeFilterInput) { listDisputes(data: $data) { edges { node { id } } } }",
        json!({"data": {"filter": {"paymentId": {"value": "0192a000-0000-7000-8000-000000000000"}}}}),
    );
    assert_eq!(none.root()["edges"], json!([]));
}

/// A payment whose call at the connection is under way, and the thread that waits for its answer.
fn paying(shop: &Shop, connection: &str) -> (String, std::thread::JoinHandle<Value>) {
    let order_id = Shop::fresh_key();
    let order = Order::card(cards::VISA)
        .amount(1000)
        .with("orderId", json!(order_id))
        .at(connection);
    let paying = {
        let shop = shop.clone();
        std::thread::spawn(move || shop.try_headless(&order, None).root()["id"].clone())
    };
    let id = until(PATIENCE, "the payment", || {
        let found = shop.gql(
            "query($data: PaymentFilterInput) { listPayments(data: $data) { edges { node { id } } } }",
            json!({"data": {"filter": {"orderId": {"value": order_id}}}}),
        );
        found.root()["edges"][0]["node"]["id"]
            .as_str()
            .map(str::to_owned)
    });
    (id, paying)
}

/// The body of news about an authorisation.
fn answer(reference: &str, answer: &Value) -> Value {
    json!({"id": "m", "type": "authorisation.updated", "mode": "test", "reference": reference, "answer": answer})
}

#[test]
fn a_notification_that_comes_before_the_answer_counts_once() {
    let shop = shared::shop();
    shop.connection("slow-news", json!({"fault": "slow", "delay": "1500ms"}));
    let path = path(&shop, "slow-news");
    let (id, paying) = paying(&shop, "slow-news");
    let reference = reference(&id);
    let approval = json!({"processor_id": format!("sim_{reference}"), "booked": {"minor": 1000, "currency": "EUR"}});
    let approved = json!({"Approved": {"captured": false, "approval": approval}});
    let post = Post::signed(&path, "msg_early", &answer(&reference, &approved));
    assert_eq!(post.send(&shop).status, 200);
    assert_eq!(paying.join().unwrap(), json!(id));
    shop.wait_for_status(&id, "AUTHORISED");
    let all = settled(&shop, "slow-news", 1);
    assert!(
        ["APPLIED", "UNCHANGED"].contains(&all[0]["status"].as_str().unwrap()),
        "{all:?}"
    );
    let titles = shop.payment(&id).titles();
    let authorised = titles.iter().filter(|title| *title == "Authorised");
    assert_eq!(authorised.count(), 1, "{titles:?}");
}

#[test]
fn an_early_refusal_waits_for_the_answer_to_the_call() {
    let server = Setup::new().setting("server.request_timeout", "8s").start();
    let shop = server.shop();
    shop.connection("slow-refusal", json!({"fault": "slow", "delay": "1500ms"}));
    let path = path(&shop, "slow-refusal");
    let (id, paying) = paying(&shop, "slow-refusal");
    let reference = reference(&id);
    let declined = json!({"Declined": {"decline": {"code": "GENERAL_DECLINE", "kind": "HARD", "processor_code": null, "processor_type": null}, "approval": {}}});
    let post = Post::signed(&path, "msg_refusal", &answer(&reference, &declined));
    assert_eq!(post.send(&shop).status, 200);
    assert_eq!(paying.join().unwrap(), json!(id));
    // Its call's own answer decided; what waited says nothing new then.
    shop.wait_for_status(&id, "AUTHORISED");
    until(PATIENCE, "what waited is applied", || {
        let all = stored(&shop, "slow-refusal");
        (all[0]["status"] == "UNCHANGED").then_some(())
    });
    shop.payment(&id).assert_status("AUTHORISED");
}

#[test]
fn late_and_older_reports_change_nothing() {
    let shop = shared::shop();
    shop.connection("order", json!({}));
    let (payment, path) = (paid_at(&shop, "order"), path(&shop, "order"));
    let report = |status: &str, seconds: i64| {
        let mut body = chargeback(&reference(&payment), "dp_o");
        body["dispute"]["status"] = json!(status);
        body["dispute"]["as_of"] = json!((super::now() + seconds) * 1_000_000);
        body
    };
    for (n, (status, seconds)) in [("WON", 30), ("NEEDS_RESPONSE", 0), ("LOST", 20)]
        .into_iter()
        .enumerate()
    {
        let post = Post::signed(&path, &format!("msg_o_{n}"), &report(status, seconds));
        assert_eq!(post.send(&shop).status, 200);
        settled(&shop, "order", n + 1);
    }
    let statuses: Vec<Value> = stored(&shop, "order")
        .iter()
        .map(|one| one["status"].clone())
        .collect();
    assert_eq!(statuses, ["UNCHANGED", "UNCHANGED", "APPLIED"]);
    shop.payment(&payment).assert_status("SUCCEEDED");
}
