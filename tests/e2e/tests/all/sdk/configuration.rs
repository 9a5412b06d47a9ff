//! What a page's credential may know of its team, and which pages may show the form.

use serde_json::{Value, json};
use testkit::{Answer, KeyKind, Order, Setup, Shop, cards};

const WANTED: &str = "{ mode shopName shopLogo amount currencyCode walletA { gateway gatewayMerchantId } \
    walletB { merchantIdentifier } expiresAt cardRanges }";

fn configuration(shop: &Shop, origin: Option<&str>) -> Answer {
    let query = format!("query($origin: String) {{ sdkConfiguration(origin: $origin) {WANTED} }}");
    shop.gql(&query, json!({"origin": origin}))
}

fn allow(shop: &Shop, origins: Value) {
    let query = "mutation($origins: [String!]) { updateTeam(settings: {allowedOrigins: $origins, name: \"Tea\", \
        logo: \"https://shop.example/l.svg\"}) { id } }";
    shop.gql(query, json!({"origins": origins})).data();
}

#[test]
fn a_client_token_learns_what_a_checkout_needs_and_no_more() {
    let server = Setup::new().start();
    let shop = server.shop();
    allow(&shop, Value::Null);
    let browser = shop.client(json!({"amount": 1234, "currency": "EUR"}));
    let known = configuration(&browser, None);
    let known = known.root();
    assert_eq!(known["mode"], "test");
    assert_eq!(known["shopName"], "Tea");
    assert_eq!(known["shopLogo"], "https://shop.example/l.svg");
    assert_eq!(
        (&known["amount"], &known["currencyCode"]),
        (&json!(1234), &json!("EUR"))
    );
    assert!(
        known["expiresAt"].as_str().unwrap().ends_with('Z'),
        "{known}"
    );
    assert_eq!(known["walletA"]["gateway"], "pointsman");
    let set = "mutation { setupWallet(walletType: \"WALLETA_PAY\", payload: {merchantGatewayId: \"m-7\"}) }";
    shop.gql(set, json!({})).data();
    let registered = configuration(&browser, None);
    assert_eq!(registered.root()["walletA"]["gatewayMerchantId"], "m-7");

    let unbound = shop.client(json!({}));
    assert_eq!(configuration(&unbound, None).root()["amount"], Value::Null);
    let public = server.shop_with(&server.create_key(KeyKind::Public));
    let known = configuration(&public, None);
    assert_eq!(known.root()["shopName"], "Tea");
    assert_eq!(known.root()["amount"], Value::Null);
    assert_eq!(known.root()["expiresAt"], Value::Null);
    let other = server.other_team();
    let theirs = configuration(&other.client(json!({})), None);
    assert_ne!(theirs.root()["shopName"], "Tea");
    assert_ne!(theirs.root()["walletA"]["gatewayMerchantId"], "m-7");
}

#[test]
fn a_form_for_a_page_that_another_team_allows_refuses_to_work() {
    let server = Setup::new().start();
    let (shop, other) = (server.shop(), server.other_team());
    allow(&shop, json!(["https://shop.example"]));
    allow(&other, json!(["https://other.example"]));
    let browser = shop.client(json!({"amount": 1000, "currency": "EUR"}));
    assert_eq!(
        configuration(&browser, Some("https://shop.example")).root()["mode"],
        "test"
    );
    for evil in [
        "https://other.example",
        "https://shop.example.evil.example",
        "null",
        "",
    ] {
        configuration(&browser, Some(evil)).assert_error("api.key.forbidden");
    }
    let public = server.shop_with(&server.create_key(KeyKind::Public));
    configuration(&public, Some("https://other.example")).assert_error("api.key.forbidden");
    // A server is no page.
    assert_eq!(
        configuration(&shop, Some("https://other.example")).root()["mode"],
        "test"
    );
}

#[test]
fn a_browser_comes_back_to_our_own_page_whatever_hosts_the_team_lists() {
    let server = Setup::new().start();
    let shop = server.shop();
    let set = "mutation { updateTeam(settings: {returnHosts: [\"shop.example\"]}) { id } }";
    shop.gql(set, json!({})).data();
    let base = format!("http://{}", server.address());
    let pay = |back: &str| {
        let browser = shop.client(json!({"amount": 1000, "currency": "EUR"}));
        browser.try_authorise(&Order::card(cards::CHALLENGE).three_ds(back), None)
    };
    let own = pay(&format!(
        "{base}/sdk/v1/return?attempt=1&origin=https://shop.example"
    ));
    own.assert_error("error.authorize.requires3DSecure");
    // In test mode localhost is everybody's; another name of the same service is not.
    for other in [
        "https://evil.example/sdk/v1/return?attempt=1".to_owned(),
        format!("{base}.evil.example/sdk/v1/return"),
    ] {
        pay(&other).assert_invalid("authorisePayment.perform3DSecure.redirectUrl");
    }
}
