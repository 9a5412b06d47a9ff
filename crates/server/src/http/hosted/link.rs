//! `GET /pay/{token}`: a payment link.

use std::sync::Arc;

use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use domain::{
    money::Money,
    payment_link::{LinkStatus, PaymentLink},
};
use engine::{LinkPage, LinkVisit, PaidReceipt};
use http::StatusCode;
use serde_json::json;
use web::{
    Language, Text,
    sdk::{BridgeEvent, Fact, FirstOptions, Hosted, Message, Tone, Words},
};

use super::{
    super::{
        edge::{network_of, source_of},
        shopper::{in_time, method_name, reader_of},
        web::Web,
    },
    Seller, ended, form, language_of, language_option, lines, message, own_host, unavailable,
};

/// A page of which the outcome is not known asks again after so many seconds.
const AGAIN: u32 = 5;

/// How much of a time is its day.
const DAY: usize = "2026-01-31".len();

/// `GET /pay/{token}`.
pub(in super::super) async fn show(
    State(web): State<Arc<Web>>,
    token: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let network = network_of(&request, &web.rules.trusted_proxies);
    let source = source_of(&request, &web.rules.trusted_proxies);
    let reader = reader_of(&web, &request);
    let query = request.uri().query();
    let language = language_of(query, reader.language);
    let words = Words::chosen(language_option(query).as_ref(), reader.language);
    in_time(&web, reader, async {
        let Ok(Path(token)) = token else {
            return unknown(&web, language);
        };
        let engine = web.service.engine.for_customer(source);
        match engine.visit_link(&token, network).await {
            Ok(Some(page)) => shown(&web, page, words).await,
            Ok(None) => unknown(&web, language),
            Err(fault) => unavailable(&web, language, &fault),
        }
    })
    .await
}

async fn shown(web: &Web, page: LinkPage, words: Words) -> Response {
    let language = words.language();
    let LinkPage { shop, link, visit } = page;
    let seller = Seller {
        name: shop.name,
        logo: shop.logo,
    };
    match visit {
        LinkVisit::Open { client_token } => {
            let page = hosted(web, seller, &link, &client_token, words).await;
            form(web, &page, false)
        }
        LinkVisit::Paid(receipt) => message(
            web,
            StatusCode::OK,
            &paid(seller, language, &link, &receipt),
        ),
        LinkVisit::InDoubt => message(
            web,
            StatusCode::ACCEPTED,
            &in_doubt(seller, language, &link),
        ),
        LinkVisit::Over(status) => message(
            web,
            StatusCode::GONE,
            &over(seller, language, &link, status),
        ),
    }
}

/// The form, bound to what the link is for. Saved cards are never listed: who has the address need not be who was meant.
async fn hosted(
    web: &Web,
    seller: Seller,
    link: &PaymentLink,
    client_token: &str,
    words: Words,
) -> Hosted {
    let language = words.language();
    let mut options = json!({
        "apiKey": client_token,
        "amount": link.money.minor(),
        "currencyCode": link.money.currency().code(),
        "flowId": link.flow.as_str(),
        "allowSaveCard": false,
        "language": words.option(),
    });
    let texts = [
        ("orderId", link.order_id.clone()),
        ("intentId", link.intent.map(|intent| intent.to_string())),
    ];
    for (name, text) in texts {
        if let (Some(text), Some(options)) = (text, options.as_object_mut()) {
            options.insert(name.to_owned(), text.into());
        }
    }
    let cart = match link.intent {
        Some(intent) => {
            let operator = domain::caller::Caller::operator(link.team, web.rules.mode);
            let found = web.service.engine.intent(&operator, intent).await;
            found.ok().and_then(|view| view.intent.cart)
        }
        None => None,
    };
    Hosted {
        asks_first: web.service.engine.has_hosted_fields(),
        shop_name: seller.name,
        logo: seller.logo,
        back: way_back(link),
        amount: link.money.formatted_in(language.code()),
        description: link.description.clone(),
        cart: lines(cart.as_ref(), link.money.currency(), language),
        options: options.to_string(),
        host: own_host(web),
        first: FirstOptions::default(),
        words,
    }
}

fn way_back(link: &PaymentLink) -> Option<String> {
    let address = link.return_url.as_ref()?;
    Some(address.as_str().to_owned())
}

/// The receipt, also when the page is loaded again later.
fn paid(seller: Seller, language: Language, link: &PaymentLink, receipt: &PaidReceipt) -> Message {
    let payment = &receipt.payment;
    let amount = payment.money().formatted_in(language.code());
    let id = payment.id().to_string();
    let status = payment.status().text();
    let data = json!({"data": {"authorizePayment": {"id": id, "status": status}}, "errors": []});
    let received = || {
        let text = Text::Received.in_language(language);
        let text = text.replace("{amount}", &amount);
        text.replace("{shop}", &seller.name)
    };
    let (title, thanks) = match given_back(payment.status()) {
        Some(text) => (text, None),
        None => (Text::ThankYou, Some(received())),
    };
    let keep = Text::KeepPage.in_language(language).to_owned();
    let paragraphs = link.description.iter().cloned().chain(thanks).chain([keep]);
    Message {
        tone: Tone::Paid,
        paragraphs: paragraphs.collect(),
        facts: facts(language, link, receipt),
        back: way_back(link),
        event: Some(BridgeEvent {
            name: "paymentComplete",
            payload: data.to_string(),
        }),
        ..ended(seller, language, title, &[])
    }
}

/// What a customer needs to find the payment again.
fn facts(language: Language, link: &PaymentLink, receipt: &PaidReceipt) -> Vec<Fact> {
    let payment = &receipt.payment;
    let amount = payment.money().formatted_in(language.code());
    let day: String = receipt.at.rfc3339().chars().take(DAY).collect();
    let mut facts = vec![(Text::Amount, amount), (Text::Date, day)];
    let back = Money::new(payment.refunded(), payment.money().currency());
    if back.minor() > 0 {
        facts.insert(
            1,
            (Text::RefundedAmount, back.formatted_in(language.code())),
        );
    }
    let method = payment.method();
    if let Some(masked) = &method.masked {
        let last4: String = masked.chars().filter(char::is_ascii_digit).collect();
        let shown = Text::EndingIn.in_language(language);
        let shown = shown.replace("{method}", &method_name(method.method, language));
        facts.push((Text::PaidWith, shown.replace("{last4}", &last4)));
    }
    let order = payment.order_id().or(link.order_id.as_deref());
    facts.extend(order.map(|order| (Text::Order, order.to_owned())));
    facts.push((Text::Reference, payment.id().key()));
    let named = facts.into_iter().map(|(name, value)| Fact {
        name: name.in_language(language).to_owned(),
        value,
    });
    named.collect()
}

/// What is to be said of a payment that was given back.
fn given_back(status: domain::payment::Status) -> Option<Text> {
    use domain::payment::Status;
    match status {
        Status::Refunded => Some(Text::Refunded),
        Status::PartialRefunded => Some(Text::PartlyRefunded),
        Status::RefundPending => Some(Text::RefundUnderWay),
        _ => None,
    }
}

fn in_doubt(seller: Seller, language: Language, link: &PaymentLink) -> Message {
    let texts = [Text::InDoubt, Text::AsksItself];
    Message {
        tone: Tone::Waiting,
        back: way_back(link),
        again_in: Some(AGAIN),
        event: None,
        ..ended(seller, language, Text::AskingBank, &texts)
    }
}

fn over(seller: Seller, language: Language, link: &PaymentLink, status: LinkStatus) -> Message {
    let why = match status {
        LinkStatus::Expired => Text::LinkExpired,
        LinkStatus::Ended | LinkStatus::Open | LinkStatus::Paid => Text::LinkWithdrawn,
    };
    Message {
        back: way_back(link),
        ..ended(seller, language, Text::LinkEnded, &[why, Text::NewLink])
    }
}

/// No link has this address.
fn unknown(web: &Web, language: Language) -> Response {
    let texts = [Text::LinkIncomplete];
    let page = ended(Seller::default(), language, Text::NoSuchPage, &texts);
    message(web, StatusCode::NOT_FOUND, &page)
}
