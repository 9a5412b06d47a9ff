//! Drafts, versions, publishing, the default, trials, export and import over the API.

use serde_json::{Value, json};
use testkit::{Answer, KeyKind, Order, Setup, Shop, cards};

use crate::shared;

const FIELDS: &str =
    "id name version published publishedVersion latestVersion isDefault document date";

/// A flow that authorises at a connection and captures by a rule.
pub(super) fn document(connection: &str, capture: &str) -> Value {
    json!({
        "name": "Made here", "trigger": "payment",
        "steps": [{ "authorise": { "connection": connection } }, { "capture": capture }],
    })
}

fn try_save(shop: &Shop, id: Option<&str>, document: Value) -> Answer {
    let query = format!(
        "mutation($id: ID, $document: JSON!) {{ saveFlow(id: $id, document: $document) {{ {FIELDS} }} }}"
    );
    shop.gql(&query, json!({ "id": id, "document": document }))
}

fn save(shop: &Shop, id: &str, document: Value) -> Value {
    try_save(shop, Some(id), document).root().clone()
}

fn try_publish(shop: &Shop, id: &str, version: i64) -> Answer {
    let query = format!(
        "mutation($id: ID!, $n: Int!) {{ publishFlow(id: $id, version: $n) {{ {FIELDS} }} }}"
    );
    shop.gql(&query, json!({ "id": id, "n": version }))
}

fn try_get(shop: &Shop, id: &str, version: Option<i64>) -> Answer {
    let query =
        format!("query($id: ID!, $n: Int) {{ getFlow(id: $id, version: $n) {{ {FIELDS} }} }}");
    shop.gql(&query, json!({ "id": id, "n": version }))
}

fn try_default(shop: &Shop, id: &str) -> Answer {
    shop.gql(
        "mutation($id: ID!) { setDefaultFlow(id: $id) }",
        json!({ "id": id }),
    )
}

fn try_trial(shop: &Shop, id: &str, facts: Value) -> Answer {
    let query = "query($id: ID!, $f: JSON!) { tryFlow(id: $id, facts: $f) { outcome steps { step taken reason } } }";
    shop.gql(query, json!({ "id": id, "f": facts }))
}

fn export(shop: &Shop, id: &str, format: &str) -> String {
    let query = "query($id: ID!, $f: FlowFormat) { exportFlow(id: $id, format: $f) }";
    shop.gql(query, json!({ "id": id, "f": format }))
        .root()
        .as_str()
        .unwrap()
        .to_owned()
}

fn paid_under(shop: &Shop, flow: Option<&str>) -> String {
    let order = Order::card(cards::VISA);
    let order = match flow {
        Some(flow) => order.flow(flow),
        None => order,
    };
    shop.try_authorise(&order, None).root()["status"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn new_payments_run_under_the_version_that_is_published() {
    let server = Setup::new().start();
    let shop = server.shop();
    let draft = save(&shop, "mine", document("simulator-a", "now"));
    assert_eq!(
        (
            &draft["version"],
            &draft["published"],
            &draft["publishedVersion"]
        ),
        (&json!(1), &json!(false), &Value::Null)
    );
    let order = Order::card(cards::VISA).flow("mine");
    shop.try_authorise(&order, None)
        .assert_error("error.flow.not-found");
    assert_eq!(try_publish(&shop, "mine", 1).root()["published"], true);
    assert_eq!(paid_under(&shop, Some("mine")), "SUCCEEDED");

    assert_eq!(
        save(&shop, "mine", document("simulator-b", "api"))["version"],
        2
    );
    assert_eq!(
        paid_under(&shop, Some("mine")),
        "SUCCEEDED",
        "a draft changes nothing"
    );
    try_publish(&shop, "mine", 2).root();
    assert_eq!(paid_under(&shop, Some("mine")), "AUTHORISED");
    try_publish(&shop, "mine", 1).root();
    assert_eq!(
        paid_under(&shop, Some("mine")),
        "SUCCEEDED",
        "an earlier version comes back"
    );
    assert_eq!(try_get(&shop, "mine", None).root()["version"], 2);
    assert_eq!(
        try_get(&shop, "mine", Some(1)).root()["document"],
        document("simulator-a", "now")
    );
    try_get(&shop, "mine", Some(3)).assert_error("error.flow.not-found");
    try_publish(&shop, "mine", 9).assert_error("error.flow.not-found");
}

#[test]
fn the_default_changes_at_once_and_is_one() {
    let server = Setup::new().start();
    let shop = server.shop();
    save(&shop, "late", document("simulator-a", "api"));
    try_default(&shop, "late").assert_invalid("id");
    try_publish(&shop, "late", 1).root();
    assert_eq!(try_default(&shop, "late").root(), true);
    assert_eq!(paid_under(&shop, None), "AUTHORISED");
    let flows = shop
        .gql("{ listFlows { id isDefault } }", json!({}))
        .root()
        .clone();
    let defaults: Vec<&Value> = flows
        .as_array()
        .unwrap()
        .iter()
        .filter(|flow| flow["isDefault"] == true)
        .collect();
    assert_eq!(defaults.len(), 1);
    assert_eq!(defaults[0]["id"], "late");
}

#[test]
fn bad_documents_are_refused_with_their_place_and_nothing_is_kept() {
    let shop = &shared::shop();
    let refused = |document: Value| {
        let answer = try_save(shop, Some("bad"), document);
        answer.assert_invalid("document");
        answer.extension("reason").as_str().unwrap().to_owned()
    };
    let mut bad = document("simulator-a", "now");
    bad["steps"][1] = json!({ "capture": "someday" });
    assert!(refused(bad).contains("steps[1]"));
    let reason = refused(json!(
        "name: x\ntrigger: payment\nsteps:\n- authorise:\n    connection: simulator-a\n- captur: now\n"
    ));
    assert!(
        reason.contains("line 6") && reason.contains("capture"),
        "{reason}"
    );
    assert!(
        refused(document("nowhere", "now")).contains("simulator-a"),
        "it tells which connections there are"
    );
    let steps = json!([{ "if": "payment.curency == \"EUR\"", "then": [{ "authorise": { "connection": "simulator-a" } }] }]);
    assert!(
        refused(json!({ "name": "x", "trigger": "payment", "steps": steps }))
            .contains("steps[0].if")
    );
    refused(json!([]));
    refused(json!(7));
    try_get(shop, "bad", None).assert_error("error.flow.not-found");
}

#[test]
fn export_and_import_are_exact_in_both_formats() {
    let shop = &shared::shop();
    for id in ["fallback", "route-by-currency", "capture-after-delay"] {
        let original = try_get(shop, id, None).root()["document"].clone();
        for format in ["YAML", "JSON"] {
            let text = export(shop, id, format);
            let copy = format!("{id}-{format}");
            assert_eq!(
                save(shop, &copy, json!(text))["document"],
                original,
                "{text}"
            );
            assert_eq!(export(shop, &copy, format), text);
        }
    }
}

#[test]
fn a_trial_tells_the_way_and_charges_nothing() {
    let server = Setup::new().start();
    let shop = server.shop();
    let trial = try_trial(
        &shop,
        "route-by-currency",
        json!({ "payment": { "amount": 100, "currency": "EUR" } }),
    );
    assert_eq!(
        trial.root()["outcome"],
        "authorise at simulator-a, then capture at once"
    );
    let steps = trial.root()["steps"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["taken"] == true), "{steps:?}");
    let other = try_trial(
        &shop,
        "route-by-currency",
        json!({ "payment": { "currency": "USD" } }),
    );
    assert_eq!(
        other.root()["outcome"],
        "authorise at simulator-b, then capture at once"
    );
    let refused = try_trial(&shop, "default", json!({ "payment": { "curency": "EUR" } }));
    refused.assert_invalid("facts");
    assert!(shop.every_payment().is_empty());
}

#[test]
fn another_teams_flows_are_not_found() {
    let (shop, other) = (&shared::shop(), &shared::other_shop());
    save(shop, "only-mine", document("simulator-a", "now"));
    for answer in [
        try_get(other, "only-mine", None),
        try_publish(other, "only-mine", 1),
        try_default(other, "only-mine"),
        try_trial(other, "only-mine", json!({})),
        other.gql("{ exportFlow(id: \"only-mine\") }", json!({})),
    ] {
        answer.assert_error("error.flow.not-found");
    }
    let listed = other
        .gql("{ listFlows { id } }", json!({}))
        .root()
        .to_string();
    assert!(
        listed.contains("default") && !listed.contains("only-mine"),
        "{listed}"
    );
    assert_eq!(
        save(other, "only-mine", document("simulator-b", "api"))["version"],
        1,
        "it is a flow of its own"
    );
    assert_eq!(
        try_get(shop, "only-mine", None).root()["document"],
        document("simulator-a", "now")
    );
}

#[test]
fn a_secret_key_alone_manages_flows() {
    let server = Setup::new().start();
    let token = server
        .shop()
        .gql("mutation { generateClientToken { token } }", json!({}))
        .root()["token"]
        .clone();
    for credential in [
        server.create_key(KeyKind::Public),
        token.as_str().unwrap().to_owned(),
    ] {
        let browser = server.shop_with(&credential);
        for answer in [
            browser.gql("{ listFlows { id } }", json!({})),
            browser.gql("{ listConnections { id } }", json!({})),
            browser.gql("{ exportFlow(id: \"default\") }", json!({})),
            try_get(&browser, "default", None),
            try_trial(&browser, "default", json!({})),
            try_save(&browser, None, document("simulator-a", "now")),
            try_publish(&browser, "default", 1),
            try_default(&browser, "default"),
        ] {
            answer.assert_error("api.key.forbidden");
        }
    }
}
