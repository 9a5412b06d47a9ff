//! What the pages for shoppers have in common: for whom they are, their bounds, and what is shown when there is nothing else to
//! show.

use std::sync::Arc;

use axum::{extract::Request, response::Response};
use domain::{caller::Mode, method::Method};
use futures_util::FutureExt;
use http::{StatusCode, header};

use super::web::Web;
use crate::pages::{Language, Outcome, Purchase, Reader, Text, outcome};

/// The longest list of languages that is read. Unit: bytes.
const LANGUAGES: usize = 512;

/// For whom the page of a request is written.
pub(super) fn reader_of(web: &Web, request: &Request) -> Reader {
    let accepted = request.headers().get(header::ACCEPT_LANGUAGE);
    let accepted = accepted.and_then(|value| value.to_str().ok());
    let language = accepted
        .filter(|value| value.len() <= LANGUAGES)
        .map(Language::accepted);
    Reader {
        language: language.unwrap_or_default(),
        is_test: web.rules.mode == Mode::Test,
    }
}

/// Bounds a page's work by the time of a request, and counts it as work that a stop waits for.
pub(super) async fn in_time(
    web: &Arc<Web>,
    reader: Reader,
    work: impl Future<Output = Response> + Send,
) -> Response {
    let Some(_working) = web.begin() else {
        return unavailable(reader);
    };
    let answered = web
        .world
        .timeout(web.rules.request_timeout, work.boxed())
        .await;
    answered.unwrap_or_else(|_elapsed| {
        // Not 503: it may have been begun, and a balancer must not repeat it.
        let mut late = unavailable(reader);
        *late.status_mut() = StatusCode::GATEWAY_TIMEOUT;
        late
    })
}

/// No page of ours has that address.
pub(super) fn nothing_here(reader: Reader) -> Response {
    let nothing = Purchase::default();
    outcome(
        StatusCode::NOT_FOUND,
        reader,
        &nothing,
        &Outcome::NoSuchPage,
    )
}

/// The page can't be made now.
pub(super) fn unavailable(reader: Reader) -> Response {
    let status = StatusCode::SERVICE_UNAVAILABLE;
    outcome(status, reader, &Purchase::default(), &Outcome::Unavailable)
}

/// A purchase as it stands on a page.
pub(super) fn shown(purchase: &engine::Purchase, language: Language) -> Purchase {
    Purchase {
        shop: purchase.shop.clone(),
        amount: (!purchase.money.is_zero()).then(|| purchase.money.formatted_in(language.code())),
        method: Some(method_name(purchase.method, language)),
        last4: purchase.last4.clone(),
        statement: purchase.statement.clone(),
    }
}

/// A method as shoppers know it: `VISA` as `Visa`, `BUY_NOW_PAY_LATER` as `Buy now, pay later`.
pub(super) fn method_name(method: Method, language: Language) -> String {
    let name = match method.public().code() {
        "CARD" => Text::Card.in_language(language),
        "BUY_NOW_PAY_LATER" => Text::BuyNowPayLater.in_language(language),
        "OPENBANKING" => Text::OpenBanking.in_language(language),
        "AMEX" => "American Express",
        "JCB" => "JCB",
        "UNIONPAY" => "UnionPay",
        "PAYPAL" => "PayPal",
        "IDEAL" => "iDEAL",
        "BAN_CONTACT" => "Bancontact",
        "GIRO_PAY" => "giropay",
        "AFTER_PAY" => "Afterpay",
        "CLEAR_PAY" => "Clearpay",
        "ALI_PAY" => "Alipay",
        "WE_CHAT" => "WeChat Pay",
        other => {
            let (first, rest) = other.split_at(1);
            return format!("{first}{}", rest.to_ascii_lowercase().replace('_', " "));
        }
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_have_the_names_that_shoppers_know() {
        for (code, name) in [
            ("VISA", "Visa"),
            ("CARD", "Carte"),
            ("AMEX", "American Express"),
            ("BNPLA", "Klarna"),
            ("WALLETC", "PayPal"),
            ("IDEAL", "iDEAL"),
            ("SEPA_DIRECT_DEBIT", "Sepa direct debit"),
            ("BUY_NOW_PAY_LATER", "Paiement différé"),
        ] {
            let method = Method::parse(code).unwrap();
            assert_eq!(method_name(method, Language::French), name, "{code}");
        }
    }
}
