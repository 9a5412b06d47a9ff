//! The SDK's files and the documents of its frame.

use domain::caller::Mode;
use serde_json::Value;

use super::*;
use crate::pages::Frames;

const SHOP: &str = "https://shop.example";

impl Site {
    fn get(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        let anonymous = [("authorization", "")];
        let headers: Vec<_> = anonymous.iter().chain(headers).copied().collect();
        self.ask(request(HttpMethod::GET, path, "", &headers))
    }

    /// A live service that lists origins.
    fn listing(origins: &[&str]) -> Self {
        let listed = origins.iter().map(|&origin| origin.to_owned()).collect();
        Self::ruled(|rules| {
            rules.frames = Frames::Listed(listed);
            rules.origins = Origins::Listed(Vec::new());
            rules.mode = Mode::Live;
        })
    }

    fn newest(&self) -> Value {
        let list: Value =
            serde_json::from_str(&self.get("/sdk/v1/integrity.json", &[]).text).unwrap();
        let loaders = list["loaders"].as_array().unwrap();
        loaders
            .iter()
            .find(|one| one["newest"] == true)
            .unwrap()
            .clone()
    }
}

#[test]
fn a_loader_is_read_by_pages_of_every_origin_whatever_may_call() {
    let site = Site::listing(&[]);
    let newest = site.newest();
    let pinned = format!("/sdk/v1/{}", newest["file"].as_str().unwrap());
    let tag = newest["scriptTag"].as_str().unwrap();
    assert!(
        tag.contains(&pinned) && tag.contains(newest["integrity"].as_str().unwrap()),
        "{tag}"
    );
    for (path, cache) in [
        ("/sdk/v1/pointsman.js", "public, max-age=300"),
        (pinned.as_str(), "public, max-age=31536000, immutable"),
    ] {
        let reply = site.get(path, &[("origin", "https://anywhere.example")]);
        assert_eq!(reply.status, StatusCode::OK, "{path}");
        for (name, value) in [
            ("cache-control", cache),
            ("content-type", "text/javascript; charset=utf-8"),
            ("access-control-allow-origin", "*"),
            ("cross-origin-resource-policy", "cross-origin"),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(reply.header(name), value, "{path}");
        }
        assert_eq!(newest["bytes"], reply.text.len());
        assert!(reply.headers.get("set-cookie").is_none());
        let known = [("if-none-match", reply.header("etag"))];
        let again = site.get(path, &known);
        assert_eq!(
            (again.status, again.text.as_str()),
            (StatusCode::NOT_MODIFIED, "")
        );
    }
    let head = site.ask(request(HttpMethod::HEAD, "/sdk/v1/pointsman.js", "", &[]));
    assert_eq!((head.status, head.text.as_str()), (StatusCode::OK, ""));
    assert_eq!(head.header("content-length"), newest["bytes"].to_string());
}

#[test]
fn wallet_bs_proof_of_the_domain_is_served_where_it_is_set() {
    let path = "/.well-known/apple-developer-merchantid-domain-association";
    assert_eq!(Site::new().get(path, &[]).status, StatusCode::NOT_FOUND);
    let site = Site::ruled(|rules| rules.domain_association = Some("7B227073".to_owned()));
    let reply = site.get(path, &[]);
    assert_eq!(
        (reply.status, reply.text.as_str()),
        (StatusCode::OK, "7B227073")
    );
    assert_eq!(reply.header("content-type"), "text/plain; charset=utf-8");
}

#[test]
fn nothing_but_the_listed_files_is_served() {
    let site = Site::new();
    for path in [
        "/sdk/v1/manifest.json",
        "/sdk/v1/pointsman.000000000000.js",
        "/sdk/v1/f/manifest.json",
        "/sdk/v1/f/integrity.json",
        "/sdk/v1/f/pointsman.js",
        "/sdk/v1/f/..%2Fmanifest.json",
        "/sdk/v1/%2e%2e/manifest.json",
        "/sdk/v1/",
        "/sdk/v2/pointsman.js",
    ] {
        assert_eq!(site.get(path, &[]).status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[test]
fn a_frame_is_for_the_one_page_that_its_address_names() {
    let site = Site::listing(&[SHOP, "https://portal.example"]);
    for surface in ["card", "checkout"] {
        let path = format!("/sdk/v1/frame/{surface}?origin={SHOP}");
        let reply = site.get(&path, &[]);
        assert_eq!(reply.status, StatusCode::OK);
        assert_eq!(
            reply.header("content-security-policy"),
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; \
             form-action 'none'; base-uri 'none'; frame-ancestors https://shop.example; \
             require-trusted-types-for 'script'; trusted-types 'none'"
        );
        for (name, value) in [
            ("cache-control", "private, max-age=300"),
            ("cross-origin-resource-policy", "cross-origin"),
            ("cross-origin-embedder-policy", "require-corp"),
            ("origin-agent-cluster", "?1"),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
            (
                "permissions-policy",
                "camera=(), display-capture=(), geolocation=(), microphone=(), usb=()",
            ),
            ("set-cookie", ""),
            ("access-control-allow-origin", ""),
        ] {
            assert_eq!(reply.header(name), value, "{name}");
        }
        assert!(
            reply.text.contains("data-origin=\"https://shop.example\""),
            "{}",
            reply.text
        );
        assert!(
            reply.text.contains(&format!("data-surface=\"{surface}\"")),
            "{}",
            reply.text
        );
        assert!(
            reply.text.contains("name=\"cardnumber\"") && reply.text.contains("data-mode=\"live\"")
        );
    }
    let within = site.get(
        &format!("/sdk/v1/frame/card?origin={SHOP}&ancestor=https://portal.example"),
        &[],
    );
    let policy = within.header("content-security-policy");
    assert!(
        policy.contains("frame-ancestors https://shop.example https://portal.example;"),
        "{policy}"
    );
}

#[test]
fn a_page_that_nobody_allowed_gets_the_setting_in_place_of_the_form() {
    let site = Site::listing(&[SHOP]);
    for (path, status, word) in [
        (
            "card?origin=https://evil.example",
            StatusCode::FORBIDDEN,
            "server.allowed_origins",
        ),
        (
            "checkout?origin=https://evil.example",
            StatusCode::FORBIDDEN,
            "allowedOrigins",
        ),
        (
            "challenge?origin=http://shop.example",
            StatusCode::FORBIDDEN,
            "http://shop.example",
        ),
        (
            "card?origin=https://shop.example&ancestor=https://evil.example",
            StatusCode::FORBIDDEN,
            "evil.example",
        ),
        ("card", StatusCode::BAD_REQUEST, "?origin="),
        ("card?origin=null", StatusCode::BAD_REQUEST, "?origin="),
    ] {
        let reply = site.get(&format!("/sdk/v1/frame/{path}"), &[]);
        assert_eq!(reply.status, status, "{path}");
        assert!(reply.text.contains(word), "{path}: {}", reply.text);
        assert!(
            !reply.text.contains("<form") && !reply.text.contains("<script"),
            "{path}"
        );
        assert_eq!(reply.header("cache-control"), "no-store");
    }
}

#[test]
fn what_a_team_allows_is_served_too_and_in_test_mode_anything() {
    let site = Site::listing(&[]);
    let path = format!("/sdk/v1/frame/card?origin={SHOP}");
    assert_eq!(site.get(&path, &[]).status, StatusCode::FORBIDDEN);
    let set =
        format!("mutation {{ updateTeam(settings: {{ allowedOrigins: [\"{SHOP}\"] }}) {{ id }} }}");
    assert_eq!(site.query(&set, &[]).status, StatusCode::OK);
    assert_eq!(site.get(&path, &[]).status, StatusCode::OK);
    let sandbox = Site::new();
    assert_eq!(sandbox.get(&path, &[]).status, StatusCode::OK);
}

#[test]
fn the_inside_of_the_dialog_shows_the_banks_page_and_the_shop_needs_no_more_than_our_origin() {
    let policy = |site: &Site| {
        let reply = site.get(&format!("/sdk/v1/frame/challenge?origin={SHOP}"), &[]);
        assert_eq!(reply.status, StatusCode::OK);
        assert_eq!(reply.header("cache-control"), "no-store");
        assert_eq!(reply.header("cross-origin-embedder-policy"), "");
        reply.header("content-security-policy").to_owned()
    };
    let live = policy(&Site::listing(&[SHOP]));
    assert!(
        live.contains("; frame-src https:;")
            && live.contains("frame-ancestors https://shop.example;"),
        "{live}"
    );
    let test = policy(&Site::new());
    assert!(
        test.contains("frame-src https: 'self' http://localhost:*"),
        "{test}"
    );
}

#[test]
fn who_comes_back_is_always_answered_and_the_shop_is_named_only_when_it_is_allowed() {
    let site = Site::listing(&[SHOP]);
    for (origin, named, around) in [
        (SHOP, SHOP, "frame-ancestors 'self' https://shop.example;"),
        ("https://evil.example", "", "frame-ancestors 'self';"),
        ("null", "", "frame-ancestors 'self';"),
    ] {
        let path = format!("/sdk/v1/return?attempt=1&origin={origin}");
        for method in [HttpMethod::GET, HttpMethod::POST] {
            let reply = site.ask(request(method, &path, "", &[("authorization", "")]));
            assert_eq!(reply.status, StatusCode::OK);
            assert!(
                reply.text.contains(&format!("data-origin=\"{named}\"")),
                "{}",
                reply.text
            );
            assert!(
                reply.header("content-security-policy").contains(around),
                "{}",
                reply.header("content-security-policy")
            );
            assert_eq!(reply.header("cache-control"), "no-store");
            assert_eq!(reply.header("cross-origin-opener-policy"), "unsafe-none");
        }
    }
}
