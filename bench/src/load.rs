//! Authorisations with a vault token on the default flow: how many a second, and how long each takes.

use std::time::{Duration, Instant};

use anyhow::Context;
use bytes::Bytes;
use clap::Args;
use serde_json::{Value, json};

use crate::client::Client;

pub(crate) const AUTHORISE: &str =
    "mutation ($input: AuthorisedPaymentInput!) { authorizePayment(authorisePayment: $input) { id status } }";
pub(crate) const TOKENISE: &str = "mutation ($data: TokenInput!) { tokenisePaymentMethod(data: $data) { token } }";
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

/// Runs the measurement and prints a table.
pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let mut client = Client::open(&options.host, &options.key).await?;
    let card = json!({"number": "4242424242424242", "expMonth": 12, "expYear": 2040});
    let made = client.graphql(TOKENISE, json!({"data": {"paymentMethod": {"card": card}}})).await?;
    let token = made.pointer("/tokenisePaymentMethod/token").and_then(Value::as_str).context("no token")?.to_owned();
    let input = json!({"amount": 5099, "currencyCode": "EUR", "paymentMethod": {"type": "CARD", "token": token}});
    let paid = client.graphql(AUTHORISE, json!({ "input": input })).await?;
    let body = if options.read {
        json!({"query": READ, "variables": {"id": paid.pointer("/authorizePayment/id")}})
    } else {
        json!({"query": AUTHORISE, "variables": {"input": input}})
    };
    let body = Bytes::from(body.to_string());
    println!("connections   requests   per second   p50 ms   p99 ms   max ms   failed");
    for connections in &options.connections {
        measure(options, *connections, &body).await?;
    }
    Ok(())
}

async fn measure(options: &Options, connections: usize, body: &Bytes) -> anyhow::Result<()> {
    let started = Instant::now();
    let until = started + Duration::from_secs(options.seconds);
    let share = options.requests.map(|all| all / u64::try_from(connections).unwrap_or(1));
    let mut workers = Vec::new();
    for worker in 0..connections {
        let client = Client::open(&options.host, &options.key).await?;
        workers.push(tokio::spawn(work(client, body.clone(), (until, share), keys(options, worker))));
    }
    let (mut times, mut failed) = (Vec::new(), 0_u64);
    for worker in workers {
        let (mine, wrong) = worker.await??;
        times.extend(mine);
        failed += wrong;
    }
    let elapsed = started.elapsed();
    times.sort_unstable();
    let count = u64::try_from(times.len())?;
    let rate = u128::from(count) * 1_000_000 / elapsed.as_micros().max(1);
    println!(
        "{connections:>11} {count:>10} {rate:>12} {:>8} {:>8} {:>8} {failed:>8}",
        millis(&times, 500),
        millis(&times, 990),
        millis(&times, 1000),
    );
    Ok(())
}

/// The prefix of a worker's idempotency keys, fresh in each run.
fn keys(options: &Options, worker: usize) -> Option<String> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    options.idempotency_keys.then(|| format!("bench-{}-{worker}", now.as_nanos()))
}

async fn work(
    mut client: Client,
    body: Bytes,
    limits: (Instant, Option<u64>),
    keys: Option<String>,
) -> anyhow::Result<(Vec<Duration>, u64)> {
    let (until, share) = limits;
    let (mut times, mut failed) = (Vec::new(), 0);
    for request in 0_u64.. {
        let enough = share.map_or_else(|| Instant::now() >= until, |share| request >= share);
        if enough {
            break;
        }
        let key = keys.as_ref().map(|prefix| format!("{prefix}-{request}"));
        let started = Instant::now();
        let answer = client.send(body.clone(), key.as_deref()).await?;
        times.push(started.elapsed());
        if !is_success(&answer) {
            failed += 1;
        }
    }
    Ok((times, failed))
}

pub(crate) fn is_success(answer: &[u8]) -> bool {
    let parsed: Option<Value> = serde_json::from_slice(answer).ok();
    let Some(data) = parsed.as_ref().and_then(|answer| answer.get("data")) else { return false };
    let status = ["/authorizePayment/status", "/getPayment/status"].iter().find_map(|place| data.pointer(place));
    status.is_some_and(|status| status == "SUCCEEDED")
}

/// The time below which so many thousandths of the requests are, in milliseconds with three decimals.
fn millis(sorted: &[Duration], thousandths: usize) -> String {
    let last = sorted.len().saturating_sub(1);
    let index = (sorted.len() * thousandths / 1000).min(last);
    let micros = sorted.get(index).map_or(0, Duration::as_micros);
    format!("{}.{:03}", micros / 1000, micros % 1000)
}
