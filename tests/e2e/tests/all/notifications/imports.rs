//! Payments that other systems make at the processor: kept where the connection says so, once, as what they are.

use serde_json::{Value, json};
use testkit::{
    Order, PATIENCE, Setup, Shop, at_once, cards,
    http::{Reply, Request},
    until,
};

use super::{Post, chargeback, path, stored};
use crate::shared;

/// Makes or changes a connection with this choice of imports; without one it stays as it was.
fn connection(shop: &Shop, id: &str, imports: Option<&str>) -> Value {
    let query = "mutation($id: ID!, $imports: ImportMode) { saveConnection(id: $id, processor: \"simulator\", name: \"Shared\", \
        settings: {}, imports: $imports) { id imports } }";
    let saved = shop.gql(query, json!({"id": id, "imports": imports}));
    saved.root()["imports"].clone()
}

/// Has another system make a payment at the simulator.
fn make_elsewhere(shop: &Shop, wish: &Value) -> Reply {
    Request::new("POST", "/sandbox/payments")
        .header("Authorization", format!("Bearer {}", shop.credential()))
        .header("Content-Type", "application/json")
        .body(wish.to_string())
        .send(shop.address())
}

/// The simulator's id of a payment that another system made.
#[track_caller]
fn made_elsewhere(shop: &Shop, wish: &Value) -> String {
    let reply = make_elsewhere(shop, wish);
    assert_eq!(reply.status, 200, "{}", reply.text());
    let answer: Value = serde_json::from_slice(&reply.body).unwrap();
    answer["sourcePaymentId"].as_str().unwrap().to_owned()
}

/// The payments with this order.
fn with_order(shop: &Shop, order: &str) -> Vec<Value> {
    let query = "query($data: PaymentFilterInput) { listPayments(data: $data) { edges { node { id date status orderId \
        paymentProcessingOrigin capturedAmount refundedAmount amount { rawAmount } currency connectionId paymentGateway { name } } } } }";
    let given = json!({"data": {"filter": {"orderId": {"value": order}}}});
    let page = shop.gql(query, given);
    let edges = page.root()["edges"].as_array().unwrap();
    edges.iter().map(|edge| edge["node"].clone()).collect()
}

/// The only payment with this order, as soon as there is one.
#[track_caller]
fn imported(shop: &Shop, order: &str) -> Value {
    let found = until(PATIENCE, "the import", || {
        Some(with_order(shop, order)).filter(|found| !found.is_empty())
    });
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

/// The kinds of events of a payment that merchants get, in order.
fn kinds_of(shop: &Shop, payment: &str) -> Vec<String> {
    let query = "query($after: String) { listEvents(first: 100, after: $after) { \
        pageInfo { hasNextPage endCursor } edges { node { kind sequence data } } } }";
    let (mut kinds, mut after) = (Vec::new(), Value::Null);
    loop {
        let page = shop.gql(query, json!({ "after": after })).root().clone();
        for edge in page["edges"].as_array().unwrap() {
            let node = &edge["node"];
            let kind = node["kind"].as_str().unwrap();
            if kind.starts_with("payment.") && node["data"]["paymentId"] == json!(payment) {
                assert_eq!(node["sequence"], json!(kinds.len() + 1));
                kinds.push(kind.to_owned());
            }
        }
        if page["pageInfo"]["hasNextPage"] == json!(false) {
            return kinds;
        }
        after = page["pageInfo"]["endCursor"].clone();
    }
}

/// The kinds, once there are so many: an event is not shown while an older transaction is open.
#[track_caller]
fn kinds_when(shop: &Shop, payment: &str, count: usize) -> Vec<String> {
    until(PATIENCE, "the events", || {
        Some(kinds_of(shop, payment)).filter(|kinds| kinds.len() >= count)
    })
}

/// The body of a report of a payment.
fn report(reference: &Value, id: &str, order: &str, refunded: i64) -> Value {
    let made_at = 1_767_225_600_123_000_i64;
    json!({"id": "m", "type": "payment.made", "mode": "test", "reference": reference, "processor_id": id, "payment": {
        "made_at": made_at, "currency": "EUR", "amount": 1000, "captured": 1000, "refunded": refunded,
        "method": "VISA", "last_four": "4242", "order": order}})
}

/// The notifications of a connection once there are so many, and none of them is to be applied any more.
#[track_caller]
fn settled(shop: &Shop, connection: &str, count: usize) -> Vec<Value> {
    until(PATIENCE, "the notifications", || {
        let all = stored(shop, connection);
        let is_open = |one: &Value| one["status"] == "RECEIVED";
        (all.len() >= count && !all.iter().any(is_open)).then_some(all)
    })
}

#[test]
fn by_default_nothing_is_imported_and_our_own_reference_is_an_alarm() {
    let shop = shared::shop();
    assert_eq!(connection(&shop, "imports-off", None), json!("OFF"));
    let path = path(&shop, "imports-off");
    let order = Shop::fresh_key();
    let ours = json!("0192a000-0000-7000-8000-000000000000-1");
    let foreign = report(&json!(order), "sim_ext_off", &order, 0);
    assert_eq!(
        Post::signed(&path, "msg_off_1", &foreign)
            .send(&shop)
            .status,
        200
    );
    settled(&shop, "imports-off", 1);
    let lost = report(&ours, "sim_ext_lost", &order, 0);
    assert_eq!(
        Post::signed(&path, "msg_off_2", &lost).send(&shop).status,
        200
    );
    let all = settled(&shop, "imports-off", 2);
    assert_eq!(all[0]["status"], "UNKNOWN_PAYMENT", "{all:?}");
    assert_eq!(all[1]["status"], "FOREIGN", "{all:?}");
    assert_eq!(with_order(&shop, &order), Vec::<Value>::new());
    // An alarm also where imports are on: what has a reference of ours was made here and was lost.
    assert_eq!(
        connection(&shop, "imports-off", Some("ANNOUNCED")),
        json!("ANNOUNCED")
    );
    assert_eq!(
        connection(&shop, "imports-off", None),
        json!("ANNOUNCED"),
        "it stays"
    );
    let again = report(&ours, "sim_ext_lost", &order, 0);
    assert_eq!(
        Post::signed(&path, "msg_off_3", &again).send(&shop).status,
        200
    );
    let all = settled(&shop, "imports-off", 3);
    assert_eq!(all[0]["status"], "UNKNOWN_PAYMENT", "{all:?}");
    assert_eq!(with_order(&shop, &order), Vec::<Value>::new());
}

#[test]
fn a_quiet_import_has_the_processors_date_and_no_event_and_is_refunded_and_disputed() {
    let shop = shared::shop();
    connection(&shop, "imports-quiet", Some("QUIET"));
    let order = Shop::fresh_key();
    let wish = json!({"connectionId": "imports-quiet", "amount": 1000, "currencyCode": "EUR", "orderId": order,
        "date": "2026-02-03T04:05:06Z"});
    let source = made_elsewhere(&shop, &wish);
    let found = imported(&shop, &order);
    assert_eq!(found["paymentProcessingOrigin"], "IMPORT");
    assert_eq!(found["status"], "SUCCEEDED");
    assert_eq!(found["date"], "2026-02-03T04:05:06.000Z");
    assert_eq!(found["connectionId"], "imports-quiet");
    assert_eq!(found["capturedAmount"], json!(1000));
    let id = found["id"].as_str().unwrap();
    let says = shop.payment(id);
    assert!(
        says.titles().contains(&"Imported".to_owned()),
        "{:?}",
        says.titles()
    );
    let all = settled(&shop, "imports-quiet", 1);
    assert_eq!(
        (&all[0]["status"], &all[0]["paymentId"]),
        (&json!("APPLIED"), &json!(id))
    );
    // What is done with it here brings events as with any other payment.
    shop.refund(id, 400).assert_status("PARTIAL_REFUNDED");
    assert_eq!(kinds_when(&shop, id, 1), ["payment.refunded"]);
    shop.refund(id, 600).assert_status("REFUNDED");
    shop.try_refund(id, json!(1))
        .assert_error("error.refund.invalid-status");
    shop.assert_books_agree_on(id);
    // Disputed, by the processor's id of it alone.
    let path = path(&shop, "imports-quiet");
    let mut body = chargeback("no-reference-of-ours", "dp_imported");
    body["processor_id"] = json!(source);
    assert_eq!(
        Post::signed(&path, "msg_quiet_dp", &body)
            .send(&shop)
            .status,
        200
    );
    shop.wait_for_status(id, "DISPUTED");
}

#[test]
fn a_hundred_copies_and_reports_at_once_make_one_payment() {
    let shop = shared::shop();
    connection(&shop, "imports-copies", Some("ANNOUNCED"));
    let path = path(&shop, "imports-copies");
    let order = Shop::fresh_key();
    let body = report(&json!(order), "sim_ext_copies", &order, 0);
    let statuses = at_once(100, |n| {
        let id = if n % 2 == 0 {
            "msg_same".to_owned()
        } else {
            format!("msg_{n}")
        };
        Post::signed(&path, &id, &body).send(&shop).status
    });
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    let all = settled(&shop, "imports-copies", 51);
    assert_eq!(all.len(), 51);
    let applied: Vec<_> = all
        .iter()
        .filter(|one| one["status"] == "APPLIED")
        .collect();
    assert_eq!(applied.len(), 1, "{all:?}");
    let found = imported(&shop, &order);
    let id = found["id"].as_str().unwrap();
    assert_eq!(found["date"], "2026-01-01T00:00:00.123Z");
    let wanted = ["payment.created", "payment.authorised", "payment.captured"];
    assert_eq!(kinds_when(&shop, id, 3), wanted);
    // What the other system gives back comes once too, with its event.
    let refunded = report(&json!(order), "sim_ext_copies", &order, 300);
    at_once(10, |n| {
        Post::signed(&path, &format!("msg_back_{n}"), &refunded)
            .send(&shop)
            .status
    });
    let payment = shop.wait_for_status(id, "PARTIAL_REFUNDED");
    assert_eq!(payment.number("/refundedAmount"), 300);
    settled(&shop, "imports-copies", 61);
    assert_eq!(shop.payment(id).number("/refundedAmount"), 300);
    assert_eq!(kinds_when(&shop, id, 4).last().unwrap(), "payment.refunded");
    // An older report changes nothing.
    Post::signed(&path, "msg_old", &body).send(&shop);
    let all = settled(&shop, "imports-copies", 62);
    assert_eq!(all[0]["status"], "UNCHANGED", "{:?}", all[0]);
}

#[test]
fn news_that_comes_before_the_report_waits_for_it() {
    let shop = shared::shop();
    connection(&shop, "imports-early", Some("QUIET"));
    let path = path(&shop, "imports-early");
    let order = Shop::fresh_key();
    let mut early = chargeback(&order, "dp_early");
    early["processor_id"] = json!("sim_ext_early");
    assert_eq!(
        Post::signed(&path, "msg_early_dp", &early)
            .send(&shop)
            .status,
        200
    );
    let all = settled(&shop, "imports-early", 1);
    assert_eq!(all[0]["status"], "WAITING", "{all:?}");
    let body = report(&json!(order), "sim_ext_early", &order, 0);
    assert_eq!(
        Post::signed(&path, "msg_early", &body).send(&shop).status,
        200
    );
    let found = imported(&shop, &order);
    shop.wait_for_status(found["id"].as_str().unwrap(), "DISPUTED");
}

#[test]
fn what_can_not_be_a_payment_is_kept_as_foreign() {
    let shop = shared::shop();
    connection(&shop, "imports-odd", Some("QUIET"));
    let path = path(&shop, "imports-odd");
    let order = Shop::fresh_key();
    let odd = |member: &str, value: Value| {
        let mut body = report(&json!(order), "sim_ext_odd", &order, 0);
        body["payment"][member] = value;
        body
    };
    let bodies = [
        odd("captured", json!(0)),
        odd("captured", json!(1001)),
        odd("refunded", json!(1001)),
        odd("made_at", json!(4_102_444_800_000_000_i64)),
        odd("last_four", json!("4242424242424242")),
    ];
    for (n, body) in bodies.iter().enumerate() {
        let post = Post::signed(&path, &format!("msg_odd_{n}"), body);
        assert_eq!(post.send(&shop).status, 200);
        let all = settled(&shop, "imports-odd", n + 1);
        assert_eq!(all[0]["status"], "FOREIGN", "{body} {all:?}");
        assert!(all[0]["message"].is_string());
    }
    assert_eq!(with_order(&shop, &order), Vec::<Value>::new());
}

#[test]
fn an_import_is_its_teams_alone() {
    let (shop, other) = (shared::shop(), shared::other_shop());
    for one in [&shop, &other] {
        connection(one, "imports-teams", Some("QUIET"));
    }
    let order = Shop::fresh_key();
    let wish = json!({"connectionId": "imports-teams", "amount": 700, "currencyCode": "EUR", "orderId": order, "refunded": 200});
    let source = made_elsewhere(&shop, &wish);
    let found = imported(&shop, &order);
    assert_eq!(found["status"], "PARTIAL_REFUNDED");
    let id = found["id"].as_str().unwrap();
    assert_eq!(with_order(&other, &order), Vec::<Value>::new());
    other
        .try_payment(id)
        .assert_error("error.payment.not-found");
    other
        .try_refund(id, json!(1))
        .assert_error("error.payment.not-found");
    // The other team's processor claims the same id: a payment of that team's own, whose money is not at its account.
    let body = report(&json!(order), &source, &order, 0);
    let theirs = path(&other, "imports-teams");
    assert_eq!(
        Post::signed(&theirs, "msg_claim", &body)
            .send(&other)
            .status,
        200
    );
    let claimed = imported(&other, &order);
    assert_ne!(claimed["id"], found["id"]);
    let refused = other.try_refund(claimed["id"].as_str().unwrap(), json!(500));
    refused.assert_error("error.refund.processor");
    assert_eq!(imported(&shop, &order)["refundedAmount"], json!(200));
    assert!(
        !books_of(&other, &source),
        "the books of others are not shown"
    );
    assert!(books_of(&shop, &source));
}

/// Whether the books show what has this id of the simulator's.
fn books_of(shop: &Shop, source: &str) -> bool {
    let reference = source.trim_start_matches("sim_");
    shop.books()
        .entries
        .iter()
        .any(|entry| entry.reference == reference)
}

#[test]
fn a_flow_of_an_outcome_is_started_by_an_announced_import_alone() {
    let server = Setup::new().start();
    let shop = server.shop();
    let document = json!({"name": "Noted", "trigger": {"outcome": ["succeeded"]}, "steps": [{"note": "It was paid"}]});
    let saved = shop.gql(
        "mutation($id: ID, $document: JSON!) { saveFlow(id: $id, document: $document) { version } }",
        json!({"id": "noted", "document": document}),
    );
    let version = saved.root()["version"].clone();
    shop.gql(
        "mutation($id: ID!, $version: Int!) { publishFlow(id: $id, version: $version) { id } }",
        json!({"id": "noted", "version": version}),
    );
    let flows = |imports: &str| {
        let connection_id = format!("imports-{}", imports.to_lowercase());
        connection(&shop, &connection_id, Some(imports));
        let order = Shop::fresh_key();
        let wish = json!({"connectionId": connection_id, "amount": 1000, "currencyCode": "EUR", "orderId": order});
        made_elsewhere(&shop, &wish);
        let id = imported(&shop, &order)["id"].as_str().unwrap().to_owned();
        let payment = shop.payment(&id);
        payment
            .at("/paymentTimeline/flows")
            .as_array()
            .map_or(0, Vec::len)
    };
    assert_eq!(flows("QUIET"), 0);
    assert_eq!(flows("ANNOUNCED"), 1);
    // One made here, so that the flow is seen to work.
    let own = shop.order(&Order::card(cards::VISA).amount(500));
    assert_eq!(
        own.at("/paymentTimeline/flows").as_array().unwrap().len(),
        2
    );
    shop.assert_books_equal_payments();
}

#[test]
fn the_desk_refuses_what_no_other_system_can_make() {
    let shop = shared::shop();
    let good = json!({"connectionId": "simulator-a", "amount": 1000, "currencyCode": "EUR", "orderId": "o"});
    for (member, value) in [
        ("connectionId", json!("nowhere")),
        ("amount", json!(0)),
        ("refunded", json!(1001)),
        ("currencyCode", json!("EURO")),
        ("date", json!("yesterday")),
        ("more", json!(1)),
    ] {
        let mut wish = good.clone();
        wish[member] = value;
        assert_eq!(make_elsewhere(&shop, &wish).status, 400, "{wish}");
    }
}

#[test]
fn the_desk_names_the_member_that_it_can_not_take() {
    let shop = shared::shop();
    let good = json!({"connectionId": "simulator-a", "amount": 1000, "currencyCode": "EUR", "orderId": "o", "refunded": 0});
    for (member, value, rule) in [
        ("connectionId", json!(7), "must be a text"),
        ("connectionId", json!("none"), "must be one of the team's"),
        ("amount", Value::Null, "must be given"),
        ("amount", json!("10"), "must be a whole number"),
        ("amount", json!(0), "must be greater than zero"),
        ("currencyCode", json!("eur"), "must be a currency"),
        ("orderId", Value::Null, "must be given"),
        ("date", json!("yesterday"), "must be a time"),
        ("refunded", json!(1001), "must be between"),
        ("lastFour", json!("4242"), "is no member"),
    ] {
        let mut wish = good.clone();
        wish[member] = value;
        let reply = make_elsewhere(&shop, &wish);
        assert_eq!(reply.status, 400, "{wish}");
        let answer: Value = serde_json::from_slice(&reply.body).unwrap();
        let extensions = &answer["errors"][0]["extensions"];
        assert_eq!(extensions["field"], member, "{answer}");
        let reason = extensions["reason"].as_str().unwrap();
        assert!(reason.starts_with(rule), "{answer}");
    }
}
