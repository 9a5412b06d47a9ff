//! What a stream shows.

use std::thread;

use serde_json::{Value, json};
use testkit::{Backend, Order, PATIENCE, Setup, cards, until};

use super::{OF_SALE, all, settled};

#[test]
fn events_come_as_they_happen_in_the_order_of_the_list_with_their_cursors() {
    let server = Setup::new().start();
    let shop = server.shop();
    shop.authorise(cards::VISA);
    let before = settled(&shop, OF_SALE).len();
    let mut stream = shop.follow(None);
    assert!(
        stream.content_type.starts_with("text/event-stream"),
        "{}",
        stream.content_type
    );
    let paid = shop.authorise(cards::VISA);
    shop.refund(&paid.id(), 300);
    let listed = settled(&shop, before + OF_SALE + 1).split_off(before);
    assert!(listed.len() >= 3, "{listed:?}");
    for (cursor, event) in &listed {
        let next = stream.next_event().unwrap();
        assert_eq!(next.id.as_ref(), Some(cursor));
        assert_eq!(next.data, json!({"data": {"events": event}}));
    }
    // From the beginning: by the argument, and by the header, which counts more.
    let query = "subscription($after: String) { events(after: $after) { id } }";
    let everything = all(&shop);
    let first = &everything[0].0;
    let last = &everything[everything.len() - 2].0;
    let mut again = shop.subscribe(query, json!({ "after": first }), None);
    assert_eq!(again.next_data()["events"]["id"], everything[1].1["id"]);
    let mut again = shop.subscribe(query, json!({ "after": first }), Some(last));
    let newest = &everything.last().unwrap().1;
    assert_eq!(again.next_data()["events"]["id"], newest["id"]);
}

#[test]
fn kinds_are_chosen_and_another_team_s_events_are_not_there() {
    let server = Setup::new().start();
    let (shop, other) = (server.shop(), server.other_team());
    let query = "subscription($kinds: [String!]) { events(kinds: $kinds) { kind data } }";
    let kinds = json!({"kinds": ["payment.refunded"]});
    let mut refunds = shop.subscribe(query, kinds, None);
    let mut others = other.follow(None);
    let paid = shop.authorise(cards::VISA);
    shop.refund(&paid.id(), 100);
    let seen = refunds.next_data();
    assert_eq!(seen["events"]["kind"], "payment.refunded");
    assert_eq!(seen["events"]["data"]["paymentId"], json!(paid.id()));
    // The other team's own event is the first that it sees.
    other.connection("their-own", json!({}));
    let steps = json!([{"authorise": {"connection": "their-own"}}, {"capture": "now"}]);
    other.publish("theirs", steps);
    let theirs = other.order(&Order::card(cards::VISA).flow("theirs"));
    let seen = others.next_data();
    assert_eq!(seen["events"]["data"]["paymentId"], json!(theirs.id()));
}

#[test]
fn a_payment_is_shown_as_it_is_and_each_time_that_it_has_changed() {
    let server = Setup::new().start();
    let shop = server.shop();
    let payment = shop.authorise_later(cards::VISA);
    let query = "subscription($id: ID!) { paymentTimeline(id: $id) { id status capturedAmount \
                 paymentTimeline { overview { title } } } }";
    let mut stream = shop.subscribe(query, json!({"id": payment.id()}), None);
    let first = stream.next_data();
    assert_eq!(first["paymentTimeline"]["status"], "AUTHORISED");
    // Changes of others are not shown.
    shop.authorise(cards::VISA);
    shop.capture(&payment.id());
    let seen = until(PATIENCE, "the capture is shown", || {
        let seen = stream.next_data()["paymentTimeline"].clone();
        assert_eq!(seen["id"], json!(payment.id()));
        (seen["status"] == "SUCCEEDED").then_some(seen)
    });
    let lines = seen["paymentTimeline"]["overview"].as_array().unwrap();
    assert!(lines.len() > 1, "{seen}");
    let unknown = json!({"id": "payments:0192a000-0000-7000-8000-000000000000"});
    let mut refused = shop.subscribe(query, unknown, None);
    let said = refused.next_event().unwrap();
    assert_eq!(
        said.data["errors"][0]["extensions"]["code"],
        "error.payment.not-found"
    );
    assert_eq!(refused.next_event().unwrap().event, "complete");
    assert!(refused.next_event().is_none());
    let mut foreign = server
        .other_team()
        .subscribe(query, json!({"id": payment.id()}), None);
    let said = foreign.next_event().unwrap();
    assert_eq!(
        said.data["errors"][0]["extensions"]["code"],
        "error.payment.not-found"
    );
}

#[test]
fn a_stream_goes_on_behind_a_killed_server_without_a_gap_or_a_repetition() {
    let mut server = Setup::new().start();
    let shop = server.shop();
    shop.authorise(cards::VISA);
    let mut seen: Vec<Value> = Vec::new();
    let mut last = settled(&shop, OF_SALE)[0].0.clone();
    let skipped = 1;
    for _ in 0..3 {
        let shop = server.shop();
        let mut stream = shop.follow(Some(&last));
        let paying = {
            let shop = shop.clone();
            thread::spawn(move || {
                for _ in 0..20 {
                    // What is under way when the server dies has no answer.
                    let order = Order::card(cards::VISA);
                    let request = shop.authorise_request(&order, None);
                    if request.try_send(shop.address()).is_err() {
                        return;
                    }
                }
            })
        };
        // Some have come, and more are on their way.
        for _ in 0..10 {
            let next = stream.next_event().unwrap();
            last = next.id.unwrap();
            seen.push(next.data["data"]["events"].clone());
        }
        server.kill();
        paying.join().unwrap();
        // What had been sent before is read still; what broke off in the middle is not used.
        while let Ok(Some(next)) = stream.try_next() {
            last = next.id.unwrap();
            seen.push(next.data["data"]["events"].clone());
        }
        server.restart();
    }
    let shop = server.shop();
    let listed = until(PATIENCE, "nothing is under way", || {
        let one = all(&shop);
        thread::sleep(std::time::Duration::from_millis(500));
        (all(&shop).len() == one.len()).then_some(one)
    });
    let mut stream = shop.follow(Some(&last));
    while seen.len() + skipped < listed.len() {
        seen.push(stream.next_data()["events"].clone());
    }
    let listed: Vec<Value> = listed
        .into_iter()
        .skip(skipped)
        .map(|(_, event)| event)
        .collect();
    assert_eq!(seen, listed);
}

#[test]
fn any_node_shows_what_happens_on_another() {
    let server = Setup::new().on(Backend::Postgres).start();
    let other = server.join();
    let shop = server.shop();
    let mut stream = other.shop().follow(None);
    let paid = shop.authorise(cards::VISA);
    until(PATIENCE, "the capture is shown", || {
        let event = stream.next_data()["events"].clone();
        let is_it = event["kind"] == "payment.captured";
        (is_it && event["data"]["paymentId"] == json!(paid.id())).then_some(())
    });
}

#[test]
fn a_stream_that_is_cut_before_its_first_event_misses_nothing() {
    let server = Setup::new().start();
    let shop = server.shop();
    shop.authorise(cards::VISA);
    let before = settled(&shop, OF_SALE).len();
    let mut stream = shop.follow(None);
    let start = until(PATIENCE, "the place of the start", || {
        stream.read_block();
        stream.place.clone()
    });
    drop(stream);
    shop.authorise(cards::VISA);
    let listed = settled(&shop, before + OF_SALE).split_off(before);
    let mut again = shop.follow(Some(&start));
    for (_, event) in &listed {
        assert_eq!(again.next_data()["events"], *event);
    }
    // One that follows from now on names that place too, and a place that is none is named as the header that it came in.
    let query = "subscription { events(after: \"now\") { id } }";
    let mut now = shop.subscribe(query, json!({}), None);
    until(PATIENCE, "the place of the end", || {
        now.read_block();
        now.place.clone()
    });
    let mut wrong = shop.subscribe(query, json!({}), Some("nowhere"));
    let said = wrong.next_event().unwrap();
    let field = &said.data["errors"][0]["extensions"]["field"];
    assert_eq!(*field, json!("Last-Event-ID"), "{}", said.data);
}
