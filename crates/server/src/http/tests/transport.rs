//! The endpoint, its envelopes, and what every response carries.

use http::header;

use super::*;

const QUERY: &str = "{__typename}";
const MAKE: &str = r#"mutation{createCustomer(data:{customer:{name:"A"}})}"#;
const NOBODY: &str = "00000000-0000-7000-8000-000000000001";

impl Site {
    /// The answer to a request with the id `mine-1`, from this work.
    fn bounded(
        &self,
        media: Media,
        work: impl Future<Output = Result<::graphql::Response, Envelope>>,
    ) -> Reply {
        let mut headers = http::HeaderMap::new();
        headers.insert("x-request-id", http::HeaderValue::from_static("mine-1"));
        let id = request_id::RequestId::of(&headers, &self.web.world);
        let answered =
            async { Reply::of(graphql::bounded(&self.web, &id, media, work).await).await };
        self.sim.run_until(answered).unwrap()
    }
}

const GRAPHQL_RESPONSE: (&str, &str) = ("accept", "application/graphql-response+json");

#[test]
fn the_answer_has_the_type_that_was_asked_for() {
    let site = Site::new();
    assert_eq!(
        site.query(QUERY, &[]).header("content-type"),
        "application/json; charset=utf-8"
    );
    let reply = site.query(QUERY, &[GRAPHQL_RESPONSE]);
    assert_eq!(
        reply.header("content-type"),
        "application/graphql-response+json; charset=utf-8"
    );
    let reply = site.query(QUERY, &[("accept", "text/html")]);
    assert_eq!(
        (reply.status, reply.code().as_str()),
        (StatusCode::NOT_ACCEPTABLE, "error.graphql.validation")
    );
}

#[test]
fn a_document_that_is_refused_is_200_for_older_clients_and_400_for_newer_ones() {
    let site = Site::new();
    assert_eq!(site.query("{", &[]).status, StatusCode::OK);
    assert_eq!(
        site.query("{", &[GRAPHQL_RESPONSE]).status,
        StatusCode::BAD_REQUEST
    );
}

#[test]
fn malformed_requests_are_400_for_all() {
    let site = Site::new();
    for body in [
        "",
        "{ \"not a JSON",
        "{\"notquery\": \"{__typename}\"}",
        "{\"query\": 0}",
        "{\"query\": \"{__typename}\", \"variables\": []}",
    ] {
        for headers in [&[][..], &[GRAPHQL_RESPONSE]] {
            let reply = site.post(body, headers);
            assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{body}");
            assert!(reply.code().starts_with("error.graphql."));
        }
    }
    assert_eq!(
        site.post("{\"query\": \"{__typename}\"}", &[("content-type", "")])
            .status,
        StatusCode::UNSUPPORTED_MEDIA_TYPE
    );
}

#[test]
fn a_missing_or_bad_credential_is_401() {
    let site = Site::new();
    for credential in [
        "",
        "Bearer sk_test_bad",
        "Basic sk_test_goodkey0",
        "sk_test_goodkey0",
    ] {
        let reply = site.query(QUERY, &[("authorization", credential)]);
        assert_eq!(
            (reply.status, reply.code().as_str()),
            (StatusCode::UNAUTHORIZED, "api.key.unauthorized")
        );
        assert_eq!(reply.header("www-authenticate"), "Bearer");
    }
}

#[test]
fn a_webhook_is_taken_from_a_server_alone_and_says_what_it_did() {
    let site = Site::new();
    let send = |body: &str, headers: &[(&str, &str)]| {
        site.ask(request(
            HttpMethod::POST,
            "/api/webhooks/shipped",
            body,
            headers,
        ))
    };
    let taken = send("{}", &[]);
    assert_eq!(
        (taken.status, taken.text.as_str()),
        (StatusCode::ACCEPTED, r#"{"resumed":0,"started":0}"#)
    );
    let (public, none) = (
        ("authorization", "Bearer pk_test_goodkey0"),
        ("authorization", ""),
    );
    assert_eq!(send("{}", &[public]).status, StatusCode::FORBIDDEN);
    assert_eq!(send("{}", &[none]).status, StatusCode::UNAUTHORIZED);
    assert_eq!(
        send("{}", &[("content-type", "text/plain")]).status,
        StatusCode::UNSUPPORTED_MEDIA_TYPE
    );
    for bad in [
        "",
        "[]",
        "{\"a\": 1, \"a\": 2}",
        "{\"a\": \"4242424242424242\"}",
    ] {
        let reply = send(bad, &[]);
        assert_eq!(
            (reply.status, reply.code().as_str()),
            (StatusCode::BAD_REQUEST, "error.validation"),
            "{bad}"
        );
    }
    assert_eq!(
        send(&format!("{{\"payment\": \"{NOBODY}\"}}"), &[]).code(),
        "error.payment.not-found"
    );
    assert_eq!(
        send(&format!("{{\"a\": \"{}\"}}", "x".repeat(16_384)), &[]).status,
        StatusCode::PAYLOAD_TOO_LARGE
    );
    let read = site.ask(request(HttpMethod::GET, "/api/webhooks/shipped", "", &[]));
    assert_eq!(read.status, StatusCode::METHOD_NOT_ALLOWED);
    site.web.drain();
    assert_eq!(send("{}", &[]).code(), "error.unavailable");
}

#[test]
fn a_body_that_is_too_large_is_413() {
    let site = Site::new();
    let reply = site.query(&"a".repeat(1024), &[]);
    assert_eq!(
        (reply.status, reply.code().as_str()),
        (StatusCode::PAYLOAD_TOO_LARGE, "error.graphql.limit")
    );
    assert_eq!(site.query(&"a".repeat(1000), &[]).status, StatusCode::OK);
}

#[test]
fn too_many_requests_are_429_with_a_time_to_wait() {
    let site = Site::with(Some(Rate::new(1)));
    assert_eq!(site.query(QUERY, &[]).status, StatusCode::OK);
    let reply = site.query(QUERY, &[]);
    assert_eq!(
        (reply.status, reply.code().as_str()),
        (StatusCode::TOO_MANY_REQUESTS, "error.rate-limited")
    );
    assert_eq!(reply.header("retry-after"), "1");
}

#[test]
fn a_service_that_stops_takes_no_work_and_is_not_ready_but_lives() {
    let site = Site::new();
    let get = |path: &str| site.ask(request(HttpMethod::GET, path, "", &[])).status;
    assert_eq!(get("/health/ready"), StatusCode::OK);
    site.web.leave();
    assert_eq!(get("/health/ready"), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(site.query(QUERY, &[]).status, StatusCode::OK, "not yet");
    site.web.drain();
    let reply = site.query(QUERY, &[]);
    assert_eq!(
        (reply.status, reply.code().as_str()),
        (StatusCode::SERVICE_UNAVAILABLE, "error.unavailable")
    );
    assert_eq!(
        (reply.header("retry-after"), reply.header("connection")),
        ("1", "close")
    );
    assert_eq!(get("/health/ready"), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(get("/health/live"), StatusCode::OK);
    site.sim.run_until(site.web.idle()).unwrap();
}

#[test]
fn a_request_that_runs_out_of_time_gets_an_answer() {
    let site = Site::new();
    let reply = site.bounded(Media::Json, std::future::pending());
    assert_eq!(
        (reply.status, reply.code().as_str()),
        (StatusCode::GATEWAY_TIMEOUT, "error.unavailable")
    );
}

#[test]
fn a_panic_is_reported_as_a_defect_with_the_request_s_id_and_nothing_else() {
    let site = Site::new();
    let reply = site.bounded(Media::Json, async { panic!("a defect") });
    assert_eq!(
        (reply.status, reply.code().as_str()),
        (StatusCode::OK, "error.unknown")
    );
    assert!(
        reply.text.contains("\"requestId\":\"mine-1\"") && reply.text.contains("\"noTrace\":false")
    );
    assert!(!reply.text.contains("a defect"));
    assert_eq!(
        site.bounded(Media::GraphqlResponse, async { panic!("a defect") })
            .status,
        StatusCode::INTERNAL_SERVER_ERROR
    );
}

#[test]
fn every_response_has_a_request_id_and_the_headers_of_caution() {
    let site = Site::new();
    let kept = site.query(QUERY, &[("x-request-id", "mine-1")]);
    assert_eq!(kept.header("x-request-id"), "mine-1");
    for reply in [
        site.query(QUERY, &[("x-request-id", "not mine")]),
        site.query(QUERY, &[("authorization", "")]),
        site.ask(request(HttpMethod::GET, "/nowhere", "", &[])),
        site.ask(request(HttpMethod::POST, "/metrics", "", &[])),
        site.ask(request(
            HttpMethod::OPTIONS,
            "/api/graphql",
            "",
            &[
                ("origin", "https://a.example"),
                ("access-control-request-method", "POST"),
            ],
        )),
    ] {
        assert!(
            reply.header("x-request-id").starts_with("req-"),
            "{}",
            reply.status
        );
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert_eq!(reply.header("cache-control"), "no-store");
    }
}

#[test]
fn other_methods_are_405_and_name_those_that_are_taken() {
    let site = Site::new();
    for method in [
        HttpMethod::HEAD,
        HttpMethod::PUT,
        HttpMethod::DELETE,
        HttpMethod::PATCH,
        HttpMethod::OPTIONS,
    ] {
        let reply = site.ask(request(method.clone(), "/api/graphql", "", &[]));
        assert_eq!(
            (reply.status, reply.header("allow")),
            (StatusCode::METHOD_NOT_ALLOWED, "GET, POST, OPTIONS"),
            "{method}"
        );
    }
    let reply = site.ask(request(HttpMethod::POST, "/health/live", "", &[]));
    assert_eq!(
        (reply.status, reply.header("allow")),
        (StatusCode::METHOD_NOT_ALLOWED, "GET,HEAD")
    );
    assert_eq!(reply.code(), "error.validation");
}

#[test]
fn unknown_addresses_are_404() {
    let reply = Site::new().ask(request(HttpMethod::GET, "/admin?x=secret", "", &[]));
    assert_eq!(
        (reply.status, reply.code().as_str()),
        (StatusCode::NOT_FOUND, "error.validation")
    );
    assert!(!reply.text.contains("secret"));
}

#[test]
fn a_query_may_come_in_an_address() {
    let site = Site::new();
    let reply = site.ask(request(
        HttpMethod::GET,
        "/api/graphql?query=%7B__typename%7D",
        "",
        &[],
    ));
    assert_eq!(
        (reply.status, reply.text.as_str()),
        (StatusCode::OK, r#"{"data":{"__typename":"Query"}}"#)
    );
    assert_eq!(
        site.ask(request(HttpMethod::GET, "/api/graphql", "", &[]))
            .status,
        StatusCode::BAD_REQUEST
    );
    let reply = site.ask(request(
        HttpMethod::GET,
        "/api/graphql?query=mutation%7B__typename%7D",
        "",
        &[],
    ));
    assert_eq!(
        (reply.status, reply.header("allow")),
        (StatusCode::METHOD_NOT_ALLOWED, "POST")
    );
    assert_eq!(
        site.query("mutation{__typename}", &[]).status,
        StatusCode::OK
    );
}

#[test]
fn a_remembered_result_is_marked() {
    let site = Site::new();
    let make = || site.query(MAKE, &[("x-idempotency-key", "k")]);
    let (first, again) = (make(), make());
    assert!(!first.headers.contains_key("idempotency-replayed"));
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(first.text, again.text);
}

#[test]
fn several_idempotency_keys_become_one_that_is_never_valid() {
    let site = Site::new();
    let both = |theirs| [("x-idempotency-key", "k"), ("idempotency-key", theirs)];
    let two = [("x-idempotency-key", "k"), ("x-idempotency-key", "k")];
    for refused in [two, both("l")] {
        let reply = site.query(MAKE, &refused);
        assert!(
            reply.text.contains("error.idempotency.key-invalid"),
            "{}",
            reply.text
        );
    }
    let made = site.query(MAKE, &two[..1]).text;
    assert!(made.contains("\"createCustomer\":\""), "{made}");
    for same in [&both("k")[..], &both("k")[1..]] {
        assert_eq!(site.query(MAKE, same).text, made);
    }
    assert_eq!(site.query(QUERY, &two).status, StatusCode::OK);
}

#[test]
fn books_are_for_secret_keys() {
    let site = Site::new();
    let books = |credential: &str| {
        site.ask(request(
            HttpMethod::GET,
            "/sandbox/books?reference=a%2Db",
            "",
            &[("authorization", credential)],
        ))
    };
    assert_eq!(books("Bearer sk_test_goodkey0").text, r#"{"entries":[]}"#);
    assert_eq!(books("").status, StatusCode::UNAUTHORIZED);
    let reply = books("Bearer pk_test_goodkey0");
    assert_eq!(
        (reply.status, reply.code().as_str()),
        (StatusCode::FORBIDDEN, "api.key.forbidden")
    );
}

#[test]
fn a_browser_gets_permission_before_and_with_the_answer() {
    let site = Site::new();
    let headers = [
        ("origin", "https://shop.example"),
        ("access-control-request-method", "POST"),
        ("authorization", ""),
    ];
    let reply = site.ask(request(HttpMethod::OPTIONS, "/api/graphql", "", &headers));
    assert_eq!(
        (reply.status, reply.header("access-control-allow-origin")),
        (StatusCode::NO_CONTENT, "*")
    );
    let allowed = reply.header("access-control-allow-headers");
    for name in ["x-idempotency-key", "idempotency-key"] {
        assert!(allowed.split(", ").any(|one| one == name), "{allowed}");
    }
    assert_eq!(
        site.query(QUERY, &headers[..1])
            .header("access-control-allow-origin"),
        "*"
    );
    assert_eq!(
        reply.headers.get(header::ACCESS_CONTROL_ALLOW_CREDENTIALS),
        None
    );
}
