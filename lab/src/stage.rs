//! The places at which something can go wrong with a process or its database, and what does.
//!
//! A boundary is a call to a processor or a commit, before and after. In a random run the seed decides what goes wrong
//! there. In an enumerated one boundaries are counted and named, so that the same story can be played again with the death
//! of the process exactly there, or with a stop of the process.

use std::{future::pending, sync::Arc, time::Duration};

use db::Statement;
use db_model::{Boundary, Mishap, Mishaps};
use domain::Timestamp;
use parking_lot::Mutex;
use tokio::sync::mpsc::UnboundedSender;
use world::Node;

use crate::{chance::Chance, counts::Counts};

/// How the names of boundaries begin at which a batch is about to be sent.
pub(crate) const BATCH: &str = "before the batch: ";

/// What a process waits at least, so that it stands still when it was stopped.
const MOMENT: Duration = Duration::from_millis(1);

/// At a call or a commit a process dies one time in so many; at a delivery, of which there are more, less often.
const DEATHS: u64 = 500;
const DEATHS_AT_DELIVERIES: u64 = 1_500;

/// Before or after what is done at a boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

impl Side {
    const fn word(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// What happens to a process at a boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strike {
    /// It is killed.
    Death,
    /// It is stopped for so long, and goes on as if nothing had been.
    Stop(Duration),
}

/// What goes wrong with processes and databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weather {
    /// Nothing.
    Fair,
    /// Boundaries are counted, and at the one with this number its process is struck.
    Counted(Option<(usize, Strike)>),
    /// As chance wants it.
    Foul,
}

/// What goes wrong, for every node of a house.
pub(crate) struct Stage {
    state: Mutex<StageState>,
    deaths: UnboundedSender<usize>,
    pub(crate) mishaps: Counts,
}

struct StageState {
    weather: Weather,
    chance: Chance,
    passed: Vec<String>,
    /// Until when commits take so long, by the clock of the process that commits.
    slow: Option<(Timestamp, Duration)>,
}

impl Stage {
    /// A stage in fair weather. The numbers of nodes that die go to `deaths`.
    pub(crate) fn new(chance: Chance, deaths: UnboundedSender<usize>) -> Self {
        let state = StageState {
            weather: Weather::Fair,
            chance,
            passed: Vec::new(),
            slow: None,
        };
        Self {
            state: Mutex::new(state),
            deaths,
            mishaps: Counts::default(),
        }
    }

    /// What goes wrong from now on.
    pub(crate) fn set_weather(&self, weather: Weather) {
        self.state.lock().weather = weather;
    }

    /// The database's disk is slow: until then every commit takes so long.
    pub(crate) fn slow_commits(&self, until: Timestamp, span: Duration) {
        self.state.lock().slow = Some((until, span));
    }

    /// How long a commit takes now because the disk is slow.
    fn slowness(&self, now: Timestamp) -> Option<Duration> {
        self.state
            .lock()
            .slow
            .filter(|slow| now < slow.0)
            .map(|slow| slow.1)
    }

    /// Nothing is left to chance any more; a count goes on.
    pub(crate) fn calm(&self) {
        let mut state = self.state.lock();
        if state.weather == Weather::Foul {
            state.weather = Weather::Fair;
        }
    }

    /// The boundaries that were counted.
    pub(crate) fn passed(&self) -> Vec<String> {
        self.state.lock().passed.clone()
    }

    /// Draws once with probability 1 to `most`, in foul weather alone.
    pub(crate) fn draws(&self, most: u64) -> bool {
        let mut state = self.state.lock();
        state.weather == Weather::Foul && state.chance.one_in(most)
    }

    /// A span of milliseconds.
    fn millis(&self, low: i64, high: i64) -> Duration {
        self.state.lock().chance.millis(low, high)
    }

    /// Passes a boundary, at which a process dies one time in `most` when chance wants it. What happens to the process there.
    fn passes(&self, most: u64, name: impl FnOnce() -> String) -> Option<Strike> {
        let mut state = self.state.lock();
        match state.weather {
            Weather::Fair => None,
            Weather::Counted(_) => {
                drop(state);
                self.counts(name)
            }
            Weather::Foul => state.chance.one_in(most).then_some(Strike::Death),
        }
    }

    /// Passes a boundary that is only counted.
    fn counts(&self, name: impl FnOnce() -> String) -> Option<Strike> {
        let mut state = self.state.lock();
        let Weather::Counted(wanted) = state.weather else {
            return None;
        };
        let number = state.passed.len();
        state.passed.push(name());
        wanted
            .filter(|wanted| wanted.0 == number)
            .map(|wanted| wanted.1)
    }
}

/// The boundaries that one node passes, to processors or to one database.
#[derive(Clone)]
pub(crate) struct Doorway {
    pub(crate) stage: Arc<Stage>,
    pub(crate) node: Node,
    pub(crate) index: usize,
    /// What it leads to.
    pub(crate) database: &'static str,
}

impl Doorway {
    /// Passes a call to a processor. Does not come back when the process dies there.
    pub(crate) async fn call(&self, side: Side, verb: &'static str) {
        let name = || format!("{} the call: {verb}", side.word());
        let strike = self.stage.passes(DEATHS, name);
        let mishap = match side {
            Side::Before => "process killed before a call",
            Side::After => "process killed after a call",
        };
        self.struck(strike, mishap).await;
    }

    /// Passes a delivery of an event to a merchant. Does not come back when the process dies there.
    pub(crate) async fn delivery(&self, side: Side) {
        let name = || format!("{} the delivery", side.word());
        let strike = self.stage.passes(DEATHS_AT_DELIVERIES, name);
        let mishap = match side {
            Side::Before => "process killed before a delivery",
            Side::After => "process killed after a delivery",
        };
        self.struck(strike, mishap).await;
    }

    async fn struck(&self, strike: Option<Strike>, mishap: &'static str) {
        match strike {
            None => {}
            Some(Strike::Death) => {
                self.stage.mishaps.add(mishap);
                self.die();
                pending::<()>().await;
            }
            Some(Strike::Stop(span)) => {
                self.stop(span);
                self.node.world().sleep(MOMENT).await;
            }
        }
    }

    /// The process is stopped where it stands, as soon as it waits.
    fn stop(&self, span: Duration) {
        self.stage
            .mishaps
            .add("process stopped at a counted boundary");
        self.node.stop_for(span);
    }

    /// The process is killed where it stands.
    pub(crate) fn die(&self) {
        self.node.crash();
        // Nobody starts it again once the house is gone.
        let _ = self.stage.deaths.send(self.index);
    }

    fn commit(&self, side: Side, statements: &[Statement]) -> Mishap {
        let name = || {
            format!(
                "{} the commit: {}{}",
                side.word(),
                self.database,
                tables(statements)
            )
        };
        match self.stage.passes(DEATHS, name) {
            None => {}
            Some(Strike::Death) => {
                self.stage.mishaps.add(match side {
                    Side::Before => "process killed before a commit",
                    Side::After => "process killed after a commit",
                });
                self.die();
                return Mishap::Death;
            }
            Some(Strike::Stop(span)) => {
                self.stop(span);
                return Mishap::Slow(MOMENT);
            }
        }
        let stage = &self.stage;
        let reported = |name, mishap| {
            stage.mishaps.add(name);
            mishap
        };
        if let (Side::Before, Some(span)) = (side, stage.slowness(self.node.world().now())) {
            return Mishap::Slow(span);
        }
        match side {
            Side::Before if stage.draws(80) => {
                reported("commit unknown, without effect", Mishap::Unknown)
            }
            Side::Before if stage.draws(100) => {
                reported("connection lost before a commit", Mishap::Lost)
            }
            Side::Before if stage.draws(100) => {
                reported("deadlock at a commit, batch redone", Mishap::Met)
            }
            Side::Before if stage.draws(150) => {
                let effect = stage.draws(2);
                let name = if effect {
                    "late commit, with effect"
                } else {
                    "late commit, without effect"
                };
                reported(
                    name,
                    Mishap::Late {
                        after: stage.millis(20, 12_000),
                        effect,
                    },
                )
            }
            Side::Before if stage.draws(40) => {
                reported("slow commit", Mishap::Slow(stage.millis(1, 1_500)))
            }
            Side::After if stage.draws(60) => {
                reported("commit unknown, with effect", Mishap::Unknown)
            }
            Side::After if stage.draws(250) => {
                // Between the commit and what is to be sent: past its time to be sent, now and then past a lease.
                self.node.stop_for(stage.millis(3_000, 100_000));
                reported("process stopped after a commit", Mishap::None)
            }
            Side::Before | Side::After => Mishap::None,
        }
    }

    /// A batch is about to be sent: nothing is locked yet, and what it was made from may change.
    fn begin(&self, statements: &[Statement]) -> Mishap {
        let name = || format!("{BATCH}{}{}", self.database, tables(statements));
        if let Some(Strike::Stop(span)) = self.stage.counts(name) {
            self.stop(span);
            return Mishap::Slow(MOMENT);
        }
        match self.elsewhere(100, "deadlock in a batch, redone", Mishap::Met) {
            Mishap::None => self.elsewhere(150, "connection lost in a batch", Mishap::Lost),
            met => met,
        }
    }

    fn elsewhere(&self, odds: u64, name: &'static str, mishap: Mishap) -> Mishap {
        if !self.stage.draws(odds) {
            return Mishap::None;
        }
        self.stage.mishaps.add(name);
        mishap
    }
}

impl Mishaps for Doorway {
    fn at(&self, boundary: Boundary<'_>) -> Mishap {
        match boundary {
            Boundary::Commit(statements) => self.commit(Side::Before, statements),
            Boundary::Committed(statements) => self.commit(Side::After, statements),
            Boundary::Begin(statements) => self.begin(statements),
            Boundary::Claim(_) => self.elsewhere(300, "claim refused", Mishap::Lost),
            Boundary::Claimed(_) => {
                if self.stage.draws(2_000) {
                    self.stage.mishaps.add("process killed after a claim");
                    self.die();
                    return Mishap::Death;
                }
                self.elsewhere(400, "claim whose rows nobody knows", Mishap::Lost)
            }
            Boundary::Read(_) => self.elsewhere(800, "connection lost while reading", Mishap::Lost),
            Boundary::Connect => {
                self.elsewhere(20, "connection refused by the database", Mishap::Lost)
            }
        }
    }
}

/// What a batch writes: the tables, each once, in order.
fn tables(statements: &[Statement]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for statement in statements {
        let words = statement
            .sql
            .split_whitespace()
            .filter(|word| !matches!(*word, "insert" | "update" | "delete" | "into" | "from"));
        let name = words.into_iter().next().unwrap_or_default();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join("+")
}
