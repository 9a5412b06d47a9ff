//! The shop's own server: it takes webhooks, and verifies them as any merchant's program does.

use std::sync::Arc;

use axum::{Router, body::Bytes, extract::State, http::HeaderMap, http::StatusCode};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::Timestamp;
use hmac::{Hmac, Mac};
use parking_lot::Mutex;
use serde_json::Value;
use sha2::Sha256;
use tokio::{net::TcpListener, task::AbortHandle};

/// How far the time of a webhook may be from now. Unit: seconds. Source: the libraries of Standard Webhooks.
const TOLERANCE: u64 = 5 * 60;

/// A webhook that arrived.
#[derive(Clone)]
pub(super) struct Message {
    id: String,
    timestamp: String,
    signatures: String,
    body: Bytes,
    /// The event in it.
    pub(super) event: Value,
}

impl Message {
    pub(super) fn of(headers: &HeaderMap, body: Bytes) -> Option<Self> {
        let text = |name: &str| Some(headers.get(name)?.to_str().ok()?.to_owned());
        Some(Self {
            id: text("webhook-id")?,
            timestamp: text("webhook-timestamp")?,
            signatures: text("webhook-signature")?,
            event: serde_json::from_slice(&body).ok()?,
            body,
        })
    }

    /// The kind of the event.
    pub(super) fn kind(&self) -> &str {
        self.text("/type")
    }

    /// The text at a place of the event; empty when there is none.
    pub(super) fn text(&self, pointer: &str) -> &str {
        let found = self.event.pointer(pointer).and_then(Value::as_str);
        found.unwrap_or_default()
    }

    /// Whether it was sent about now: an older one may be sent again by somebody else.
    pub(super) fn is_near(&self, now: Timestamp) -> bool {
        let sent: Option<i64> = self.timestamp.parse().ok();
        let now = now.micros().div_euclid(1_000_000);
        sent.is_some_and(|sent| now.abs_diff(sent) <= TOLERANCE)
    }

    /// Whether one of its signatures was made with this secret over id, time and body. Source: Standard Webhooks, "Signature scheme".
    pub(super) fn is_signed_with(&self, secret: &str) -> bool {
        let key = secret
            .strip_prefix("whsec_")
            .and_then(|text| STANDARD.decode(text).ok());
        let Some(mut mac) = key.and_then(|key| Hmac::<Sha256>::new_from_slice(&key).ok()) else {
            return false;
        };
        mac.update(format!("{}.{}.", self.id, self.timestamp).as_bytes());
        mac.update(&self.body);
        self.signatures
            .split(' ')
            .filter_map(|signature| STANDARD.decode(signature.strip_prefix("v1,")?).ok())
            .any(|signature| mac.clone().verify_slice(&signature).is_ok())
    }
}

type Messages = Arc<Mutex<Vec<Message>>>;

/// The shop's server. It ends when it is dropped.
pub(super) struct Receiver {
    /// Where it is called.
    pub(super) url: String,
    messages: Messages,
    task: AbortHandle,
}

impl Receiver {
    /// A server on a free port of this machine.
    ///
    /// # Errors
    /// There is none, for people.
    pub(super) async fn start() -> Result<Self, String> {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .map_err(|error| error.to_string())?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        let messages = Messages::default();
        let app = Router::new()
            .fallback(take)
            .with_state(Arc::clone(&messages));
        #[expect(
            clippy::disallowed_methods,
            reason = "the shop is a program of its own, in the time of the real world"
        )]
        let task = tokio::spawn(async move {
            // It ends with the story.
            let _ = axum::serve(listener, app).await;
        });
        Ok(Self {
            url: format!("http://{address}/hooks"),
            messages,
            task: task.abort_handle(),
        })
    }

    /// The first message of this kind about this payment, if it has come.
    pub(super) fn message(&self, kind: &str, payment: &str) -> Option<Message> {
        let messages = self.messages.lock();
        let about = |message: &&Message| {
            message.kind() == kind && message.text("/data/paymentId") == payment
        };
        messages.iter().find(about).cloned()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn take(State(messages): State<Messages>, headers: HeaderMap, body: Bytes) -> StatusCode {
    match Message::of(&headers, body) {
        Some(message) => {
            messages.lock().push(message);
            StatusCode::NO_CONTENT
        }
        None => StatusCode::BAD_REQUEST,
    }
}
