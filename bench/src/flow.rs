//! What a large flow adds to an authorisation: the same payment under several flows in turn, one request after the other.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use bytes::Bytes;
use clap::Args;
use serde_json::{Value, json};

use crate::{
    client::Client,
    load::{AUTHORISE, token},
    sample::is_success,
    server::{KEY, Server},
};

const SAVE: &str =
    "mutation ($id: ID!, $document: JSON!) { saveFlow(id: $id, document: $document) { version } }";
const PUBLISH: &str =
    "mutation ($id: ID!, $version: Int!) { publishFlow(id: $id, version: $version) { id } }";
const CONDITIONS: usize = 50;
/// Requests of each series before the measurement.
const WARM_UP: usize = 200;

/// What to measure.
#[derive(Args)]
pub(crate) struct Options {
    /// The server's program; by default the one that was built next to this one.
    #[arg(long)]
    server: Option<PathBuf>,
    /// How many times each flow's payment is made.
    #[arg(long, default_value_t = 5_000)]
    rounds: usize,
}

/// The payments under one flow.
struct Series {
    name: &'static str,
    body: Bytes,
    times: Vec<Duration>,
}

/// Runs the measurement and prints a table.
pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let server = Server::start(options.server.as_deref(), None)?;
    let mut client = Client::open(&server.host, KEY).await?;
    save(
        &mut client,
        "large",
        &large(&json!({ "three_d_secure": "as_issuer" })),
    )
    .await?;
    save(
        &mut client,
        "telling",
        &large(&json!({ "note": "The timeline says so." })),
    )
    .await?;
    let token = token(&mut client).await?;
    let series = |name, flow: &str| {
        let input = json!({
            "amount": 5099, "currencyCode": "EUR", "flowId": flow, "metadata": {"plan": "silver"},
            "paymentMethod": {"type": "CARD", "token": token}
        });
        let body = json!({"query": AUTHORISE, "variables": { "input": input }})
            .to_string()
            .into();
        Series {
            name,
            body,
            times: Vec::with_capacity(options.rounds),
        }
    };
    let mut all = [
        series("the default flow", "default"),
        series("the default flow again (what chance does)", "default"),
        series("200 steps, 50 conditions", "large"),
        series("the same with 98 notes written on each timeline", "telling"),
    ];
    for round in 0..WARM_UP + options.rounds {
        // Each in turn, each time another first: what disturbs the machine disturbs all alike.
        for place in 0..all.len() {
            let index = (round + place) % all.len();
            let Some(series) = all.get_mut(index) else {
                continue;
            };
            let started = Instant::now();
            let answer = client.send(series.body.clone(), None).await?;
            let time = started.elapsed();
            if !is_success(&answer) {
                bail!("the server answered {}", String::from_utf8_lossy(&answer));
            }
            if round >= WARM_UP {
                series.times.push(time);
            }
        }
    }
    report(&mut all);
    Ok(())
}

fn report(all: &mut [Series]) {
    println!("p10 µs   p50 µs   p90 µs   p50 against the first, µs");
    let mut first = None;
    for series in all {
        series.times.sort_unstable();
        let at = |hundredths: usize| {
            let index = series.times.len() * hundredths / 100;
            series.times.get(index).map_or(0, Duration::as_micros)
        };
        let median = i128::try_from(at(50)).unwrap_or(i128::MAX);
        let against = median - *first.get_or_insert(median);
        println!(
            "{:>6} {:>8} {:>8} {against:>+8}   {}",
            at(10),
            at(50),
            at(90),
            series.name
        );
    }
}

async fn save(client: &mut Client, id: &str, document: &Value) -> anyhow::Result<()> {
    let saved = client
        .graphql(SAVE, json!({ "id": id, "document": document }))
        .await?;
    let version = saved.pointer("/saveFlow/version").context("no version")?;
    client
        .graphql(PUBLISH, json!({ "id": id, "version": version }))
        .await?;
    Ok(())
}

/// 200 steps: 50 conditions with a step in each branch, 48 more steps, the authorisation and the capture.
fn large(step: &Value) -> Value {
    let branch = |index: usize| {
        json!({
            "if": format!("payment.currency == \"EUR\" && card.brand in [\"AMEX\", \"VISA\"] && payment.amount % 2 == {} && \
                           (metadata.plan == \"gold\" || payment.amount > {index})", index % 2),
            "then": [step],
            "else": [step]
        })
    };
    let mut steps: Vec<Value> = (0..CONDITIONS).map(branch).collect();
    steps.extend((0..48).map(|_| step.clone()));
    steps.push(json!({ "authorise": { "connection": "simulator-a" } }));
    steps.push(json!({ "capture": "now" }));
    json!({ "name": "Large", "trigger": "payment", "steps": steps })
}
