//! Pages in both directions.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::{Setup, cards};

use super::{ids, list, newest_first, stocked};

#[test]
fn pages_forwards_give_each_payment_once_newest_first() {
    let (server, payments) = stocked();
    let shop = server.shop();
    let all = newest_first(&payments, &[0, 1, 2, 3, 4, 5, 6]);
    for size in [1, 2, 3, 7, 100] {
        let (mut seen, mut after) = (Vec::new(), Value::Null);
        loop {
            let page = list(&shop, json!({"first": size, "after": after}));
            let info = &page.root()["pageInfo"];
            assert_eq!(info["hasPreviousPage"], json!(!seen.is_empty()));
            seen.extend(ids(&page));
            assert!(seen.len() <= 100, "the pages never end");
            assert_eq!(
                info["endCursor"],
                page.root()["edges"].as_array().unwrap().last().unwrap()["cursor"]
            );
            assert_eq!(info["startCursor"], page.root()["edges"][0]["cursor"]);
            assert_eq!(info["totalSize"], json!(7));
            if info["hasNextPage"] == json!(false) {
                break;
            }
            after = info["endCursor"].clone();
        }
        assert_eq!(seen, all, "pages of {size}");
    }
}

#[test]
fn pages_backwards_give_each_payment_once_in_the_same_order() {
    let (server, payments) = stocked();
    let shop = server.shop();
    let all = newest_first(&payments, &[0, 1, 2, 3, 4, 5, 6]);
    for size in [1, 3, 7, 50] {
        let (mut seen, mut before) = (Vec::new(), Value::Null);
        loop {
            let page = list(&shop, json!({"last": size, "before": before}));
            let info = &page.root()["pageInfo"];
            assert_eq!(info["hasNextPage"], json!(!seen.is_empty()));
            let mut whole = ids(&page);
            whole.extend(seen);
            seen = whole;
            assert!(seen.len() <= 100, "the pages never end");
            if info["hasPreviousPage"] == json!(false) {
                break;
            }
            before = info["startCursor"].clone();
        }
        assert_eq!(seen, all, "pages of {size}");
    }
}

#[test]
fn forwards_and_back_again_meets_the_same_payments() {
    let (server, payments) = stocked();
    let shop = server.shop();
    let all = newest_first(&payments, &[0, 1, 2, 3, 4, 5, 6]);
    let second = list(
        &shop,
        json!({"first": 2, "after": list(&shop, json!({"first": 2})).root()["pageInfo"]["endCursor"]}),
    );
    assert_eq!(ids(&second), all[2..4]);
    let back = list(
        &shop,
        json!({"last": 2, "before": second.root()["pageInfo"]["startCursor"]}),
    );
    assert_eq!(ids(&back), all[0..2]);
}

#[test]
fn cursors_stay_valid_while_payments_are_added() {
    let (server, payments) = stocked();
    let shop = server.shop();
    let all = newest_first(&payments, &[0, 1, 2, 3, 4, 5, 6]);
    let first = list(&shop, json!({"first": 3}));
    let cursor = first.root()["pageInfo"]["endCursor"].clone();
    let added: Vec<String> = (0..3).map(|_| shop.authorise(cards::VISA).id()).collect();
    let second = list(&shop, json!({"first": 3, "after": cursor}));
    assert_eq!(ids(&second), all[3..6]);
    let newer = list(
        &shop,
        json!({"last": 10, "before": first.root()["pageInfo"]["startCursor"]}),
    );
    assert_eq!(ids(&newer), added.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn a_cursor_is_good_after_a_restart_and_for_any_page_size() {
    let (mut server, payments) = stocked();
    let cursor = list(&server.shop(), json!({"first": 2})).root()["pageInfo"]["endCursor"].clone();
    server.restart();
    let rest = list(&server.shop(), json!({"first": 50, "after": cursor}));
    assert_eq!(ids(&rest), newest_first(&payments, &[0, 1, 2, 3, 4]));
}

#[test]
fn payments_made_while_one_pages_are_neither_lost_nor_shown_twice() {
    let server = Setup::new().start();
    let shop = server.shop();
    let before: BTreeSet<String> = (0..25).map(|_| shop.authorise(cards::VISA).id()).collect();
    let seen = std::thread::scope(|scope| {
        scope.spawn(|| (0..10).for_each(|_| drop(shop.authorise(cards::VISA))));
        let (mut seen, mut after) = (Vec::new(), Value::Null);
        loop {
            let page = list(&shop, json!({"first": 2, "after": after}));
            seen.extend(ids(&page));
            assert!(seen.len() <= 100, "the pages never end");
            if page.root()["pageInfo"]["hasNextPage"] == json!(false) {
                break seen;
            }
            after = page.root()["pageInfo"]["endCursor"].clone();
        }
    });
    let unique: BTreeSet<String> = seen.iter().cloned().collect();
    assert_eq!(unique.len(), seen.len(), "no payment is shown twice");
    assert!(before.is_subset(&unique), "none that was there is lost");
}

#[test]
fn a_page_has_20_by_default_and_at_most_100() {
    let server = Setup::new().start();
    let shop = server.shop();
    testkit::at_once(4, |_| {
        (0..26).for_each(|_| drop(shop.authorise(cards::VISA)));
    });
    assert_eq!(ids(&list(&shop, json!({}))).len(), 20);
    for size in [100, 101, 5000] {
        let page = list(&shop, json!({"first": size}));
        assert_eq!(ids(&page).len(), 100, "{size}");
        assert_eq!(page.root()["pageInfo"]["hasNextPage"], json!(true));
        assert_eq!(page.root()["pageInfo"]["totalSize"], json!(104));
    }
    assert_eq!(ids(&list(&shop, json!({"last": 5000}))).len(), 100);
}

#[test]
fn mixed_zero_and_negative_sizes_and_bad_cursors_are_refused() {
    let (server, _) = stocked();
    let shop = server.shop();
    let cursor = list(&shop, json!({"first": 1})).root()["pageInfo"]["endCursor"].clone();
    for arguments in [
        json!({"first": 1, "last": 1}),
        json!({"first": 1, "before": cursor}),
        json!({"last": 1, "after": cursor}),
        json!({"after": cursor, "before": cursor}),
        json!({"first": 0}),
        json!({"first": -1}),
        json!({"last": 0}),
        json!({"last": -5}),
        json!({"first": 1, "after": "no cursor"}),
        json!({"first": 1, "after": "AAAA"}),
        json!({"last": 1, "before": "💳"}),
        json!({"first": 1, "after": "x".repeat(5000)}),
    ] {
        list(&shop, arguments).assert_error("error.validation");
    }
    list(&shop, json!({"first": 0})).assert_invalid("first");
    list(&shop, json!({"last": -1})).assert_invalid("last");
    list(&shop, json!({"first": 1, "after": "no cursor"})).assert_invalid("after");
}

#[test]
fn an_empty_list_is_empty() {
    let server = Setup::new().start();
    let page = list(&server.shop(), json!({}));
    let settled = &page.root()["pageInfo"]["settledUntil"];
    assert_eq!(
        page.root(),
        &json!({"pageInfo": {"hasNextPage": false, "hasPreviousPage": false, "startCursor": null, "endCursor": null, "totalSize": 0,
            "settledUntil": settled}, "edges": []})
    );
}
