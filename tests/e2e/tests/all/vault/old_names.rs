//! Older names of operations, still sent by clients.

use serde_json::json;
use testkit::{Shop, cards};

use crate::shared;

#[test]
fn tokenise_card_is_tokenise_payment_method() {
    let shop = shared::shop();
    let answer = shop.gql(
        "mutation($data: TokenInput!) { tokeniseCard(data: $data) { id token createdDate customer { id } } }",
        json!({"data": {"paymentMethod": {"card": Shop::card(cards::VISA)}}}),
    );
    let token = answer.root()["token"].as_str().unwrap();
    assert_eq!(
        shop.method(token)["number"],
        json!(cards::masked(cards::VISA))
    );
}

#[test]
fn both_names_of_tokenising_share_one_scope_of_idempotency() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    let data = json!({"data": {"paymentMethod": {"card": Shop::card(cards::VISA)}}});
    let ask = |name: &str| {
        let query =
            format!("mutation($data: TokenInput!) {{ made: {name}(data: $data) {{ token }} }}");
        shop.gql_once(&query, data.clone(), Some(&key))
    };
    let first = ask("tokenisePaymentMethod");
    let second = ask("tokeniseCard");
    assert!(!first.replayed() && second.replayed());
    assert_eq!(first.reply.body, second.reply.body);
}

#[test]
fn list_customer_cards_is_get_payment_methods() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    let token = shop.tokenise_for(&customer, cards::VISA);
    let answer = shop.gql(
        "query($id: String!) { listCustomerCards(vaultCustomerId: $id) { token isDefault } }",
        json!({"id": customer}),
    );
    assert_eq!(answer.root(), &json!([{"token": token, "isDefault": true}]));
}
