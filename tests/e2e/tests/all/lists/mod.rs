//! `listPayments`: paging, filters, sorts.

use serde_json::{Value, json};
use testkit::{Answer, Order, PATIENCE, Payment, Server, Setup, Shop, cards, until};

mod echo;
mod filters;
mod following;
mod paging;
mod sorts;

const LIST: &str = "query($first: Int, $after: String, $last: Int, $before: String, $data: PaymentFilterInput, \
    $startDate: DateTime, $endDate: DateTime, $status: [PaymentStatus], $minAmount: Int, $maxAmount: Int) { \
    listPayments(first: $first, after: $after, last: $last, before: $before, data: $data, startDate: $startDate, \
    endDate: $endDate, status: $status, minAmount: $minAmount, maxAmount: $maxAmount) { \
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor totalSize settledUntil } edges { cursor node { id } } } }";

fn list(shop: &Shop, arguments: Value) -> Answer {
    shop.gql(LIST, arguments)
}

fn filtered(shop: &Shop, field: &str, filter: Value) -> Answer {
    list(shop, json!({"data": {"filter": {field: filter}}}))
}

#[track_caller]
fn ids(answer: &Answer) -> Vec<String> {
    answer.root()["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| edge["node"]["id"].as_str().unwrap().to_owned())
        .collect()
}

/// A server with seven payments that differ in everything that a list looks at, oldest first.
fn stocked() -> (Server, Vec<Payment>) {
    let server = Setup::new().start();
    let shop = server.shop();
    let customer = shop.create_customer("Ada");
    let payments = vec![
        shop.order(
            &Order::card(cards::VISA)
                .amount(100)
                .with("orderId", json!("order-1")),
        ),
        shop.order(&Order::card(cards::MASTERCARD).amount(700).currency("USD")),
        shop.order(&Order::card(cards::AMEX).amount(300).later()),
        shop.order(&Order::card(cards::GENERAL_DECLINE).amount(500)),
        shop.order(&Order::card(cards::VISA).amount(200)),
        shop.order(
            &Order::card(cards::VISA)
                .amount(600)
                .currency("JPY")
                .with("customer", json!({"id": customer})),
        ),
        shop.order(&Order::card(cards::FAILED).amount(400)),
    ];
    until_settled(&shop, &payments);
    (server, payments)
}

/// Waits until who lists by date, the oldest first, is shown all of them.
fn until_settled(shop: &Shop, payments: &[Payment]) {
    let oldest_first =
        json!({"first": 100, "data": {"sort": [{"fieldName": "date", "order": "ASC"}]}});
    until(PATIENCE, "the payments are settled", || {
        let shown = ids(&list(shop, oldest_first.clone()));
        (shown.len() == payments.len()).then_some(())
    });
}

/// The ids of some of the payments, newest first, as a list shows them.
fn newest_first(payments: &[Payment], places: &[usize]) -> Vec<String> {
    let mut places = places.to_vec();
    places.sort_unstable();
    places
        .iter()
        .rev()
        .map(|place| payments[*place].id())
        .collect()
}
