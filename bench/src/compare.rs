//! Floor and service in turn, in one run: what the service reaches of what the machine gives.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use crate::{
    client::Client,
    load,
    postgres::Postgres,
    sample::{Plan, Sample, millis},
    server::{KEY, Server},
};

/// Requests before each measurement: connections are opened, caches filled, statements prepared.
const WARM_UP: Duration = Duration::from_millis(500);

/// What to compare.
#[derive(Args)]
pub(crate) struct Options {
    /// The service's program; by default it is built first and the one next to this one is taken.
    #[arg(long)]
    server: Option<PathBuf>,
    /// On which databases.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "sqlite,postgres"
    )]
    on: Vec<Database>,
    /// What is asked for.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "plain,keyed,read"
    )]
    what: Vec<What>,
    /// How many connections, in turn.
    #[arg(long, value_delimiter = ',', default_value = "1,16,64")]
    connections: Vec<usize>,
    /// How often everything is measured, each time with fresh servers.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Seconds for each measurement.
    #[arg(long, default_value_t = 4)]
    seconds: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Database {
    Sqlite,
    Postgres,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// authorizePayment.
    Plain,
    /// authorizePayment with a fresh idempotency key each time.
    Keyed,
    /// getPayment.
    Read,
}

/// Whose turn it is. The first of each database is what the others are held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    FloorOneByOne,
    Floor,
    Service,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FloorOneByOne => "floor, one transaction per commit",
            Self::Floor => "floor",
            Self::Service => "service",
        })
    }
}

type Samples = BTreeMap<(usize, Subject), Sample>;

/// Runs the comparison and prints its tables.
pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    build(options.server.as_deref())?;
    for database in &options.on {
        let mut tables: Vec<(What, Samples)> = options
            .what
            .iter()
            .map(|what| (*what, Samples::new()))
            .collect();
        let subjects: &[Subject] = match database {
            Database::Sqlite => &[Subject::Floor, Subject::Service],
            Database::Postgres => &[Subject::FloorOneByOne, Subject::Floor, Subject::Service],
        };
        for _ in 0..options.rounds {
            for subject in subjects {
                measure(options, *database, *subject, &mut tables).await?;
            }
        }
        for (what, samples) in &tables {
            print(*database, *what, samples);
        }
    }
    Ok(())
}

/// Builds the service as it stands, when this was started by cargo.
pub(crate) fn build(server: Option<&Path>) -> anyhow::Result<()> {
    let (None, Some(cargo)) = (server, std::env::var_os("CARGO")) else {
        return Ok(());
    };
    let built = Command::new(cargo)
        .args(["build", "--release", "-p", "server"])
        .status()?;
    if built.success() {
        Ok(())
    } else {
        bail!("the service does not build")
    }
}

/// One round of one subject: everything that is asked for, on fresh servers.
async fn measure(
    options: &Options,
    database: Database,
    subject: Subject,
    tables: &mut [(What, Samples)],
) -> anyhow::Result<()> {
    let postgres = match database {
        Database::Sqlite => None,
        Database::Postgres => Some(Postgres::start()?),
    };
    let url = postgres.as_ref().map(|server| server.url.as_str());
    let server = match subject {
        Subject::Service => Server::start(options.server.as_deref(), url)?,
        Subject::Floor | Subject::FloorOneByOne => {
            Server::floor(url.map(|url| (url, subject == Subject::FloorOneByOne)))?
        }
    };
    let token = match subject {
        Subject::Service => load::token(&mut Client::open(&server.host, KEY).await?).await?,
        Subject::Floor | Subject::FloorOneByOne => "the floor has no vault".to_owned(),
    };
    for (what, samples) in tables {
        let body = match what {
            What::Plain | What::Keyed => load::authorise(&token),
            What::Read => load::read(&mut Client::open(&server.host, KEY).await?, &token).await?,
        };
        for connections in &options.connections {
            let keyed = *what == What::Keyed;
            let plan = |span| Plan {
                host: &server.host,
                key: KEY,
                body: &body,
                connections: *connections,
                span,
                requests: None,
                keyed,
            };
            take(&plan(WARM_UP)).await?;
            let spent = || {
                (
                    server.spent(),
                    postgres.as_ref().map_or(Duration::ZERO, Postgres::spent),
                )
            };
            let before = spent();
            let mut sample = take(&plan(Duration::from_secs(options.seconds))).await?;
            let after = spent();
            sample.spent = after.0.saturating_sub(before.0);
            sample.database = after.1.saturating_sub(before.1);
            if sample.failed > 0 {
                bail!(
                    "{} of {} answers of the {subject} were not successes",
                    sample.failed,
                    sample.count()
                );
            }
            samples
                .entry((*connections, subject))
                .or_default()
                .add(sample);
        }
    }
    Ok(())
}

async fn take(plan: &Plan<'_>) -> anyhow::Result<Sample> {
    Sample::take(plan)
        .await
        .context("the server does not answer any more")
}

fn print(database: Database, what: What, samples: &Samples) {
    let database = match database {
        Database::Sqlite => "SQLite",
        Database::Postgres => "PostgreSQL",
    };
    let what = match what {
        What::Plain => "authorizePayment",
        What::Keyed => "authorizePayment with an idempotency key",
        What::Read => "getPayment",
    };
    println!("\n### {what}, {database}\n");
    println!(
        "| connections | | per second | p50 ms | p99 ms | CPU µs | CPU of the database's server | of the floor's | p50 above it, ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut floor: Option<(usize, &Sample)> = None;
    for ((connections, subject), sample) in samples {
        let held = *floor.get_or_insert((*connections, sample));
        let (_, floor_sample) = if held.0 == *connections {
            held
        } else {
            *floor.insert((*connections, sample))
        };
        let hundredths = sample.rate() * 100 / floor_sample.rate().max(1);
        let [own, database_server] = sample.costs();
        let above = sample.at(500).saturating_sub(floor_sample.at(500));
        println!(
            "| {connections} | {subject} | {} | {} | {} | {} | {} | {}.{:02} | {} |",
            sample.rate(),
            millis(sample.at(500)),
            millis(sample.at(990)),
            own.as_micros(),
            database_server.as_micros(),
            hundredths / 100,
            hundredths % 100,
            millis(above),
        );
    }
}
