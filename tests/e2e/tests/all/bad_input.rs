//! Bad input: a precise error, and nothing changed afterwards.

use serde_json::{Value, json};
use testkit::{Answer, Order, PAYMENT_FIELDS, Server, Setup, Shop, cards};

use crate::shared;

/// Does it to a server with one payment and one customer, and checks that both are as they were.
fn nothing_changes(act: impl Fn(&Shop)) -> Server {
    let server = Setup::new().start();
    let shop = server.shop();
    let payment = shop.authorise_later(cards::VISA);
    let customer = shop.create_customer("Ada");
    let before = shop.customer(&customer);
    act(&shop);
    assert_eq!(shop.every_payment(), vec![payment]);
    assert_eq!(shop.customer(&customer), before);
    let customers = shop.gql("{ listCustomers { pageInfo { totalSize } } }", json!({}));
    assert_eq!(customers.root()["pageInfo"]["totalSize"], json!(1));
    assert_eq!(shop.books().entries.len(), 1);
    shop.assert_books_equal_payments();
    server
}

#[test]
fn what_is_no_json_is_400() {
    nothing_changes(|shop| {
        for body in [
            &b""[..],
            b"{",
            b"{]",
            b"not json",
            b"\"query\"",
            b"null",
            b"7",
            b"{\"query\": \"{ __typename }\"",
            b"{\"query\": \"{ __typename }\",}",
            b"{\"query\": '{ __typename }'}",
            b"\xef\xbb\xbf\xff{\"query\": \"{ __typename }\"}",
            b"{\"query\": \"{ __typename }\"} {\"query\": \"{ __typename }\"}",
        ] {
            let answer = Answer::of(shop.graphql(body).send(shop.address()));
            answer.assert_refused(400);
        }
    });
}

#[test]
fn invalid_utf_8_is_400() {
    nothing_changes(|shop| {
        for bad in [
            &b"\xff"[..],
            b"\xc3\x28",
            b"\xed\xa0\x80",
            b"\xf8\xa1\xa1\xa1\xa1",
        ] {
            let mut body =
                b"{\"query\": \"mutation { createCustomer(data: {customer: {name: \\\"".to_vec();
            body.extend_from_slice(bad);
            body.extend_from_slice(b"\\\"}}) }\"}");
            Answer::of(shop.graphql(body).send(shop.address())).assert_refused(400);
        }
    });
}

#[test]
fn a_lone_surrogate_is_refused() {
    nothing_changes(|shop| {
        let body = r#"{"query": "mutation($n: String) { createCustomer(data: {customer: {name: $n}}) }", "variables": {"n": "\ud800"}}"#;
        let answer = Answer::of(shop.graphql(body).send(shop.address()));
        assert!(!answer.errors().is_empty(), "{}", answer.json());
    });
}

#[test]
fn members_of_the_wrong_type_are_refused() {
    nothing_changes(|shop| {
        for body in [
            json!({}),
            json!({"query": null}),
            json!({"query": 7}),
            json!({"query": ["{ __typename }"]}),
            json!({"query": ""}),
            json!({"query": "{ __typename }", "variables": "none"}),
            json!({"query": "{ __typename }", "variables": [1]}),
            json!({"query": "{ __typename }", "variables": 7}),
            json!({"query": "{ __typename }", "operationName": 7}),
            json!({"query": "{ __typename }", "operationName": "Other"}),
            json!({"query": "{ __typename }", "extensions": "none"}),
            json!({"document": "{ __typename }"}),
        ] {
            let answer = Answer::of(shop.graphql(body.to_string()).send(shop.address()));
            assert!(!answer.errors().is_empty(), "{body}: {}", answer.json());
            assert!(
                matches!(answer.status(), 200 | 400),
                "{body}: {}",
                answer.status()
            );
        }
    });
}

#[test]
fn variables_of_the_wrong_type_are_refused_before_anything_runs() {
    nothing_changes(|shop| {
        let query = format!(
            "mutation($o: AuthorisedPaymentInput!) {{ authorizePayment(authorisePayment: $o) {{ {PAYMENT_FIELDS} }} }}"
        );
        for order in [
            Value::Null,
            json!("order"),
            json!([]),
            json!(7),
            json!({"amount": {}}),
            json!({"paymentMethod": "CARD"}),
            json!({"paymentMethod": {"type": 7}}),
            json!({"paymentMethod": {}}),
            json!({"paymentMethod": {"type": null}}),
            json!({"amount": 1000, "currencyCode": 978}),
            json!({"amount": 1000, "currencyCode": ["EUR"]}),
            json!({"unknown": 1}),
            json!({"amount": 1000, "currencyCode": "EUR", "paymentMethod": {"type": "CARD", "card": {"number": 4_242_424_242_424_242_u64}}}),
            json!({"amount": 1000, "currencyCode": "EUR", "paymentMethod": {"type": "CARD", "card": {"expMonth": "eleven"}}}),
            json!({"amount": 1000, "currencyCode": "EUR", "paymentMethod": {"type": "CARD", "card": {"expMonth": 4_294_967_296_u64}}}),
            json!({"initiator": "ROBOT"}),
        ] {
            let answer = shop.gql(&query, json!({"o": order}));
            assert!(!answer.errors().is_empty(), "{order}");
            assert!(
                answer.json()["data"].is_null()
                    || answer.json()["data"]["authorizePayment"].is_null(),
                "{}",
                answer.json()
            );
            assert!(
                !answer.reply.text().contains("4242424242424242"),
                "a value is repeated"
            );
            let code = answer.error_code().unwrap_or_default();
            assert!(
                matches!(code, "error.validation" | "error.graphql.validation"),
                "{order}: {}",
                answer.json()
            );
        }
        shop.gql(&query, json!({})).assert_badly_asked();
    });
}

#[test]
fn sixty_four_bit_limits_do_not_wrap() {
    nothing_changes(|shop| {
        let id = shop.every_payment()[0].id();
        for amount in [
            json!(i64::MAX),
            json!(i64::MIN),
            json!(u64::MAX),
            json!(i64::from(u32::MAX) + 1001),
            json!("9223372036854775807"),
            json!("-9223372036854775808"),
            json!("18446744073709551617000"),
            json!(1e18),
            json!(-0.5),
        ] {
            for answer in [
                shop.try_capture(&id, amount.clone()),
                shop.try_refund(&id, amount.clone()),
            ] {
                assert!(!answer.errors().is_empty(), "{amount}: {}", answer.json());
                assert_ne!(
                    answer.error_code(),
                    Some("error.unknown"),
                    "{amount}: {}",
                    answer.json()
                );
            }
        }
        for size in [i64::from(i32::MAX) + 1, i64::from(i32::MIN) - 1, i64::MAX] {
            let answer = shop.gql(
                "query($n: Int) { listPayments(first: $n) { edges { cursor } } }",
                json!({"n": size}),
            );
            assert!(!answer.errors().is_empty(), "{size}");
        }
    });
}

#[test]
fn empty_and_null_identifiers_are_errors_and_never_ours() {
    nothing_changes(|shop| {
        for id in [
            "",
            " ",
            "payments:",
            "null",
            "0",
            "payments:00000000-0000-0000-0000-000000000000",
            &"9".repeat(100_000),
        ] {
            shop.try_payment(id).assert_error("error.payment.not-found");
            shop.try_capture(id, Value::Null)
                .assert_error("error.payment.not-found");
            shop.try_customer(id)
                .assert_error("error.customer.not-found");
            shop.try_method(id)
                .assert_error("error.payment-method.not-found");
        }
        for (query, variables) in [
            (
                "query($id: ID!) { getPayment(id: $id) { id } }",
                json!({"id": null}),
            ),
            ("query($id: ID!) { getPayment(id: $id) { id } }", json!({})),
            ("{ getPayment(id: null) { id } }", json!({})),
            ("{ getPayment { id } }", json!({})),
        ] {
            shop.gql(query, variables).assert_badly_asked();
        }
    });
}

#[test]
fn no_message_repeats_a_value_from_the_input() {
    const MARK: &str = "zq9markzq9";
    let shop = shared::shop();
    let payment = shop.authorise(cards::VISA).id();
    let answers = [
        shop.try_payment(MARK),
        shop.try_customer(MARK),
        shop.try_method(MARK),
        shop.try_authorise(&Order::card(MARK), None),
        shop.try_authorise(&Order::card(cards::VISA).with("paymentMethod/card/cvc", json!(MARK)), None),
        shop.try_authorise(&Order::card(cards::VISA).currency(MARK), None),
        shop.try_authorise(&Order::card(cards::VISA).flow(MARK), None),
        shop.try_authorise(&Order::card(cards::VISA).with("amount", json!(MARK)), None),
        shop.try_authorise(&Order::card(cards::VISA).with("paymentMethod/type", json!(MARK)), None),
        shop.try_authorise(&Order::card(cards::VISA).with("initiator", json!(MARK)), None),
        shop.try_authorise(&Order::card(cards::VISA).with(MARK, json!(1)), None),
        shop.try_authorise(&Order::token(MARK), None),
        shop.try_refund(&payment, json!(MARK)),
        shop.gql("query($a: String) { listPayments(after: $a) { edges { cursor } } }", json!({"a": MARK})),
        shop.gql(
            "query($d: PaymentFilterInput) { listPayments(data: $d) { edges { cursor } } }",
            json!({"d": {"filter": {"amount": {"value": MARK}, "status": {"value": MARK, "selectedVerb": MARK}}}}),
        ),
        shop.gql(&format!("{{ getPayment(id: \"{MARK}\", other: \"{MARK}\") {{ id }} }}"), json!({})),
        shop.gql(&format!("mutation {{ refundPayment(id: \"1\", amount: \"{MARK}\") {{ id }} }}"), json!({})),
        shop.gql(&format!("mutation {{ createCustomer(data: \"{MARK}\") }}"), json!({})),
        shop.gql(&format!("{{ getPayment(id: \"{MARK}\") "), json!({})),
        shop.gql(&format!("{{ getPayment(id: \"{MARK} }} }}"), json!({})),
    ];
    for answer in answers {
        assert!(!answer.errors().is_empty());
        assert!(
            !answer.reply.text().contains(MARK),
            "the input is repeated: {}",
            answer.reply.text()
        );
    }
    assert!(
        !shared::server().log().contains(MARK),
        "the input is in the log"
    );
}

#[test]
fn messages_show_no_internals() {
    let shop = shared::shop();
    let mut texts = vec![
        shop.try_payment("x").reply.text(),
        shop.graphql("{").send(shop.address()).text(),
    ];
    texts.push(
        shop.try_authorise(&Order::card(cards::VISA).with("amount", json!([1])), None)
            .reply
            .text(),
    );
    for text in texts {
        let low = text.to_lowercase();
        for word in [
            "sqlite",
            "panicked",
            "src/",
            ".rs:",
            "rusqlite",
            "select ",
            "backtrace",
            "unwrap",
        ] {
            assert!(!low.contains(word), "{word}: {text}");
        }
    }
}

#[test]
fn texts_with_null_characters_are_refused_where_they_would_be_kept() {
    nothing_changes(|shop| {
        shop.try_create_customer(json!({"customer": {"name": "a\u{0}b"}}), None)
            .assert_invalid("name");
        shop.try_authorise(
            &Order::card(cards::VISA).with("metadata", json!({"a": "\u{0}"})),
            None,
        )
        .assert_invalid("metadata");
        shop.try_authorise(
            &Order::card(cards::VISA).with("metadata", json!({"\u{0}": 1})),
            None,
        )
        .assert_invalid("metadata");
    });
}

#[test]
fn odd_http_is_answered_or_closed_and_never_harms() {
    use std::io::{Read, Write};
    let server = nothing_changes(|shop| {
        for bytes in [
            &b"\r\n\r\n"[..],
            b"GET\r\n\r\n",
            b"POST /api/graphql HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            b"POST /api/graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
            b"POST /api/graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            b"GET /api/graphql HTTP/9.9\r\n\r\n",
        ] {
            let mut stream = std::net::TcpStream::connect(shop.address()).unwrap();
            stream.write_all(bytes).unwrap();
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            assert!(!answer.starts_with(b"HTTP/1.1 2"), "{}", String::from_utf8_lossy(&answer));
        }
    });
    assert!(!server.log().contains("panicked"));
}
