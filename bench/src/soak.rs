//! A long load, and what it does to the memory.

use std::{
    path::PathBuf,
    sync::Arc,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use anyhow::bail;
use clap::Args;
use serde_json::{Value, json};

use crate::{
    client::Client,
    compare,
    load::{authorise, token},
    sample::is_success,
    server::{KEY, Server},
};

const READ: &str =
    "query ($id: ID!) { getPayment(id: $id) { id status paymentTimeline { overview { title } } } }";
const LIST: &str = "query { listPayments(first: 20) { pageInfo { hasNextPage } edges { cursor node { id status } } } }";

/// How often the memory is looked at.
const EVERY: Duration = Duration::from_secs(30);

/// What to measure.
#[derive(Args)]
pub(crate) struct Options {
    /// The service's program; by default it is built first and the one next to this one is taken.
    #[arg(long)]
    server: Option<PathBuf>,
    /// For how long.
    #[arg(long, default_value_t = 15)]
    minutes: u64,
    /// How many connections.
    #[arg(long, default_value_t = 64)]
    connections: usize,
}

/// Runs the load: each connection authorises, authorises with a fresh key, reads the payment with its timeline, lists.
pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    compare::build(options.server.as_deref())?;
    let server = Server::start(options.server.as_deref(), None)?;
    let token = token(&mut Client::open(&server.host, KEY).await?).await?;
    let (ends, done) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let mut workers = Vec::new();
    for worker in 0..options.connections {
        let client = Client::open(&server.host, KEY).await?;
        workers.push(tokio::spawn(work(
            client,
            format!("soak-{worker}"),
            token.clone(),
            Arc::clone(&ends),
            Arc::clone(&done),
        )));
    }
    println!("| seconds | requests | resident, KiB | of that its own |\n|---|---|---|---|");
    let begun = Instant::now();
    let mut seen: Vec<(u64, u64)> = Vec::new();
    while begun.elapsed() < Duration::from_secs(options.minutes * 60) {
        tokio::time::sleep(EVERY).await;
        let (memory, seconds) = (server.memory(), begun.elapsed().as_secs());
        println!(
            "| {seconds} | {} | {} | {} |",
            done.load(Ordering::Relaxed),
            memory.resident,
            memory.own
        );
        seen.push((seconds, memory.resident));
        if workers.iter().any(tokio::task::JoinHandle::is_finished) {
            break;
        }
    }
    ends.store(true, Ordering::Relaxed);
    for worker in workers {
        worker.await??;
    }
    // The first third warms up: caches fill, the allocator takes what it needs.
    let warm = seen.get(seen.len() / 3..).unwrap_or_default();
    let slope = slope(warm);
    println!("\nslope after the first third: {slope} KiB a minute");
    Ok(())
}

/// KiB a minute, of the line nearest to all points (least squares).
fn slope(points: &[(u64, u64)]) -> i128 {
    let count = i128::try_from(points.len()).unwrap_or_default();
    let sum = |of: fn((i128, i128)) -> i128| -> i128 {
        points
            .iter()
            .map(|(time, size)| of((i128::from(*time), i128::from(*size))))
            .sum()
    };
    let (times, sizes) = (sum(|(time, _)| time), sum(|(_, size)| size));
    let spread = count * sum(|(time, _)| time * time) - times * times;
    let together = count * sum(|(time, size)| time * size) - times * sizes;
    if spread == 0 {
        0
    } else {
        together * 60 / spread
    }
}

async fn work(
    mut client: Client,
    keys: String,
    token: String,
    ends: Arc<AtomicBool>,
    done: Arc<AtomicU64>,
) -> anyhow::Result<()> {
    let (body, list) = (authorise(&token), json!({ "query": LIST }).to_string());
    let mut turn = 0_u64;
    while !ends.load(Ordering::Relaxed) {
        let answer = client.send(body.clone(), None).await?;
        let key = format!("{keys}-{turn}");
        let keyed = client.send(body.clone(), Some(&key)).await?;
        if !is_success(&answer) || !is_success(&keyed) {
            bail!("the server answered {}", String::from_utf8_lossy(&keyed));
        }
        let answer: Value = serde_json::from_slice(&answer)?;
        let id = answer
            .pointer("/data/authorizePayment/id")
            .cloned()
            .unwrap_or_default();
        let read = json!({ "query": READ, "variables": { "id": id } }).to_string();
        let read = client.send(read.into(), None).await?;
        if !is_success(&read) {
            bail!("the server answered {}", String::from_utf8_lossy(&read));
        }
        client.send(list.clone().into(), None).await?;
        turn += 1;
        done.fetch_add(4, Ordering::Relaxed);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_is_that_of_the_nearest_line() {
        assert_eq!(slope(&[(0, 100), (60, 110), (120, 120)]), 10);
        assert_eq!(slope(&[(0, 100), (30, 140), (60, 100)]), 0);
        assert_eq!(slope(&[(7, 3)]), 0);
    }
}
