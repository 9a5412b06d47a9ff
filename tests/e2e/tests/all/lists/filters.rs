//! Every field and every verb.

use serde_json::{Value, json};
use testkit::{Order, Payment, Setup, cards};

use super::{filtered, ids, list, newest_first, stocked, until_settled};

#[test]
fn amounts_take_every_verb_of_numbers() {
    let (server, payments) = stocked();
    let shop = server.shop();
    // The amounts, oldest first: 100 700 300 500 200 600 400.
    for (verb, value, places) in [
        (Some("EQUALS"), json!(300), vec![2]),
        (None, json!(300), vec![2]),
        (None, json!("300"), vec![2]),
        (Some("NOT_EQUALS"), json!(300), vec![0, 1, 3, 4, 5, 6]),
        (Some("LESS_THAN"), json!(300), vec![0, 4]),
        (Some("LESS_THAN_EQUALS"), json!(300), vec![0, 2, 4]),
        (Some("GREATER_THAN"), json!(500), vec![1, 5]),
        (Some("GREATER_THAN_EQUALS"), json!(500), vec![1, 3, 5]),
        (Some("BETWEEN_INCLUSIVE"), json!([300, 500]), vec![2, 3, 6]),
        (Some("BETWEEN_EXCLUSIVE"), json!([300, 500]), vec![6]),
        (Some("IN_LIST"), json!([100, 700, 999]), vec![0, 1]),
        (None, json!([100, 700]), vec![0, 1]),
        (Some("IS_EMPTY"), Value::Null, vec![]),
        (Some("NOT_EMPTY"), Value::Null, vec![0, 1, 2, 3, 4, 5, 6]),
        (Some("ALL"), Value::Null, vec![0, 1, 2, 3, 4, 5, 6]),
    ] {
        let answer = filtered(
            &shop,
            "amount",
            json!({"value": value, "selectedVerb": verb}),
        );
        assert_eq!(
            ids(&answer),
            newest_first(&payments, &places),
            "{verb:?} {value}"
        );
        assert_eq!(
            answer.root()["pageInfo"]["totalSize"],
            json!(places.len()),
            "{verb:?} {value}"
        );
    }
}

#[test]
fn statuses_currencies_methods_countries_and_more_are_found() {
    let (server, payments) = stocked();
    let shop = server.shop();
    for (field, filter, places) in [
        ("status", json!({"value": "SUCCEEDED"}), vec![0, 1, 4, 5]),
        (
            "status",
            json!({"value": ["AUTHORISED", "DECLINED"]}),
            vec![2, 3],
        ),
        (
            "status",
            json!({"value": "SUCCEEDED", "selectedVerb": "NOT_EQUALS"}),
            vec![2, 3, 6],
        ),
        ("currency", json!({"value": "EUR"}), vec![0, 2, 3, 4, 6]),
        (
            "currency",
            json!({"value": ["USD", "JPY"], "selectedVerb": "IN_LIST"}),
            vec![1, 5],
        ),
        ("method", json!({"value": "MASTERCARD"}), vec![1]),
        (
            "method",
            json!({"value": ["MASTERCARD", "AMEX"]}),
            vec![1, 2],
        ),
        ("country", json!({"value": "US"}), vec![0, 1, 2, 3, 4, 5]),
        ("country", json!({"value": "IE"}), vec![]),
        (
            "type",
            json!({"value": "PAYMENT"}),
            vec![0, 1, 2, 3, 4, 5, 6],
        ),
        ("type", json!({"value": "PAYOUT"}), vec![]),
        ("flowId", json!({"value": "capture-by-api"}), vec![2]),
        ("date", json!({"value": "2020-01-01"}), vec![]),
        (
            "date",
            json!({"value": "2020-01-01", "selectedVerb": "GREATER_THAN"}),
            vec![0, 1, 2, 3, 4, 5, 6],
        ),
        (
            "date",
            json!({"value": "2020-01-01T00:00:00Z", "selectedVerb": "LESS_THAN"}),
            vec![],
        ),
        (
            "dateRange",
            json!({"value": ["2020-01-01", "2100-01-01"], "selectedVerb": "BETWEEN_INCLUSIVE"}),
            vec![0, 1, 2, 3, 4, 5, 6],
        ),
        (
            "dateRange",
            json!({"value": ["2020-01-01", "2020-12-31"], "selectedVerb": "BETWEEN_EXCLUSIVE"}),
            vec![],
        ),
    ] {
        let answer = filtered(&shop, field, filter.clone());
        assert_eq!(
            ids(&answer),
            newest_first(&payments, &places),
            "{field} {filter}"
        );
    }
}

#[test]
fn a_country_is_empty_where_none_was_given() {
    let (server, payments) = stocked();
    let shop = server.shop();
    let not_empty = filtered(&shop, "country", json!({"selectedVerb": "NOT_EMPTY"}));
    let empty = filtered(&shop, "country", json!({"selectedVerb": "IS_EMPTY"}));
    assert!(ids(&not_empty).contains(&payments[4].id()));
    assert_eq!(ids(&not_empty).len() + ids(&empty).len(), 7);
}

#[test]
fn several_filters_hold_together() {
    let (server, payments) = stocked();
    let filter = json!({"status": {"value": "SUCCEEDED"}, "amount": {"value": 150, "selectedVerb": "GREATER_THAN"}, "currency": {"value": "EUR"}});
    assert_eq!(
        ids(&list(&server.shop(), json!({"data": {"filter": filter}}))),
        newest_first(&payments, &[4])
    );
}

#[test]
fn the_plain_arguments_filter_too() {
    let (server, payments) = stocked();
    let shop = server.shop();
    for (arguments, places) in [
        (json!({"status": ["DECLINED", "FAILED"]}), vec![3, 6]),
        (json!({"status": []}), vec![0, 1, 2, 3, 4, 5, 6]),
        (json!({"minAmount": 500}), vec![1, 3, 5]),
        (json!({"maxAmount": 200}), vec![0, 4]),
        (json!({"minAmount": 200, "maxAmount": 300}), vec![2, 4]),
        (
            json!({"startDate": payments[3].text("/date")}),
            vec![3, 4, 5, 6],
        ),
        (json!({"endDate": payments[3].text("/date")}), vec![0, 1, 2]),
        (
            json!({"startDate": payments[1].text("/date"), "endDate": payments[5].text("/date")}),
            vec![1, 2, 3, 4],
        ),
    ] {
        let answer = list(&shop, arguments.clone());
        assert_eq!(
            ids(&answer),
            newest_first(&payments, &places),
            "{arguments}"
        );
    }
}

#[test]
fn amounts_of_64_bits_are_filtered_by_however_they_are_given() {
    let server = Setup::new().start();
    let shop = server.shop();
    let amounts = [2_147_483_647_i64, 2_147_483_648, 30_000_000_000];
    let payments: Vec<Payment> = amounts
        .iter()
        .map(|amount| shop.order(&Order::card(cards::VISA).amount(*amount)))
        .collect();
    until_settled(&shop, &payments);
    for (arguments, places) in [
        (json!({"minAmount": 2_147_483_648_i64}), vec![1, 2]),
        (json!({"minAmount": 2_147_483_649_i64}), vec![2]),
        (json!({"maxAmount": 2_147_483_648.0}), vec![0, 1]),
        (
            json!({"minAmount": 2_147_483_647, "maxAmount": 29_999_999_999_i64}),
            vec![0, 1],
        ),
        (json!({"minAmount": -30_000_000_000_i64}), vec![0, 1, 2]),
    ] {
        let answer = list(&shop, arguments.clone());
        assert_eq!(
            ids(&answer),
            newest_first(&payments, &places),
            "{arguments}"
        );
    }
    let filter = json!({"value": 2_147_483_648_i64, "selectedVerb": "GREATER_THAN"});
    assert_eq!(
        ids(&filtered(&shop, "amount", filter)),
        newest_first(&payments, &[2])
    );
    // Other whole numbers are of 32 bits, as they are declared.
    list(&shop, json!({"first": 2_147_483_648_i64})).assert_invalid("first");
    list(&shop, json!({"minAmount": "5"})).assert_invalid("minAmount");
}

#[test]
fn a_customers_payments_are_found() {
    let server = Setup::new().start();
    let shop = server.shop();
    let (ada, eve) = (shop.create_customer("Ada"), shop.create_customer("Eve"));
    shop.tokenise_for(&ada, cards::VISA);
    let first = shop.order(&Order::customer(&ada)).id();
    shop.authorise(cards::VISA);
    let second = shop
        .order(&Order::card(cards::VISA).with("customer", json!({"id": ada})))
        .id();
    let of = |customer: &str| ids(&list(&shop, json!({"data": {"customerId": customer}})));
    assert_eq!(of(&ada), [second, first]);
    assert!(of(&eve).is_empty());
    assert!(of("0192a000-0000-7000-8000-000000000000").is_empty());
}

#[test]
fn one_payment_is_found_by_its_id() {
    let (server, payments) = stocked();
    let answer = list(&server.shop(), json!({"data": {"id": payments[2].id()}}));
    assert_eq!(ids(&answer), [payments[2].id()]);
}

#[test]
fn a_filtered_list_is_paged_like_any_other() {
    let (server, payments) = stocked();
    let shop = server.shop();
    let all = newest_first(&payments, &[0, 1, 4, 5]);
    let data = json!({"filter": {"status": {"value": "SUCCEEDED"}}});
    let first = list(&shop, json!({"first": 3, "data": data}));
    assert_eq!(ids(&first), all[..3]);
    assert_eq!(first.root()["pageInfo"]["hasNextPage"], json!(true));
    let rest = list(
        &shop,
        json!({"first": 3, "data": data, "after": first.root()["pageInfo"]["endCursor"]}),
    );
    assert_eq!(ids(&rest), all[3..]);
    assert_eq!(rest.root()["pageInfo"]["hasNextPage"], json!(false));
    assert_eq!(rest.root()["pageInfo"]["totalSize"], json!(4));
}

#[test]
fn what_does_not_fit_its_field_is_refused() {
    let (server, _) = stocked();
    let shop = server.shop();
    for (field, filter) in [
        ("amount", json!({"value": "many"})),
        ("amount", json!({"value": 1.5})),
        ("amount", json!({"value": {"a": 1}})),
        ("amount", json!({"value": 1, "selectedVerb": "CONTAINS"})),
        (
            "amount",
            json!({"value": 1, "selectedVerb": "NO_SUCH_VERB"}),
        ),
        ("amount", json!({"value": 1, "selectedVerb": "equals"})),
        (
            "amount",
            json!({"value": [1], "selectedVerb": "BETWEEN_INCLUSIVE"}),
        ),
        (
            "amount",
            json!({"value": [1, 2, 3], "selectedVerb": "BETWEEN_EXCLUSIVE"}),
        ),
        (
            "amount",
            json!({"value": 5, "selectedVerb": "BETWEEN_INCLUSIVE"}),
        ),
        ("amount", json!({"value": 5, "selectedVerb": "IN_LIST"})),
        ("amount", json!({"value": [1, 2], "selectedVerb": "EQUALS"})),
        ("amount", json!({"selectedVerb": "EQUALS"})),
        ("status", json!({"value": "PAID"})),
        ("status", json!({"value": 7})),
        (
            "status",
            json!({"value": "SUCCEEDED", "selectedVerb": "LESS_THAN"}),
        ),
        ("currency", json!({"value": "EURO"})),
        ("method", json!({"value": "CHEQUE"})),
        ("type", json!({"value": "GIFT"})),
        ("date", json!({"value": "yesterday"})),
        ("date", json!({"value": "2026-13-01"})),
        ("date", json!({"value": "2026-02-30"})),
        ("date", json!({"value": 5})),
    ] {
        let answer = filtered(&shop, field, filter.clone());
        answer.assert_error("error.validation");
        assert!(
            answer.field().is_some_and(|path| path.contains(field)),
            "{field} {filter}: {}",
            answer.json()
        );
    }
}

#[test]
fn a_filter_is_no_place_for_sql() {
    let (server, _) = stocked();
    let shop = server.shop();
    for text in ["' or '1'='1", "%", "_", "a\\' or 1=1", "\u{0}"] {
        let answer = filtered(&shop, "flowId", json!({"value": text}));
        assert!(
            !answer.errors().is_empty() || ids(&answer).is_empty(),
            "{text:?}: {}",
            answer.json()
        );
        let answer = filtered(
            &shop,
            "flowId",
            json!({"value": text, "selectedVerb": "CONTAINS"}),
        );
        assert!(
            !answer.errors().is_empty() || text == "_" || ids(&answer).is_empty(),
            "{text:?}: {}",
            answer.json()
        );
    }
    assert_eq!(ids(&list(&shop, json!({}))).len(), 7);
}
