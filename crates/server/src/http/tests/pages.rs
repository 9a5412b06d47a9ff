//! Pages for shoppers.

use connectors::simulator::{Page, Progress};
use domain::{
    answer::ActionKind,
    method::Method,
    money::{Currency, Money},
};
use engine::TokenReturn;

use super::*;
use crate::pages::{Language, Reader};

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

fn text_of(response: Response) -> String {
    let (_, sim) = World::simulated(1);
    sim.run_until(Reply::of(response)).unwrap().text
}

const ENGLISH: Reader = Reader {
    language: Language::English,
    is_test: true,
};

fn shown(state: Progress) -> String {
    let page = Page {
        kind: ActionKind::ThreeDSecure,
        state,
        method: Some(Method::Visa),
        last4: Some("3184".to_owned()),
        statement: Some("Books <&> more".to_owned()),
        money: Money::new(1234, Currency::parse("EUR").unwrap()),
        return_url: "https://pay.example/3ds/abc".to_owned(),
    };
    let shop = Some("Harbour Coffee".to_owned());
    text_of(sandbox_pages::shown(&page, shop, ENGLISH))
}

#[test]
fn a_page_shows_what_is_asked() {
    let text = shown(Progress::Waiting);
    assert!(
        text.contains("€12.34") && text.contains("Visa ending in 3184"),
        "{text}"
    );
    assert!(text.contains("Books &#60;&#38;&#62; more"));
    assert!(text.contains(">Approve<") && text.contains(">Decline<"));
    for value in ["complete", "fail"] {
        assert!(
            text.contains(&format!("name=\"outcome\" value=\"{value}\"")),
            "{text}"
        );
    }
    assert!(!text.contains("<script"));
}

#[test]
fn a_page_that_is_decided_says_so_and_leads_back() {
    for (state, words) in [
        (Progress::Passed, "approved this already"),
        (Progress::Failed, "declined this already"),
        (Progress::Over, "given up"),
    ] {
        let text = shown(state);
        assert!(
            text.contains(words) && text.matches("<button").count() == 1,
            "{text}"
        );
    }
}

#[test]
fn whatever_is_wrong_at_a_page_is_reported_by_a_page() {
    let site = Site::new();
    for (reply, status) in [
        (site.page("unknown"), StatusCode::NOT_FOUND),
        (
            site.decide("unknown", "outcome=fail"),
            StatusCode::NOT_FOUND,
        ),
        (
            site.decide("unknown", "outcome=other"),
            StatusCode::BAD_REQUEST,
        ),
        (site.decide("unknown", ""), StatusCode::BAD_REQUEST),
        (
            site.decide("unknown", &"a".repeat(5000)),
            StatusCode::PAYLOAD_TOO_LARGE,
        ),
    ] {
        assert_eq!(reply.status, status, "{}", reply.text);
        for (name, value) in [
            ("content-type", "text/html; charset=utf-8"),
            (
                "content-security-policy",
                "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'",
            ),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(reply.header(name), value);
        }
    }
    site.web.drain();
    assert_eq!(site.page("unknown").status, StatusCode::SERVICE_UNAVAILABLE);
}

#[test]
fn who_comes_back_from_a_verification_sees_what_came_of_it() {
    let shop = "https://shop.example/?id=1".to_owned();
    let back = token_return::shown(&TokenReturn::Merchant(shop.clone()), None, ENGLISH);
    assert_eq!(
        (back.status(), back.headers()["location"].to_str().unwrap()),
        (StatusCode::SEE_OTHER, shop.as_str())
    );
    let issuer = "https://issuer.example/1".to_owned();
    let unfinished = text_of(token_return::shown(
        &TokenReturn::Unfinished(issuer),
        None,
        ENGLISH,
    ));
    assert!(
        unfinished.contains("href=\"https://issuer.example/1\""),
        "{unfinished}"
    );
    let closed = text_of(token_return::shown(
        &TokenReturn::Close { completed: true },
        Some("Harbour Coffee".to_owned()),
        ENGLISH,
    ));
    assert!(
        closed.contains("You may close this page") && closed.contains("Harbour Coffee"),
        "{closed}"
    );
    let site = Site::new();
    for method in [HttpMethod::GET, HttpMethod::POST] {
        let anonymous = [("authorization", "")];
        let reply = site.ask(request(method, "/token-return/unknown", "", &anonymous));
        assert_eq!(reply.status, StatusCode::NOT_FOUND);
    }
}

#[test]
fn live_mode_has_pages_for_shoppers_and_nothing_of_the_sandbox() {
    let anonymous = [("authorization", ""), ("accept-language", "nl")];
    let (live, sandbox) = (Site::live(), Site::new());
    let get = |site: &Site, path: &str| site.ask(request(HttpMethod::GET, path, "", &anonymous));
    for path in ["/", "/explorer", "/sandbox/pages/unknown"] {
        assert_eq!(get(&live, path).status, StatusCode::NOT_FOUND, "{path}");
        assert!(get(&live, path).text.starts_with('{'), "{path}");
        assert_ne!(get(&sandbox, path).text.chars().next(), Some('{'), "{path}");
    }
    for file in ::web::files() {
        let path = format!("{}{}", ::web::folder(), file.path);
        let (in_live, in_sandbox) = (get(&live, &path), get(&sandbox, &path));
        assert_eq!(
            in_live.status == StatusCode::OK,
            !file.is_of_sandbox,
            "{path}"
        );
        assert_eq!(in_sandbox.status, StatusCode::OK, "{path}");
        for (name, value) in [
            ("cache-control", "public, max-age=31536000, immutable"),
            ("cross-origin-resource-policy", "cross-origin"),
            ("content-type", file.media_type()),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(in_sandbox.header(name), value, "{path}");
        }
    }
    let (in_live, in_sandbox) = (get(&live, "/3ds/x"), get(&sandbox, "/3ds/x"));
    assert!(in_live.text.contains("<title>Deze pagina bestaat niet<"));
    assert!(
        in_sandbox
            .text
            .contains("<title>TEST · Deze pagina bestaat niet<")
    );
    assert_eq!(in_live.header("content-language"), "nl");
}
