//! The timeline beside the shop's checkout: the feed of events tells when to read the payment again.

use std::{convert::Infallible, sync::Arc};

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use serde_json::{Value, json};

use super::{Refusal, Shop};
use crate::demo::client::Events;

/// A stream for a browser. It ends when the feed does; a browser opens it again by itself.
struct Live {
    shop: Arc<Shop>,
    intent: String,
    events: Events,
    /// What was sent last.
    sent: String,
    is_begun: bool,
}

/// The timeline of an intent's newest payment: as it is, then again after each event of the feed that changes it.
pub(super) async fn of_intent(shop: Arc<Shop>, intent: String) -> Result<Body, Refusal> {
    let query = "subscription { events(kinds: [\"payment.*\"]) { kind } }";
    // The feed is opened first, so that nothing happens between.
    let events = shop.client.follow(query).await.map_err(|_| Refusal::Away)?;
    let live = Live {
        shop,
        intent,
        events,
        sent: String::new(),
        is_begun: false,
    };
    let messages = stream::unfold(live, |mut live| async {
        let message = live.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(message)), live))
    });
    Ok(Body::from_stream(messages))
}

impl Live {
    /// The next message of the stream.
    async fn next(&mut self) -> Option<String> {
        loop {
            if self.is_begun {
                self.events.next().await?;
            }
            let payment = self.shop.newest_payment(&self.intent).await.ok()?;
            let shown = shown(&payment);
            if !self.is_begun && payment.is_null() {
                self.is_begun = true;
                // A comment: the browser learns that the stream is open.
                return Some(":\n\n".to_owned());
            }
            self.is_begun = true;
            if !payment.is_null() && shown != self.sent {
                self.sent.clone_from(&shown);
                return Some(format!("data: {shown}\n\n"));
            }
        }
    }
}

/// What the page shows of a payment: JSON in one line.
fn shown(payment: &Value) -> String {
    let at = |pointer: &str| payment.pointer(pointer).cloned().unwrap_or_default();
    json!({
        "status": at("/status"), "amount": at("/amount/formattedAmount"), "timeline": at("/paymentTimeline/overview")
    })
    .to_string()
}
