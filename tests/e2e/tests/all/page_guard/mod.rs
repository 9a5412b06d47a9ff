//! The guard of a merchant's payment page: inventory, reports of browsers, looks at the page.

mod checks;
mod inventory;
mod reports;

use serde_json::{Value, json};
use testkit::{Server, Shop, http::Request};

/// A new guarded page: its id and the path to which browsers send reports.
fn page(shop: &Shop, url: &str) -> (String, String) {
    let save = "mutation($url: String!) { saveGuardedPage(name: \"Checkout\", url: $url) { id reportUrl } }";
    let saved = shop.gql(save, json!({ "url": url }));
    let text = |name: &str| saved.root()[name].as_str().unwrap().to_owned();
    let (_, path) = text("reportUrl")
        .split_once("/page-reports/")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    (text("id"), format!("/page-reports/{path}"))
}

/// Authorises a script of an address.
fn authorise(shop: &Shop, page: &str, script: Value) -> testkit::Answer {
    let authorise = "mutation($id: ID!, $script: PageScriptInput!) { authorisePageScript(pageId: $id, script: $script) \
        { scripts { address hash purpose authorisedBy date } contentSecurityPolicy reportingEndpoints scriptTags } }";
    shop.gql(authorise, json!({ "id": page, "script": script }))
}

/// A script of this address, for a purpose.
fn script(address: &str) -> Value {
    json!({"address": address, "purpose": "counts visits", "authorisedBy": "Ada Lovelace"})
}

/// What was reported of a page.
fn violations(shop: &Shop, page: &str) -> Vec<Value> {
    let list = "query($id: ID!) { listPageViolations(pageId: $id, first: 500) { directive blocked enforced reports authorised } }";
    let found = shop.gql(list, json!({ "id": page }));
    found.root().as_array().unwrap().clone()
}

/// Sends a body to an address for reports, as a browser does: without a credential.
fn report(server: &Server, path: &str, media: &str, body: &Value) -> u16 {
    let request = Request::new("POST", path)
        .header("content-type", media)
        .header("origin", "https://shop.example")
        .body(body.to_string());
    request.send(server.address()).status
}

/// A report by `report-uri`.
fn single(document: &str, directive: &str, blocked: &str) -> Value {
    json!({"csp-report": {"document-uri": document, "effective-directive": directive, "blocked-uri": blocked, "disposition": "enforce"}})
}
