//! Pages of lists of many payments, against the same of few; and what many payments do to the start and to the memory.

mod questions;

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::Context;
use clap::Args;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::{
    client::Client,
    compare::{self, Database},
    fill::{self, Filled, PostgresPlace, SqlitePlace},
    load,
    postgres::Postgres,
    sample::{Plan, millis},
    server::{KEY, Memory, Server},
};
use questions::{Bound, LIST, Question};

/// Rows of a page.
const PAGE: u64 = 20;
/// How often the service is started on each installation.
const STARTS: usize = 5;
/// How often the memory is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// What to measure.
#[derive(Args)]
pub(crate) struct Options {
    /// The service's program; by default it is built first and the one next to this one is taken.
    #[arg(long)]
    server: Option<PathBuf>,
    /// On which database.
    #[arg(long, value_enum, default_value = "sqlite")]
    on: Database,
    /// Payments of the installations; each is held against the first.
    #[arg(long, value_delimiter = ',', default_value = "10000,1000000")]
    payments: Vec<u64>,
    /// How often each page is asked for.
    #[arg(long, default_value_t = 41)]
    rounds: usize,
    /// How often each page that no index holds.
    #[arg(long, default_value_t = 9)]
    window_rounds: usize,
    /// Seconds of load with authorisations on 64 connections, for the memory.
    #[arg(long, default_value_t = 30)]
    load: u64,
    /// Ask only for lists whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
}

/// An installation that is filled and served.
struct Installation {
    count: u64,
    server: Server,
    starts: Vec<Duration>,
    filled: Filled,
    _directory: TempDir,
    _postgres: Option<Postgres>,
}

pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    compare::build(options.server.as_deref())?;
    let mut installations = Vec::new();
    for count in &options.payments {
        installations.push(prepare(options, *count).await?);
    }
    println!("\n### Start to ready, milliseconds\n\n| payments | each of {STARTS} |\n|---|---|");
    for installation in &installations {
        let each: Vec<String> = installation
            .starts
            .iter()
            .map(|time| time.as_millis().to_string())
            .collect();
        println!("| {} | {} |", installation.count, each.join(", "));
    }
    pages(options, &installations).await?;
    totals(&installations).await?;
    memory(options, &installations).await
}

/// Fills an installation and starts the service on it.
async fn prepare(options: &Options, count: u64) -> anyhow::Result<Installation> {
    let directory = tempfile::Builder::new()
        .prefix("pointsman-lists-")
        .tempdir()?;
    let data = directory.path().join("data");
    let postgres = match options.on {
        Database::Sqlite => None,
        Database::Postgres => Some(Postgres::start()?),
    };
    let url = postgres.as_ref().map(|server| server.url.as_str());
    let (server, _) = start(options.server.as_deref(), &data, url).await?;
    let made = fill::examples(&server.host).await?;
    server.stop()?;
    let begun = Instant::now();
    let filled = match url {
        None => fill::fill(SqlitePlace::open(&data)?, &made, count).await?,
        Some(url) => fill::fill(PostgresPlace::open(url).await?, &made, count).await?,
    };
    let megabytes = size(&data)? >> 20;
    println!(
        "{count} payments written in {} s; files in the data directory: {megabytes} MiB",
        begun.elapsed().as_secs()
    );
    let (mut server, mut starts) = (None, Vec::new());
    for _ in 0..STARTS {
        if let Some(server) = server.take() {
            Server::stop(server)?;
        }
        let (started, time) = start(options.server.as_deref(), &data, url).await?;
        starts.push(time);
        server = Some(started);
    }
    let server = server.context("no server")?;
    Ok(Installation {
        count,
        server,
        starts,
        filled,
        _directory: directory,
        _postgres: postgres,
    })
}

/// Starts the service and waits until it is ready. Tells how long that took.
async fn start(
    path: Option<&Path>,
    data: &Path,
    url: Option<&str>,
) -> anyhow::Result<(Server, Duration)> {
    let begun = Instant::now();
    let server = Server::start_in(data, path, url)?;
    let mut client = Client::open(&server.host, KEY).await?;
    while client.status("/health/ready").await? != 200 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Ok((server, begun.elapsed()))
}

fn size(directory: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in directory.read_dir()? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

/// A page of a list, in one of the installations.
struct Page {
    name: &'static str,
    /// The arguments, in each installation; `None` where the list has no such page.
    each: Vec<Option<Value>>,
}

async fn pages(options: &Options, installations: &[Installation]) -> anyhow::Result<()> {
    let now = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros())?;
    let mut clients = Vec::new();
    let mut lists: Vec<std::vec::IntoIter<Question>> = Vec::new();
    for installation in installations {
        clients.push(Client::open(&installation.server.host, KEY).await?);
        lists.push(questions::all(&installation.filled, now).into_iter());
    }
    let mut bound = None;
    loop {
        let questions: Vec<Question> = lists.iter_mut().filter_map(Iterator::next).collect();
        let Some(first) = questions.first() else {
            return Ok(());
        };
        if !first.name.contains(&options.only) {
            continue;
        }
        if bound.replace(first.bound) != Some(first.bound) {
            print_heading(first.bound, installations);
        }
        let rounds = match first.bound {
            Bound::Indexed => options.rounds,
            Bound::Window => options.window_rounds,
        };
        for page in of(&questions, &mut clients).await? {
            let measured = measure(&page, rounds, installations, &mut clients).await?;
            println!(
                "| {} ({}) | {} | {} | {} |",
                first.name,
                measured.rows.join(", "),
                page.name,
                summary(&measured.middles),
                summary(&measured.costs)
            );
        }
    }
}

/// The heading of a table, and its columns.
fn print_heading(bound: Bound, installations: &[Installation]) {
    let counts: Vec<String> = installations
        .iter()
        .map(|one| one.count.to_string())
        .collect();
    println!(
        "\n### A page of {PAGE}, {}: p50 in ms\n",
        match bound {
            Bound::Indexed => "by an index",
            Bound::Window => "by a window of dates",
        }
    );
    let of_each = counts.join(" | ");
    println!("| list (rows) | page | {of_each} | times | CPU: {of_each} | times |");
    println!("|---|---|{0}---|{0}---|", "---|".repeat(counts.len()));
}

/// What asking for a page many times gave, for each installation.
struct Measured {
    /// The rows of the page, where the list has it.
    rows: Vec<String>,
    middles: Vec<Option<Duration>>,
    /// The service's processor time for one request.
    costs: Vec<Option<Duration>>,
}

/// Asks each installation for a page, in turn.
async fn measure(
    page: &Page,
    rounds: usize,
    installations: &[Installation],
    clients: &mut [Client],
) -> anyhow::Result<Measured> {
    let mut times = vec![Vec::new(); clients.len()];
    let mut rows = Vec::new();
    let mut spent = Vec::new();
    for round in 0..=rounds {
        if round == 1 {
            spent = installations
                .iter()
                .map(|one| one.server.spent_by_threads())
                .collect();
        }
        for ((client, arguments), times) in clients.iter_mut().zip(&page.each).zip(&mut times) {
            let Some(arguments) = arguments else { continue };
            let begun = Instant::now();
            let summary = client.graphql(LIST, arguments.clone()).await?;
            let time = begun.elapsed();
            // The first one prepares statements.
            if round > 0 {
                times.push(time);
            } else {
                let edges = summary
                    .pointer("/listPayments/edges")
                    .and_then(Value::as_array);
                rows.push(edges.map_or(0, Vec::len).to_string());
            }
        }
    }
    let cost = |(times, (one, before)): (&Vec<Duration>, (&Installation, Duration))| {
        let spent = one.server.spent_by_threads().saturating_sub(before);
        (!times.is_empty()).then(|| spent / u32::try_from(times.len()).unwrap_or(u32::MAX))
    };
    Ok(Measured {
        rows,
        costs: times
            .iter()
            .zip(installations.iter().zip(spent))
            .map(cost)
            .collect(),
        middles: times.iter_mut().map(|times| middle(times)).collect(),
    })
}

/// Times of each installation, and how many times the first one's the last one's is.
fn summary(times: &[Option<Duration>]) -> String {
    let shown = |time: &Option<Duration>| time.map_or_else(|| "–".to_owned(), millis);
    let each: Vec<String> = times.iter().map(shown).collect();
    let of_first = times
        .first()
        .copied()
        .flatten()
        .zip(times.last().copied().flatten());
    let ratio = of_first.map_or_else(String::new, |(first, last)| {
        let hundredths = last.as_nanos() * 100 / first.as_nanos().max(1);
        format!("{}.{:02}", hundredths / 100, hundredths % 100)
    });
    format!("{} | {ratio}", each.join(" | "))
}

fn middle(times: &mut [Duration]) -> Option<Duration> {
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

/// The pages of a list that are asked for: at both ends, and in its midst in both directions.
async fn of(questions: &[Question], clients: &mut [Client]) -> anyhow::Result<[Page; 4]> {
    let mut pages = [
        Page {
            name: "first",
            each: Vec::new(),
        },
        Page {
            name: "last",
            each: Vec::new(),
        },
        Page {
            name: "deep, after",
            each: Vec::new(),
        },
        Page {
            name: "deep, before",
            each: Vec::new(),
        },
    ];
    for (question, client) in questions.iter().zip(clients) {
        let with = |more: &[(&str, Value)]| -> Map<String, Value> {
            let more = more
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()));
            question.arguments.clone().into_iter().chain(more).collect()
        };
        let mut midst = with(&[("first", json!(1))]);
        midst.extend(question.midst.clone());
        let summary = client.graphql(LIST, midst.into()).await?;
        let cursor = summary.pointer("/listPayments/edges/0/cursor").cloned();
        let at = |size: &str, place: &str| {
            cursor
                .clone()
                .map(|cursor| with(&[(size, json!(PAGE)), (place, cursor)]).into())
        };
        let arguments = [
            Some(with(&[("first", json!(PAGE))]).into()),
            Some(with(&[("last", json!(PAGE))]).into()),
            at("first", "after"),
            at("last", "before"),
        ];
        for (page, arguments) in pages.iter_mut().zip(arguments) {
            page.each.push(arguments);
        }
    }
    Ok(pages)
}

/// How long it takes to count a list.
async fn totals(installations: &[Installation]) -> anyhow::Result<()> {
    println!(
        "\n### `totalSize`: ms, each time of three\n\n| list | payments | ms | counted |\n|---|---|---|---|"
    );
    for (name, arguments) in questions::counted() {
        for installation in installations {
            let mut client = Client::open(&installation.server.host, KEY).await?;
            let (mut times, mut total) = (Vec::new(), Value::Null);
            for _ in 0..3 {
                let begun = Instant::now();
                let summary = client.graphql(questions::COUNT, arguments.clone()).await?;
                times.push(millis(begun.elapsed()));
                total = summary
                    .pointer("/listPayments/pageInfo/totalSize")
                    .cloned()
                    .unwrap_or_default();
            }
            println!(
                "| {name} | {} | {} | {total} |",
                installation.count,
                times.join(", ")
            );
        }
    }
    Ok(())
}

/// The memory under full load.
async fn memory(options: &Options, installations: &[Installation]) -> anyhow::Result<()> {
    let seconds = options.load;
    println!(
        "\n### Memory, MiB: after the lists, and the most in {seconds} s of `authorizePayment` on 64 connections\n"
    );
    println!(
        "| payments | after the lists | most under load | of that its own | payments per second |\n|---|---|---|---|---|"
    );
    for installation in installations {
        let server = &installation.server;
        let before = server.memory();
        let token = load::token(&mut Client::open(&server.host, KEY).await?).await?;
        let body = load::authorise(&token);
        let span = Duration::from_secs(seconds);
        let plan = Plan {
            host: &server.host,
            key: KEY,
            body: &body,
            connections: 64,
            span,
            requests: None,
            keyed: false,
        };
        let (sample, most) = tokio::join!(crate::sample::Sample::take(&plan), watch(server, span));
        let sample = sample?;
        anyhow::ensure!(
            sample.failed == 0,
            "{} authorisations failed",
            sample.failed
        );
        let (resident, own) = (most.resident >> 10, most.own >> 10);
        println!(
            "| {} | {} | {resident} | {own} | {} |",
            installation.count,
            before.resident >> 10,
            sample.rate()
        );
    }
    Ok(())
}

/// The most memory within a time.
async fn watch(server: &Server, span: Duration) -> Memory {
    let until = Instant::now() + span;
    let mut most = Memory::default();
    while Instant::now() < until {
        most = most.max(server.memory());
        tokio::time::sleep(LOOK).await;
    }
    most
}
