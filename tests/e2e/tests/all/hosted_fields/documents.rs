//! The documents of the fields: what they may load, and who may show them.

use testkit::{Setup, http::Reply, http::Request};

const SHOP: &str = "https://shop.example";

#[test]
fn the_document_of_the_fields_may_load_the_processors_script_and_reaches_nothing_of_ours() {
    let server = Setup::new().start();
    let get = |path: &str| Request::new("GET", path).send(server.address());
    let path = format!("/sdk/v1/frame/fields?processor=simulator&origin={SHOP}");
    let document = get(&path);
    assert_eq!(document.status, 200);
    let policy = document.header("content-security-policy").unwrap();
    for part in [
        "default-src 'none'; script-src 'self' http",
        "connect-src 'none'",
        "frame-ancestors 'self' https://shop.example",
        "; sandbox allow-scripts allow-forms",
    ] {
        assert!(policy.contains(part), "{part}: {policy}");
    }
    assert!(!policy.contains("allow-same-origin"), "{policy}");
    let page = document.text();
    assert!(page.contains("/sandbox/fields.js\""), "{page}");
    for (path, status) in [
        ("/sdk/v1/frame/fields?processor=simulator", 400),
        ("/sdk/v1/frame/fields?processor=simulator&origin=null", 400),
        (
            "/sdk/v1/frame/fields?processor=nobodys&origin=https://shop.example",
            404,
        ),
        ("/sdk/v1/frame/fields?origin=https://shop.example", 404),
    ] {
        assert_eq!(get(path).status, status, "{path}");
    }
}

#[test]
fn the_stand_in_is_served_in_the_sandbox() {
    let server = Setup::new().start();
    let get = |path: &str| Request::new("GET", path).send(server.address());
    let is = |reply: &Reply, media: &str| {
        assert_eq!(reply.status, 200);
        assert!(reply.header("content-type").unwrap().starts_with(media));
        assert_eq!(
            reply.header("cross-origin-resource-policy"),
            Some("cross-origin")
        );
    };
    is(&get("/sandbox/fields.js"), "text/javascript");
    is(&get("/sandbox/fields-frame.js"), "text/javascript");
    is(&get("/sandbox/fields-frame.css"), "text/css");
    let frame = get("/sandbox/fields-frame");
    is(&frame, "text/html");
    let policy = frame.header("content-security-policy").unwrap();
    assert!(
        policy.contains("script-src 'self'; style-src 'self'; connect-src 'self'"),
        "{policy}"
    );
}
