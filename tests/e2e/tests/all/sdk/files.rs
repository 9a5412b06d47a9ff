//! The SDK's files and the documents of its frame, over HTTP.

use serde_json::Value;
use testkit::{
    Server, Setup,
    http::{Reply, Request},
};

const SHOP: &str = "https://shop.example";

fn get(server: &Server, path: &str, headers: &[(&str, &str)]) -> Reply {
    let request = headers
        .iter()
        .fold(Request::new("GET", path), |request, (name, value)| {
            request.header(name, *value)
        });
    request.send(server.address())
}

#[test]
fn a_loader_is_there_under_its_hash_and_compressed_for_who_takes_it() {
    let server = Setup::new().start();
    let listed: Value =
        serde_json::from_str(&get(&server, "/sdk/v1/integrity.json", &[]).text()).unwrap();
    for loader in listed["loaders"].as_array().unwrap() {
        let path = format!("/sdk/v1/{}", loader["file"].as_str().unwrap());
        assert!(loader["address"].as_str().unwrap().ends_with(&path));
        let plain = get(&server, &path, &[("origin", SHOP)]);
        assert_eq!(plain.status, 200);
        assert_eq!(loader["bytes"], plain.body.len());
        assert_eq!(plain.header("access-control-allow-origin"), Some("*"));
        assert_eq!(plain.header("set-cookie"), None);
        let zipped = get(&server, &path, &[("accept-encoding", "br, gzip")]);
        assert_eq!(zipped.header("content-encoding"), Some("gzip"));
        assert!(zipped.body.starts_with(&[0x1f, 0x8b]) && zipped.body != plain.body);
        let tag = plain.header("etag").unwrap();
        assert_ne!(zipped.header("etag"), Some(tag));
        let known = get(&server, &path, &[("if-none-match", tag)]);
        assert_eq!((known.status, known.body.len()), (304, 0));
    }
}

#[test]
fn everything_that_a_frame_loads_is_there() {
    let server = Setup::new().start();
    for surface in ["card", "checkout"] {
        let path = format!("/sdk/v1/frame/{surface}?origin={SHOP}");
        let zipped = get(&server, &path, &[("accept-encoding", "gzip")]);
        assert_eq!(zipped.header("content-encoding"), Some("gzip"));
        assert!(zipped.body.len() < 3_000, "{}", zipped.body.len());
        let document = get(&server, &path, &[]).text();
        let loaded: Vec<&str> = document
            .split('"')
            .filter(|text| text.starts_with("/sdk/v1/f/"))
            .collect();
        assert_eq!(loaded.len(), 2, "{document}");
        for file in loaded {
            let reply = get(&server, file, &[]);
            assert_eq!(reply.status, 200, "{file}");
            let cache = reply.header("cache-control").unwrap();
            assert!(cache.contains("immutable"), "{cache}");
        }
    }
}

#[test]
fn a_frame_is_shown_by_the_origins_that_are_set_and_by_no_other() {
    let server = Setup::new().setting("server.allowed_origins", SHOP).start();
    let shown = |origin: &str| {
        let reply = get(&server, &format!("/sdk/v1/frame/card?origin={origin}"), &[]);
        let policy = reply.header("content-security-policy").unwrap().to_owned();
        (reply.status, policy)
    };
    let (status, policy) = shown(SHOP);
    assert_eq!(status, 200);
    assert!(
        policy.contains("frame-ancestors https://shop.example;"),
        "{policy}"
    );
    for evil in [
        "https://evil.example",
        "https://shop.example.evil.example",
        "http://shop.example",
    ] {
        assert_eq!(shown(evil).0, 403, "{evil}");
    }
    assert_eq!(shown("https://shop.example;%20script-src%20*").0, 400);
}
