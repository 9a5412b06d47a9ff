//! The service tells nobody whether a number that was tried is the one that is stored.

use serde_json::{Value, json};
use testkit::{Answer, Order, PATIENCE, Setup, Shop, at_once, cards, until};

/// Accepted test cards, each of its own.
const MANY: [&str; 11] = [
    cards::VISA,
    cards::VISA_OTHER,
    cards::VISA_THIRD,
    cards::VISA_DEBIT,
    cards::MASTERCARD,
    cards::AMEX,
    cards::DISCOVER,
    cards::JCB,
    cards::DINERS,
    cards::UNIONPAY,
    cards::HELD,
];

fn setup() -> Setup {
    Setup::new().setting("vault.test_ranges", "411111")
}

/// Card numbers with a right checksum that share first six and last four.
fn alike(count: usize) -> Vec<String> {
    let holds = |number: &str| {
        let sum: u32 = number
            .bytes()
            .rev()
            .enumerate()
            .map(|(place, byte)| {
                let digit = u32::from(byte - b'0') * if place % 2 == 1 { 2 } else { 1 };
                digit / 10 + digit % 10
            })
            .sum();
        sum.is_multiple_of(10)
    };
    (0..1_000_000)
        .map(|middle| format!("411111{middle:06}1111"))
        .filter(|number| holds(number))
        .take(count)
        .collect()
}

fn try_card(shop: &Shop, number: &str, key: Option<&str>) -> Answer {
    shop.try_tokenise(json!({"paymentMethod": {"card": Shop::card(number)}}), key)
}

#[track_caller]
fn assert_limited(answer: &Answer) {
    answer.assert_error("error.rate-limited");
    let seconds = answer.extension("retryAfter").as_i64().unwrap();
    assert!((1..=10_800).contains(&seconds), "{seconds}");
}

#[test]
fn a_browser_sees_no_fingerprint() {
    let server = setup().start();
    let shop = server.shop();
    let customer = shop.create_customer("Ada Byron");
    shop.tokenise_for(&customer, cards::VISA);
    let browser = shop.client(json!({"amount": 1000, "currency": "EUR", "customerId": customer}));
    assert_eq!(browser.methods(&customer)[0]["fingerprint"], Value::Null);
    assert_ne!(shop.methods(&customer)[0]["fingerprint"], Value::Null);
    let made = try_card(&browser, cards::VISA, None);
    assert_eq!(made.root()["card"]["fingerprint"], Value::Null);
    let order = Order::card(cards::VISA);
    let paid = browser.order(&order);
    let shown = "/paymentMethodDetails/fingerprint";
    assert_eq!(paid.at(shown), &Value::Null);
    assert_eq!(browser.payment(&paid.id()).at(shown), &Value::Null);
    assert_ne!(shop.payment(&paid.id()).at(shown), &Value::Null);
}

#[test]
fn a_team_switches_fingerprints_off_and_on() {
    let server = setup().start();
    let shop = server.shop();
    let token = shop.tokenise(cards::VISA);
    let seen = || {
        let paid = shop.order(&Order::token(&token));
        let method = shop.method(&token);
        // Everything else is there.
        assert_eq!(method["name"], "Ada Byron");
        let of_payment = paid.at("/paymentMethodDetails/fingerprint").clone();
        (of_payment, method["fingerprint"].clone())
    };
    let set = |on: bool| {
        let query = "mutation($on: Boolean) { updateTeam(settings: {fingerprint: $on}) { id } }";
        shop.gql(query, json!({"on": on})).root();
    };
    let before = seen();
    assert!(before.0.is_string() && before.1.is_string());
    set(false);
    assert_eq!(seen(), (Value::Null, Value::Null));
    set(true);
    assert_eq!(seen(), before);
}

#[test]
fn a_client_token_brings_ten_numbers_and_the_same_one_counts_once() {
    let server = setup().start();
    let shop = server.shop();
    let browser = shop.client(json!({"amount": 1000, "currency": "EUR"}));
    for number in &MANY[..10] {
        try_card(&browser, number, None).root();
        try_card(&browser, number, None).root();
    }
    assert_limited(&try_card(&browser, MANY[10], None));
    // Paying brings numbers as storing does.
    assert_limited(&browser.try_authorise(&Order::card(MANY[10]), None));
    browser
        .order(&Order::card(cards::VISA))
        .assert_status("SUCCEEDED");
    let customer = json!({"customer": {"name": "Ada"}, "card": Shop::card(MANY[10])});
    assert_limited(&browser.try_create_customer(customer, None));
    // A bank account's number is a number too.
    let account = json!({"number": "IE29AIBK93115212345678", "accountHolderName": "Ada"});
    assert_limited(&browser.try_tokenise(json!({"paymentMethod": {"bankAccount": account}}), None));
    try_card(&shop.client(json!({})), MANY[10], None).root();
}

#[test]
fn a_client_token_made_for_more_brings_more() {
    let server = setup().start();
    let shop = server.shop();
    let make = |most: i64| {
        shop.gql(
            "mutation($most: Int) { generateClientToken(maxCards: $most) { token } }",
            json!({"most": most}),
        )
    };
    for most in [0, 101, -1] {
        make(most).assert_invalid("maxCards");
    }
    let browser = server.shop_with(make(2).root()["token"].as_str().unwrap());
    for number in &MANY[..2] {
        try_card(&browser, number, None).root();
    }
    assert_limited(&try_card(&browser, MANY[2], None));
    let browser = server.shop_with(make(100).root()["token"].as_str().unwrap());
    for number in MANY {
        try_card(&browser, number, None).root();
    }
}

#[test]
fn the_count_of_a_client_token_is_exact_when_all_come_at_once() {
    let server = setup().start();
    let browser = server.shop().client(json!({}));
    let answers = at_once(44, |n| try_card(&browser, MANY[n % MANY.len()], None));
    let refused: Vec<usize> = answers
        .iter()
        .enumerate()
        .filter(|(_, answer)| !answer.errors().is_empty())
        .map(|(n, _)| n % MANY.len())
        .collect();
    assert_eq!(refused.len(), 4, "one number of eleven, each time");
    assert!(refused.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn numbers_that_are_alike_are_refused_to_a_team_after_twenty() {
    let server = setup().start();
    let shop = server.shop();
    let numbers = alike(42);
    // Every way to bring a number counts: storing, paying, and asking what a key tells.
    let key = Shop::fresh_key();
    try_card(&shop, &numbers[0], Some(&key)).root();
    for number in &numbers[1..8] {
        try_card(&shop, number, None).root();
    }
    for number in &numbers[8..14] {
        shop.authorise(number).assert_status("SUCCEEDED");
    }
    for number in &numbers[14..20] {
        try_card(&shop, number, Some(&key)).assert_error("error.idempotency.key-reused");
    }
    assert_limited(&try_card(&shop, &numbers[20], None));
    assert_limited(&try_card(&shop, &numbers[20], Some(&key)));
    assert_limited(&shop.try_authorise(&Order::card(&numbers[20]), None));
    until(PATIENCE, "the log tells of it", || {
        server
            .log()
            .contains("the same first six and last four")
            .then_some(())
    });
    // The same number again is not counted twice, and other cards are not concerned.
    try_card(&shop, &numbers[3], None).root();
    try_card(&shop, cards::MASTERCARD, None).root();
    // Trying on does not tell which numbers are known: after as many refusals nothing passes.
    for number in &numbers[21..38] {
        assert_limited(&try_card(&shop, number, None));
    }
    assert_limited(&try_card(&shop, &numbers[3], None));
    assert_limited(&try_card(&shop, &numbers[0], Some(&key)));
}

#[test]
fn accounts_are_counted_by_bank_and_ending() {
    let server = setup().start();
    let shop = server.shop();
    let try_account = |number: &str, sort_code: &str| {
        let account =
            json!({"number": number, "sortCode": sort_code, "accountHolderName": "Ada Byron"});
        shop.try_tokenise(json!({"paymentMethod": {"bankAccount": account}}), None)
    };
    for n in 1..=20 {
        try_account(&format!("{n:04}2345"), "10-88-00").root();
    }
    assert_limited(&try_account("00212345", "108800"));
    // An account of that ending at another bank, and another one at this bank, are strangers.
    try_account("00212345", "20-00-00").root();
    try_account("00212346", "10-88-00").root();
}

#[test]
fn two_banks_may_have_accounts_of_one_number() {
    let server = setup().start();
    let shop = server.shop();
    let fingerprint = |sort_code: &str| {
        let account =
            json!({"number": "00012345", "sortCode": sort_code, "accountHolderName": "Ada Byron"});
        let answer = shop.try_tokenise(json!({"paymentMethod": {"bankAccount": account}}), None);
        shop.method(answer.root()["token"].as_str().unwrap())["fingerprint"].clone()
    };
    let one = fingerprint("10-88-00");
    assert!(one.is_string());
    assert_eq!(one, fingerprint("108800"));
    assert_ne!(one, fingerprint("20-00-00"));
}

#[test]
fn browsers_together_are_bound_as_their_team_is() {
    let server = setup().start();
    let shop = server.shop();
    let numbers = alike(21);
    for (number, browser) in numbers.iter().zip(0..20) {
        let browser = shop.client(json!({"amount": 1000 + browser, "currency": "EUR"}));
        try_card(&browser, number, None).root();
    }
    assert_limited(&try_card(&shop.client(json!({})), &numbers[20], None));
}

#[test]
fn a_number_in_a_request_that_is_refused_counts_when_a_key_could_tell_it() {
    let server = setup().start();
    let shop = server.shop();
    let key = Shop::fresh_key();
    let mut card = Shop::card(cards::VISA);
    card["expMonth"] = json!(13);
    let ask = |number: &str| {
        let mut card = card.clone();
        card["number"] = json!(number);
        shop.try_tokenise(json!({"paymentMethod": {"card": card}}), Some(&key))
    };
    let mut code = "error.validation";
    for number in alike(20) {
        ask(&number).assert_error(code);
        code = "error.idempotency.key-reused";
    }
    assert_limited(&ask(&alike(21)[20]));
}
