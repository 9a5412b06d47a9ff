//! A request for an authorisation as it is sent. Source: docs/processors/adyen.md, "Calls" and "Stored credentials, wallets, 3D Secure".

use connector::{Authorise, CallError, CardData, Cryptogram, FundingSource};
use domain::{browser::Browser, card_number::SecurityCode, method::Method, payment::ThreeDsWish};
use serde_json::{Map, Value, json};

use super::{
    amounts,
    methods::{Page, one_line},
    shopper, stored,
};

/// The longest text on a statement. Source: docs/processors/adyen.md, "Addresses and requests".
const STATEMENT_MAX: usize = 22;

/// Where nobody comes back to. The address is required; `.invalid` leads nowhere (RFC 2606).
const NOWHERE: &str = "https://return.invalid/";

/// The body, and whether it is paid with a card.
pub(super) struct Payment {
    pub(super) body: Value,
    pub(super) is_card: bool,
}

/// The request for a call.
///
/// # Errors
/// What Adyen can't be asked for: nothing is sent.
pub(super) fn of(call: &Authorise<'_>, account: &str) -> Result<Payment, CallError> {
    let amount = amounts::to_wire(call.money)
        .map_err(|why| CallError::rejected(format!("the amount {why}")))?;
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    let currency = call.money.currency().code();
    put("amount", json!({"value": amount, "currency": currency}));
    put("merchantAccount", account.into());
    put("reference", call.reference.as_str().into());
    let return_url = call.three_ds.return_url.unwrap_or(NOWHERE);
    put("returnUrl", return_url.into());
    put("channel", "Web".into());
    if call.capture {
        put("captureDelayHours", 0.into());
    } else {
        put("additionalData", json!({"manualCapture": "true"}));
    }
    let interaction = if call.merchant_initiated {
        "ContAuth"
    } else {
        "Ecommerce"
    };
    put("shopperInteraction", interaction.into());
    if let Some(statement) = call.statement_descriptor.and_then(statement) {
        put("shopperStatement", statement.into());
    }
    let is_card = matches!(
        call.funding_source,
        FundingSource::Card(_) | FundingSource::NetworkToken { .. } | FundingSource::StoredCard(_)
    );
    if is_card {
        for (name, value) in of_card(call)? {
            put(name, value);
        }
    } else {
        let (page, method) = Page::asked(call)?;
        put("paymentMethod", method);
        if page.wants_lines() {
            let what = call.statement_descriptor.unwrap_or("Order");
            put("lineItems", one_line(amount, what));
        }
    }
    for (name, value) in shopper::of(call) {
        put(name, value);
    }
    if let Some(browser) = call.three_ds.browser.and_then(browser_info) {
        put("browserInfo", browser);
    }
    let body = Value::Object(body);
    Ok(Payment { body, is_card })
}

/// What is sent for a card alone.
fn of_card(call: &Authorise<'_>) -> Result<Vec<(&'static str, Value)>, CallError> {
    let mut parts = vec![
        // So that the customer is sent to a page and back by links alone, which a browser can follow from anywhere.
        ("redirectToIssuerMethod", "GET".into()),
        ("redirectFromIssuerMethod", "GET".into()),
        ("authenticationData", authentication(call.three_ds.wish)),
    ];
    parts.extend(stored::agreement(call));
    match call.funding_source {
        FundingSource::Card(card) => parts.push(("paymentMethod", stored::numbered(call, card))),
        FundingSource::StoredCard(card) => parts.push(("paymentMethod", stored::method(card))),
        FundingSource::NetworkToken { card, cryptogram } => {
            parts.push(("paymentMethod", token_method(card, call.method)));
            parts.push(("mpiData", authenticated(cryptogram)));
        }
        FundingSource::Account(_) | FundingSource::Token(_) | FundingSource::Page => {
            return Err(CallError::Unsupported);
        }
    }
    Ok(parts)
}

/// By redirect alone: what happens inside a page needs Adyen's script.
fn authentication(wish: ThreeDsWish) -> Value {
    let page = json!({"nativeThreeDS": "disabled"});
    match wish {
        ThreeDsWish::Request => {
            json!({"attemptAuthentication": "always", "threeDSRequestData": page})
        }
        ThreeDsWish::Avoid => json!({"attemptAuthentication": "never", "threeDSRequestData": page}),
        ThreeDsWish::AsIssuer => json!({ "threeDSRequestData": page }),
    }
}

pub(super) fn card_method(card: &CardData, method: Method) -> Value {
    let kind = if method == Method::BanContact {
        "bcmc"
    } else {
        "scheme"
    };
    let mut value = json!({
        "type": kind,
        "number": card.number.expose(),
        "expiryMonth": format!("{:02}", card.expiry.month()),
        "expiryYear": card.expiry.year().to_string(),
    });
    if let Some(members) = value.as_object_mut() {
        if let Some(code) = card.cvc.as_ref().map(SecurityCode::expose) {
            members.insert("cvc".to_owned(), code.into());
        }
        if let Some(name) = card.name.as_deref().filter(|name| !name.trim().is_empty()) {
            members.insert("holderName".to_owned(), name.into());
        }
    }
    value
}

/// A wallet's number of the device.
fn token_method(card: &CardData, method: Method) -> Value {
    let mut value = card_method(card, method);
    if let Some(members) = value.as_object_mut() {
        members.insert("type".to_owned(), "networkToken".into());
        let brand = match method.canonical() {
            Method::WalletbPay => Some("applepay"),
            Method::WalletaPay => Some("googlepay"),
            _ => None,
        };
        if let Some(brand) = brand {
            members.insert("brand".to_owned(), brand.into());
        }
    }
    value
}

/// What a wallet gave in place of the customer's authentication.
fn authenticated(cryptogram: &Cryptogram) -> Value {
    let mut value = json!({
        "authenticationResponse": "Y",
        "directoryResponse": "Y",
        "tokenAuthenticationVerificationValue": cryptogram.value,
    });
    if let (Some(members), Some(eci)) = (value.as_object_mut(), &cryptogram.eci) {
        members.insert("eci".to_owned(), eci.as_str().into());
    }
    value
}

/// A browser that says all that Adyen requires of one; `None`: it is left out.
fn browser_info(browser: &Browser) -> Option<Value> {
    Some(json!({
        "acceptHeader": browser.accept_header.as_deref()?,
        "colorDepth": browser.color_depth?,
        "javaEnabled": browser.java_enabled.unwrap_or(false),
        "language": browser.language.as_deref()?,
        "screenHeight": browser.screen_height?,
        "screenWidth": browser.screen_width?,
        "timeZoneOffset": browser.time_zone_offset?,
        "userAgent": browser.user_agent.as_deref()?,
    }))
}

/// The text as Adyen takes it: no more than banks show, without what it refuses.
fn statement(text: &str) -> Option<String> {
    let fits = |letter: &char| {
        letter.is_ascii_alphanumeric()
            || matches!(
                letter,
                ' ' | '.' | ',' | '\'' | '_' | '-' | '?' | '+' | '*' | '/'
            )
    };
    let kept: String = text.chars().filter(fits).take(STATEMENT_MAX).collect();
    let kept = kept.trim();
    (!kept.is_empty()).then(|| kept.to_owned())
}
