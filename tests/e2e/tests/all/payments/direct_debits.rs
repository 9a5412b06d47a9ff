//! Stored bank accounts are charged by direct debits.

use serde_json::{Value, json};
use testkit::{Order, Setup, Shop, cards};

/// Test accounts that are charged: the account and the direct debits that fit it.
fn accounts() -> [(Value, &'static [&'static str]); 5] {
    [
        (
            json!({"number": "DE89370400440532013000"}),
            &["SEPA_DIRECT_DEBIT", "DIRECT_DEBIT", "ACCOUNT"],
        ),
        (
            json!({"number": "00012345", "sortCode": "10-88-00"}),
            &["BACS", "DIRECT_DEBIT", "ACCOUNT"],
        ),
        (
            json!({"number": "000123456789", "routingNumber": "110000000"}),
            &["ACH_DEBIT", "ACH", "DIRECT_DEBIT", "ACCOUNT"],
        ),
        (
            json!({"number": "000123456", "bsbNumber": "000-000"}),
            &["BECS", "DIRECT_DEBIT", "ACCOUNT"],
        ),
        (json!({"number": "87654321"}), &["DIRECT_DEBIT", "ACCOUNT"]),
    ]
}

const EVERY_DEBIT: [&str; 7] = [
    "SEPA_DIRECT_DEBIT",
    "BACS",
    "ACH_DEBIT",
    "ACH",
    "BECS",
    "DIRECT_DEBIT",
    "ACCOUNT",
];

fn stored(shop: &Shop, mut account: Value, customer: Option<&str>) -> String {
    account["accountHolderName"] = json!("Ada Byron");
    let mut data = json!({"paymentMethod": {"bankAccount": account}});
    if let Some(customer) = customer {
        data["customer"] = json!({"id": customer});
    }
    let answer = shop.try_tokenise(data, None);
    answer.root()["token"].as_str().unwrap().to_owned()
}

fn debit(method: &str, token: &str) -> Order {
    Order::token(token).with("paymentMethod/type", json!(method))
}

#[test]
fn an_account_is_held_until_the_debit_has_settled() {
    let server = Setup::new().start();
    let shop = server.shop();
    let mut sent = Vec::new();
    for (account, methods) in accounts() {
        let token = stored(&shop, account, None);
        for method in methods {
            let payment = shop.order(&debit(method, &token));
            payment.assert_status("GATEWAY_HOLD");
            payment.assert_says("The debit is under way");
            assert!(!payment.says("review"), "{:#?}", payment.lines());
            assert_eq!(payment.text("/paymentCore/processorStatus"), "collecting");
            assert_eq!(payment.text("/paymentMethodDetails/paymentMethod"), *method);
            assert_eq!(payment.text("/paymentMethodDetails/name"), "Ada Byron");
            sent.push(payment.id());
        }
    }
    for id in &sent {
        shop.wait_for_status(id, "SUCCEEDED");
    }
    shop.refund(&sent[0], 400).assert_status("PARTIAL_REFUNDED");
    shop.assert_books_equal_payments();
}

#[test]
fn a_debit_that_the_bank_refuses_is_declined_later() {
    let server = Setup::new().start();
    let shop = server.shop();
    let cases = [
        (
            json!({"number": "DE62370400440532013001"}),
            "SEPA_DIRECT_DEBIT",
            "INSUFFICIENT_FUNDS",
        ),
        (
            json!({"number": "22222227", "sortCode": "108800"}),
            "BACS",
            "INSUFFICIENT_FUNDS",
        ),
        (
            json!({"number": "000111111113", "routingNumber": "110000000"}),
            "ACH_DEBIT",
            "INVALID_CARD_OR_ACCOUNT",
        ),
        (
            json!({"number": "111111113", "bsbNumber": "000000"}),
            "BECS",
            "INVALID_CARD_OR_ACCOUNT",
        ),
    ];
    let sent: Vec<_> = cases
        .into_iter()
        .map(|(account, method, code)| {
            let payment = shop.order(&debit(method, &stored(&shop, account, None)));
            payment.assert_status("GATEWAY_HOLD");
            (payment.id(), code)
        })
        .collect();
    for (id, code) in sent {
        let payment = shop.wait_for_status(&id, "DECLINED");
        assert_eq!(payment.text("/paymentCore/outcome/declineCode"), code);
    }
    shop.assert_books_equal_payments();
}

#[test]
fn a_customer_whose_default_is_an_account_pays_by_name_alone() {
    let server = Setup::new().start();
    let shop = server.shop();
    let customer = shop.create_customer("Ada");
    let (account, _) = accounts()[0].clone();
    stored(&shop, account, Some(&customer));
    let payment = shop.order(&Order::customer(&customer));
    payment.assert_status("GATEWAY_HOLD");
    let shown = "/paymentMethodDetails/paymentMethod";
    assert_eq!(payment.text(shown), "SEPA_DIRECT_DEBIT");
    // So it does with the type alone, which must fit.
    let typed =
        |method: &str| Order::customer(&customer).with("paymentMethod", json!({"type": method}));
    let other = shop.order(&typed("DIRECT_DEBIT"));
    assert_eq!(other.text(shown), "DIRECT_DEBIT");
    for wrong in ["BACS", "CARD"] {
        shop.try_authorise(&typed(wrong), None)
            .assert_invalid("type");
    }
    for id in [payment.id(), other.id()] {
        shop.wait_for_status(&id, "SUCCEEDED");
    }
    shop.assert_books_equal_payments();
}

#[test]
fn a_debit_without_an_account_is_refused() {
    let server = Setup::new().start();
    let shop = server.shop();
    for method in EVERY_DEBIT {
        let order = Order::card(cards::VISA).with("paymentMethod", json!({"type": method}));
        shop.try_authorise(&order, None).assert_invalid("token");
        let card = Order::card(cards::VISA).with("paymentMethod/type", json!(method));
        shop.try_authorise(&card, None).assert_invalid("card");
        let unknown = debit(method, "aaaaaaaaaaaaaaaaaaaaaaaa");
        shop.try_authorise(&unknown, None)
            .assert_error("error.payment-method.not-found");
    }
    let nobody = shop.create_customer("Ada");
    shop.try_authorise(&Order::customer(&nobody), None)
        .assert_error("error.validation");
    shop.assert_books_equal_payments();
}

#[test]
fn type_and_instrument_must_fit() {
    let server = Setup::new().start();
    let shop = server.shop();
    let card = shop.tokenise(cards::VISA);
    for method in EVERY_DEBIT {
        let answer = shop.try_authorise(&debit(method, &card), None);
        answer.assert_invalid("type");
        assert!(
            answer.message().contains("must be CARD"),
            "{}",
            answer.message()
        );
    }
    for (account, methods) in accounts() {
        let token = stored(&shop, account, None);
        for method in EVERY_DEBIT.into_iter().chain(["CARD"]) {
            if methods.contains(&method) {
                continue;
            }
            let answer = shop.try_authorise(&debit(method, &token), None);
            answer.assert_invalid("type");
            let message = answer.message();
            assert!(message.contains(&methods.join(" or ")), "{message}");
        }
    }
    shop.assert_books_equal_payments();
}

#[test]
fn a_connection_named_by_the_merchant_charges_accounts_too() {
    let server = Setup::new().start();
    let shop = server.shop();
    let (account, _) = accounts()[2].clone();
    let order = debit("ACH_DEBIT", &stored(&shop, account, None))
        .with("paymentProcessorConnectionId", json!("simulator-b"));
    let payment = shop.order(&order);
    payment.assert_status("GATEWAY_HOLD");
    shop.wait_for_status(&payment.id(), "AUTHORISED");
    shop.capture(&payment.id()).assert_status("SUCCEEDED");
    shop.assert_books_equal_payments();
}
