//! Webhooks: how many events a second reach an endpoint that takes them at once.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use axum::{Router, extract::State, http::StatusCode};
use clap::Args;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{
    client::Client,
    load,
    sample::{Plan, Sample},
    server::{KEY, Server},
};

/// What to measure.
#[derive(Args)]
pub(crate) struct Options {
    /// The service's program; by default the one beside this one.
    #[arg(long)]
    server: Option<PathBuf>,
    /// Payments whose events (three each) wait for the endpoint.
    #[arg(long, default_value_t = 5_000)]
    payments: u64,
}

/// Without another delivery for so long something is wrong.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let server = Server::start(options.server.as_deref(), None)?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/hooks", listener.local_addr()?);
    let taken = Arc::new(AtomicU64::new(0));
    let app = Router::new().fallback(take).with_state(Arc::clone(&taken));
    tokio::spawn(async move { axum::serve(listener, app).await });
    let mut client = Client::open(&server.host, KEY).await?;
    // Saved first: it wants what happens from now on. Then it waits until everything has happened.
    let save = "mutation($id: ID, $url: String!, $on: Boolean, $resume: WebhookResume) { \
        saveWebhookEndpoint(id: $id, url: $url, kinds: [\"payment.*\"], enabled: $on, resume: $resume) { id } }";
    let saved = client
        .graphql(save, json!({"url": url, "on": false}))
        .await?;
    let id = saved
        .pointer("/saveWebhookEndpoint/id")
        .and_then(Value::as_str)
        .context("no endpoint")?
        .to_owned();
    let body = load::authorise(&load::token(&mut client).await?);
    let made = Sample::take(&Plan {
        host: &server.host,
        key: KEY,
        body: &body,
        connections: 16,
        span: Duration::from_mins(10),
        requests: Some(options.payments),
        keyed: false,
    })
    .await?;
    ensure!(made.failed == 0, "{} payments failed", made.failed);
    let wanted = u64::try_from(made.count())? * 3;
    let began = Instant::now();
    client
        .graphql(
            save,
            json!({"id": id, "url": url, "on": true, "resume": "WHERE_IT_STOPPED"}),
        )
        .await?;
    let (mut seen, mut since) = (0, Instant::now());
    while seen < wanted {
        tokio::time::sleep(Duration::from_millis(5)).await;
        let now = taken.load(Ordering::SeqCst);
        if now > seen {
            (seen, since) = (now, Instant::now());
        }
        ensure!(
            since.elapsed() < PATIENCE,
            "{seen} of {wanted} events came, then no more"
        );
    }
    let took = began.elapsed();
    let rate = u128::from(wanted) * 1000 / took.as_millis().max(1);
    println!(
        "{wanted} events in {} ms: {rate} a second",
        took.as_millis()
    );
    Ok(())
}

async fn take(State(taken): State<Arc<AtomicU64>>) -> StatusCode {
    taken.fetch_add(1, Ordering::SeqCst);
    StatusCode::NO_CONTENT
}
