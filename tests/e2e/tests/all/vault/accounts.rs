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
fn an_account_cannot_pay_as_a_card() {
    let shop = shared::shop();
    let answer = shop.try_tokenise(json!({"paymentMethod": {"bankAccount": account()}}), None);
    let token = answer.root()["token"].as_str().unwrap();
    shop.try_authorise(&testkit::Order::token(token), None)
        .assert_error("error.validation");
}
