//! `GET /pay/{token}`: a payment link.

use std::sync::Arc;

use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use domain::payment_link::{LinkStatus, PaymentLink};
use engine::{LinkPage, LinkVisit, PaidReceipt};
use http::StatusCode;
use serde_json::json;
use web::sdk::{BridgeEvent, Fact, Hosted, Message, Tone};

use super::{
    super::{
        edge::{network_of, source_of},
        shopper::{in_time, method_name, reader_of},
        web::Web,
    },
    Seller, ended, form, lines, message, own_host, unavailable,
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
    in_time(&web, reader, async {
        let Ok(Path(token)) = token else {
            return unknown(&web);
        };
        let engine = web.service.engine.for_customer(source);
        match engine.visit_link(&token, network).await {
            Ok(Some(page)) => shown(&web, page).await,
            Ok(None) => unknown(&web),
            Err(fault) => unavailable(&web, &fault),
        }
    })
    .await
}

async fn shown(web: &Web, page: LinkPage) -> Response {
    let LinkPage { shop, link, visit } = page;
    let seller = Seller {
        name: shop.name,
        logo: shop.logo,
    };
    match visit {
        LinkVisit::Open { client_token } => {
            let page = hosted(web, seller, &link, &client_token).await;
            form(web, &page)
        }
        LinkVisit::Paid(receipt) => message(web, StatusCode::OK, &paid(seller, &link, &receipt)),
        LinkVisit::InDoubt => message(web, StatusCode::ACCEPTED, &in_doubt(seller, &link)),
        LinkVisit::Over(status) => message(web, StatusCode::GONE, &over(seller, &link, status)),
    }
}

/// The form, bound to what the link is for. Saved cards are never listed: who has the address need not be who was meant.
async fn hosted(web: &Web, seller: Seller, link: &PaymentLink, client_token: &str) -> Hosted {
    let mut options = json!({
        "apiKey": client_token,
        "amount": link.money.minor(),
        "currencyCode": link.money.currency().code(),
        "flowId": link.flow.as_str(),
        "allowSaveCard": false,
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
        shop_name: seller.name,
        logo: seller.logo,
        back: way_back(link),
        amount: link.money.formatted(),
        description: link.description.clone(),
        cart: lines(cart.as_ref(), link.money.currency()),
        options: options.to_string(),
        host: own_host(web),
    }
}

fn way_back(link: &PaymentLink) -> Option<String> {
    let address = link.return_url.as_ref()?;
    Some(address.as_str().to_owned())
}

/// The receipt, also when the page is loaded again later.
fn paid(seller: Seller, link: &PaymentLink, receipt: &PaidReceipt) -> Message {
    let payment = &receipt.payment;
    let amount = payment.money().formatted();
    let mut facts = vec![
        ("Amount", amount.clone()),
        ("Date", receipt.at.rfc3339().chars().take(DAY).collect()),
    ];
    let method = payment.method();
    if let Some(masked) = &method.masked {
        let last4: String = masked.chars().filter(char::is_ascii_digit).collect();
        facts.push((
            "Paid with",
            format!(
                "{} ending in {last4}",
                method_name(method.method, web::Language::English)
            ),
        ));
    }
    let order = payment.order_id().or(link.order_id.as_deref());
    facts.extend(order.map(|order| ("Order", order.to_owned())));
    facts.push(("Reference", payment.id().key()));
    let id = payment.id().to_string();
    let status = payment.status().text();
    let data = json!({"data": {"authorizePayment": {"id": id, "status": status}}, "errors": []});
    let returned = given_back(payment.status());
    let thanks = match returned {
        Some(words) => words.to_owned(),
        None => format!("{} has received your payment of {amount}.", seller.name),
    };
    Message {
        tone: Tone::Paid,
        paragraphs: vec![
            thanks,
            "You can keep or print this page. Nothing more is to be paid.".to_owned(),
        ],
        facts: facts
            .into_iter()
            .map(|(name, value)| Fact {
                name: name.to_owned(),
                value,
            })
            .collect(),
        back: way_back(link),
        event: Some(BridgeEvent {
            name: "paymentComplete",
            payload: data.to_string(),
        }),
        ..ended(seller, "Thank you", &[])
    }
}

/// What is to be said of a payment that was given back.
fn given_back(status: domain::payment::Status) -> Option<&'static str> {
    use domain::payment::Status;
    match status {
        Status::Refunded => Some("This payment was made, and has been refunded in full."),
        Status::PartialRefunded => {
            Some("This payment was made, and a part of it has been refunded.")
        }
        Status::RefundPending => Some("This payment was made, and a refund is under way."),
        _ => None,
    }
}

fn in_doubt(seller: Seller, link: &PaymentLink) -> Message {
    Message {
        tone: Tone::Waiting,
        back: way_back(link),
        again_in: Some(AGAIN),
        event: None,
        ..ended(
            seller,
            "We are asking your bank",
            &[
                "A payment is under way, and it is not known yet how it ends. Please don't pay again.",
                "This page asks by itself and shows the end as soon as it is known.",
            ],
        )
    }
}

fn over(seller: Seller, link: &PaymentLink, status: LinkStatus) -> Message {
    let why = match status {
        LinkStatus::Expired => "The time to pay with it is over.",
        LinkStatus::Ended | LinkStatus::Open | LinkStatus::Paid => "The shop has withdrawn it.",
    };
    Message {
        back: way_back(link),
        ..ended(
            seller,
            "This link has ended",
            &[
                why,
                "Nothing was charged by opening it. Please ask the shop for a new one.",
            ],
        )
    }
}

/// No link has this address.
fn unknown(web: &Web) -> Response {
    let page = ended(
        Seller::default(),
        "There is no such page",
        &["The address is not complete, or is out of use. Please ask the shop for a new link."],
    );
    message(web, StatusCode::NOT_FOUND, &page)
}
