//! The sections of the configuration: one small struct each, with its defaults.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use domain::{caller::Mode, test_numbers::TestRange};
use engine::OrderIds;

use super::{
    Bytes, Hidden, IpRange, Origin, TlsFiles,
    database::{Database, address, with_password},
    reader::Reader,
    setting::{Given, Setting, words},
};

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);
/// The longest time that makes sense anywhere here.
const YEAR: Duration = Duration::from_hours(366 * 24);

/// What `server.request_timeout` may be at most.
const LONGEST_REQUEST: Duration = Duration::from_mins(5);

/// `[server]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Where people who run it ask for health and metrics; absent: nowhere.
    pub admin_listen: Option<SocketAddr>,
    /// The certificate of the public listener; absent: it has no TLS.
    pub tls: Option<TlsFiles>,
    /// Base of every address that we hand out; the listen address when absent.
    pub public_url: Option<String>,
    /// Proxies whose `x-forwarded-for` is believed.
    pub trusted_proxies: Vec<IpRange>,
    /// Origins whose pages may call the API; absent: any in test mode, none in live.
    pub allowed_origins: Option<Vec<Origin>>,
    /// Whether the schema can be asked for.
    pub introspection: bool,
    /// A whole request ends within this time, with an answer.
    pub request_timeout: Duration,
    /// The headers of a request must be there within this time.
    pub header_timeout: Duration,
    /// A connection ends when no byte of an answer is taken for so long.
    pub write_timeout: Duration,
    /// A connection that is older than this ends with its next answer.
    pub max_connection_age: Duration,
    /// After a signal, so long new requests are served still, while readiness says no.
    pub drain_delay: Duration,
    /// So long a database may be away before readiness says no.
    pub ready_patience: Duration,
    /// After a signal, what is under way may take this long.
    pub shutdown_timeout: Duration,
    /// Connections that are served at a time; more wait.
    pub max_connections: u32,
    /// Connections of one address; more are closed.
    pub max_connections_per_address: u32,
}

impl Server {
    pub(super) fn read(reader: &mut Reader, mode: Mode) -> Self {
        let public_url: Option<String> = reader.take_optional("server.public_url");
        if public_url.as_deref().is_some_and(|url| !is_base_url(url)) {
            reader.refuse(
                "server.public_url",
                "must be http:// or https:// and a host, without a query",
            );
        }
        let max_connections = connections(reader, "server.max_connections", 4_096);
        Self {
            admin_listen: reader.take_optional("server.admin_listen"),
            listen: reader.take("server.listen", SocketAddr::from(([127, 0, 0, 1], 8080))),
            tls: TlsFiles::read(reader),
            public_url: public_url.map(|url| url.trim_end_matches('/').to_owned()),
            trusted_proxies: reader.take("server.trusted_proxies", Vec::new()),
            allowed_origins: reader.take_optional("server.allowed_origins"),
            introspection: reader.take("server.introspection", mode == Mode::Test),
            request_timeout: reader.within(
                "server.request_timeout",
                Duration::from_secs(25),
                // Below this a processor's answer would not fit in between.
                &(Duration::from_secs(5)..=LONGEST_REQUEST),
            ),
            header_timeout: reader.within(
                "server.header_timeout",
                Duration::from_secs(20),
                &(Duration::from_secs(1)..=Duration::from_mins(5)),
            ),
            write_timeout: reader.within(
                "server.write_timeout",
                Duration::from_secs(20),
                &(Duration::from_millis(100)..=Duration::from_mins(5)),
            ),
            max_connection_age: reader.within(
                "server.max_connection_age",
                Duration::from_mins(10),
                &(Duration::from_secs(1)..=DAY),
            ),
            drain_delay: reader.within(
                "server.drain_delay",
                Duration::ZERO,
                &(Duration::ZERO..=Duration::from_mins(10)),
            ),
            ready_patience: reader.within(
                "server.ready_patience",
                Duration::from_secs(5),
                &(Duration::ZERO..=Duration::from_mins(10)),
            ),
            shutdown_timeout: reader.within(
                "server.shutdown_timeout",
                Duration::from_secs(30),
                &(Duration::ZERO..=HOUR),
            ),
            max_connections,
            max_connections_per_address: connections(
                reader,
                "server.max_connections_per_address",
                (max_connections / ADDRESSES).max(LEAST_PER_ADDRESS),
            ),
        }
    }
}

/// So many addresses share the connections, when nothing else is set.
const ADDRESSES: u32 = 8;
/// The least that an address has by default.
const LEAST_PER_ADDRESS: u32 = 16;

fn connections(reader: &mut Reader, name: &'static str, default: u32) -> u32 {
    let given = reader.within(name, u64::from(default), &(1..=100_000));
    // The range is checked; what is refused is not used.
    u32::try_from(given).unwrap_or(u32::MAX)
}

fn is_base_url(url: &str) -> bool {
    let host = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    let plain =
        |host: &str| !host.contains(['?', '#', '@', ' ', '\\']) && !host.contains(char::is_control);
    host.is_some_and(|host| !host.is_empty() && !host.starts_with('/') && plain(host))
}

/// `[sandbox]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Books {
    /// Whether what the simulated processor writes down survives a power cut too.
    pub sync_books: bool,
}

impl Books {
    pub(super) fn read(reader: &mut Reader) -> Self {
        Self {
            sync_books: reader.take("sandbox.sync_books", false),
        }
    }
}

/// `[limits]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The largest body of a request.
    pub body: Bytes,
    /// The deepest document, in levels of fields.
    pub depth: u64,
    /// Fields that a document may select, fragments expanded.
    pub complexity: u64,
    /// Aliases in a document, fragments expanded.
    pub aliases: u64,
    /// Root fields of an operation, fragments expanded.
    pub root_fields: u64,
    /// Streams that this node serves at a time.
    pub streams: u32,
    /// Streams of one team among them.
    pub streams_of_team: u32,
    /// Requests of one credential in a second; `None`: as many as it likes.
    pub requests_per_second: Option<u64>,
    /// How long an idempotency key is remembered.
    pub idempotency_retention: Duration,
    /// How long an authorisation waits for its capture at most; `None`: as its processor says of it, else as its connector declares.
    pub authorisation_lifetime: Option<Duration>,
    /// How long a customer has to come back from 3D Secure or from an alternative method's page.
    pub three_d_secure_lifetime: Duration,
    /// An intent without activity for this long is inactive.
    pub intent_inactivity: Duration,
}

impl Limits {
    pub(super) fn read(reader: &mut Reader, mode: Mode) -> Self {
        let per_second = reader.take_optional("limits.requests_per_second");
        let default_per_second = (mode == Mode::Live).then_some(200);
        let lifetime: Option<Duration> = reader.take_optional("limits.authorisation_lifetime");
        if lifetime.is_some_and(|lifetime| lifetime.is_zero() || lifetime > YEAR) {
            reader.refuse(
                "limits.authorisation_lifetime",
                "must be more than nothing and at most a year",
            );
        }
        // Of the specification; in the sandbox they may be forgotten sooner, though never while their request may run.
        let shortest = if mode == Mode::Live {
            DAY
        } else {
            LONGEST_REQUEST
        };
        Self {
            body: reader.within(
                "limits.body",
                Bytes(256 * 1024),
                &(Bytes(1024)..=Bytes(16 * 1024 * 1024)),
            ),
            depth: reader.within("limits.depth", 15, &(1..=100)),
            complexity: reader.within("limits.complexity", 2_000, &(1..=100_000)),
            aliases: reader.within("limits.aliases", 100, &(0..=10_000)),
            root_fields: reader.within("limits.root_fields", 20, &(1..=1_000)),
            streams: connections(reader, "limits.streams", 1_000),
            streams_of_team: connections(reader, "limits.streams_of_team", 250),
            requests_per_second: per_second.or(default_per_second).filter(|limit| *limit > 0),
            idempotency_retention: reader.within(
                "limits.idempotency_retention",
                DAY,
                &(shortest..=YEAR),
            ),
            authorisation_lifetime: lifetime,
            intent_inactivity: reader.within(
                "limits.intent_inactivity",
                5 * MINUTE,
                &(Duration::from_millis(100)..=YEAR),
            ),
            three_d_secure_lifetime: reader.within(
                "limits.three_d_secure_lifetime",
                DAY,
                &(Duration::from_millis(100)..=YEAR),
            ),
        }
    }
}

/// `[cards]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cards {
    /// The file of card ranges with their brands, countries and funding.
    pub ranges: Option<PathBuf>,
}

impl Cards {
    pub(super) fn read(reader: &mut Reader) -> Self {
        Self {
            ranges: reader.take_optional("cards.ranges"),
        }
    }
}

/// `[geo]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Geo {
    /// The file of ranges of addresses with their countries.
    pub table: Option<PathBuf>,
}

impl Geo {
    pub(super) fn read(reader: &mut Reader) -> Self {
        Self {
            table: reader.take_optional("geo.table"),
        }
    }
}

/// `[recovery]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// When an unknown outcome is looked up, counted from when it became unknown; then daily.
    pub schedule: Vec<Duration>,
    /// How long an authorisation without an answer waits for news from a processor that can't be read, before that is asked to let
    /// nothing stand.
    pub abandon_after: Duration,
}

impl Recovery {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let schedule = [
            Duration::from_secs(5),
            Duration::from_secs(30),
            2 * MINUTE,
            10 * MINUTE,
            HOUR,
        ];
        let schedule = reader.take("recovery.schedule", schedule.to_vec());
        if schedule.is_empty() || schedule.len() > 50 {
            reader.refuse("recovery.schedule", "must have from 1 to 50 entries");
        }
        if schedule.iter().any(|wait| *wait > YEAR) {
            reader.refuse("recovery.schedule", "has an entry of more than a year");
        }
        Self {
            schedule,
            abandon_after: reader.within(
                "recovery.abandon_after",
                15 * MINUTE,
                &(Duration::from_millis(100)..=DAY),
            ),
        }
    }
}

/// `[routing]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routing {
    /// After so many failures in a row a connection is rested.
    pub rest_after: u32,
    /// How long a connection is rested at first; then twice as long each time, up to ten times.
    pub rest_for: Duration,
}

impl Routing {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let after = reader.within("routing.rest_after", 5, &(1..=1_000_000));
        let range = Duration::from_millis(100)..=DAY;
        Self {
            // The range is checked; what is refused is not used.
            rest_after: u32::try_from(after).unwrap_or(u32::MAX),
            rest_for: reader.within("routing.rest_for", Duration::from_secs(30), &range),
        }
    }
}

/// `[vault]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vault {
    /// The file of the vault's keys; `vault.keys` in the data directory when absent.
    pub key_file: Option<PathBuf>,
    /// The text of a key file, in its place.
    pub keys: Option<Hidden>,
    /// How long a security code waits for its authorisation.
    pub cvc_lifetime: Duration,
    /// Where the vault's database is; that of the store when absent.
    pub database_url: Option<Hidden>,
    /// Card numbers that test mode takes besides those that are published for tests.
    pub test_ranges: Vec<TestRange>,
    /// Whether test mode takes every card number.
    pub real_numbers_in_test: bool,
    /// Which order ids and the like are refused as cards' numbers.
    pub order_ids: OrderIds,
}

impl Setting for TestRange {
    const EXPECTED: &'static str =
        "the first 6 to 19 digits of test numbers, or a range of them such as `411111-411119`";

    fn read(given: &Given) -> Option<Self> {
        Self::parse(&String::read(given)?)
    }

    fn show(&self) -> String {
        self.text()
    }
}

impl Vault {
    pub(super) fn read(reader: &mut Reader, database: &Database) -> Self {
        let database_url = address(reader, "vault.database_url");
        let database_url = with_password(reader, database_url, "vault.database_password_file");
        if database_url.is_some() && database.url.is_none() {
            reader.refuse(
                "vault.database_url",
                "needs database.url: the embedded databases are in one directory",
            );
        }
        let (key_file, keys) = (
            reader.take_optional("vault.key_file"),
            reader.take_optional("vault.keys"),
        );
        if key_file.is_some() && keys.is_some() {
            reader.refuse("vault.keys", "can't be given together with vault.key_file");
        }
        // Security codes must not outlive an hour (behaviour contract, section 6).
        let cvc_lifetime = reader.within(
            "vault.cvc_lifetime",
            HOUR,
            &(Duration::from_millis(1)..=HOUR),
        );
        Self {
            key_file,
            keys,
            cvc_lifetime,
            database_url,
            test_ranges: reader.take("vault.test_ranges", Vec::new()),
            real_numbers_in_test: reader.take("vault.real_numbers_in_test", false),
            order_ids: reader.take("vault.order_ids", OrderIds::Equal),
        }
    }
}

/// `[jobs]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jobs {
    /// How often background work is looked for.
    pub poll_interval: Duration,
}

impl Jobs {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let range = Duration::from_millis(10)..=HOUR;
        Self {
            poll_interval: reader.within("jobs.poll_interval", Duration::from_secs(1), &range),
        }
    }
}

/// `[log]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// For people or for machines.
    pub format: LogFormat,
    /// A level, or levels by module (`info,engine=debug`).
    pub level: String,
    /// Requests that take as long are warned of; `None`: none is.
    pub slow_request: Option<Duration>,
}

/// The form of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// A line of text, for people.
    Text,
    /// A JSON object, for machines.
    Json,
}

words!(LogFormat, "`text` or `json`", "text" => Text, "json" => Json);

impl Log {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let log = Self {
            format: reader.take("log.format", LogFormat::Text),
            level: reader.take("log.level", "info".to_owned()),
            slow_request: Some(reader.take("log.slow_request", Duration::from_secs(3)))
                .filter(|slow| !slow.is_zero()),
        };
        if tracing_subscriber::EnvFilter::try_new(&log.level).is_err() {
            reader.refuse(
                "log.level",
                "must be a level such as `info`, or levels by module such as `info,engine=debug`",
            );
        }
        log
    }
}
