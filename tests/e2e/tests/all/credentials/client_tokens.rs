//! Client tokens: what a browser may do for the shop.

use serde_json::{Value, json};
use testkit::{Order, Payment, Setup, Shop, at_once, cards};

use crate::shared;

fn for_ten_euros() -> Value {
    json!({"amount": 1000, "currency": "EUR"})
}

/// An order without amount and currency: the token has them.
fn bare_order(card: &str) -> Order {
    Order::card(card).without("amount").without("currencyCode")
}

#[test]
fn a_client_token_lives_for_three_hours() {
    let answer = shared::shop().gql("mutation { generateClientToken { token ttl } }", json!({}));
    assert_eq!(answer.root()["ttl"], json!(10_800));
    let token = answer.root()["token"].as_str().unwrap();
    assert!(
        token.starts_with("ct_test_") && token.len() > 30,
        "a token of another form"
    );
    assert_eq!(
        shared::server()
            .shop_with(token)
            .gql("{ initializeSDK }", json!({}))
            .root(),
        &json!(true)
    );
}

#[test]
fn made_for_an_amount_it_authorises_exactly_that() {
    let shop = shared::shop();
    let browser = shop.client(for_ten_euros());
    let payment = browser.order(&bare_order(cards::VISA));
    payment.assert_status("SUCCEEDED");
    assert_eq!(payment.at("/amount/rawAmount"), &json!(1000));
    assert_eq!(payment.at("/amount/currency"), &json!("EUR"));
    shop.assert_books_agree_on(&payment.id());
    let mine = browser.payment(&payment.id());
    assert_eq!(mine.id(), payment.id());
}

#[test]
fn another_amount_or_currency_than_its_own_is_refused() {
    let shop = shared::shop();
    let browser = shop.client(for_ten_euros());
    browser
        .try_authorise(&Order::card(cards::VISA).amount(999), None)
        .assert_invalid("amount");
    browser
        .try_authorise(&Order::card(cards::VISA).currency("USD"), None)
        .assert_invalid("currencyCode");
    browser
        .order(&Order::card(cards::VISA))
        .assert_status("SUCCEEDED");
}

#[test]
fn made_without_an_amount_it_authorises_nothing() {
    let browser = shared::shop().client(json!({}));
    browser
        .try_authorise(&Order::card(cards::VISA), None)
        .assert_error("api.key.forbidden");
}

#[test]
fn an_amount_without_a_currency_makes_no_token() {
    let query = "mutation($amount: Long, $currency: String) { generateClientToken(amount: $amount, currency: $currency) { token } }";
    shared::shop()
        .gql(query, json!({"amount": 1000}))
        .assert_error("error.validation");
    shared::shop()
        .gql(query, json!({"currency": "EUR"}))
        .assert_error("error.validation");
    shared::shop()
        .gql(query, json!({"amount": 0, "currency": "EUR"}))
        .assert_error("error.validation");
    shared::shop()
        .gql(query, json!({"amount": 1, "currency": "EURO"}))
        .assert_error("error.validation");
}

#[test]
fn a_paid_token_pays_no_second_time() {
    let browser = shared::shop().client(for_ten_euros());
    browser
        .order(&bare_order(cards::VISA))
        .assert_status("SUCCEEDED");
    browser
        .try_authorise(&bare_order(cards::MASTERCARD), None)
        .assert_error("error.authorize.payment-already-authorized");
}

#[test]
fn twenty_attempts_at_once_make_one_paid_payment() {
    let server = Setup::new().start();
    let shop = server.shop();
    let browser = shop.client(for_ten_euros());
    let answers = at_once(20, |_| {
        browser.try_authorise(&bare_order(cards::VISA), None)
    });
    let paid = answers
        .iter()
        .filter(|answer| answer.errors().is_empty())
        .count();
    assert_eq!(paid, 1);
    assert_eq!(shop.books().charges(), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn after_declines_it_may_try_again_up_to_ten_times() {
    let browser = shared::shop().client(for_ten_euros());
    for _ in 0..10 {
        browser
            .order(&bare_order(cards::GENERAL_DECLINE))
            .assert_status("DECLINED");
    }
    browser
        .try_authorise(&bare_order(cards::VISA), None)
        .assert_error("error.authorize.too-many-attempts");
}

#[test]
fn a_flow_that_it_was_made_with_is_the_only_one() {
    let shop = shared::shop();
    let browser =
        shop.client(json!({"amount": 1000, "currency": "EUR", "flowId": "capture-by-api"}));
    browser
        .try_authorise(&bare_order(cards::VISA).flow("default"), None)
        .assert_invalid("flowId");
    let payment = browser.order(&bare_order(cards::VISA));
    payment.assert_status("AUTHORISED");
    assert_eq!(payment.text("/flowId"), "capture-by-api");
}

#[test]
fn an_unknown_flow_or_customer_makes_no_token() {
    let shop = shared::shop();
    let make = |arguments: &str| {
        shop.gql(
            &format!("mutation {{ generateClientToken({arguments}) {{ token }} }}"),
            json!({}),
        )
    };
    make(r#"flowId: "no-such-flow""#).assert_error("error.flow.not-found");
    make(r#"customerId: "0192a000-0000-7000-8000-000000000000""#)
        .assert_error("error.customer.not-found");
}

#[test]
fn it_reads_the_payments_that_it_made_and_no_others() {
    let shop = shared::shop();
    let foreign = shop.authorise(cards::VISA).id();
    let browser = shop.client(for_ten_euros());
    browser
        .try_payment(&foreign)
        .assert_error("error.payment.not-found");
    let mine = browser.order(&bare_order(cards::VISA)).id();
    browser.payment(&mine).assert_status("SUCCEEDED");
    let second = shop.client(for_ten_euros());
    second
        .try_payment(&mine)
        .assert_error("error.payment.not-found");
}

#[test]
fn the_shops_own_operations_are_forbidden() {
    let shop = shared::shop();
    let payment = shop.authorise_later(cards::VISA).id();
    let customer = shop.create_customer("Ada");
    let token = shop.tokenise(cards::VISA);
    let browser = shop.client(for_ten_euros());
    let forbidden = [
        browser.try_capture(&payment, Value::Null),
        browser.try_cancel(&payment),
        browser.try_refund(&payment, Value::Null),
        browser.try_customer(&customer),
        browser.try_update_customer(&customer, json!({"name": "Eve"})),
        browser.try_delete_customer(&customer),
        browser.try_delete_method(&token),
        browser.try_make_default(&token),
        browser.try_attach(&token, &customer),
        browser.gql("{ listPayments { edges { cursor } } }", json!({})),
        browser.gql("{ listCustomers { edges { cursor } } }", json!({})),
        browser.gql("mutation { generateClientToken { token } }", json!({})),
    ];
    for answer in forbidden {
        answer.assert_error("api.key.forbidden");
    }
    shop.payment(&payment).assert_status("AUTHORISED");
    assert_eq!(shop.customer(&customer)["name"], "Ada");
}

#[test]
fn it_tokenises_for_nobody_for_its_own_customer_and_for_the_one_that_it_made() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    let stranger = shop.create_customer("Eve");
    let browser = shop.client(json!({"customerId": customer}));
    browser.tokenise(cards::VISA);
    browser.tokenise_for(&customer, cards::VISA);
    browser
        .try_tokenise(for_customer(&stranger), None)
        .assert_error("error.customer.not-found");
    let created = browser.create_customer("Bea");
    browser.tokenise_for(&created, cards::MASTERCARD);
    assert_eq!(shop.methods(&stranger).len(), 0);
    assert_eq!(shop.methods(&customer).len(), 1);
}

#[test]
fn it_lists_the_methods_of_its_own_customer_alone() {
    let shop = shared::shop();
    let (customer, stranger) = (shop.create_customer("Ada"), shop.create_customer("Eve"));
    shop.tokenise_for(&customer, cards::VISA);
    let browser = shop.client(json!({"customerId": customer}));
    assert_eq!(browser.methods(&customer).len(), 1);
    browser
        .try_methods(&stranger)
        .assert_error("error.customer.not-found");
}

#[test]
fn no_stored_personal_data_comes_back_to_a_browser() {
    let shop = shared::shop();
    let customer = shop.try_create_customer(
        json!({"customer": {"name": "Ada Byron", "email": "ada@example.com"}}),
        None,
    );
    let id = customer.root().as_str().unwrap().to_owned();
    let browser = shop.client(json!({"customerId": id}));
    let answer = browser.try_tokenise(for_customer(&id), None);
    let shown = answer.root()["customer"].clone();
    assert_eq!(shown["id"], json!(id));
    assert!(
        shown["name"].is_null() && shown["email"].is_null(),
        "{shown}"
    );
    assert!(!answer.reply.text().contains("ada@example.com"));
}

#[test]
fn a_decline_of_a_token_is_a_payment_of_it() {
    let shop = shared::shop();
    let browser = shop.client(for_ten_euros());
    let declined: Payment = browser.order(&bare_order(cards::INSUFFICIENT_FUNDS));
    browser.payment(&declined.id()).assert_status("DECLINED");
}

fn for_customer(id: &str) -> Value {
    json!({"paymentMethod": {"card": Shop::card(cards::VISA)}, "customer": {"id": id}})
}
