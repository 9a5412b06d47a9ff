//! Every sort, in both orders, over pages.

use serde_json::{Value, json};
use testkit::{Payment, Shop};

use super::{ids, list, stocked};

fn sort(field: &str, order: &str) -> Value {
    json!({"sort": [{"fieldName": field, "order": order}]})
}

fn paged(shop: &Shop, data: &Value, size: usize) -> Vec<String> {
    let (mut seen, mut after) = (Vec::new(), Value::Null);
    loop {
        let page = list(shop, json!({"first": size, "after": after, "data": data}));
        seen.extend(ids(&page));
        assert!(seen.len() <= 100, "the pages never end: {data}");
        if page.root()["pageInfo"]["hasNextPage"] == json!(false) {
            return seen;
        }
        after = page.root()["pageInfo"]["endCursor"].clone();
    }
}

#[test]
fn amounts_and_dates_are_sorted_both_ways() {
    let (server, payments) = stocked();
    let shop = server.shop();
    let by_amount: Vec<String> = [0, 4, 2, 6, 3, 5, 1]
        .iter()
        .map(|place| payments[*place].id())
        .collect();
    let by_date: Vec<String> = payments.iter().map(Payment::id).collect();
    for (field, ascending) in [("amount", by_amount), ("date", by_date)] {
        let descending: Vec<String> = ascending.iter().rev().cloned().collect();
        for size in [2, 3, 100] {
            assert_eq!(
                paged(&shop, &sort(field, "ASC"), size),
                ascending,
                "{field} by pages of {size}"
            );
            assert_eq!(
                paged(&shop, &sort(field, "DESC"), size),
                descending,
                "{field} by pages of {size}"
            );
        }
    }
}

#[test]
fn every_other_field_sorts_and_loses_no_payment_between_pages() {
    let (server, payments) = stocked();
    let shop = server.shop();
    for (field, pointer) in [
        ("status", "/status"),
        ("currency", "/currency"),
        ("country", "/country"),
        ("gateway", "/paymentGateway/id"),
        ("method", "/paymentCore/paymentMethod"),
        ("type", "/type"),
    ] {
        for order in ["ASC", "DESC"] {
            let whole = paged(&shop, &sort(field, order), 100);
            assert_eq!(whole.len(), payments.len(), "{field} {order}");
            for size in [1, 2, 3] {
                assert_eq!(
                    paged(&shop, &sort(field, order), size),
                    whole,
                    "{field} {order} by pages of {size}"
                );
            }
            let mut keys: Vec<String> = whole
                .iter()
                .map(|id| payments.iter().find(|payment| &payment.id() == id).unwrap())
                .filter_map(|payment| payment.at(pointer).as_str().map(str::to_owned))
                .collect();
            if order == "DESC" {
                keys.reverse();
            }
            assert!(keys.is_sorted(), "{field} {order}: {keys:?}");
        }
    }
}

#[test]
fn a_sorted_list_pages_backwards_too() {
    let (server, payments) = stocked();
    let shop = server.shop();
    let by_amount: Vec<String> = [0, 4, 2, 6, 3, 5, 1]
        .iter()
        .map(|place| payments[*place].id())
        .collect();
    let last = list(&shop, json!({"last": 2, "data": sort("amount", "ASC")}));
    assert_eq!(ids(&last), by_amount[5..]);
    let before = list(
        &shop,
        json!({"last": 2, "before": last.root()["pageInfo"]["startCursor"], "data": sort("amount", "ASC")}),
    );
    assert_eq!(ids(&before), by_amount[3..5]);
}

#[test]
fn a_cursor_of_another_sort_is_refused() {
    let (server, _) = stocked();
    let shop = server.shop();
    let cursor = list(&shop, json!({"first": 2})).root()["pageInfo"]["endCursor"].clone();
    list(
        &shop,
        json!({"first": 2, "after": cursor, "data": sort("amount", "ASC")}),
    )
    .assert_error("error.validation");
}

#[test]
fn an_unknown_sort_field_or_order_is_refused() {
    let (server, _) = stocked();
    let shop = server.shop();
    for field in ["colour", "", "amount; drop table payment"] {
        list(&shop, json!({"data": sort(field, "ASC")})).assert_error("error.validation");
    }
    assert!(
        !list(&shop, json!({"data": sort("amount", "UP")}))
            .errors()
            .is_empty()
    );
}
