//! Bank accounts in the vault.

use serde_json::{Value, json};
use testkit::{Shop, cards};

use crate::shared;

fn account() -> Value {
    json!({"number": "IE29AIBK93115212345678", "accountHolderName": "Ada Byron", "bankName": "AIB"})
}

#[test]
fn an_account_is_stored_and_shown_masked() {
    let shop = shared::shop();
    let answer = shop.try_tokenise(json!({"paymentMethod": {"bankAccount": account()}}), None);
    let method = shop.method(answer.root()["token"].as_str().unwrap());
    assert_eq!(
        method["number"],
        json!(cards::masked("IE29AIBK93115212345678"))
    );
    assert_eq!(method["bankName"], "AIB");
    assert_eq!(method["name"], "Ada Byron");
    assert!(!answer.reply.text().contains("93115212345678"));
}

#[test]
fn number_and_holder_are_needed() {
    for field in ["number", "accountHolderName"] {
        for value in [Value::Null, json!("")] {
            let mut account = account();
            account[field] = value;
            shared::shop()
                .try_tokenise(json!({"paymentMethod": {"bankAccount": account}}), None)
                .assert_invalid(field);
        }
    }
}

#[test]
fn card_and_account_together_the_card_counts() {
    let shop = shared::shop();
    let both =
        json!({"paymentMethod": {"card": Shop::card(cards::VISA), "bankAccount": account()}});
    let answer = shop.try_tokenise(both, None);
    let method = shop.method(answer.root()["token"].as_str().unwrap());
    assert_eq!(method["number"], json!(cards::masked(cards::VISA)));
    assert_eq!(method["brand"], "VISA");
}

#[test]
fn numbers_are_checked_by_their_own_digits() {
    let refused = |changes: Value, field: &str| {
        let mut account = json!({"number": "00012345", "accountHolderName": "Ada Byron"});
        for (name, value) in changes.as_object().unwrap() {
            account[name] = value.clone();
        }
        shared::shop()
            .try_tokenise(json!({"paymentMethod": {"bankAccount": account}}), None)
            .assert_invalid(field);
    };
    refused(json!({"number": "DE88370400440532013000"}), "number");
    refused(json!({"number": "DE8937040044053201300"}), "number");
    refused(json!({"number": "XX89370400440532013000"}), "number");
    refused(json!({"sortCode": "10880"}), "sortCode");
    refused(json!({"sortCode": "108800", "number": "1234567"}), "number");
    refused(json!({"routingNumber": "110000001"}), "routingNumber");
    refused(
        json!({"routingNumber": "110000000", "number": "123"}),
        "number",
    );
    refused(json!({"bsbNumber": "00000"}), "bsbNumber");
    refused(
        json!({"bsbNumber": "000000", "number": "1234567890"}),
        "number",
    );
    refused(
        json!({"bsbNumber": "000000", "sortCode": "108800"}),
        "sortCode",
    );
    refused(json!({"mandate": {"textVersion": "v1"}}), "acceptedAt");
    refused(
        json!({"mandate": {"acceptedAt": "2026-01-31T09:30:00Z"}}),
        "textVersion",
    );
    let mandate =
        json!({"acceptedAt": "2026-01-31T09:30:00Z", "textVersion": "v1", "ipAddress": "home"});
    refused(json!({"mandate": mandate}), "ipAddress");
}

#[test]
fn the_mandate_is_kept_and_shown_to_the_server_alone() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    let mandate = json!({"acceptedAt": "2026-01-31T09:30:00Z", "textVersion": "sepa-3", "ipAddress": "192.0.2.7"});
    let account = json!({"number": "000123456789", "routingNumber": "110000000", "accountHolderName": "Ada",
        "mandate": mandate});
    let data = json!({"paymentMethod": {"bankAccount": account}, "customer": {"id": customer}});
    shop.try_tokenise(data, None).root();
    let seen = |shop: &Shop| {
        let fields = "routingNumber sortCode mandate { acceptedAt textVersion ipAddress }";
        let query =
            format!("query($id: String!) {{ getPaymentMethods(customerId: $id) {{ {fields} }} }}");
        shop.gql(&query, json!({"id": customer})).root()[0].clone()
    };
    let whole = seen(&shop);
    assert_eq!(whole["routingNumber"], "110000000");
    assert_eq!(whole["sortCode"], Value::Null);
    assert_eq!(whole["mandate"]["textVersion"], "sepa-3");
    assert_eq!(whole["mandate"]["ipAddress"], "192.0.2.7");
    assert!(
        whole["mandate"]["acceptedAt"]
            .as_str()
            .unwrap()
            .starts_with("2026-01-31T09:30:00")
    );
    let browser = seen(&shop.client(json!({"customerId": customer})));
    assert_eq!(browser["mandate"], Value::Null);
    assert_eq!(browser["routingNumber"], Value::Null);
}
