//! How long a token lives.

use serde_json::json;
use testkit::{Order, PATIENCE, Setup, cards, until};

use super::{OWN, order, stage_with, store, token};

#[test]
fn an_expired_token_pays_nothing_wherever_it_is_found() {
    let server = Setup::new().start();
    let shop = server.shop();
    stage_with(&shop, json!({"fields": "shop", "tokenLifetime": "3s"}));
    shop.publish(
        "approved",
        json!([{"approval": {"title": "Really?"}}, {"authorise": {"connection": OWN}}]),
    );
    let given = token(&server, cards::VISA);
    let waiting = shop.order(&order(OWN, &token(&server, cards::VISA)).flow("approved"));
    let stored = store(&shop, OWN, &token(&server, cards::VISA));
    // Under a flow that can't use it, the stored token is refused for that reason until it has expired.
    until(PATIENCE, "the stored token's end", || {
        let refused = shop.try_authorise(&Order::token(&stored).flow("elsewhere"), None);
        let is_over = refused.error_code() == Some("error.payment-method.not-found")
            || refused.field() == Some("authorisePayment.paymentMethod.token");
        is_over.then_some(())
    });
    // The processor knows how old a token is that was not stored here.
    let late = shop.order(&order(OWN, &given).flow("there"));
    late.assert_status("FAILED");
    let approve = "mutation($id: ID!) { decideApproval(instanceId: $id, approve: true) }";
    let instance = waiting.text("/flowInstanceId");
    shop.gql(approve, json!({ "id": instance })).data();
    let late = shop.wait_for_status(&waiting.id(), "FAILED");
    late.assert_says("the token of the processor's fields has expired");
    // The record of one that nobody used ends by itself.
    until(PATIENCE, "the record's end", || {
        let found = shop.try_method(&stored);
        (found.error_code() == Some("error.payment-method.not-found")).then_some(())
    });
    assert_eq!(shop.books().charges(), 0);
    shop.assert_books_equal_payments();
}
