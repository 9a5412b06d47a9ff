//! After a long story no file and no output holds a card number or a security code.

use serde_json::{Value, json};
use testkit::{
    Needle, Order, Server, Setup, Shop, cards, find_leaks, needles_of_code, needles_of_number,
};

/// The security code of the whole story; four digits, so that it is distinguished from chance.
// Ids have random groups that begin with 7, 8 and 9, and PostgreSQL may compress the rest of the id beyond recognition.
// What begins with 0 is no process id, count or time either.
const CODE: &str = "0917";
/// A number that is refused must not leave a trace either.
const REFUSED: &str = "4929123123123127";
/// A bank account's number.
const ACCOUNT: &str = "IE29AIBK93115212345678";

fn card(number: &str) -> Value {
    let mut card = Shop::card(number);
    card["cvc"] = json!(CODE);
    card
}

fn raw(number: &str) -> Order {
    Order::card(number).with("paymentMethod/card/cvc", json!(CODE))
}

fn needles() -> Vec<Needle> {
    let numbers = cards::ALL
        .iter()
        .copied()
        .chain([REFUSED])
        .flat_map(needles_of_number);
    let mut needles: Vec<Needle> = numbers.chain(needles_of_code(CODE)).collect();
    needles.retain(|needle| !needle.name.is_empty());
    needles
}

/// Everything that a card can go through: stored, raw, declined, unanswered, refused, written into documents.
fn a_long_story(shop: &Shop) {
    for number in cards::ALL {
        let token = shop.try_tokenise(
            json!({"paymentMethod": {"card": card(number)}}),
            Some(&Shop::fresh_key()),
        );
        let token = token.root()["token"].as_str().unwrap().to_owned();
        if ![cards::UNKNOWN_CHARGED, cards::UNKNOWN_NOT_CHARGED].contains(&number) {
            shop.order(&Order::token(&token));
        }
        let payment = shop.try_authorise(&raw(number), Some(&Shop::fresh_key()));
        let id = payment.root()["id"].as_str().unwrap().to_owned();
        shop.try_refund(&id, json!(100));
        shop.try_delete_method(&token).data();
    }
    let customer = shop.try_create_customer(
        json!({"customer": {"name": "Ada"}, "card": card(cards::VISA)}),
        Some("customer"),
    );
    shop.order(&Order::customer(customer.root().as_str().unwrap()));
    refused_requests(shop);
    shop.try_tokenise(
        json!({"paymentMethod": {"bankAccount": {"number": ACCOUNT, "accountHolderName": "Ada"}}}),
        Some("account"),
    )
    .data();
}

/// Requests that fail at every depth, with a number where it does not belong.
fn refused_requests(shop: &Shop) {
    let number = cards::VISA;
    for order in [
        raw(&format!("{number}0")),
        raw(number).amount(0),
        raw(number).flow(number),
        raw(number).currency(number),
        raw(number).with("orderId", json!({"a": number})),
        raw(number).with(number, json!(1)),
        raw(number).with("paymentMethod/card/number", json!([number])),
        raw(number).with("paymentMethod/card/expMonth", json!(number)),
        Order::token(number),
        Order::customer(number),
        raw(REFUSED).with("paymentMethod/card/expYear", json!(2020)),
    ] {
        let answer = shop.try_authorise(&order, Some(&Shop::fresh_key()));
        assert!(!answer.errors().is_empty());
        assert!(
            !answer.reply.text().contains(number),
            "an answer repeats a number"
        );
    }
    shop.try_payment(number);
    shop.try_method(number);
    let literal = |rest: &str| {
        format!(
            "mutation {{ tokeniseCard(data: {{paymentMethod: {{card: {{number: \"{number}\", expMonth: 11, expYear: 2033, \
             cvc: \"{CODE}\"}}}}}}) {{ token }} }} {rest}"
        )
    };
    for _ in 0..3 {
        shop.gql(&literal(""), json!({})).data();
    }
    shop.gql(&literal("{"), json!({})).assert_refused(200);
    shop.graphql(format!("{{\"query\": \"{number}"))
        .send(shop.address());
    shop.graphql(format!("card={number}&cvc={CODE}"))
        .header("X-Request-Id", number)
        .send(shop.address());
    shop.get(&format!("/{number}?card={number}&cvc={CODE}"));
    shop.get(&format!("/api/graphql?query={number}"));
}

#[track_caller]
fn assert_no_leak(server: &Server, needles: &[Needle]) {
    let found = server.search(needles);
    assert!(found.is_empty(), "{}", found.join("\n"));
    let output = server.output();
    let reported: Vec<&str> = needles
        .iter()
        .filter(|needle| needle.is_in(&output))
        .map(|needle| needle.name.as_str())
        .collect();
    assert!(reported.is_empty(), "in the output: {reported:?}");
}

#[test]
fn no_file_and_no_output_holds_a_number_or_a_code() {
    let mut server = Setup::new()
        .apart()
        .environment("RUST_LOG", "trace")
        .environment("POINTSMAN_LOG__LEVEL", "trace")
        .start();
    let needles = needles();
    a_long_story(&server.shop());
    assert_no_leak(&server, &needles);
    server.run(&["vault", "rotate"]);
    assert_no_leak(&server, &needles);
    let metrics = server.shop().get("/metrics").body;
    assert!(!needles.iter().any(|needle| needle.is_in(&metrics)));
    server.kill();
    assert_no_leak(&server, &needles);
    server.restart();
    server.shop().assert_books_equal_payments();
    assert!(server.stop().success());
    assert_no_leak(&server, &needles);
    assert!(
        !server.files_with(b"simulator-down").is_empty(),
        "the search sees where the data are"
    );
    let account = ACCOUNT.as_bytes();
    assert!(
        server.files_with(account).is_empty(),
        "a bank account's number is sealed too"
    );
    assert!(
        String::from_utf8_lossy(&server.output()).contains("answered"),
        "the output tells of every request"
    );
    assert!(
        !server
            .output()
            .windows(account.len())
            .any(|window| window == account)
    );
}

#[test]
fn the_search_would_find_a_number_in_a_file() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("data")).unwrap();
    std::fs::write(
        dir.path().join("data/vault.db"),
        format!("....{}....", cards::MASTERCARD),
    )
    .unwrap();
    assert_eq!(find_leaks(dir.path(), &needles()).len(), 1);
}
