//! The shop's addresses, the same as those of `examples/shop/server.mjs`.

use std::sync::Arc;

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use super::{Refusal, Shop, live, orders::products, text};
use crate::demo::receiver::Message;

/// The files of `examples/shop/public`, which the Node shop serves too.
macro_rules! page_file {
    ($name:literal) => {
        include_str!(concat!("../../../../../examples/shop/public/", $name))
    };
}

/// The largest request. Unit: bytes.
const LARGEST: usize = 64 * 1024;

pub(super) fn router(shop: Arc<Shop>) -> Router {
    Router::new()
        .route("/", get(page))
        .route(
            "/shop.js",
            get(async || file("text/javascript; charset=utf-8", page_file!("shop.js"))),
        )
        .route(
            "/shop.css",
            get(async || file("text/css; charset=utf-8", page_file!("shop.css"))),
        )
        .route(
            "/cup.svg",
            get(async || file("image/svg+xml", page_file!("cup.svg"))),
        )
        .route(
            "/api/products",
            get(async || json_of(StatusCode::OK, &products())),
        )
        .route("/api/checkout", post(check_out))
        .route("/api/pay", post(pay))
        .route("/api/orders/{id}", get(order))
        .route("/api/live/{id}", get(timeline))
        .route("/hooks", post(hooks))
        .layer(DefaultBodyLimit::max(LARGEST))
        .layer(middleware::from_fn_with_state(Arc::clone(&shop), headers))
        .with_state(shop)
}

/// The page may load the service's script and frame, and talk to the shop's server. That is all that the card form needs.
async fn headers(
    State(shop): State<Arc<Shop>>,
    request: axum::extract::Request,
    next: Next,
) -> Response {
    let mut response = next.run(request).await;
    let service = &shop.service;
    let policy = format!(
        "default-src 'none'; script-src 'self' {service}; frame-src {service}; connect-src 'self'; style-src 'self'; \
         img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn file(media: &'static str, content: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, media)], content.into()).into_response()
}

fn json_of(status: StatusCode, value: &Value) -> Response {
    let media = [(header::CONTENT_TYPE, "application/json")];
    (status, media, value.to_string()).into_response()
}

fn answered(result: Result<Value, Refusal>) -> Response {
    let (status, message) = match result {
        Ok(value) => return json_of(StatusCode::OK, &value),
        Err(Refusal::Wrong(why)) => (StatusCode::BAD_REQUEST, why),
        Err(Refusal::Away) => {
            let why = "The shop can’t reach the payment service.";
            (StatusCode::BAD_GATEWAY, why.to_owned())
        }
    };
    json_of(status, &json!({"message": message}))
}

/// The page, with the newest loader pinned by its hash.
async fn page(State(shop): State<Arc<Shop>>) -> Response {
    let Ok(reply) = shop.client.get("/sdk/v1/integrity.json").await else {
        return answered(Err(Refusal::Away));
    };
    let loaders = reply.json.pointer("/loaders").and_then(Value::as_array);
    let is_newest = |loader: &&Value| loader.pointer("/newest") == Some(&Value::Bool(true));
    let Some(newest) = loaders.and_then(|loaders| loaders.iter().find(is_newest)) else {
        return answered(Err(Refusal::Away));
    };
    let text = page_file!("index.html")
        .replace("{{loader}}", &text(newest, "/address"))
        .replace("{{integrity}}", &text(newest, "/integrity"))
        .replace("{{service}}", &shop.service);
    file("text/html; charset=utf-8", text)
}

/// What the page sends. JSON alone: other sites can't send that without asking first.
fn wanted(headers: &HeaderMap, body: &Bytes) -> Result<Value, Refusal> {
    let media = headers.get(header::CONTENT_TYPE);
    if media.is_none_or(|media| media != "application/json") {
        return Err(Refusal::Wrong("This address takes JSON.".to_owned()));
    }
    serde_json::from_slice(body).map_err(|_| Refusal::Wrong("That is no JSON.".to_owned()))
}

async fn check_out(State(shop): State<Arc<Shop>>, headers: HeaderMap, body: Bytes) -> Response {
    let wanted = wanted(&headers, &body);
    answered(match wanted {
        Ok(wanted) => {
            shop.check_out(&wanted.pointer("/items").cloned().unwrap_or_default())
                .await
        }
        Err(refusal) => Err(refusal),
    })
}

async fn pay(State(shop): State<Arc<Shop>>, headers: HeaderMap, body: Bytes) -> Response {
    let wanted = wanted(&headers, &body);
    answered(match wanted {
        Ok(wanted) => shop.pay(&wanted).await,
        Err(refusal) => Err(refusal),
    })
}

async fn order(State(shop): State<Arc<Shop>>, Path(id): Path<String>) -> Response {
    answered(shop.status_of(&id).await)
}

async fn timeline(State(shop): State<Arc<Shop>>, Path(id): Path<String>) -> Response {
    let order = match shop.order(&id) {
        Ok(order) => order,
        Err(refusal) => return answered(Err(refusal)),
    };
    match live::of_intent(shop, order.intent).await {
        Ok(body) => file("text/event-stream", body),
        Err(refusal) => answered(Err(refusal)),
    }
}

async fn hooks(State(shop): State<Arc<Shop>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    match Message::of(&headers, body) {
        Some(message) if shop.notified(&message).await => StatusCode::NO_CONTENT,
        _ => StatusCode::BAD_REQUEST,
    }
}
