//! The database is away for longer than its patience, between the two commits of an operation; and documents that take
//! longer than a request may. Clients without an idempotency key must learn what they have made.

mod documents;
mod later;
mod made;
mod others;
mod vault;

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::json;
use testkit::{Answer, Backend, PATIENCE, Postgres, Server, Setup, Shop, until};

/// How long the processor takes to answer. What it is asked takes effect at once.
const PROCESSOR_TAKES: &str = "1500ms";

/// How long a request may take in these stories.
const REQUEST_TAKES: Duration = Duration::from_secs(10);

/// A server whose requests must be answered soon, with a connection `slow`, a flow `slow` that captures at once, and a flow
/// `slow-later`.
fn server() -> Server {
    let setup = Setup::new()
        .setting("server.request_timeout", "10s")
        .setting("routing.rest_after", "1000");
    let server = on_a_database_of_its_own(setup).start();
    let shop = server.shop();
    shop.connection("slow", json!({"fault": "slow", "delay": PROCESSOR_TAKES}));
    let authorise = json!({"authorise": {"connection": "slow"}});
    shop.publish("slow", json!([authorise, {"capture": "now"}]));
    shop.publish("slow-later", json!([authorise, {"capture": "api"}]));
    server
}

/// On a server of databases that can be stopped, where it is on one.
fn on_a_database_of_its_own(setup: Setup) -> Setup {
    match Backend::chosen() {
        Backend::Embedded => setup,
        Backend::Postgres => {
            let postgres: &'static Postgres = Box::leak(Box::new(Postgres::start(&[])));
            setup
                .on_server(postgres)
                .setting("database.patience", "1s")
                // The server is killed, and a processor forgets nothing.
                .setting("sandbox.sync_books", "true")
        }
    }
}

/// The store's database can't be written, until it comes back: on SQLite another process holds it, a server of PostgreSQL is
/// stopped.
enum Outage<'a> {
    Held(Connection),
    Stopped(&'a Server),
}

impl<'a> Outage<'a> {
    fn begin(server: &'a Server) -> Self {
        match server.setup().backend() {
            Backend::Embedded => Self::Held(hold(&server.data_dir(), "store.db")),
            Backend::Postgres => {
                server.setup().postgres().control("kill");
                Self::Stopped(server)
            }
        }
    }

    fn end(self) {
        match self {
            Self::Held(connection) => connection.execute_batch("rollback").unwrap(),
            Self::Stopped(server) => server.setup().postgres().control("start"),
        }
    }
}

fn hold(data: &Path, file: &str) -> Connection {
    let connection = Connection::open(data.join(file)).unwrap();
    connection.busy_timeout(Duration::from_secs(5)).unwrap();
    connection.execute_batch("begin immediate").unwrap();
    connection
}

/// Sends a request while whose processor is asked the database goes, for as long as `away`. What it was answered, and after
/// how long; the database is back afterwards.
fn cut_off<T: Send>(
    server: &Server,
    away: Duration,
    ask: impl FnOnce(Shop) -> T + Send,
) -> (T, Duration) {
    let reader = server.shop();
    let before = reader.books().entries;
    // The first commit is done and the processor has done its part; it has not answered yet.
    let begun = || reader.books().entries != before;
    cut_off_when(server, away, begun, ask)
}

/// The same; the database goes once the request has begun.
fn cut_off_when<T: Send>(
    server: &Server,
    away: Duration,
    begun: impl Fn() -> bool,
    ask: impl FnOnce(Shop) -> T + Send,
) -> (T, Duration) {
    let shop = server.shop();
    thread::scope(|scope| {
        let asked = scope.spawn(move || {
            let start = Instant::now();
            (ask(shop), start.elapsed())
        });
        until(PATIENCE, "the request has begun", || begun().then_some(()));
        let outage = Outage::begin(server);
        // How long the database is away is what is tried.
        thread::sleep(away);
        outage.end();
        asked.join().expect("an answer")
    })
}

/// The answer names a payment and does not say to try again, and it came in time.
#[track_caller]
fn names_a_payment(answer: &Answer, took: Duration) -> String {
    // A busy machine takes longer to send it.
    assert!(took < REQUEST_TAKES + Duration::from_secs(10), "{took:?}");
    let json = answer.json();
    let field_of = json["data"]
        .as_object()
        .and_then(|data| data.values().next()?["id"].as_str());
    let id = field_of.or_else(|| answer.extension("id").as_str());
    let id = id.unwrap_or_else(|| panic!("no id: {json}"));
    assert!(id.starts_with("payments:"), "{json}");
    assert!(!answer.message().contains("try again"), "{json}");
    id.to_owned()
}

/// What the first root field of an answer tells, whatever else it could not read.
#[track_caller]
fn field_of<'a>(answer: &'a Answer, name: &str) -> &'a serde_json::Value {
    let data = answer.json()["data"].as_object();
    let root = data.and_then(|data| data.values().next());
    &root.unwrap_or_else(|| panic!("no data: {}", answer.json()))[name]
}
