//! Erasing a customer.

use serde_json::json;
use testkit::{Backend, Order, Setup, Shop, cards};

#[test]
fn an_erased_customer_is_gone_with_its_cards_and_its_payments_keep_their_ids() {
    let server = Setup::new().start();
    let shop = server.shop();
    let data = json!({"customer": {"name": "Zebedee Quux", "email": "quux@erased.example"}, "card": Shop::card(cards::VISA)});
    let customer = shop
        .try_create_customer(data, None)
        .root()
        .as_str()
        .unwrap()
        .to_owned();
    let token = shop.customer(&customer)["defaultPaymentMethod"]
        .as_str()
        .unwrap()
        .to_owned();
    let payment = shop.order(&Order::customer(&customer));
    payment.assert_status("SUCCEEDED");

    assert_eq!(shop.try_delete_customer(&customer).root(), &json!(true));

    shop.try_customer(&customer)
        .assert_error("error.customer.not-found");
    shop.try_methods(&customer)
        .assert_error("error.customer.not-found");
    shop.try_method(&token)
        .assert_error("error.payment-method.not-found");
    shop.try_authorise(&Order::token(&token), None)
        .assert_error("error.payment-method.not-found");
    shop.try_authorise(&Order::customer(&customer), None)
        .assert_error("error.customer.not-found");
    shop.try_delete_customer(&customer)
        .assert_error("error.customer.not-found");
    let kept = shop.payment(&payment.id());
    assert_eq!(kept.text("/paymentCustomer/id"), customer);
    assert!(
        !kept.0.to_string().contains("quux@erased.example"),
        "{}",
        kept.0
    );
    shop.refund(&payment.id(), 1000).assert_status("REFUNDED");
    shop.assert_books_equal_payments();
}

#[test]
fn no_file_holds_an_erased_customers_name_after_a_stop() {
    // PostgreSQL keeps what was overwritten until it vacuums, and in its log: docs/postgresql.md says what to do there.
    let mut server = Setup::new().on(Backend::Embedded).start();
    let shop = server.shop();
    let customer = json!({"name": "Zebedee Quuxington", "email": "zebedee@erased.example", "phone": "+999777555333"});
    let id = shop
        .try_create_customer(json!({"customer": customer}), None)
        .root()
        .as_str()
        .unwrap()
        .to_owned();
    shop.try_delete_customer(&id).data();
    assert!(server.stop().success());
    for needle in ["Quuxington", "zebedee@erased.example", "+999777555333"] {
        let found = files_with(&server.data_dir(), needle.as_bytes());
        assert!(found.is_empty(), "{needle} is still in {found:?}");
    }
}

fn files_with(directory: &std::path::Path, needle: &[u8]) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, needle));
        } else if std::fs::read(&path)
            .unwrap()
            .windows(needle.len())
            .any(|window| window == needle)
        {
            found.push(path);
        }
    }
    found
}
