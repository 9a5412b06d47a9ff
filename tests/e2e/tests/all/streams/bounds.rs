//! How many streams there may be, who may have them, and what becomes of those who take nothing.

use serde_json::{Value, json};
use testkit::{KeyKind, Setup, cards};

use super::{OF_SALE, all, settled};

#[test]
fn a_hundred_streams_see_the_same() {
    let server = Setup::new().start();
    let shop = server.shop();
    shop.authorise(cards::VISA);
    let before = settled(&shop, OF_SALE).len();
    let mut streams: Vec<_> = (0..100).map(|_| shop.follow(None)).collect();
    for _ in 0..5 {
        shop.authorise(cards::VISA);
    }
    let listed: Vec<Value> = settled(&shop, before + 5 * OF_SALE)
        .into_iter()
        .skip(before)
        .map(|(_, event)| event)
        .collect();
    for stream in &mut streams {
        for event in &listed {
            assert_eq!(stream.next_data()["events"], *event);
        }
    }
}

#[test]
fn streams_are_bounded_by_team_and_a_closed_one_makes_room() {
    let server = Setup::new().setting("limits.streams_of_team", "2").start();
    let (shop, other) = (server.shop(), server.other_team());
    let one = shop.follow(None);
    let _two = shop.follow(None);
    let mut third = shop.follow(None);
    let refused = third.next_event().unwrap();
    let code = &refused.data["errors"][0]["extensions"]["code"];
    assert_eq!(code, "error.rate-limited");
    assert_eq!(third.next_event().unwrap().event, "complete");
    // What another team does is its own.
    let others = other.follow(None);
    assert_eq!(others.status, 200);
    drop(one);
    let _again = testkit::until(testkit::PATIENCE, "the place is free", || {
        let mut stream = shop.follow(None);
        shop.authorise(cards::VISA);
        let next = stream.next_event().unwrap();
        next.data["errors"].is_null().then_some(stream)
    });
}

#[test]
fn a_stream_needs_a_secret_key_with_the_scope_read() {
    let server = Setup::new().start();
    let query = "subscription { events { id } }";
    let public = server.shop_with(&server.create_key(KeyKind::Public));
    let mut refused = public.subscribe(query, json!({}), None);
    let said = refused.next_event().unwrap();
    assert_eq!(
        said.data["errors"][0]["extensions"]["code"],
        "api.key.forbidden"
    );
    assert_eq!(refused.next_event().unwrap().event, "complete");
    let printed = server.run(&["key", "create", "--kind", "secret", "--scope", "payments"]);
    let narrow = server.shop_with(printed.lines().last().unwrap());
    let said = narrow
        .subscribe(query, json!({}), None)
        .next_event()
        .unwrap();
    let error = &said.data["errors"][0];
    assert_eq!(error["extensions"]["code"], "api.key.forbidden");
    assert!(
        error["message"].as_str().unwrap().contains("`read`"),
        "{error}"
    );
    let nobody = server.shop_with("sk_test_nobodyskey00");
    let refused = nobody.subscribe(query, json!({}), None);
    assert_eq!(refused.status, 401);
    // Without the header it is said how to ask.
    let plain = server.shop().gql(query, json!({}));
    assert!(
        plain.message().contains("text/event-stream"),
        "{}",
        plain.message()
    );
    let broken = server
        .shop()
        .subscribe("subscription { event }", json!({}), None);
    assert_eq!(broken.status, 400);
    let wrong = server.shop().subscribe(query, json!({}), Some("no-cursor"));
    let said = { wrong }.next_event().unwrap();
    assert_eq!(
        said.data["errors"][0]["extensions"]["code"],
        "error.validation"
    );
}

#[test]
fn a_query_asked_for_as_a_stream_has_one_answer() {
    let server = Setup::new().start();
    let mut stream = server
        .shop()
        .subscribe("{ getTeam { name } }", json!({}), None);
    assert!(stream.next_data()["getTeam"]["name"].is_string());
    assert_eq!(stream.next_event().unwrap().event, "complete");
    assert!(stream.next_event().is_none());
}

#[test]
fn who_takes_nothing_is_cut_and_delays_nobody() {
    let server = Setup::new()
        .setting("server.write_timeout", "1s")
        .setting("limits.aliases", "400")
        .setting("limits.streams_of_team", "2")
        .start();
    let shop = server.shop();
    let fields: Vec<String> = (0..300).map(|n| format!("a{n}: payload")).collect();
    let query = format!("subscription {{ events {{ {} }} }}", fields.join(" "));
    let slow = shop.subscribe(&query, json!({}), None);
    let mut quick = shop.follow(None);
    let before = all(&shop).len();
    for _ in 0..30 {
        shop.authorise(cards::VISA);
    }
    for (_, event) in all(&shop).into_iter().skip(before) {
        assert_eq!(quick.next_data()["events"], event);
    }
    // Its place becomes free though it never closes its side.
    let _again = testkit::until(testkit::PATIENCE, "the place is free", || {
        let mut stream = shop.follow(None);
        shop.authorise(cards::VISA);
        let next = stream.next_event().unwrap();
        next.data["errors"].is_null().then_some(stream)
    });
    drop(slow);
}
