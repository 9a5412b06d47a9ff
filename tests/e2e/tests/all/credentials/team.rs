//! What a team sets: who may call, where customers may be sent back to; and its client tokens.

use serde_json::{Value, json};
use testkit::{Answer, KeyKind, Order, PATIENCE, Server, Setup, Shop, cards, until};

const TEAM: &str = "{ id name logo allowedOrigins returnHosts returnSchemes fingerprint }";

fn update(shop: &Shop, settings: Value) -> Answer {
    let query = format!(
        "mutation($settings: TeamSettingsInput!) {{ updateTeam(settings: $settings) {TEAM} }}"
    );
    shop.gql(&query, json!({"settings": settings}))
}

fn team(shop: &Shop) -> Value {
    shop.gql(&format!("{{ getTeam {TEAM} }}"), json!({}))
        .root()
        .clone()
}

/// A client token for 10.00 EUR: its id and its browser.
fn browser(server: &Server, by: &Shop) -> (String, Shop) {
    let made = by.gql(
        "mutation { generateClientToken(amount: 1000, currency: \"EUR\") { id token } }",
        json!({}),
    );
    let text = |name: &str| made.root()[name].as_str().unwrap().to_owned();
    (text("id"), server.shop_with(&text("token")))
}

fn back_to(shop: &Shop, address: &str) -> Answer {
    shop.try_authorise(&Order::card(cards::VISA).three_ds(address), None)
}

#[test]
fn settings_are_set_kept_and_cleared_one_by_one() {
    let server = Setup::new().start();
    let shop = server.shop();
    let before = team(&shop);
    assert_eq!(
        (
            &before["allowedOrigins"],
            &before["returnHosts"],
            &before["fingerprint"]
        ),
        (&Value::Null, &Value::Null, &json!(true))
    );
    update(
        &shop,
        json!({"name": "A shop", "returnHosts": ["*.shop.example"], "fingerprint": false}),
    )
    .data();
    update(
        &shop,
        json!({"returnSchemes": ["shopapp"], "logo": "https://shop.example/l.svg"}),
    )
    .data();
    let mut whole = team(&shop);
    assert_eq!(whole["name"], "A shop");
    assert_eq!(whole["returnHosts"], json!(["*.shop.example"]));
    assert_eq!(whole["returnSchemes"], json!(["shopapp"]));
    assert_eq!(whole["fingerprint"], json!(false));
    update(&shop, json!({"returnHosts": null, "fingerprint": null})).data();
    whole["returnHosts"] = Value::Null;
    whole["fingerprint"] = json!(true);
    assert_eq!(team(&shop), whole);
    for (wrong, field) in [
        (json!({"returnHosts": ["*"]}), "settings.returnHosts.0"),
        (
            json!({"allowedOrigins": ["https://shop.example", "shop.example"]}),
            "settings.allowedOrigins.1",
        ),
        (
            json!({"returnSchemes": ["javascript"]}),
            "settings.returnSchemes.0",
        ),
        (
            json!({"logo": "http://shop.example/l.svg"}),
            "settings.logo",
        ),
        (json!({"name": " "}), "settings.name"),
    ] {
        update(&shop, wrong).assert_invalid(field);
    }
    assert_eq!(team(&shop), whole);
    assert_ne!(team(&server.other_team())["name"], "A shop");
    let public = server.shop_with(&server.create_key(KeyKind::Public));
    update(&public, json!({"name": "Mine"})).assert_error("api.key.forbidden");
}

#[test]
fn a_person_sets_them_by_command() {
    let server = Setup::new().start();
    let said = server.run(&[
        "team",
        "set",
        "--return-host",
        "shop.example",
        "--return-host",
        "*.shop.example",
        "--fingerprint",
        "false",
    ]);
    assert!(said.contains("shop.example, *.shop.example"), "{said}");
    let whole = team(&server.shop());
    assert_eq!(
        whole["returnHosts"],
        json!(["shop.example", "*.shop.example"])
    );
    assert_eq!(whole["fingerprint"], json!(false));
    server.run(&["team", "set", "--clear", "return-host"]);
    assert_eq!(team(&server.shop())["returnHosts"], Value::Null);
}

#[test]
fn a_browser_chooses_of_the_teams_hosts_once_there_is_a_list() {
    let server = Setup::new().start();
    let shop = server.shop();
    back_to(&browser(&server, &shop).1, "https://anywhere.example").data();
    update(&shop, json!({"returnHosts": ["*.shop.example"]})).data();
    for fine in ["https://pay.shop.example/back", "localhost:3000/back"] {
        back_to(&browser(&server, &shop).1, fine).data();
    }
    let refused = back_to(&browser(&server, &shop).1, "https://evil.example");
    refused.assert_invalid("authorisePayment.perform3DSecure.redirectUrl");
    assert!(
        refused.message().contains("returnHosts"),
        "{}",
        refused.message()
    );
    back_to(&shop, "https://anywhere.example").data();
    back_to(&shop, "com.shop.app://back").data();
    for scheme in ["shopapp://back", "ms-msdt://x", "vscode://x"] {
        back_to(&shop, scheme).assert_invalid("authorisePayment.perform3DSecure.redirectUrl");
    }
    update(&shop, json!({"returnSchemes": ["shopapp"]})).data();
    back_to(&shop, "shopapp://back").data();
}

#[test]
fn pages_of_the_origins_that_a_team_allows_may_read_its_answers() {
    let server = Setup::new()
        .setting("server.allowed_origins", "https://admin.example")
        .start();
    let shop = server.shop();
    let other = server.other_team();
    let may = |shop: &Shop, origin: &str| {
        let request = shop.request("{ __typename }", json!({}), None);
        let reply = request.header("Origin", origin).send(shop.address());
        reply.header("access-control-allow-origin") == Some(origin)
    };
    let preflight = |origin: &str| {
        let reply = testkit::http::Request::new("OPTIONS", "/api/graphql")
            .header("Origin", origin)
            .header("Access-Control-Request-Method", "POST")
            .send(shop.address());
        reply.header("access-control-allow-origin") == Some(origin)
    };
    assert!(may(&shop, "https://admin.example") && !may(&shop, "https://shop.example"));
    assert!(!preflight("https://shop.example"));
    update(&shop, json!({"allowedOrigins": ["https://shop.example"]})).data();
    until(PATIENCE, "the list counts", || {
        preflight("https://shop.example").then_some(())
    });
    assert!(may(&shop, "https://shop.example"));
    assert!(
        !may(&shop, "https://admin.example"),
        "the team's list counts alone"
    );
    assert!(may(&other, "https://admin.example") && !may(&other, "https://shop.example"));
}

#[test]
fn client_tokens_are_listed_and_revoked() {
    let server = Setup::new().start();
    let shop = server.shop();
    let made: Vec<_> = (0..3).map(|_| browser(&server, &shop)).collect();
    let list = "query($after: String) { listClientTokens(first: 2, after: $after) { pageInfo { hasNextPage endCursor } \
                edges { node { id hint date expires revoked amount currency attempts paymentId } } } }";
    let first = shop.gql(list, json!({})).root().clone();
    assert_eq!(first["pageInfo"]["hasNextPage"], true);
    let node = &first["edges"][0]["node"];
    assert_eq!(node["id"], json!(made[2].0));
    assert_eq!(
        (&node["amount"], &node["revoked"]),
        (&json!(1000), &Value::Null)
    );
    let after = &first["pageInfo"]["endCursor"];
    let second = shop.gql(list, json!({"after": after})).root().clone();
    assert_eq!(second["edges"][0]["node"]["id"], json!(made[0].0));
    assert_eq!(second["pageInfo"]["hasNextPage"], false);

    let revoke = "mutation($id: ID!) { revokeClientToken(id: $id) }";
    let id = json!({"id": made[1].0});
    server
        .other_team()
        .gql(revoke, id.clone())
        .assert_invalid("id");
    assert_eq!(shop.gql(revoke, id.clone()).root(), true);
    assert_eq!(shop.gql(revoke, id).root(), true);
    assert_eq!(made[1].1.gql("{ initializeSDK }", json!({})).status(), 401);
    assert_eq!(made[0].1.gql("{ initializeSDK }", json!({})).status(), 200);
    made[0]
        .1
        .gql("{ listClientTokens { edges { cursor } } }", json!({}))
        .assert_error("api.key.forbidden");
}

#[test]
fn a_client_token_ends_with_the_secret_key_that_made_it() {
    let server = Setup::new().start();
    let second = server.shop_with(&server.create_key(KeyKind::Secret));
    let (_, of_first) = browser(&server, &server.shop());
    let (_, of_second) = browser(&server, &second);
    assert_eq!(of_second.gql("{ initializeSDK }", json!({})).status(), 200);
    let listed = server.run(&["key", "list"]);
    let ids: Vec<&str> = listed
        .lines()
        .filter(|line| line.contains("secret"))
        .filter_map(|line| line.split_whitespace().find(|word| word.len() == 36))
        .collect();
    assert_eq!(ids.len(), 2, "{listed}");
    server.run(&["key", "revoke", ids[1]]);
    let ended = || (of_second.gql("{ initializeSDK }", json!({})).status() == 401).then_some(());
    until(PATIENCE, "the token has ended with its key", ended);
    assert_eq!(of_first.gql("{ initializeSDK }", json!({})).status(), 200);
}
