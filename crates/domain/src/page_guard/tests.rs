use serde_json::{Value, json};

use super::*;

const NOW: Timestamp = Timestamp::from_micros(1_000_000);
const OWN: &str = "https://pay.example";

fn hash(letter: char) -> String {
    format!("sha384-{}", letter.to_string().repeat(64))
}

fn given(address: &str, hash: &str) -> ScriptGiven {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    ScriptGiven {
        address: some(address),
        hash: some(hash),
        purpose: "counts visits".to_owned(),
        authorised_by: "Ada".to_owned(),
    }
}

fn page(scripts: &[(&str, &str)]) -> GuardedPage {
    let mut page = GuardedPage::new("Checkout", "https://shop.example/pay?x=1").unwrap();
    for (address, hash) in scripts {
        page.authorise(given(address, hash), NOW).unwrap();
    }
    page
}

fn seen(address: &str, hashes: &[String]) -> SeenScript {
    SeenScript {
        address: (!address.is_empty()).then(|| address.to_owned()),
        hashes: hashes.to_vec(),
        failure: None,
        beginning: "go()".to_owned(),
    }
}

fn words(page: &GuardedPage, observed: &Observed) -> Vec<(FindingWord, String)> {
    let found = compare(page, OWN, observed).into_iter();
    found.map(|one| (one.word, one.source)).collect()
}

fn served(scripts: Vec<SeenScript>) -> Observed {
    Observed {
        scripts,
        policies: vec!["script-src 'self'; report-uri https://pay.example/x".to_owned()],
        ..Observed::default()
    }
}

#[test]
fn an_inventory_holds_one_entry_for_each_source() {
    let mut page = page(&[("https://cdn.example/a.js?v=1", ""), ("", &hash('A'))]);
    assert_eq!(page.url, "https://shop.example/pay");
    page.authorise(given("https://CDN.example/a.js", &hash('B')), NOW)
        .unwrap();
    assert_eq!(page.scripts.len(), 2);
    assert_eq!(page.scripts[1].hash, Some(hash('B')));
    assert!(page.withdraw("https://cdn.example/a.js?v=9"));
    assert!(page.withdraw(&hash('A')));
    assert!(!page.withdraw(&hash('A')));
}

#[test]
fn what_can_be_no_entry_is_refused_by_its_field() {
    let mut page = page(&[]);
    for (given, field) in [
        (given("", ""), "script.address"),
        (given("cdn.example/a.js", ""), "script.address"),
        (given("https://cdn.example/'.js", ""), "script.address"),
        (given("", "sha384-short"), "script.hash"),
        (given("", &hash('\'')), "script.hash"),
        (given("https://cdn.example/", &hash('A')), "script.hash"),
        (
            ScriptGiven {
                purpose: " ".to_owned(),
                ..given("", &hash('A'))
            },
            "script.purpose",
        ),
        (
            ScriptGiven {
                authorised_by: String::new(),
                ..given("", &hash('A'))
            },
            "script.authorisedBy",
        ),
        (
            ScriptGiven {
                purpose: "4242 4242 4242 4242".to_owned(),
                ..given("", &hash('A'))
            },
            "script.purpose",
        ),
    ] {
        let refused = page.authorise(given.clone(), NOW).unwrap_err();
        assert_eq!(refused.field.as_deref(), Some(field), "{given:?}");
    }
    for n in 0..SCRIPTS_MAX {
        page.authorise(given(&format!("https://cdn.example/{n}.js"), ""), NOW)
            .unwrap();
    }
    assert!(page.authorise(given("", &hash('A')), NOW).is_err());
    page.authorise(given("https://cdn.example/7.js", ""), NOW)
        .unwrap();
}

#[test]
fn the_policy_allows_the_inventory_and_nothing_else() {
    let page = page(&[
        ("https://cdn.example/a;b,c.js", ""),
        ("https://cdn.example/x.js?y", &hash('A')),
        ("", &hash('B')),
    ]);
    let made = snippets(&page, OWN, "https://pay.example/page-reports/t");
    let expected = format!(
        "script-src https://pay.example/sdk/v1/ https://cdn.example/a%3Bb%2Cc.js https://cdn.example/x.js '{}'; frame-src https://pay.example; \
         object-src 'none'; base-uri 'none'; report-uri https://pay.example/page-reports/t; report-to pointsman",
        hash('B')
    );
    assert_eq!(made.policy, expected);
    assert_eq!(
        made.reporting,
        "pointsman=\"https://pay.example/page-reports/t\""
    );
    let tag = format!(
        "<script src=\"https://cdn.example/x.js\" integrity=\"{}\" crossorigin=\"anonymous\"></script>",
        hash('A')
    );
    assert_eq!(made.tags, [tag]);
}

#[test]
fn new_changed_and_missing_scripts_are_found() {
    let page = page(&[
        ("https://cdn.example/same.js", &hash('A')),
        ("https://cdn.example/other.js", &hash('A')),
        ("https://cdn.example/below/", ""),
        ("https://cdn.example/gone.js", ""),
        ("", &hash('I')),
    ]);
    let observed = served(vec![
        seen("https://cdn.example/same.js", &[hash('A')]),
        seen("https://cdn.example/other.js", &[hash('B')]),
        seen("https://cdn.example/below/x.js", &[hash('C')]),
        seen("https://evil.example/x.js", &[hash('C')]),
        seen("https://pay.example/sdk/v1/pointsman.js", &[hash('C')]),
        seen(
            "https://pay.example.evil.example/sdk/v1/pointsman.js",
            &[hash('C')],
        ),
        seen("", &[hash('I')]),
        seen("", &[hash('J')]),
    ]);
    assert_eq!(
        words(&page, &observed),
        [
            (
                FindingWord::Changed,
                "https://cdn.example/other.js".to_owned()
            ),
            (FindingWord::New, "https://evil.example/x.js".to_owned()),
            (
                FindingWord::New,
                "https://pay.example.evil.example/sdk/v1/pointsman.js".to_owned()
            ),
            (FindingWord::New, hash('J')),
            (
                FindingWord::Missing,
                "https://cdn.example/gone.js".to_owned()
            ),
        ]
    );
}

#[test]
fn what_was_accepted_is_compared_where_nothing_was_authorised_closer() {
    let mut page = page(&[("https://cdn.example/a.js", "")]);
    let headers = watched_headers([
        (
            "Content-Security-Policy",
            "script-src 'nonce-abc'; report-uri /x",
        ),
        ("X-Frame-Options", "DENY"),
        ("Date", "today"),
    ]);
    assert_eq!(
        headers["content-security-policy"],
        "script-src 'nonce'; report-uri /x"
    );
    page.accepted = Some(Accepted {
        at: NOW,
        headers: headers.clone(),
        scripts: [("https://cdn.example/a.js".to_owned(), hash('A'))].into(),
    });
    let mut observed = served(vec![seen("https://cdn.example/a.js", &[hash('A')])]);
    observed.headers = headers;
    assert_eq!(words(&page, &observed), []);
    observed.headers.remove("x-frame-options");
    observed
        .headers
        .insert("referrer-policy".to_owned(), "no-referrer".to_owned());
    observed.scripts = vec![seen("https://cdn.example/a.js", &[hash('B')])];
    let found: Vec<FindingWord> = words(&page, &observed)
        .into_iter()
        .map(|one| one.0)
        .collect();
    assert_eq!(
        found,
        [
            FindingWord::Changed,
            FindingWord::Header,
            FindingWord::Header
        ]
    );
}

#[test]
fn a_policy_that_lets_anything_run_is_found() {
    for (policy, is_good) in [
        ("script-src 'self'; report-uri /x", true),
        ("default-src 'none'; report-to x", true),
        ("script-src 'unsafe-inline' 'nonce-x'; report-uri /x", true),
        ("script-src 'unsafe-inline' 'Nonce-x'; report-uri /x", true),
        (
            "script-src 'strict-dynamic' 'nonce-x' https: 'unsafe-inline'; report-uri /x",
            true,
        ),
        (
            "script-src https://cdn.example *.shop.example https://*.cdn.example:8443/x/; report-uri /x",
            true,
        ),
        (
            "script-src-elem 'self'; script-src-attr 'none'; report-uri /x",
            true,
        ),
        ("script-src 'self'", false),
        ("script-src 'self' 'unsafe-inline'; report-uri /x", false),
        (
            "script-src 'self'; script-src-attr 'unsafe-inline'; report-uri /x",
            false,
        ),
        (
            "script-src 'self'; script-src-elem 'self' 'unsafe-inline'; report-uri /x",
            false,
        ),
        ("script-src 'self'; script-src-elem *; report-uri /x", false),
        ("script-src-elem 'self'; report-uri /x", false),
        ("script-src *; report-uri /x", false),
        ("SCRIPT-SRC https:; report-uri /x", false),
        ("script-src https://*; report-uri /x", false),
        ("script-src https://*:*/; report-uri /x", false),
        ("script-src *:*; report-uri /x", false),
        ("script-src *:443; report-uri /x", false),
        ("script-src http://*:8080; report-uri /x", false),
        ("script-src *.com; report-uri /x", false),
        ("script-src filesystem:; report-uri /x", false),
        ("script-src 'self' data: ; report-uri /x", false),
        ("default-src blob:; report-uri /x", false),
        ("img-src 'self'; report-uri /x", false),
        ("", false),
    ] {
        let mut observed = served(Vec::new());
        observed.policies = vec![policy.to_owned()];
        let found = words(&page(&[]), &observed);
        assert_eq!(found.is_empty(), is_good, "{policy}: {found:?}");
        observed
            .policies
            .push("script-src 'self'; report-uri /x".to_owned());
        assert!(words(&page(&[]), &observed).is_empty(), "{policy}");
    }
    let mut observed = served(Vec::new());
    observed.policies.clear();
    assert_eq!(words(&page(&[]), &observed).len(), 1);
    observed.handlers = 3;
    assert_eq!(words(&page(&[]), &observed).len(), 2);
    observed.unseen = 1;
    let found = words(&page(&[]), &observed);
    let unread = (FindingWord::Unread, "further scripts".to_owned());
    assert!(found.len() == 3 && found.contains(&unread), "{found:?}");
    observed.is_cut = true;
    let found = words(&page(&[]), &observed);
    let unread = (FindingWord::Unread, "markup".to_owned());
    assert!(found.len() == 4 && found.contains(&unread), "{found:?}");
}

fn of_single(document: &str, blocked: &str, directive: &str) -> Vec<Violation> {
    let body = json!({"csp-report": {"document-uri": document, "blocked-uri": blocked, "violated-directive": directive,
        "script-sample": "4242424242424242", "referrer": "https://a.example/?secret"}});
    let page = WebAddress::parse("https://shop.example/pay").unwrap();
    read_reports(ReportFormat::Single, &body, &page)
}

#[test]
fn of_a_report_only_directive_and_source_are_read() {
    let blocked = |text: &str, directive: &str| {
        let read = of_single(
            "https://shop.example/pay?card=4242424242424242",
            text,
            directive,
        );
        read.first().map(|one| one.blocked.clone())
    };
    for (text, directive, kept) in [
        (
            "https://evil.example/a.js?d=4242424242424242#x",
            "script-src 'self'",
            Some("https://evil.example/a.js"),
        ),
        (
            "https://evil.example/4242424242424242.js",
            "script-src-elem",
            Some("https://evil.example/************4242.js"),
        ),
        (
            "https://evil.example/4242%204242%204242%204242/x.js",
            "script-src-elem",
            Some("https://evil.example/**** **** **** 4242/x.js"),
        ),
        (
            "https://evil.example/a%20b.js",
            "script-src-elem",
            Some("https://evil.example/a%20b.js"),
        ),
        (
            "https://evil.example/steal/4242424242424242",
            "connect-src",
            Some("https://evil.example"),
        ),
        (
            "wss://evil.example/x",
            "connect-src",
            Some("https://evil.example"),
        ),
        ("inline", "script-src", Some("inline")),
        ("", "script-src", Some("inline")),
        (
            "data:text/javascript,4242424242424242",
            "script-src",
            Some("data"),
        ),
        ("blob", "script-src", Some("blob")),
        ("chrome-extension://abc/x.js", "script-src", None),
        ("4242 4242 4242 4242", "script-src", Some("other")),
    ] {
        assert_eq!(blocked(text, directive).as_deref(), kept, "{text}");
    }
    let read = of_single(
        "https://shop.example/other",
        "eval",
        "made-up 4242424242424242",
    );
    assert_eq!(read[0].directive, "other");
}

#[test]
fn reports_of_other_pages_and_of_other_things_are_left_out() {
    assert_eq!(
        of_single("https://evil.example/pay", "inline", "script-src"),
        []
    );
    assert_eq!(of_single("about", "inline", "script-src"), []);
    let page = WebAddress::parse("https://shop.example/pay").unwrap();
    let one = json!({"type": "csp-violation", "body": {"documentURL": "https://shop.example/pay", "effectiveDirective": "script-src-elem",
        "blockedURL": "https://evil.example/x.js", "disposition": "report"}});
    let other = json!({"type": "deprecation", "body": {"documentURL": "https://shop.example/pay", "effectiveDirective": "x"}});
    let body = json!([other, one, 7, {"type": "csp-violation"}]);
    let read = read_reports(ReportFormat::Several, &body, &page);
    assert_eq!(
        read,
        [Violation {
            directive: "script-src-elem".to_owned(),
            blocked: "https://evil.example/x.js".to_owned(),
            is_enforced: false,
        }]
    );
    let many = Value::Array(vec![one; REPORTS_MAX * 2]);
    assert_eq!(
        read_reports(ReportFormat::Several, &many, &page).len(),
        REPORTS_MAX
    );
    for wrong in [json!(null), json!([]), json!({}), json!("x")] {
        assert_eq!(read_reports(ReportFormat::Single, &wrong, &page), []);
        assert_eq!(read_reports(ReportFormat::Several, &wrong, &page), []);
    }
}
