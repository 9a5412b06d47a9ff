//! Dates of new rows, and the date before which no row is added any more.
//!
//! # Why
//! Lists are ordered by the dates of their rows, and a client that follows such a list goes on behind the last row that it has
//! seen. A row that becomes visible later with an earlier date would never be seen by that client. So a date is drawn as late as
//! possible before the commit, and a list shows only what is settled: no commit that is still open, or still to come, can
//! add a row with an earlier date.
//!
//! # How it works
//! **Embedded**: one process writes, so the set of open dates is kept in memory and is exact. A date is open from when it is drawn until its
//! change has ended, also when nobody waits for the change any more.
//!
//! **On a server** several nodes write. A date comes from the server's clock, of which each node estimates how far its own is off. The
//! last statement of the change ([`Change::dated`]) refuses a date that is more than [`TOLERANCE`] away from the server's clock;
//! by then the transaction has its id. A sample takes the server's clock and the ids of the oldest open transaction and
//! of the next one, in this order. A transaction whose id is not below a sample's next id checks its date after the sample, so its date is
//! later than the sample's clock less the tolerance. Once every transaction below that id has ended (the oldest open one of a later sample says so),
//! that moment is settled. A long transaction that writes, no matter whose it is, holds the moment back; it never makes a gap.
//!
//! # What is not promised
//! A clock that is set back by more than a minute (embedded) or a second (server) is followed, since dates that are wrong for hours or days
//! would be worse: rows are then added before dates that were settled by the wrong clock.

use std::{
    collections::{BTreeSet, VecDeque},
    fmt,
    sync::Arc,
    time::Duration,
};

use domain::Timestamp;
use parking_lot::Mutex;
use world::World;

use crate::{Change, DbError, Parts, Row, Statement};

/// How far a date may be from the server's clock when its change is committed.
pub const TOLERANCE: Duration = Duration::from_secs(2);

/// The clock may be set back so far before dates follow it.
const EMBEDDED_STEP: Duration = Duration::from_mins(1);
/// The same on a server, where the guard would refuse dates that are further ahead than the tolerance.
const SERVER_STEP: Duration = Duration::from_secs(1);
/// An estimate of the server's clock is measured again after this time.
const ESTIMATE_AGE: Duration = Duration::from_secs(30);
/// A settled moment is not asked for again within this time.
const SETTLED_AGE: Duration = Duration::from_millis(20);
/// Samples that are not settled yet are kept at this distance.
const SAMPLE_EVERY: Duration = Duration::from_millis(100);
/// So many of them at most.
const SAMPLES: usize = 64;
/// How long one who asks waits for the transactions that were open when the sample was taken, and how often it looks.
const WAITS: u32 = 40;
const WAIT: Duration = Duration::from_millis(5);

/// Refuses a date that is too far from the server's clock: it then finds no row. The model of a server knows it by its text.
pub(crate) const GUARD: &str = "select 1 where $1 between \
    floor(extract(epoch from clock_timestamp()) * 1000000) - 2000000 and \
    floor(extract(epoch from clock_timestamp()) * 1000000) + 2000000";

/// The same for the dates of several changes: one row for each that is near enough.
pub(crate) const GUARDS: &str = "select from unnest($1::bigint[]) as u(arg_1) where u.arg_1 between \
    floor(extract(epoch from clock_timestamp()) * 1000000) - 2000000 and \
    floor(extract(epoch from clock_timestamp()) * 1000000) + 2000000";

/// The server's clock, the oldest open transaction, the next transaction. The statement's time is read before its snapshot is taken.
pub const SAMPLE: &str = "select floor(extract(epoch from statement_timestamp()) * 1000000)::bigint, \
    pg_snapshot_xmin(pg_current_snapshot())::text::bigint, \
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint";

/// Whether a date passes the guard when the server's clock shows `now`.
pub fn passes(date: Timestamp, now: Timestamp) -> bool {
    date.since(now).max(now.since(date)) <= TOLERANCE
}

/// The date of something new. Drawn by [`crate::Db::draw_date`]; its change bears it by [`Change::dated`].
#[derive(Debug)]
pub struct Date {
    at: Timestamp,
    open: Option<Open>,
}

impl Date {
    /// The date. Dates that one process draws are all different.
    pub fn at(&self) -> Timestamp {
        self.at
    }
}

impl Change {
    /// Binds the change to the date of what it makes. To be called last: on a server the guard must be the change's last statement.
    ///
    /// [`crate::Db::commit`] then ends in [`DbError::Outdated`] when the date is too old to be committed: nothing was written,
    /// and the change is made again with a new date.
    #[must_use]
    pub fn dated(mut self, date: &Date) -> Self {
        match &date.open {
            Some(open) => self.open = Some(open.clone()),
            None => self.push(Statement {
                parts: Parts::DateGuard,
                ..Statement::one(GUARD, vec![date.at.into()])
            }),
        }
        self
    }
}

/// Keeps a date open until the last of its clones is dropped.
#[derive(Clone)]
pub(crate) struct Open(Arc<Opened>);

struct Opened {
    at: i64,
    book: Arc<Mutex<Book>>,
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.book.lock().open.remove(&self.at);
    }
}

impl fmt::Debug for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Open({})", self.0.at)
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Open {}

/// The open dates of an embedded database. Unit: microseconds.
#[derive(Default)]
struct Book {
    open: BTreeSet<i64>,
    /// No date before this one is drawn any more.
    next: i64,
}

impl Book {
    fn next(&self, now: Timestamp) -> i64 {
        later(now, self.next, EMBEDDED_STEP)
    }
}

/// `now`, or `next` when that is later; `now` all the same when the clock was set back by more than `step`.
fn later(now: Timestamp, next: i64, step: Duration) -> i64 {
    if next > now.after(step).micros() {
        now.micros()
    } else {
        next.max(now.micros())
    }
}

/// Clocks that differ by more than this are reported to the operator.
pub(crate) const WARNED_SKEW: Duration = Duration::from_secs(1);
/// They are reported again after this time.
const WARNED_AGAIN: Duration = Duration::from_mins(5);

/// By how much a time that was given between `before` and `after` is certainly off.
pub(crate) fn skew(before: Timestamp, reported: Timestamp, after: Timestamp) -> Duration {
    before.since(reported).max(reported.since(after))
}

/// Shows by how much the clocks differ.
pub(crate) fn show_skew(database: &str, skew: Duration) {
    metrics::gauge!("pointsman_db_clock_skew_seconds", "database" => database.to_owned())
        .set(skew.as_secs_f64());
}

/// Tells the operator.
pub(crate) fn warn_of_skew(skew: Duration) {
    tracing::warn!(
        skew_ms = skew.as_millis(),
        "this machine's clock and the database's differ: set both by NTP"
    );
}

/// What a node knows of the dates of its database.
#[derive(Clone, Default)]
pub(crate) struct Dates {
    database: Arc<str>,
    book: Arc<Mutex<Book>>,
    server: Arc<Mutex<Server>>,
}

impl Dates {
    /// Of this database, as metrics name it.
    pub(crate) fn of(database: Arc<str>) -> Self {
        Self {
            database,
            ..Self::default()
        }
    }

    /// Draws a date of an embedded database.
    pub(crate) fn draw_embedded(&self, world: &World) -> Date {
        let mut book = self.book.lock();
        let at = book.next(world.now());
        book.next = at.saturating_add(1);
        book.open.insert(at);
        let open = Open(Arc::new(Opened {
            at,
            book: Arc::clone(&self.book),
        }));
        Date {
            at: Timestamp::from_micros(at),
            open: Some(open),
        }
    }

    /// The date before which nothing is added to an embedded database any more.
    pub(crate) fn settled_embedded(&self, world: &World) -> Timestamp {
        let mut book = self.book.lock();
        book.next = book.next(world.now());
        let first = book.open.first().copied();
        Timestamp::from_micros(first.unwrap_or(book.next).min(book.next))
    }

    /// Whether the server's clock must be measured before a date is drawn.
    pub(crate) fn must_measure(&self, world: &World) -> bool {
        let now = world.now();
        let is_good = |estimate: &Estimate| {
            estimate.measured_at <= now && now.since(estimate.measured_at) < ESTIMATE_AGE
        };
        !self.server.lock().estimate.as_ref().is_some_and(is_good)
    }

    /// Draws a date of a server's database.
    pub(crate) fn draw_shared(&self, world: &World) -> Date {
        let mut server = self.server.lock();
        let off = server.estimate.as_ref().map_or(0, |estimate| estimate.off);
        let now = Timestamp::from_micros(world.now().micros().saturating_add(off));
        let at = later(now, server.next, SERVER_STEP);
        server.next = at.saturating_add(1);
        Date {
            at: Timestamp::from_micros(at),
            open: None,
        }
    }

    /// The server's clock is not where it was thought to be.
    pub(crate) fn mistrust(&self) {
        self.server.lock().estimate = None;
    }

    /// Notes a sample that was asked for at `asked` and came at `came`, by the node's clock.
    pub(crate) fn note(&self, sample: Sample, asked: Timestamp, came: Timestamp) {
        let between = i64::midpoint(asked.micros(), came.micros());
        let skew = skew(asked, sample.clock, came);
        show_skew(&self.database, skew);
        let mut server = self.server.lock();
        if skew > WARNED_SKEW
            && server
                .warned_at
                .is_none_or(|at| came.since(at) > WARNED_AGAIN)
        {
            server.warned_at = Some(came);
            warn_of_skew(skew);
        }
        // An answer that took long says little, but more than nothing.
        if came.since(asked) < SERVER_STEP || server.estimate.is_none() {
            server.estimate = Some(Estimate {
                off: sample.clock.micros().saturating_sub(between),
                measured_at: came,
            });
        }
        server.note(sample);
    }

    /// The settled moment, when it was found a moment ago.
    pub(crate) fn settled_recently(&self, world: &World) -> Option<Timestamp> {
        let now = world.now();
        let server = self.server.lock();
        let found_at = server.found_at?;
        let recent = found_at <= now && now.since(found_at) < SETTLED_AGE;
        server.settled.filter(|_| recent)
    }

    /// The settled moment as far as it is known.
    pub(crate) fn settled_shared(&self, world: &World) -> Option<Timestamp> {
        let mut server = self.server.lock();
        server.found_at = Some(world.now());
        server.settled
    }

    /// Asks a server for the date before which nothing is added any more. `take` takes a sample.
    pub(crate) async fn ask<F>(
        &self,
        world: &World,
        take: impl Fn() -> F,
    ) -> Result<Option<Timestamp>, DbError>
    where
        F: Future<Output = Result<Vec<Row>, DbError>>,
    {
        if let Some(settled) = self.settled_recently(world) {
            return Ok(Some(settled));
        }
        let first = self.take(world, &take).await?;
        let mut last = first;
        for _ in 0..WAITS {
            if first.next <= last.oldest {
                break;
            }
            world.sleep(WAIT).await;
            last = self.take(world, &take).await?;
        }
        Ok(self.settled_shared(world))
    }

    /// Takes a sample and notes it.
    pub(crate) async fn take<F>(
        &self,
        world: &World,
        take: impl Fn() -> F,
    ) -> Result<Sample, DbError>
    where
        F: Future<Output = Result<Vec<Row>, DbError>>,
    {
        let asked = world.now();
        let rows = take().await?;
        let row = rows
            .first()
            .ok_or_else(|| DbError::Corrupt("a row is missing".to_owned()))?;
        let sample = Sample {
            clock: row.time(0)?,
            oldest: row.int(1)?,
            next: row.int(2)?,
        };
        self.note(sample, asked, world.now());
        Ok(sample)
    }
}

/// How far a server's clock is from the node's. Unit: microseconds.
struct Estimate {
    off: i64,
    measured_at: Timestamp,
}

/// The server's clock and transactions at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) clock: Timestamp,
    /// Every transaction below it has ended.
    pub(crate) oldest: i64,
    /// No transaction has it, or a greater one.
    pub(crate) next: i64,
}

#[derive(Default)]
struct Server {
    estimate: Option<Estimate>,
    next: i64,
    /// Samples with transactions that were open when they were last looked at, the oldest first.
    samples: VecDeque<Sample>,
    settled: Option<Timestamp>,
    found_at: Option<Timestamp>,
    /// When the operator was warned that the clocks differ.
    warned_at: Option<Timestamp>,
}

impl Server {
    fn note(&mut self, sample: Sample) {
        let is_ahead = |clock: Timestamp| clock.since(sample.clock) > SERVER_STEP;
        // The server's clock was set back: what was settled by the wrong one says nothing.
        self.samples.retain(|known| !is_ahead(known.clock));
        if self.settled.is_some_and(is_ahead) {
            self.settled = None;
        }
        let (mut ended, open): (VecDeque<Sample>, VecDeque<Sample>) = self
            .samples
            .drain(..)
            .partition(|known| known.next <= sample.oldest);
        self.samples = open;
        if sample.next <= sample.oldest {
            ended.push_back(sample);
        } else if self
            .samples
            .back()
            .is_none_or(|last| sample.clock.since(last.clock) >= SAMPLE_EVERY)
        {
            self.samples.push_back(sample);
        }
        if self.samples.len() > SAMPLES {
            let mut keep = false;
            self.samples.retain(|_| {
                keep = !keep;
                keep
            });
        }
        let settled = ended.iter().map(|known| known.clock.before(TOLERANCE));
        self.settled = settled.chain(self.settled).max();
    }
}

#[cfg(test)]
mod tests;
