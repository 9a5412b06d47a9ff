//! What browsers report.

use serde_json::{Value, json};
use testkit::{PATIENCE, Setup, Shop, http::Request, until};

use super::{authorise, page, report, script, single, violations};

const CSP: &str = "application/csp-report";
const REPORTS: &str = "application/reports+json";

fn fresh(shop: &Shop) -> (String, String, String) {
    let url = format!("https://shop.example/{}", Shop::fresh_key());
    let (id, path) = page(shop, &url);
    (id, path, url)
}

/// The events of a page, the oldest first.
fn events(shop: &Shop, page: &str) -> Vec<Value> {
    let list = "query($after: String) { listEvents(first: 100, after: $after, kinds: [\"page.*\"]) \
        { edges { node { kind data } } pageInfo { endCursor hasNextPage } } }";
    let mut nodes: Vec<Value> = Vec::new();
    let mut after = Value::Null;
    loop {
        let found = shop.gql(list, json!({ "after": after }));
        let edges = found.root()["edges"].as_array().unwrap().iter();
        nodes.extend(edges.map(|edge| edge["node"].clone()));
        let page = &found.root()["pageInfo"];
        if page["hasNextPage"] != true {
            break;
        }
        after = page["endCursor"].clone();
    }
    nodes.retain(|node| node["data"]["pageId"] == json!(page));
    nodes
}

#[test]
fn reports_of_both_forms_are_counted_by_kind_and_a_new_script_is_an_event() {
    let server = Setup::new().start();
    let shop = server.shop();
    let (id, path, url) = fresh(&shop);
    authorise(&shop, &id, script("https://cdn.example/known.js"));
    let evil = "https://evil.example/x.js?d=4242424242424242";
    for _ in 0..3 {
        assert_eq!(
            report(&server, &path, CSP, &single(&url, "script-src-elem", evil)),
            204
        );
    }
    let one = |blocked: &str, directive: &str| {
        json!({"type": "csp-violation", "age": 1, "url": url, "user_agent": "x", "body": {"documentURL": format!("{url}?card=4242424242424242"),
            "effectiveDirective": directive, "blockedURL": blocked, "disposition": "report", "sample": "4242424242424242"}})
    };
    let several = json!([
        one("https://cdn.example/known.js", "script-src-elem"),
        one("https://evil.example/steal/4242424242424242", "connect-src"),
        one("inline", "script-src-elem"),
        {"type": "deprecation", "body": {}},
    ]);
    assert_eq!(report(&server, &path, REPORTS, &several), 204);
    let found = violations(&shop, &id);
    let has = |blocked: &str| {
        found
            .iter()
            .find(|one| one["blocked"] == json!(blocked))
            .unwrap()
    };
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(has("https://evil.example/x.js")["reports"], 3);
    assert_eq!(has("https://evil.example/x.js")["enforced"], true);
    assert_eq!(has("https://cdn.example/known.js")["authorised"], true);
    assert_eq!(has("https://evil.example")["directive"], "connect-src");
    assert_eq!(has("inline")["enforced"], false);
    assert!(!json!(found).to_string().contains("4242"), "{found:?}");

    // Events of scripts that nobody authorised, once each.
    let events = until(PATIENCE, "the events", || {
        let found = events(&shop, &id);
        (found.len() >= 2).then_some(found)
    });
    let blocked: Vec<&str> = events
        .iter()
        .map(|one| one["data"]["blocked"].as_str().unwrap())
        .collect();
    assert_eq!(blocked, ["https://evil.example/x.js", "inline"]);
    let printed = server.run(&["page", "violations", &id]);
    assert!(
        printed.contains("https://evil.example/x.js  blocked  3 times"),
        "{printed}"
    );
    let listed: Value =
        serde_json::from_str(&server.run(&["page", "violations", &id, "--json"])).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 4);
    // Another team has nothing of it.
    let other = server.other_team();
    let list = "query($id: ID!) { listPageViolations(pageId: $id) { blocked } }";
    other
        .gql(list, json!({ "id": id }))
        .assert_invalid("pageId");
    assert!(self::events(&other, &id).is_empty());
}

#[test]
fn what_is_no_report_of_the_page_leaves_nothing() {
    let server = Setup::new().start_shared();
    let shop = server.shop();
    let (id, path, url) = fresh(&shop);
    let good = single(&url, "script-src", "https://evil.example/x.js");
    let foreign = single(
        "https://evil.example/pay",
        "script-src",
        "https://evil.example/x.js",
    );
    let extension = single(&url, "script-src", "chrome-extension://abc/x.js");
    for ignored in [json!({}), json!([]), json!(7), foreign, extension] {
        assert_eq!(report(server, &path, CSP, &ignored), 204, "{ignored}");
        assert_eq!(report(server, &path, REPORTS, &ignored), 204, "{ignored}");
    }
    assert_eq!(report(server, &path, "application/json", &good), 415);
    assert_eq!(report(server, &path, "text/plain", &good), 415);
    assert_eq!(report(server, &format!("{path}x"), CSP, &good), 404);
    assert_eq!(report(server, "/page-reports/x", CSP, &good), 404);
    let send = |body: Vec<u8>| {
        let request = Request::new("POST", path.as_str())
            .header("content-type", CSP)
            .body(body);
        request.send(server.address()).status
    };
    assert_eq!(send(b"{not json".to_vec()), 400);
    assert_eq!(send(vec![b' '; 65 * 1024]), 413);
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(send(deep.into_bytes()), 400);
    assert_eq!(
        Request::new("GET", path.as_str())
            .send(server.address())
            .status,
        405
    );
    assert!(violations(&shop, &id).is_empty());
    // The page of another team with the same address has its own token.
    assert_eq!(report(server, &path, CSP, &good), 204);
    assert_eq!(violations(&shop, &id).len(), 1);
    shop.gql(
        "mutation($id: ID!) { deleteGuardedPage(id: $id) }",
        json!({ "id": id }),
    )
    .data();
    assert_eq!(report(server, &path, CSP, &good), 404);
}

#[test]
fn any_origin_may_report_whatever_may_call_the_api() {
    let server = Setup::new()
        .config("[server]\nallowed_origins = [\"https://only.example\"]\n")
        .start();
    let (_, path, _) = fresh(&server.shop());
    let ask = |path: &str| {
        Request::new("OPTIONS", path)
            .header("origin", "https://shop.example")
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "content-type")
            .send(server.address())
    };
    let allowed = ask(&path);
    assert_eq!(allowed.header("access-control-allow-origin"), Some("*"));
    assert_eq!(
        allowed.header("access-control-allow-headers"),
        Some("content-type")
    );
    assert_eq!(
        ask("/api/graphql").header("access-control-allow-origin"),
        None
    );
}

#[test]
fn a_flood_is_bounded_in_requests_and_in_kinds() {
    let server = Setup::new().start();
    let shop = server.shop();
    let (id, path, url) = fresh(&shop);
    let body = |from: usize| {
        let one = |n: usize| {
            json!({"type": "csp-violation", "body": {"documentURL": url, "effectiveDirective": "script-src-elem",
                "blockedURL": format!("https://evil.example/{n}.js"), "disposition": "enforce"}})
        };
        (from..from + 200).map(one).collect::<Value>()
    };
    // A place comes free each second, so that a slow machine takes more of them.
    let mut taken = 0;
    let refused = (0..400).map(|n| match n {
        0..10 => report(&server, &path, REPORTS, &body(n * 100)),
        _ => report(&server, &path, CSP, &single(&url, "script-src", "inline")),
    });
    let mut refused = refused.inspect(|status| taken += usize::from(*status == 204));
    let refused = refused.find(|status| *status != 204);
    assert_eq!(refused, Some(429));
    assert!(taken >= 60, "{taken}");
    let found = violations(&shop, &id);
    // Scripts have half of the room.
    assert_eq!(found.len(), 250);
    let most = shop.gql(
        "query($id: ID!) { listPageViolations(pageId: $id, first: 0) { blocked } }",
        json!({ "id": id }),
    );
    most.assert_invalid("first");
    let kinds: Vec<Value> = events(&shop, &id);
    assert!(
        kinds
            .iter()
            .any(|event| event["data"]["blocked"] == "(more)")
    );
    // Reports that came before keep their counts.
    let reports: i64 = found
        .iter()
        .map(|one| one["reports"].as_i64().unwrap())
        .sum();
    assert!(reports >= 500, "{reports}");
    // Another team's page is not touched by it.
    let other = server.other_team();
    let (_, theirs, url) = fresh(&other);
    assert_eq!(
        report(&server, &theirs, CSP, &single(&url, "script-src", "inline")),
        204
    );
}

#[test]
fn made_up_images_hide_no_script() {
    let server = Setup::new().start();
    let shop = server.shop();
    let (id, path, url) = fresh(&shop);
    for from in 0..6 {
        let one = |n: usize| {
            json!({"type": "csp-violation", "body": {"documentURL": url, "effectiveDirective": "img-src",
                "blockedURL": format!("https://{from}-{n}.example/"), "disposition": "enforce"}})
        };
        let body = (0..100).map(one).collect::<Value>();
        assert_eq!(report(&server, &path, REPORTS, &body), 204);
    }
    let evil = "https://evil.example/x.js";
    let stolen = single(&url, "script-src-elem", evil);
    assert_eq!(report(&server, &path, CSP, &stolen), 204);
    let events = until(PATIENCE, "the event", || {
        let found = events(&shop, &id);
        (!found.is_empty()).then_some(found)
    });
    assert_eq!(events[0]["data"]["blocked"], evil);
    let found = violations(&shop, &id);
    assert_eq!(found.len(), 251);
    let reports: i64 = found
        .iter()
        .map(|one| one["reports"].as_i64().unwrap())
        .sum();
    assert_eq!(reports, 601);
}

#[test]
fn addresses_that_are_guessed_are_bounded_before_anything_is_read() {
    let server = Setup::new().start();
    let (_, path, url) = fresh(&server.shop());
    let good = single(&url, "script-src", "https://evil.example/x.js");
    // A token of the right form that is nobody's.
    let guessed = format!("{}AAAAAAAA", &path[..path.len() - 8]);
    let refused = (0..2_000).map(|_| report(&server, &guessed, CSP, &good));
    let refused = refused.into_iter().find(|status| *status != 404);
    assert_eq!(refused, Some(429));
    // What can be no token costs nothing, and is answered as before.
    assert_eq!(report(&server, "/page-reports/x", CSP, &good), 404);
}
