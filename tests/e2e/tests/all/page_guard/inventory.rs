//! Pages, their scripts, and what is made for the page.

use serde_json::json;
use testkit::{Setup, Shop};

use super::{authorise, page, script};

fn hash(letter: &str) -> String {
    format!("sha384-{}", letter.repeat(64))
}

#[test]
fn the_inventory_becomes_a_policy_and_tags() {
    let shop = Setup::new().start_shared().shop();
    let (id, report) = page(
        &shop,
        &format!("https://shop.example/{}?x=1", Shop::fresh_key()),
    );
    authorise(&shop, &id, script("https://cdn.example/a.js?v=1"));
    let inline =
        json!({"hash": hash("B"), "purpose": "begins the checkout", "authorisedBy": "Ada"});
    authorise(&shop, &id, inline);
    let mut pinned = script("https://cdn.example/b.js");
    pinned["hash"] = json!(hash("A"));
    let made = authorise(&shop, &id, pinned);
    let made = made.root();
    assert_eq!(made["scripts"].as_array().unwrap().len(), 3);
    assert_eq!(made["scripts"][0]["address"], "https://cdn.example/a.js");
    let policy = made["contentSecurityPolicy"].as_str().unwrap();
    let own = format!("http://{}", shop.address());
    let begins = format!(
        "script-src {own}/sdk/v1/ https://cdn.example/a.js '{}' https://cdn.example/b.js; frame-src {own};",
        hash("B")
    );
    assert!(policy.starts_with(&begins), "{policy}");
    assert!(
        policy.contains(&format!("report-uri {own}{report};")),
        "{policy}"
    );
    assert!(
        made["reportingEndpoints"]
            .as_str()
            .unwrap()
            .contains(&report)
    );
    let tags = made["scriptTags"].as_array().unwrap();
    assert_eq!(tags.len(), 1);
    assert!(tags[0].as_str().unwrap().contains(&hash("A")));

    let withdraw = "mutation($id: ID!, $source: String!) { withdrawPageScript(pageId: $id, source: $source) { scripts { address } } }";
    let left = shop.gql(
        withdraw,
        json!({"id": id, "source": "https://cdn.example/a.js"}),
    );
    assert_eq!(left.root()["scripts"].as_array().unwrap().len(), 2);
    shop.gql(
        withdraw,
        json!({"id": id, "source": "https://cdn.example/a.js"}),
    )
    .assert_invalid("source");
}

#[test]
fn what_can_be_no_page_and_no_script_is_refused() {
    let shop = Setup::new().start_shared().shop();
    let url = format!("https://shop.example/{}", Shop::fresh_key());
    let save = "mutation($name: String!, $url: String!) { saveGuardedPage(name: $name, url: $url) { id } }";
    for (name, address, field) in [
        ("", url.as_str(), "name"),
        ("4242 4242 4242 4242", url.as_str(), "name"),
        ("A", "shop.example/pay", "url"),
        ("A", "javascript:alert(1)", "url"),
        ("A", "https://shop.example/'; script-src *", "url"),
    ] {
        shop.gql(save, json!({"name": name, "url": address}))
            .assert_invalid(field);
    }
    let (id, _) = page(&shop, &url);
    shop.gql(save, json!({"name": "Twice", "url": url}))
        .assert_invalid("url");
    for (given, field) in [
        (
            json!({"purpose": "p", "authorisedBy": "a"}),
            "script.address",
        ),
        (
            json!({"address": "cdn.example/a.js", "purpose": "p", "authorisedBy": "a"}),
            "script.address",
        ),
        (
            json!({"hash": "sha384-x", "purpose": "p", "authorisedBy": "a"}),
            "script.hash",
        ),
        (
            json!({"hash": hash("A"), "purpose": "", "authorisedBy": "a"}),
            "script.purpose",
        ),
        (
            json!({"hash": hash("A"), "purpose": "p", "authorisedBy": ""}),
            "script.authorisedBy",
        ),
    ] {
        authorise(&shop, &id, given).assert_invalid(field);
    }
    let none = "0192a000-0000-7000-8000-000000000000";
    authorise(&shop, none, script("https://cdn.example/a.js")).assert_invalid("pageId");
}

#[test]
fn a_team_has_its_own_pages_and_so_many() {
    let server = Setup::new().start();
    let (shop, other) = (server.shop(), server.other_team());
    let (id, _) = page(&shop, "https://shop.example/pay");
    // Another team may guard a page of the same address.
    page(&other, "https://shop.example/pay");
    let list = "{ listGuardedPages { id url scripts { address } } }";
    assert_eq!(
        other.gql(list, json!({})).root().as_array().unwrap().len(),
        1
    );
    authorise(&other, &id, script("https://evil.example/a.js")).assert_invalid("pageId");
    assert_eq!(shop.gql(list, json!({})).root()[0]["scripts"], json!([]));
    for n in 1..50 {
        page(&shop, &format!("https://shop.example/{n}"));
    }
    let save =
        "mutation { saveGuardedPage(name: \"A\", url: \"https://shop.example/more\") { id } }";
    shop.gql(save, json!({})).assert_invalid("url");
    for n in 0..100 {
        authorise(&shop, &id, script(&format!("https://cdn.example/{n}.js"))).data();
    }
    authorise(&shop, &id, script("https://cdn.example/more.js")).assert_invalid("script");
}
