//! `pointsman demo`: the life of real payments, told through the public HTTP interface.

mod checkout;
mod client;
mod routing;
mod story;
mod teller;

use std::net::SocketAddr;

pub use client::Client;
pub use teller::{Colour, Teller};

/// Tells the whole story. Returns whether every step came out right.
pub async fn tell(client: &Client, teller: &mut Teller) -> bool {
    story::tell(client, teller).await;
    teller.close()
}

/// A line to paste into a shell that lists the payments of the story.
pub fn curl_line(address: SocketAddr, key: &str) -> String {
    let body = r#"{"query":"{ listPayments(first: 5) { edges { node { id status amount { formattedAmount } } } } }"}"#;
    format!(
        "curl -s http://{address}/api/graphql -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' -d '{body}'"
    )
}
