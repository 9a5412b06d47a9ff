//! Following a list by date, the oldest first, while payments are made.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use serde_json::{Value, json};
use testkit::{Answer, Backend, Order, PATIENCE, Server, Setup, Shop, at_once, cards, until};

use super::{ids, list};

/// Writers, and how many payments each makes.
const WRITERS: usize = 8;
const EACH: usize = 25;

const CUSTOMERS: &str = "query($after: String, $order: SortVerb) { listCustomers(first: 3, after: $after, order: $order) { \
    pageInfo { hasNextPage endCursor settledUntil } edges { node { id } } } }";
const INTENTS: &str = "query($after: String, $order: SortVerb) { listIntents(first: 3, after: $after, order: $order) { \
    pageInfo { hasNextPage endCursor settledUntil } edges { node { id } } } }";

fn oldest_first() -> Value {
    json!({"sort": [{"fieldName": "date", "order": "ASC"}]})
}

/// The time by the server's clock, which is this machine's.
fn now() -> String {
    jiff::Timestamp::now().to_string()
}

/// Makes payments with raw cards and with a token, at all nodes. Their ids.
fn write(shops: &[Shop], working: &AtomicUsize) -> BTreeSet<String> {
    let token = shops[0].tokenise(cards::VISA);
    let made = at_once(WRITERS, |n| {
        let shop = &shops[n % shops.len()];
        let made: Vec<String> = (0..EACH)
            .map(|round| {
                let order = if (n + round) % 2 == 0 {
                    Order::card(cards::VISA)
                } else {
                    Order::token(&token)
                };
                shop.order(&order).id()
            })
            .collect();
        working.fetch_sub(1, Ordering::SeqCst);
        made
    });
    made.into_iter().flatten().collect()
}

/// Goes on behind the last cursor until nobody writes any more and the list is settled past that moment.
fn follow_cursor(shop: &Shop, working: &AtomicUsize) -> BTreeSet<String> {
    let (mut seen, mut after, mut ended) = (BTreeSet::new(), Value::Null, None);
    until(5 * PATIENCE, "the end of the list", || {
        if ended.is_none() && working.load(Ordering::SeqCst) == 0 {
            ended = Some(jiff::Timestamp::now());
        }
        let page = list(
            shop,
            json!({"first": 10, "after": after, "data": oldest_first()}),
        );
        let new = ids(&page);
        let info = &page.root()["pageInfo"];
        if new.is_empty() {
            assert_eq!(info["endCursor"], after, "an empty page gives `after` back");
        }
        after = info["endCursor"].clone();
        let is_all = new.is_empty() && ended.is_some_and(|ended| settled_until(&page) > ended);
        for id in new {
            assert!(seen.insert(id), "nothing is shown twice");
        }
        is_all.then_some(())
    });
    seen
}

/// Up to when a page's list does not change any more.
fn settled_until(page: &Answer) -> jiff::Timestamp {
    let text = page.root()["pageInfo"]["settledUntil"].as_str();
    text.and_then(|text| text.parse().ok())
        .unwrap_or_else(|| panic!("nothing is settled: {}", page.json()))
}

/// Asks for windows that end now. The next one begins where the last one ended, or where it was not settled any more.
fn follow_windows(shop: &Shop, working: &AtomicUsize) -> BTreeSet<String> {
    let (mut seen, mut begin, mut ended) = (BTreeSet::new(), now(), None);
    until(5 * PATIENCE, "the end of the windows", || {
        if ended.is_none() && working.load(Ordering::SeqCst) == 0 {
            ended = Some(now());
        }
        let (end, mut after, mut settled) = (now(), Value::Null, None);
        loop {
            let window = json!({"first": 7, "after": after, "startDate": begin, "endDate": end, "data": oldest_first()});
            let page = list(shop, window);
            seen.extend(ids(&page));
            let info = &page.root()["pageInfo"];
            settled = settled.or(info["settledUntil"].as_str().map(str::to_owned));
            after = info["endCursor"].clone();
            if info["hasNextPage"] == json!(false) {
                break;
            }
        }
        let settled: jiff::Timestamp = settled.unwrap().parse().unwrap();
        let reached = settled.min(end.parse().unwrap()).to_string();
        if reached > begin {
            begin = reached;
        }
        ended
            .as_ref()
            .is_some_and(|ended| begin > *ended)
            .then_some(())
    });
    seen
}

fn nothing_is_missed(servers: &[Server]) {
    let shops: Vec<Shop> = servers.iter().map(Server::shop).collect();
    let working = AtomicUsize::new(WRITERS);
    let (made, by_cursor, by_windows) = thread::scope(|scope| {
        let by_cursor = scope.spawn(|| follow_cursor(shops.last().unwrap(), &working));
        let by_windows = scope.spawn(|| follow_windows(&shops[0], &working));
        let made = write(&shops, &working);
        (made, by_cursor.join().unwrap(), by_windows.join().unwrap())
    });
    assert_eq!(made.len(), WRITERS * EACH);
    assert_eq!(by_cursor, made, "by cursor");
    assert_eq!(by_windows, made, "by windows");
}

#[test]
fn who_follows_the_list_of_payments_misses_none_embedded() {
    nothing_is_missed(&[Setup::new().on(Backend::Embedded).start()]);
}

#[test]
fn who_follows_the_list_of_payments_misses_none_of_two_nodes() {
    let one = Setup::new().on(Backend::Postgres).start();
    let two = one.join();
    nothing_is_missed(&[one, two]);
}

/// Every id of a list that is followed by its cursor, once `count` have come.
fn followed(shop: &Shop, query: &str, count: usize) -> Vec<String> {
    let (mut seen, mut after) = (Vec::new(), Value::Null);
    until(PATIENCE, "the list is settled", || {
        let page = shop.gql(query, json!({"after": after, "order": "ASC"}));
        assert!(page.root()["pageInfo"]["settledUntil"].is_string());
        after = page.root()["pageInfo"]["endCursor"].clone();
        seen.extend(ids(&page));
        (seen.len() == count).then(|| seen.clone())
    })
}

#[test]
fn customers_and_intents_are_listed_from_the_oldest_on_and_followed() {
    let server = Setup::new().start();
    let shop = server.shop();
    let customers: Vec<String> = (0..7)
        .map(|n| shop.create_customer(&format!("Customer {n}")))
        .collect();
    let intents: Vec<String> = (0..7)
        .map(|n| shop.start_intent(json!({"trackingId": format!("tracking-{n}")})))
        .map(|intent| intent["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(followed(&shop, CUSTOMERS, 7), customers);
    assert_eq!(followed(&shop, INTENTS, 7), intents);
    for query in [CUSTOMERS, INTENTS] {
        let newest_first = shop.gql(query, json!({}));
        let cursor = &newest_first.root()["pageInfo"]["endCursor"];
        shop.gql(query, json!({"after": cursor, "order": "ASC"}))
            .assert_error("error.validation");
        let none = shop.gql(query, json!({"order": "OLDEST"}));
        assert!(!none.errors().is_empty());
    }
}

#[test]
fn what_is_settled_is_reported_in_every_order_and_payments_of_one_moment_keep_their_order() {
    let server = Setup::new().start();
    let shop = server.shop();
    let made: Vec<String> = (0..20)
        .map(|_| shop.order(&Order::card(cards::VISA)).id())
        .collect();
    let newest_first = list(&shop, json!({"first": 100}));
    let shown: Vec<String> = ids(&newest_first).into_iter().rev().collect();
    assert_eq!(
        shown, made,
        "all at once, in the order in which they were made"
    );
    assert!(newest_first.root()["pageInfo"]["settledUntil"].is_string());
    let by_amount =
        json!({"first": 100, "data": {"sort": [{"fieldName": "amount", "order": "ASC"}]}});
    assert_eq!(ids(&list(&shop, by_amount)).len(), 20);
}
