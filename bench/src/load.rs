//! Authorisations with a vault token on the default flow: how many a second, and how long each takes.

use std::time::Duration;

use anyhow::Context;
use bytes::Bytes;
use clap::Args;
use serde_json::{Value, json};

use crate::{
    client::Client,
    sample::{Plan, Sample, millis},
};

pub(crate) const AUTHORISE: &str = "mutation ($input: AuthorisedPaymentInput!) { authorizePayment(authorisePayment: $input) { id status } }";
pub(crate) const TOKENISE: &str =
    "mutation ($data: TokenInput!) { tokenisePaymentMethod(data: $data) { token } }";
const READ: &str = "query ($id: ID!) { getPayment(id: $id) { id status } }";

/// What to measure.
#[derive(Args)]
pub(crate) struct Options {
    /// The server's address.
    #[arg(long, default_value = "127.0.0.1:8080")]
    host: String,
    /// A secret key.
    #[arg(long)]
    key: String,
    /// How many connections, in turn.
    #[arg(long, value_delimiter = ',', default_value = "1,16,64")]
    connections: Vec<usize>,
    /// Seconds for each.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Stop after so many requests altogether, for runs that only fill a database.
    #[arg(long)]
    requests: Option<u64>,
    /// Send a fresh idempotency key with each request.
    #[arg(long)]
    idempotency_keys: bool,
    /// Read one payment instead of authorising.
    #[arg(long)]
    read: bool,
}

pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let mut client = Client::open(&options.host, &options.key).await?;
    let token = token(&mut client).await?;
    let body = if options.read {
        read(&mut client, &token).await?
    } else {
        authorise(&token)
    };
    println!("connections   requests   per second   p50 ms   p99 ms   max ms   failed");
    for connections in &options.connections {
        let plan = Plan {
            host: &options.host,
            key: &options.key,
            body: &body,
            connections: *connections,
            span: Duration::from_secs(options.seconds),
            requests: options.requests,
            keyed: options.idempotency_keys,
        };
        let sample = Sample::take(&plan).await?;
        let [p50, p99, most] = [500, 990, 1000].map(|thousandths| millis(sample.at(thousandths)));
        let (count, rate, failed) = (sample.count(), sample.rate(), sample.failed);
        println!(
            "{connections:>11} {count:>10} {rate:>12} {p50:>8} {p99:>8} {most:>8} {failed:>8}"
        );
    }
    Ok(())
}

/// A card in the vault.
pub(crate) async fn token(client: &mut Client) -> anyhow::Result<String> {
    let card = json!({"number": "4242424242424242", "expMonth": 12, "expYear": 2040});
    let made = client
        .graphql(TOKENISE, json!({"data": {"paymentMethod": {"card": card}}}))
        .await?;
    Ok(made
        .pointer("/tokenisePaymentMethod/token")
        .and_then(Value::as_str)
        .context("no token")?
        .to_owned())
}

/// The request for an authorisation.
pub(crate) fn authorise(token: &str) -> Bytes {
    json!({"query": AUTHORISE, "variables": {"input": input(token)}})
        .to_string()
        .into()
}

/// The request that reads a payment, which is made for it.
pub(crate) async fn read(client: &mut Client, token: &str) -> anyhow::Result<Bytes> {
    let paid = client
        .graphql(AUTHORISE, json!({ "input": input(token) }))
        .await?;
    let id = paid.pointer("/authorizePayment/id").context("no payment")?;
    Ok(json!({"query": READ, "variables": {"id": id}})
        .to_string()
        .into())
}

fn input(token: &str) -> Value {
    json!({"amount": 5099, "currencyCode": "EUR", "paymentMethod": {"type": "CARD", "token": token}})
}
