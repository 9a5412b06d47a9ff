//! `pointsman page check`: a look at the page as it is served.

use serde_json::{Value, json};
use testkit::{Answers, Receiver, Server, Setup};

use super::{authorise, page, script};

/// A merchant's server: a page, and a script `/a.js` of this content.
fn shop_server(headers: &[&str], html: &str, content: &str) -> Receiver {
    let receiver = Receiver::start();
    serve(&receiver, headers, html, content);
    receiver
}

fn serve(receiver: &Receiver, headers: &[&str], html: &str, content: &str) {
    let headers: Vec<String> = headers.iter().map(|line| (*line).to_owned()).collect();
    let (html, content) = (html.to_owned(), content.to_owned());
    receiver.judge(move |arrived| match arrived.path.split('?').next() {
        Some("/pay") => Answers::Whole {
            headers: headers.clone(),
            body: html.clone(),
        },
        Some("/a.js") => Answers::Whole {
            headers: Vec::new(),
            body: content.clone(),
        },
        Some("/moved") => Answers::To("/pay".to_owned()),
        _ => Answers::With(404),
    });
}

/// Runs a check: whether it succeeded, and the words and sources of what was found.
fn check(server: &Server, url: &str, more: &[&str]) -> (bool, Vec<(String, String)>) {
    let arguments: Vec<&str> = ["page", "check", url, "--json"]
        .into_iter()
        .chain(more.iter().copied())
        .collect();
    let output = server.command(&arguments);
    let printed = String::from_utf8(output.stdout).unwrap();
    let found: Value = serde_json::from_str(&printed).unwrap_or_else(|_| {
        panic!("{printed} {}", String::from_utf8_lossy(&output.stderr));
    });
    let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    let findings = found["findings"].as_array().unwrap().iter();
    let findings = findings.map(|one| (text(one, "word"), text(one, "source")));
    (output.status.success(), findings.collect())
}

const POLICY: &str = "content-security-policy: script-src 'self' 'nonce-1'; report-uri /x";
const HTML: &str = "<!doctype html><title>Pay</title><script src=/a.js?v=1></script><form>…</form>";

#[test]
fn a_page_as_it_was_authorised_passes_and_what_changes_is_found() {
    let server = Setup::new().start();
    let shop = server.shop();
    let merchants = shop_server(&[POLICY, "x-frame-options: DENY"], HTML, "go()");
    let url = merchants.url("/pay");
    let (id, _) = page(&shop, &url);
    let a = merchants.url("/a.js");
    let found = |word: &str, source: &str| vec![(word.to_owned(), source.to_owned())];
    assert_eq!(check(&server, &url, &[]), (false, found("new", &a)));
    authorise(&shop, &id, script(&a)).data();
    assert_eq!(
        check(&server, &format!("{url}?order=1"), &[]),
        (true, Vec::new())
    );
    assert_eq!(check(&server, &url, &["--accept"]), (true, Vec::new()));
    let shown = server.run(&["page", "check", &url]);
    assert!(shown.contains("all as they were authorised"), "{shown}");

    // The content of a script that may change is compared with what was accepted.
    serve(
        &merchants,
        &[POLICY, "x-frame-options: DENY"],
        HTML,
        "steal()",
    );
    assert_eq!(check(&server, &url, &[]), (false, found("changed", &a)));
    // So are headers; a nonce changes with each response.
    let other_nonce = POLICY.replace("nonce-1", "nonce-2");
    serve(&merchants, &[&other_nonce], HTML, "go()");
    assert_eq!(
        check(&server, &url, &[]),
        (false, found("header", "x-frame-options"))
    );
    serve(&merchants, &["x-frame-options: DENY"], HTML, "go()");
    let (_, findings) = check(&server, &url, &[]);
    let words: Vec<&str> = findings.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(words, ["policy", "header"]);

    // A script in the page, and one that is gone.
    let inline = "<script>steal()</script><p onclick=go()>";
    serve(
        &merchants,
        &[POLICY, "x-frame-options: DENY"],
        inline,
        "go()",
    );
    let (passed, findings) = check(&server, &url, &[]);
    let words: Vec<&str> = findings.iter().map(|one| one.0.as_str()).collect();
    assert_eq!((passed, words), (false, vec!["new", "new", "missing"]));
    let hash = &findings[0].1;
    let given = json!({"hash": hash, "purpose": "begins", "authorisedBy": "Ada"});
    authorise(&shop, &id, given).data();
    serve(
        &merchants,
        &[POLICY, "x-frame-options: DENY"],
        "<script>steal()</script>",
        "go()",
    );
    assert_eq!(check(&server, &url, &[]), (true, found("missing", &a)));
}

#[test]
fn what_a_browser_runs_is_found_wherever_it_stands() {
    let server = Setup::new().start();
    let shop = server.shop();
    let html = "<!doctype html><title>Pay</title><link rel=modulepreload href=/a.js><script src=/a.js></script>\
        <svg><style><ScRiPt hReF=/b.js></ScRiPt></style></svg>\
        <iframe srcdoc=\"&lt;base href='/frame/'&gt;&lt;script src=c.js&gt;&lt;/script&gt;\"></iframe>\
        <script type=importmap>{\"imports\": {\"d\": \"/d.js\"}}</script><a href='java&#10;script:go()'>x</a>";
    let merchants = shop_server(&[POLICY], html, "go()");
    let url = merchants.url("/pay");
    page(&shop, &url);
    let (passed, found) = check(&server, &url, &[]);
    let has = |source: &str| found.contains(&("new".to_owned(), source.to_owned()));
    for path in ["/a.js", "/b.js", "/frame/c.js", "/d.js"] {
        assert!(has(&merchants.url(path)), "{path}: {found:?}");
    }
    assert!(!passed && has("inline handlers"), "{found:?}");
    // The four, the map itself and the attribute: what is fetched early is no second script.
    assert_eq!(found.len(), 6, "{found:?}");
}

#[test]
fn what_is_not_looked_at_is_said() {
    let server = Setup::new().start();
    let shop = server.shop();
    let inline = |n: usize| format!("<script>{n}</script>");
    let html: String = (0..203).map(inline).collect();
    let merchants = shop_server(&[POLICY], &html, "");
    let url = merchants.url("/pay");
    let (id, _) = page(&shop, &url);
    let output = server.command(&["page", "check", &url]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = "3 more scripts were not looked at: the page has 203 in all";
    assert!(printed.contains(said), "{printed}");
    // In another encoding, other letters are tags.
    let wide: &[&str] = &["content-type: text/html; charset=utf-16le"];
    serve(&merchants, wide, "x", "");
    let output = server.command(&["page", "check", &url, "--page", &id]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("it is not in UTF-8"), "{error}");
}

#[test]
fn a_policy_in_the_markup_and_a_base_are_compared_with_what_was_accepted() {
    let server = Setup::new().start();
    let shop = server.shop();
    let with = |more: &str| {
        format!("<meta http-equiv=content-security-policy content=\"script-src 'self'\">{more}")
    };
    let merchants = shop_server(&[POLICY], &with("<base href=/x/>"), "");
    let url = merchants.url("/pay");
    page(&shop, &url);
    assert_eq!(check(&server, &url, &["--accept"]), (true, Vec::new()));
    assert_eq!(check(&server, &url, &[]), (true, Vec::new()));
    serve(&merchants, &[POLICY], "<base href=//evil.example/>", "");
    let (passed, found) = check(&server, &url, &[]);
    let sources: Vec<&str> = found.iter().map(|one| one.1.as_str()).collect();
    let expected = ["base href", "meta content-security-policy"];
    assert_eq!((passed, sources), (false, expected.to_vec()));
}

#[test]
fn an_authorised_hash_counts_more_than_what_was_accepted() {
    let server = Setup::new().start();
    let shop = server.shop();
    let merchants = shop_server(&[POLICY], HTML, "go()");
    let (url, a) = (merchants.url("/pay"), merchants.url("/a.js"));
    let (id, _) = page(&shop, &url);
    let mut pinned = script(&a);
    pinned["hash"] = json!(format!("sha384-{}", "A".repeat(64)));
    authorise(&shop, &id, pinned).data();
    check(&server, &url, &["--accept"]);
    assert_eq!(
        check(&server, &url, &[]),
        (false, vec![("changed".to_owned(), a)])
    );
}

#[test]
fn a_page_that_cant_be_looked_at_says_why() {
    let server = Setup::new().start();
    let shop = server.shop();
    let merchants = shop_server(&[POLICY], HTML, "go()");
    let (id, _) = page(&shop, &merchants.url("/pay"));
    for (path, why) in [
        ("/moved", "it answers 302 and leads to /pay"),
        ("/nothing", "it answers 404"),
    ] {
        let output = server.command(&["page", "check", &merchants.url(path), "--page", &id]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(why), "{error}");
    }
    let output = server.command(&["page", "check", "https://other.example/pay"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("No guarded page has the address"), "{error}");
    // Where private addresses are refused, the network that the service stands in is not looked at.
    let guarded = Setup::new()
        .config("[outbound]\nprivate_addresses = false\n")
        .start();
    page(&guarded.shop(), &merchants.url("/pay"));
    let before = merchants.arrived("/pay").len();
    let output = guarded.command(&["page", "check", &merchants.url("/pay")]);
    assert!(!output.status.success());
    assert_eq!(merchants.arrived("/pay").len(), before);
}

#[test]
fn the_commands_manage_pages() {
    let server = Setup::new().start();
    let saved = server.run(&[
        "page",
        "save",
        "--name",
        "Checkout",
        "--url",
        "https://shop.example/pay",
    ]);
    let id = saved.split_whitespace().next().unwrap().to_owned();
    let url = "https://cdn.example/a.js";
    let authorised = server.run(&[
        "page",
        "authorise",
        &id,
        "--address",
        url,
        "--purpose",
        "counts",
        "--by",
        "Ada",
    ]);
    assert!(
        authorised.contains(url) && authorised.contains("by Ada"),
        "{authorised}"
    );
    let policy = server.run(&["page", "policy", &id]);
    assert!(
        policy.starts_with("Content-Security-Policy: script-src http"),
        "{policy}"
    );
    // A person may name a page as it is called.
    for named in ["Checkout", "https://shop.example/pay"] {
        assert_eq!(server.run(&["page", "policy", named]), policy);
    }
    let unknown = server.command(&["page", "policy", "Other"]);
    let error = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(error.contains("`pointsman page list` shows all"), "{error}");
    let listed: Value = serde_json::from_str(&server.run(&["page", "list", "--json"])).unwrap();
    assert_eq!(listed[0]["scripts"][0]["address"], url);
    server.run(&["page", "withdraw", &id, url]);
    server.run(&["page", "delete", &id]);
    assert_eq!(
        server.run(&["page", "list"]),
        "There are no guarded pages.\n"
    );
    assert!(!server.command(&["page", "delete", &id]).status.success());
    let trail = server.run(&["audit", "list"]);
    for act in [
        "page.saved",
        "page_script.authorised",
        "page_script.withdrawn",
        "page.deleted",
    ] {
        assert!(trail.contains(act), "{act}: {trail}");
    }
}
