//! Pages of our own on which customers pay: the hosted page, and payment links.
//!
//! The form is in the first response. The credential in the address or in the form is never logged, nor sent to another page: nothing
//! here is kept by a cache, framed by a page, or named to where a link leads.

mod checkout;
mod link;
mod parameters;
mod saved_cards;

use std::sync::Arc;

use axum::{Router, response::Response, routing::get};
use domain::{
    Code, Fault,
    intent::Cart,
    money::{Currency, Money},
};
use http::StatusCode;
use serde_json::Value;
use web::{
    Language, Text,
    sdk::{BridgeEvent, CartLine, Hosted, Message, Tone, Words},
};

use super::{
    query_text,
    sdk::{Policy, mode, page_assets, with_policy},
    web::Web,
};

/// The routes of these pages.
pub(super) fn routes() -> Router<Arc<Web>> {
    Router::new()
        .route("/checkout", get(checkout::show))
        .route("/pay/{token}", get(link::show))
        // Links are cut off in messages.
        .route("/pay/", get(link::show))
        .route("/pay", get(link::show))
}

/// Who sells, as a page says it.
#[derive(Debug, Clone, Default)]
struct Seller {
    name: String,
    logo: Option<String>,
}

/// Long enough that nobody guesses it. Unit: letters and digits.
const NONCE_LENGTH: usize = 22;

/// A page with the form. `with_network`: wallet A's network runs its script in it.
fn form(web: &Web, page: &Hosted, with_network: bool) -> Response {
    let mut assets = page_assets("hosted.js");
    if with_network {
        assets.nonce = web.world.token(NONCE_LENGTH);
    }
    let text = web::sdk::hosted(&assets, mode(web), page);
    let policy = Policy {
        network_nonce: &assets.nonce,
        ..policy(page.logo.as_deref())
    };
    with_policy(StatusCode::OK, text, &policy)
}

/// A page in place of the form.
fn message(web: &Web, status: StatusCode, page: &Message) -> Response {
    let text = web::sdk::message(&page_assets("message.js"), mode(web), page);
    with_policy(status, text, &policy(page.logo.as_deref()))
}

/// What such a page may load: our own files, the inside of our dialogs, and the shop's logo.
fn policy(logo: Option<&str>) -> Policy<'_> {
    Policy {
        ancestors: "",
        frames: "'self'",
        pictures: logo.map_or("", origin_of),
        ..Policy::default()
    }
}

/// The origin of an address of ours to check: what stands before its path.
fn origin_of(address: &str) -> &str {
    let host = address.find("://").map_or(0, |at| at + "://".len());
    let end = address
        .get(host..)
        .and_then(|rest| rest.find(['/', '?', '#']));
    let origin = end
        .and_then(|end| address.get(..host + end))
        .unwrap_or(address);
    // It stands in a header.
    if domain::team::origin(origin).is_some() {
        origin
    } else {
        ""
    }
}

/// The option `language` of an address: a code, or a merchant's own texts.
fn language_option(query: Option<&str>) -> Option<Value> {
    let pairs = query_text::pairs(query.unwrap_or_default())?;
    let mut given = pairs.into_iter().filter(|(name, _)| name == "language");
    let (_, text) = given.next()?;
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(&text).ok().filter(Value::is_object);
    }
    (!text.is_empty()).then(|| text.into())
}

/// The language of a page in place of the form: that of the address, else the one that the browser asks for.
fn language_of(query: Option<&str>, accepted: Language) -> Language {
    Words::chosen(language_option(query).as_ref(), accepted).language()
}

/// The lines of a cart, as people read them.
fn lines(cart: Option<&Cart>, currency: Currency, language: Language) -> Vec<CartLine> {
    let items = cart.into_iter().flat_map(|cart| &cart.items);
    let lines = items.map(|item| CartLine {
        quantity: item.quantity.to_string(),
        item: match &item.variant_title {
            Some(variant) => format!("{}, {variant}", item.title),
            None => item.title.clone(),
        },
        amount: Money::new(item.line_total, currency).formatted_in(language.code()),
    });
    lines.collect()
}

/// Where card details go to, as people read it.
fn own_host(web: &Web) -> String {
    let origin = web.service.engine.own_origin();
    origin
        .split_once("://")
        .map_or("", |(_, host)| host)
        .to_owned()
}

/// An end without a way on. An app reads it in English.
fn ended(seller: Seller, language: Language, title: Text, paragraphs: &[Text]) -> Message {
    let words = |text: &Text| text.in_language(language).to_owned();
    Message {
        language,
        shop_name: seller.name,
        logo: seller.logo,
        tone: Tone::Ended,
        title: words(&title),
        paragraphs: paragraphs.iter().map(words).collect(),
        details: Vec::new(),
        facts: Vec::new(),
        back: None,
        again_in: None,
        event: Some(app_error(title.in_language(Language::English))),
    }
}

/// What an app gets whose web view can't show the form.
fn app_error(message: &str) -> BridgeEvent {
    BridgeEvent {
        name: "error",
        payload: serde_json::json!({"error": {"message": message}}).to_string(),
    }
}

/// The service can't answer now; the page asks again by itself.
fn unavailable(web: &Web, language: Language, fault: &Fault) -> Response {
    let why = match fault.code {
        Code::RateLimited => Text::TooMany,
        _ => Text::Unavailable,
    };
    let texts = [why, Text::AsksAgain];
    let page = Message {
        tone: Tone::Waiting,
        again_in: Some(5),
        ..ended(Seller::default(), language, Text::OneMoment, &texts)
    };
    message(web, StatusCode::SERVICE_UNAVAILABLE, &page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logos_origin_fits_a_header_or_is_left_out() {
        assert_eq!(
            origin_of("https://cdn.example/l.svg"),
            "https://cdn.example"
        );
        assert_eq!(
            origin_of("https://cdn.example:8443?x"),
            "https://cdn.example:8443"
        );
        assert_eq!(origin_of("https://cdn.example"), "https://cdn.example");
        for bad in ["https://a b/x", "https://a;script-src *", "x", ""] {
            assert_eq!(origin_of(bad), "", "{bad}");
        }
    }
}
