//! The two names of wallets.

use serde_json::json;
use testkit::Setup;

use super::order;

#[test]
fn public_names_are_shown_when_they_are_asked_for_and_both_are_found() {
    let server = Setup::new()
        .environment("POINTSMAN_WALLET_NAMES", "public")
        .start();
    let shop = server.shop();
    let payment = shop.order(&order("WALLETA_PAY", &json!("x")));
    assert_eq!(payment.text("/paymentCore/paymentMethod"), "GOOGLE_PAY");
    assert_eq!(
        payment.text("/paymentMethodDetails/paymentMethod"),
        "GOOGLE_PAY"
    );
    assert_eq!(payment.text("/paymentMethodDetails/brand"), "VISA");
    let query = "query($data: PaymentFilterInput) { listPayments(data: $data) { edges { node { \
                 paymentCore { paymentMethod } } } } }";
    for name in ["WALLETA_PAY", "GOOGLE_PAY"] {
        let answer = shop.gql(
            query,
            json!({"data": {"filter": {"method": {"value": name}}}}),
        );
        let edges = answer.root()["edges"].as_array().unwrap();
        assert_eq!(edges.len(), 1, "{name}");
        assert_eq!(
            edges[0]["node"]["paymentCore"]["paymentMethod"],
            "GOOGLE_PAY"
        );
    }
}
