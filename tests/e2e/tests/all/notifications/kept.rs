//! What was proven and stored is applied, whatever changes meanwhile; what can't be read is kept for people.

use serde_json::{Value, json};
use testkit::{Order, PATIENCE, Setup, Shop, cards, until};

use super::{
    Post, answer, chargeback, paid_at, path, paying, reference, secret, settled, signature, stored,
};
use crate::shared;

/// Gives a connection another secret for notifications.
fn rotate(shop: &Shop, connection: &str, settings: &Value) {
    let query = "mutation($id: ID, $settings: JSON!, $credentials: JSON) { \
        saveConnection(id: $id, processor: \"simulator\", name: \"A connection\", settings: $settings, credentials: $credentials, skipProbe: true) { id } }";
    let credentials = json!({"notificationSecret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLawMfKQ9r8GKYqrTwjUPD8ILPZI"});
    let variables = json!({"id": connection, "settings": settings, "credentials": credentials});
    shop.gql(query, variables).root();
}

/// What is counted of notifications.
fn counted(shop: &Shop) -> Vec<String> {
    let metrics = shop.get("/metrics").text();
    let lines = metrics
        .lines()
        .filter(|line| line.starts_with("pointsman_notifications_total{"));
    lines.map(str::to_owned).collect()
}

#[test]
fn what_was_stored_is_applied_although_the_secret_has_changed() {
    let server = Setup::new().setting("server.request_timeout", "8s").start();
    let shop = server.shop();
    let settings = json!({"fault": "slow", "delay": "1500ms"});
    shop.connection("rotated", settings.clone());
    let path = path(&shop, "rotated");
    let (id, paying) = paying(&shop, "rotated");
    let reference = reference(&id);
    let declined = json!({"Declined": {"decline": {"code": "GENERAL_DECLINE", "kind": "HARD", "processor_code": null, "processor_type": null}, "approval": {}}});
    let post = Post::signed(&path, "msg_rotated", &answer(&reference, &declined));
    assert_eq!(post.send(&shop).status, 200);
    // It waits for the end of the call, and the secret changes meanwhile.
    rotate(&shop, "rotated", &settings);
    assert_eq!(
        post.send(&shop).status,
        401,
        "the old secret proves no more"
    );
    assert_eq!(paying.join().unwrap(), json!(id));
    until(PATIENCE, "what waited is applied", || {
        let all = stored(&shop, "rotated");
        assert_ne!(all[0]["status"], "FAILED", "{all:?}");
        (all[0]["status"] == "UNCHANGED").then_some(())
    });
    shop.payment(&id).assert_status("AUTHORISED");
}

#[test]
fn a_copy_of_what_came_to_nothing_is_tried_with_its_new_content() {
    let shop = shared::shop();
    shop.connection("corrected", json!({}));
    let (payment, path) = (paid_at(&shop, "corrected"), path(&shop, "corrected"));
    let wrong = chargeback("0192a000-0000-7000-8000-000000000000-1", "dp_corrected");
    let post = Post::signed(&path, "msg_corrected", &wrong);
    assert_eq!(post.send(&shop).status, 200);
    let all = settled(&shop, "corrected", 1);
    assert_eq!(all[0]["status"], "UNKNOWN_PAYMENT", "{all:?}");
    let right = chargeback(&reference(&payment), "dp_corrected");
    let post = Post::signed(&path, "msg_corrected", &right);
    assert_eq!(post.send(&shop).status, 200);
    shop.wait_for_status(&payment, "DISPUTED");
    let all = until(PATIENCE, "what became of it", || {
        let all = stored(&shop, "corrected");
        (all[0]["status"] == "APPLIED").then_some(all)
    });
    assert_eq!(all.len(), 1, "{all:?}");
    // One that was applied is a copy, whatever it says.
    let post = Post::signed(&path, "msg_corrected", &wrong);
    assert_eq!(post.send(&shop).status, 200);
    assert_eq!(stored(&shop, "corrected")[0]["status"], "APPLIED");
}

#[test]
fn what_is_unknown_raises_the_alarm_once_however_often_it_is_sent() {
    let server = Setup::new().start();
    let shop = server.shop();
    shop.connection("unknown", json!({}));
    let path = path(&shop, "unknown");
    let news = chargeback("0192a000-0000-7000-8000-000000000000-1", "dp_unknown");
    for copies in 0..3 {
        let post = Post::signed(&path, "msg_unknown", &news);
        assert_eq!(post.send(&shop).status, 200);
        let counts = |outcome: &str, count: usize| {
            let line = format!("outcome=\"{outcome}\"}} {count}");
            counted(&shop).iter().any(|one| one.ends_with(&line))
        };
        until(PATIENCE, "what became of it", || {
            let is_counted =
                counts("unknown_payment", 1) && (copies == 0 || counts("copy", copies));
            is_counted.then_some(())
        });
        let all = settled(&shop, "unknown", 1);
        assert_eq!(all[0]["status"], "UNKNOWN_PAYMENT", "{all:?}");
        assert_eq!(all.len(), 1);
    }
    let log = server.log();
    assert_eq!(log.matches("nobody knows the payment").count(), 1, "{log}");
    // Another one is another alarm.
    let other = chargeback("0192a000-0000-7000-8000-000000000000-1", "dp_other");
    assert_eq!(
        Post::signed(&path, "msg_other", &other).send(&shop).status,
        200
    );
    until(PATIENCE, "the second alarm", || {
        let log = server.log();
        (log.matches("nobody knows the payment").count() == 2).then_some(())
    });
}

#[test]
fn notifications_of_a_connection_that_is_nobody_s_are_refused_as_such() {
    let shop = shared::shop();
    shop.connection("silent", json!({}));
    assert_eq!(stored(&shop, "silent"), Vec::<Value>::new());
    let query = "query($id: ID) { listNotifications(connectionId: $id) { edges { node { id } } } }";
    let asked = |shop: &Shop, id: &str| shop.gql(query, json!({ "id": id }));
    asked(&shop, "no-such").assert_error("error.connection.not-found");
    asked(&shared::other_shop(), "silent").assert_error("error.connection.not-found");
}

#[test]
fn genuine_news_that_cannot_be_read_is_kept_as_failed() {
    let server = Setup::new().start();
    let shop = server.shop();
    shop.connection("unreadable", json!({}));
    let (payment, path) = (paid_at(&shop, "unreadable"), path(&shop, "unreadable"));
    let report = |change: &dyn Fn(&mut Value)| {
        let mut body = chargeback(&reference(&payment), "dp_unreadable");
        change(&mut body["dispute"]);
        body.to_string()
    };
    let bodies = [
        "{\"id\":".to_owned(),
        report(&|one| one["status"] = json!("SOMETHING_NEW")),
        report(&|one| one["money"]["minor"] = json!(-5000)),
        report(&|one| one["money"]["minor"] = json!(i64::MIN)),
        report(&|one| one["respond_by"] = json!(i64::MAX)),
        report(&|one| one["disputed_at"] = json!(i64::MIN)),
        report(&|one| one["as_of"] = json!(i64::MAX)),
        report(&|one| one["id"] = json!("")),
        report(&|one| one["id"] = json!("x".repeat(900_000))),
        report(&|one| one["id"] = json!("dp\u{1b}[2J\0")),
    ];
    for (n, body) in bodies.iter().enumerate() {
        let post = Post::saying(&path, &format!("msg_unreadable_{n}"), body);
        assert_eq!(post.send(&shop).status, 200, "{body:.200}");
        assert_eq!(post.send(&shop).status, 200, "a copy");
        let all = stored(&shop, "unreadable");
        assert_eq!(all.len(), n + 1);
        assert_eq!(all[0]["status"], "FAILED", "{body:.200}");
        let why = all[0]["message"].as_str().unwrap();
        assert!(why.starts_with("it can't be read: "), "{why}");
    }
    shop.payment(&payment).assert_status("SUCCEEDED");
    let counted = counted(&shop);
    for (outcome, count) in [("copy", 10), ("unreadable", 10), ("forged", 0)] {
        let line = format!("outcome=\"{outcome}\"}} {count}");
        assert!(
            counted.iter().any(|one| one.ends_with(&line)),
            "{counted:?}"
        );
    }
    assert!(server.log().contains("can't be read"));
}

#[test]
fn what_is_too_old_or_of_the_other_mode_is_refused_under_its_own_name() {
    let server = Setup::new().start();
    let shop = server.shop();
    shop.connection("refused", json!({}));
    let path = path(&shop, "refused");
    let good = Post::signed(&path, "msg_r", &chargeback("x", "dp_r"));
    let seconds = good.seconds - 400;
    let old = Post {
        seconds,
        signature: signature(&secret(&path), &good.id, seconds, &good.body),
        ..good.clone()
    };
    let live = Post::saying(&path, "msg_r", &good.body.replace("\"test\"", "\"live\""));
    let forged = Post {
        body: good.body.replace("1000", "1001"),
        ..good.clone()
    };
    for (post, words, outcome) in [
        (old, "time", "untimely"),
        (live, "mode", "other_mode"),
        (forged, "proves", "forged"),
    ] {
        let reply = post.send(&shop);
        assert_eq!(reply.status, 401, "{outcome}");
        assert!(reply.text().contains(words), "{}", reply.text());
        let counted = counted(&shop);
        let once = format!("outcome=\"{outcome}\"}} 1");
        assert!(
            counted.iter().any(|one| one.ends_with(&once)),
            "{counted:?}"
        );
    }
    assert!(stored(&shop, "refused").is_empty());
}

#[test]
fn nul_in_signed_texts_does_no_harm() {
    let shop = shared::shop();
    shop.connection("nul", json!({}));
    let (payment, path) = (paid_at(&shop, "nul"), path(&shop, "nul"));
    let mut word = chargeback(&reference(&payment), "dp_nul");
    word["type"] = json!("dispute\0.updated\u{1b}[2J");
    let mut reason = chargeback(&reference(&payment), "dp_nul_2");
    reason["dispute"]["processor_reason"] = json!("a\0b");
    reason["dispute"]["processor_status"] = json!("\0");
    for (n, body) in [word, reason].iter().enumerate() {
        let post = Post::signed(&path, &format!("msg_nul_{n}"), body);
        assert_eq!(post.send(&shop).status, 200);
        let all = settled(&shop, "nul", n + 1);
        assert_eq!(all[0]["status"], "APPLIED", "{all:?}");
    }
    assert!(!stored(&shop, "nul").iter().any(|one| {
        let word = one["type"].as_str().unwrap();
        word.chars().any(char::is_control)
    }));
}

#[test]
fn news_with_the_processors_id_alone_is_an_alarm() {
    let shop = shared::shop();
    shop.connection("nameless", json!({}));
    let (payment, path) = (paid_at(&shop, "nameless"), path(&shop, "nameless"));
    let mut body = chargeback(&reference(&payment), "dp_nameless");
    body["reference"] = Value::Null;
    body["processor_id"] = json!(format!("sim_{}", reference(&payment)));
    let post = Post::signed(&path, "msg_nameless", &body);
    assert_eq!(post.send(&shop).status, 200);
    let all = settled(&shop, "nameless", 1);
    assert_eq!(all[0]["status"], "UNKNOWN_PAYMENT", "{all:?}");
    // A dispute that is known is found by its own id.
    let known = chargeback(&reference(&payment), "dp_known");
    assert_eq!(
        Post::signed(&path, "msg_known", &known).send(&shop).status,
        200
    );
    settled(&shop, "nameless", 2);
    let mut won = known;
    won["reference"] = Value::Null;
    won["dispute"]["status"] = json!("WON");
    won["dispute"]["as_of"] = json!((super::now() + 10) * 1_000_000);
    assert_eq!(Post::signed(&path, "msg_won", &won).send(&shop).status, 200);
    let all = settled(&shop, "nameless", 3);
    assert_eq!(all[0]["status"], "APPLIED", "{all:?}");
    let foreign = chargeback("order-17", "dp_foreign");
    assert_eq!(
        Post::signed(&path, "msg_foreign", &foreign)
            .send(&shop)
            .status,
        200
    );
    let all = settled(&shop, "nameless", 4);
    assert_eq!(all[0]["status"], "FOREIGN", "{all:?}");
}

#[test]
fn an_approval_of_another_amount_than_was_asked_is_not_taken_as_whole() {
    let server = Setup::new()
        .config("[recovery]\nschedule = [\"1h\"]\n")
        .start();
    let shop = server.shop();
    shop.connection("less", json!({}));
    let path = path(&shop, "less");
    let order = Order::card(cards::UNKNOWN_CHARGED).amount(1000).at("less");
    let order = shop.try_headless(&order, None);
    let id = order.root()["id"].as_str().unwrap().to_owned();
    let reference = reference(&id);
    let approval = json!({"processor_id": format!("sim_{reference}")});
    let approved = json!({"Approved": {"captured": false, "approval": approval}});
    let mut body = answer(&reference, &approved);
    body["booked"] = json!({"minor": 400, "currency": "EUR"});
    let post = Post::signed(&path, "msg_less", &body);
    assert_eq!(post.send(&shop).status, 200);
    let all = settled(&shop, "less", 1);
    assert_eq!(all[0]["status"], "APPLIED", "{all:?}");
    shop.payment(&id)
        .assert_status("DECLINED")
        .assert_says("the processor has a different operation: authorisation of €4.00");
}
