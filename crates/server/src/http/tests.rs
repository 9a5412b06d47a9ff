//! The HTTP layer in front of a backend that is played.

use std::{sync::Arc, time::Duration};

use axum::{Router, body::Body, response::Response};
use connectors::simulator::{Page, Progress};
use domain::{
    Code, Fault,
    answer::ActionKind,
    caller::{Caller, Credential, Mode},
    id::{KeyId, TeamId},
    money::{Currency, Money},
};
use engine::TokenReturn;
use futures_util::{FutureExt, future::BoxFuture};
use http::{Method as HttpMethod, Request, StatusCode, header};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::Service;
use uuid::Uuid;
use world::{Sim, World};

use super::*;

/// A service whose behaviour the query chooses.
struct Played;

impl Backend for Played {
    fn returned<'a>(
        &'a self,
        _: &'a str,
        _: Option<domain::network::Network>,
    ) -> BoxFuture<'a, engine::Returned> {
        Box::pin(std::future::ready(engine::Returned::Unknown))
    }

    fn authenticate<'a>(&'a self, bearer: &'a str) -> BoxFuture<'a, Result<Caller, Fault>> {
        let credential = match bearer {
            "sk_test_good" => Ok(Credential::Secret),
            "pk_test_good" => Ok(Credential::Public),
            _ => Err(Fault::new(
                Code::Unauthorized,
                "The access token is not valid.",
            )),
        };
        let id = Uuid::from_u128(1);
        let caller = credential.map(|credential| Caller {
            team: TeamId::new(id),
            key: KeyId::new(id),
            credential,
            mode: Mode::Test,
            seen_in: None,
            hides_fingerprints: false,
            network: None,
        });
        std::future::ready(caller).boxed()
    }

    fn allows_origin<'a>(&'a self, _: TeamId, _: &'a str) -> BoxFuture<'a, Option<bool>> {
        std::future::ready(None).boxed()
    }

    fn frames<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Option<Vec<String>>> {
        std::future::ready(None).boxed()
    }

    fn is_an_origin<'a>(&'a self, _: &'a str) -> BoxFuture<'a, bool> {
        std::future::ready(false).boxed()
    }

    fn execute<'a>(&'a self, _: &'a Caller, operation: Operation) -> BoxFuture<'a, Answer> {
        async move {
            let (outcome, body) = match operation.query.as_str() {
                "panic" => panic!("a defect"),
                "hang" => std::future::pending().await,
                "mutation" if operation.method == Method::Get => {
                    (Outcome::MutationByGet, json!({"errors": [{}]}))
                }
                "{" => (
                    Outcome::Rejected(Code::GraphqlSyntax),
                    json!({"errors": [{}]}),
                ),
                _ => (Outcome::Executed, json!({"data": {"key": operation.key}})),
            };
            let replayed = operation.query == "replay";
            Answer {
                outcome,
                body: body.to_string().into_bytes(),
                replayed,
                operation: "getPayment",
                code: None,
            }
        }
        .boxed()
    }

    fn hear<'a>(
        &'a self,
        _: &'a Caller,
        name: String,
        said: Value,
    ) -> BoxFuture<'a, Result<engine::Heard, Fault>> {
        let heard = match (name.as_str(), said.get("payment")) {
            (_, Some(_)) => Err(engine::faults::payment_not_found()),
            ("shipped", None) => Ok(engine::Heard {
                resumed: 1,
                started: 2,
            }),
            (_, None) => Ok(engine::Heard {
                resumed: 0,
                started: 0,
            }),
        };
        std::future::ready(heard).boxed()
    }

    fn check(&self) -> BoxFuture<'_, Result<(), &'static str>> {
        std::future::ready(Ok(())).boxed()
    }

    fn books<'a>(
        &'a self,
        _: domain::id::TeamId,
        reference: Option<&'a str>,
    ) -> BoxFuture<'a, Option<Value>> {
        std::future::ready(Some(json!({"entries": [], "reference": reference}))).boxed()
    }

    fn sandbox_page<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Option<Page>, Fault>> {
        std::future::ready(played_page(token)).boxed()
    }

    fn decide_sandbox_page<'a>(
        &'a self,
        token: &'a str,
        _: bool,
    ) -> BoxFuture<'a, Result<Option<Page>, Fault>> {
        std::future::ready(played_page(token)).boxed()
    }

    fn token_return<'a>(
        &'a self,
        token: &'a str,
    ) -> BoxFuture<'a, Result<Option<TokenReturn>, Fault>> {
        let seen = match token {
            "merchant" => Some(TokenReturn::Merchant(
                "https://shop.example/?id=1".to_owned(),
            )),
            "unfinished" => Some(TokenReturn::Unfinished(
                "https://issuer.example/1".to_owned(),
            )),
            "close" => Some(TokenReturn::Close { completed: true }),
            _ => None,
        };
        async move {
            if token == "broken" {
                Err(Fault::unavailable())
            } else {
                Ok(seen)
            }
        }
        .boxed()
    }

    fn metrics(&self) -> String {
        "pointsman_build_info 1\n".to_owned()
    }
}

fn played_page(token: &str) -> Result<Option<Page>, Fault> {
    let state = match token {
        "waiting" => Progress::Waiting,
        "passed" => Progress::Passed,
        "failed" => Progress::Failed,
        "over" => Progress::Over,
        "broken" => return Err(Fault::unavailable()),
        _ => return Ok(None),
    };
    Ok(Some(Page {
        kind: ActionKind::ThreeDSecure,
        state,
        method: Some(domain::method::Method::Visa),
        last4: Some("3184".to_owned()),
        statement: Some("Books <&> more".to_owned()),
        money: Money::new(1234, Currency::parse("EUR").unwrap()),
        return_url: "https://pay.example/3ds/abc".to_owned(),
    }))
}

struct Site {
    router: Router,
    web: Arc<Web>,
    sim: Sim,
}

impl Site {
    fn with(rate: Option<Rate>) -> Self {
        let (world, sim) = World::simulated(1);
        let rules = Rules {
            origins: Origins::Any,
            frames: crate::pages::Frames::Any,
            body: 1024,
            request_timeout: Duration::from_secs(25),
            slow_request: None,
            rate,
            public_metrics: true,
            sandbox: true,
            https: false,
            trusted_proxies: Vec::new(),
            places: Arc::default(),
        };
        let web = Arc::new(Web::new(Arc::new(Played), world, rules));
        Self {
            router: router(&web),
            web,
            sim,
        }
    }

    fn new() -> Self {
        Self::with(None)
    }

    fn ask(&self, request: Request<Body>) -> Reply {
        let mut router = self.router.clone();
        self.sim
            .run_until(async move {
                let response: Response = router.call(request).await.unwrap();
                let (parts, body) = response.into_parts();
                let body = body.collect().await.unwrap().to_bytes();
                Reply {
                    status: parts.status,
                    headers: parts.headers,
                    text: String::from_utf8(body.to_vec()).unwrap(),
                }
            })
            .unwrap()
    }

    fn post(&self, body: &str, headers: &[(&str, &str)]) -> Reply {
        self.ask(request(HttpMethod::POST, "/api/graphql", body, headers))
    }

    fn query(&self, query: &str, headers: &[(&str, &str)]) -> Reply {
        self.post(&json!({"query": query}).to_string(), headers)
    }
}

struct Reply {
    status: StatusCode,
    headers: http::HeaderMap,
    text: String,
}

impl Reply {
    fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    fn code(&self) -> String {
        let json: Value = serde_json::from_str(&self.text).unwrap();
        assert!(
            json["errors"][0]["message"]
                .as_str()
                .is_some_and(|message| !message.is_empty()),
            "{json}"
        );
        assert!(json.get("data").is_none(), "{json}");
        json["errors"][0]["extensions"]["code"]
            .as_str()
            .unwrap()
            .to_owned()
    }
}

/// A request that is right but for what the headers replace. An empty value takes a header away.
fn request(method: HttpMethod, path: &str, body: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut all = vec![
        ("authorization", "Bearer sk_test_good"),
        ("content-type", "application/json"),
        ("host", "pay.example"),
    ];
    all.retain(|(name, _)| !headers.iter().any(|(other, _)| other == name));
    all.extend(headers.iter().filter(|(_, value)| !value.is_empty()));
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in all {
        request = request.header(name, value);
    }
    request.body(Body::from(body.to_owned())).unwrap()
}

const GRAPHQL_RESPONSE: (&str, &str) = ("accept", "application/graphql-response+json");

#[test]
fn the_answer_has_the_type_that_was_asked_for() {
    let site = Site::new();
    assert_eq!(
        site.query("{a}", &[]).header("content-type"),
        "application/json; charset=utf-8"
    );
    let reply = site.query("{a}", &[GRAPHQL_RESPONSE]);
    assert_eq!(
        reply.header("content-type"),
        "application/graphql-response+json; charset=utf-8"
    );
    let reply = site.query("{a}", &[("accept", "text/html")]);
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
        "{\"notquery\": \"{a}\"}",
        "{\"query\": 0}",
        "{\"query\": \"{a}\", \"variables\": []}",
    ] {
        for headers in [&[][..], &[GRAPHQL_RESPONSE]] {
            let reply = site.post(body, headers);
            assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{body}");
            assert!(reply.code().starts_with("error.graphql."));
        }
    }
    assert_eq!(
        site.post("{\"query\": \"{a}\"}", &[("content-type", "")])
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
        "Basic sk_test_good",
        "sk_test_good",
    ] {
        let reply = site.query("{a}", &[("authorization", credential)]);
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
        (StatusCode::ACCEPTED, r#"{"resumed":1,"started":2}"#)
    );
    let (public, none) = (
        ("authorization", "Bearer pk_test_good"),
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
        send("{\"payment\": \"x\"}", &[]).code(),
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
    assert_eq!(site.query("{a}", &[]).status, StatusCode::OK);
    let reply = site.query("{a}", &[]);
    assert_eq!(
        (reply.status, reply.code().as_str()),
        (StatusCode::TOO_MANY_REQUESTS, "error.rate-limited")
    );
    assert_eq!(reply.header("retry-after"), "1");
}

#[test]
fn whoever_stops_takes_no_work_and_is_not_ready_but_lives() {
    let site = Site::new();
    let get = |path: &str| site.ask(request(HttpMethod::GET, path, "", &[])).status;
    assert_eq!(get("/health/ready"), StatusCode::OK);
    site.web.leave();
    assert_eq!(get("/health/ready"), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(site.query("{a}", &[]).status, StatusCode::OK, "not yet");
    site.web.drain();
    let reply = site.query("{a}", &[]);
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
    let reply = site.query("hang", &[]);
    assert_eq!(
        (reply.status, reply.code().as_str()),
        (StatusCode::GATEWAY_TIMEOUT, "error.unavailable")
    );
}

#[test]
fn a_panic_is_told_as_a_defect_with_the_request_s_id_and_nothing_else() {
    let site = Site::new();
    let reply = site.query("panic", &[("x-request-id", "mine-1")]);
    assert_eq!(
        (reply.status, reply.code().as_str()),
        (StatusCode::OK, "error.unknown")
    );
    assert!(
        reply.text.contains("\"requestId\":\"mine-1\"") && reply.text.contains("\"noTrace\":false")
    );
    assert!(!reply.text.contains("a defect"));
    assert_eq!(
        site.query("panic", &[GRAPHQL_RESPONSE]).status,
        StatusCode::INTERNAL_SERVER_ERROR
    );
}

#[test]
fn every_response_has_a_request_id_and_the_headers_of_caution() {
    let site = Site::new();
    let kept = site.query("{a}", &[("x-request-id", "mine-1")]);
    assert_eq!(kept.header("x-request-id"), "mine-1");
    for reply in [
        site.query("{a}", &[("x-request-id", "not mine")]),
        site.query("{a}", &[("authorization", "")]),
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
        "/api/graphql?query=%7Ba%7D",
        "",
        &[],
    ));
    assert_eq!(
        (reply.status, reply.text.as_str()),
        (StatusCode::OK, r#"{"data":{"key":null}}"#)
    );
    assert_eq!(
        site.ask(request(HttpMethod::GET, "/api/graphql", "", &[]))
            .status,
        StatusCode::BAD_REQUEST
    );
    let reply = site.ask(request(
        HttpMethod::GET,
        "/api/graphql?query=mutation",
        "",
        &[],
    ));
    assert_eq!(
        (reply.status, reply.header("allow")),
        (StatusCode::METHOD_NOT_ALLOWED, "POST")
    );
    assert_eq!(site.query("mutation", &[]).status, StatusCode::OK);
}

#[test]
fn a_remembered_result_is_marked() {
    let site = Site::new();
    assert_eq!(
        site.query("replay", &[]).header("idempotency-replayed"),
        "true"
    );
    assert!(
        !site
            .query("{a}", &[])
            .headers
            .contains_key("idempotency-replayed")
    );
}

#[test]
fn several_idempotency_keys_become_one_that_is_never_valid() {
    let site = Site::new();
    let two = [("x-idempotency-key", "k"), ("x-idempotency-key", "k")];
    assert_eq!(site.query("{a}", &two).text, r#"{"data":{"key":""}}"#);
    assert_eq!(site.query("{a}", &two[..1]).text, r#"{"data":{"key":"k"}}"#);
    let both = |theirs| [("x-idempotency-key", "k"), ("idempotency-key", theirs)];
    assert_eq!(
        site.query("{a}", &both("k")).text,
        r#"{"data":{"key":"k"}}"#
    );
    assert_eq!(site.query("{a}", &both("l")).text, r#"{"data":{"key":""}}"#);
    assert_eq!(
        site.query("{a}", &both("k")[1..]).text,
        r#"{"data":{"key":"k"}}"#
    );
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
    assert_eq!(
        books("Bearer sk_test_good").text,
        r#"{"entries":[],"reference":"a-b"}"#
    );
    assert_eq!(books("").status, StatusCode::UNAUTHORIZED);
    let reply = books("Bearer pk_test_good");
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
        site.query("{a}", &headers[..1])
            .header("access-control-allow-origin"),
        "*"
    );
    assert_eq!(
        reply.headers.get(header::ACCESS_CONTROL_ALLOW_CREDENTIALS),
        None
    );
}

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

impl Site {
    fn page(&self, token: &str) -> Reply {
        self.ask(request(
            HttpMethod::GET,
            &format!("/sandbox/pages/{token}"),
            "",
            &[("authorization", "")],
        ))
    }

    fn decide(&self, token: &str, form: &str) -> Reply {
        self.ask(request(
            HttpMethod::POST,
            &format!("/sandbox/pages/{token}"),
            form,
            &[("authorization", ""), FORM],
        ))
    }
}

#[test]
fn a_page_shows_what_is_asked_and_needs_no_credential() {
    let site = Site::new();
    let reply = site.page("waiting");
    assert_eq!(
        (reply.status, reply.header("content-type")),
        (StatusCode::OK, "text/html; charset=utf-8")
    );
    assert!(
        reply.text.contains("€12.34") && reply.text.contains("Visa ending in 3184"),
        "{}",
        reply.text
    );
    assert!(reply.text.contains("Books &lt;&amp;&gt; more"));
    assert!(reply.text.contains(">Approve<") && reply.text.contains(">Decline<"));
    for value in ["complete", "fail"] {
        assert!(
            reply
                .text
                .contains(&format!("name=\"outcome\" value=\"{value}\"")),
            "{}",
            reply.text
        );
    }
    assert!(!reply.text.contains("<script"));
    for (name, value) in [
        (
            "content-security-policy",
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'",
        ),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(reply.header(name), value);
    }
}

#[test]
fn a_page_that_is_decided_says_so_and_leads_back() {
    let site = Site::new();
    for (token, words) in [
        ("passed", "approved this already"),
        ("failed", "declined this already"),
        ("over", "given up"),
    ] {
        let text = site.page(token).text;
        assert!(
            text.contains(words) && text.matches("<button").count() == 1,
            "{text}"
        );
        let reply = site.decide(token, "outcome=complete");
        assert_eq!(
            (reply.status, reply.header("location")),
            (StatusCode::SEE_OTHER, "https://pay.example/3ds/abc")
        );
    }
}

#[test]
fn a_decision_sends_the_customer_back() {
    let site = Site::new();
    for outcome in ["complete", "fail"] {
        let reply = site.decide("waiting", &format!("outcome={outcome}"));
        assert_eq!(
            (reply.status, reply.header("location")),
            (StatusCode::SEE_OTHER, "https://pay.example/3ds/abc")
        );
    }
}

#[test]
fn whatever_is_wrong_at_a_page_is_told_by_a_page() {
    let site = Site::new();
    for (reply, status) in [
        (site.page("unknown"), StatusCode::NOT_FOUND),
        (
            site.decide("unknown", "outcome=fail"),
            StatusCode::NOT_FOUND,
        ),
        (
            site.decide("waiting", "outcome=other"),
            StatusCode::BAD_REQUEST,
        ),
        (site.decide("waiting", ""), StatusCode::BAD_REQUEST),
        (
            site.decide("waiting", &"a".repeat(5000)),
            StatusCode::PAYLOAD_TOO_LARGE,
        ),
        (site.page("broken"), StatusCode::SERVICE_UNAVAILABLE),
    ] {
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (status, "text/html; charset=utf-8"),
            "{}",
            reply.text
        );
    }
    site.web.drain();
    assert_eq!(site.page("waiting").status, StatusCode::SERVICE_UNAVAILABLE);
}

#[test]
fn who_comes_back_from_a_verification_sees_what_came_of_it() {
    let site = Site::new();
    for method in [HttpMethod::GET, HttpMethod::POST] {
        let open = |token: &str| {
            site.ask(request(
                method.clone(),
                &format!("/token-return/{token}"),
                "",
                &[("authorization", "")],
            ))
        };
        let reply = open("merchant");
        assert_eq!(
            (reply.status, reply.header("location")),
            (StatusCode::SEE_OTHER, "https://shop.example/?id=1")
        );
        let reply = open("unfinished");
        assert_eq!(reply.status, StatusCode::OK);
        assert!(
            reply.text.contains("<a href=\"https://issuer.example/1\""),
            "{}",
            reply.text
        );
        assert!(open("close").text.contains("You may close this page"));
        assert_eq!(open("unknown").status, StatusCode::NOT_FOUND);
        assert_eq!(open("broken").status, StatusCode::SERVICE_UNAVAILABLE);
    }
}
