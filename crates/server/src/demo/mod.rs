//! `pointsman demo`: the life of real payments, played through the public HTTP interface.

mod afterwards;
mod checkout;
mod client;
mod narrator;
mod receiver;
mod routing;
mod shop;
mod story;

use std::net::SocketAddr;

pub use client::Client;
pub use narrator::{Colour, Narrator};
use serde_json::json;
pub use shop::{OpenShop, open as open_shop};

/// What the shop can send when a payment is disputed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// A text, and a document of what is known.
    WithDocument,
    /// A text alone: on a database server without an object store there are no files.
    TextsAlone,
}

/// Tells the whole story. Returns whether every step came out right.
pub async fn play(client: &Client, narrator: &mut Narrator, evidence: Evidence) -> bool {
    story::play(client, narrator, evidence).await;
    narrator.close()
}

/// Makes a payment link of 50.99 EUR. Returns its address.
///
/// # Errors
/// Why it can't be made, for people.
pub async fn payment_link(client: &Client) -> Result<String, String> {
    let query = "mutation { createPaymentLink(amount: 5099, currencyCode: \"EUR\", description: \"A box of coffee\") { url } }";
    let reply = client.run(query, json!({}), None).await?;
    let url = reply.text("/data/createPaymentLink/url");
    if url.is_empty() {
        return Err(reply.text("/errors/0/message"));
    }
    Ok(url)
}

/// A line to paste into a shell that lists the payments of the story.
pub fn curl_line(address: SocketAddr, key: &str) -> String {
    let body = r#"{"query":"{ listPayments(first: 5) { edges { node { id status amount { formattedAmount } } } } }"}"#;
    format!(
        "curl -s http://{address}/api/graphql -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' -d '{body}'"
    )
}
