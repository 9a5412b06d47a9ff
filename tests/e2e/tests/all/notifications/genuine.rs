//! Genuine notifications: once, a hundred times, early, and about what nobody knows.

use serde_json::{Value, json};
use testkit::{PATIENCE, Setup, at_once, cards, until};

use super::{Post, answer, chargeback, paid_at, path, paying, reference, settled, stored};
use crate::shared;

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
    // The newest first: what was paid at another connection is that one's.
    let wanted = ["UNKNOWN_PAYMENT", "FOREIGN", "FOREIGN", "UNKNOWN_PAYMENT"];
    assert_eq!(statuses, wanted, "{all:?}");
    let none = shop.gql(
        "query($data: DisputeFilterInput) { listDisputes(data: $data) { edges { node { id } } } }",
        json!({"data": {"filter": {"paymentId": {"value": "0192a000-0000-7000-8000-000000000000"}}}}),
    );
    assert_eq!(none.root()["edges"], json!([]));
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
