//! The same key while the first request is under way.

use testkit::{Order, Setup, at_once, cards};

#[test]
fn fifty_authorisations_with_one_key_make_one_charge_and_fifty_equal_answers() {
    let server = Setup::new().start();
    let shop = server.shop();
    let answers = at_once(50, |_| {
        shop.try_authorise(&Order::card(cards::VISA), Some("fifty"))
    });
    for answer in &answers {
        assert_eq!(answer.root()["status"], "SUCCEEDED");
        assert_eq!(answer.reply.body, answers[0].reply.body);
    }
    assert_eq!(
        answers.iter().filter(|answer| !answer.replayed()).count(),
        1,
        "all others say that they are replays"
    );
    assert_eq!(shop.books().entries.len(), 1);
    assert_eq!(shop.every_payment().len(), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn duplicates_wait_while_the_processor_is_silent() {
    let server = Setup::new().start();
    let shop = server.shop();
    let answers = at_once(10, |_| {
        shop.try_authorise(&Order::card(cards::UNKNOWN_CHARGED), Some("silent"))
    });
    for answer in &answers {
        assert_eq!(answer.root()["id"], answers[0].root()["id"]);
    }
    assert_eq!(shop.books().entries.len(), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn different_requests_with_one_key_at_once_make_one_charge() {
    let server = Setup::new().start();
    let shop = server.shop();
    let answers = at_once(20, |number| {
        let amount = 1000 + i64::try_from(number).unwrap();
        shop.try_authorise(&Order::card(cards::VISA).amount(amount), Some("contested"))
    });
    let (paid, refused): (Vec<_>, Vec<_>) = answers
        .iter()
        .partition(|answer| answer.errors().is_empty());
    assert_eq!(paid.len(), 1);
    for answer in refused {
        answer.assert_error("error.idempotency.key-reused");
        assert_eq!(answer.extension("id"), &paid[0].root()["id"]);
    }
    assert_eq!(shop.books().entries.len(), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn a_client_that_goes_away_does_not_stop_its_payment() {
    use std::io::Write;
    let server = Setup::new().start();
    let shop = server.shop();
    let body = serde_json::json!({
        "query": "mutation($o: AuthorisedPaymentInput!) { authorizePayment(authorisePayment: $o) { id } }",
        "variables": {"o": Order::card(cards::VISA).json()},
    })
    .to_string();
    for round in 0..10 {
        let mut stream = std::net::TcpStream::connect(shop.address()).unwrap();
        write!(
            stream,
            "POST /api/graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             X-Idempotency-Key: gone-{round}\r\nContent-Length: {}\r\n\r\n{body}",
            shop.credential(),
            body.len()
        )
        .unwrap();
        drop(stream);
    }
    for round in 0..10 {
        let answer = shop.gql_once(
            "mutation($o: AuthorisedPaymentInput!) { authorizePayment(authorisePayment: $o) { id status } }",
            serde_json::json!({"o": Order::card(cards::VISA).json()}),
            Some(&format!("gone-{round}")),
        );
        assert_eq!(answer.root()["status"], "SUCCEEDED");
    }
    assert_eq!(
        shop.books().charges(),
        10,
        "ten keys, ten charges, whether the caller stayed or not"
    );
    shop.assert_books_equal_payments();
}
