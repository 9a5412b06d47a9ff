//! What a run did, for people and for programs.

use std::{collections::BTreeMap, fmt::Write, time::Duration};

use serde_json::{Value, json};

use crate::{
    Broke, Broken,
    counts::join,
    digest::Digest,
    play::{Case, Played},
};

/// What was said about a failed payment is shown up to so many lines.
const MOST_SAID: usize = 40;

/// How the place of a failure begins that news in any order brought about.
const NEWS: &str = "news of payment ";

/// What a run did.
#[derive(Debug, Default)]
pub struct Report {
    /// Its seed.
    pub seed: u64,
    /// Payments made.
    pub payments: u64,
    /// Payments besides them that got news in any order.
    pub in_any_order: u64,
    /// Worlds played.
    pub worlds: u64,
    /// Crash points of the stories at which a process was killed.
    pub crash_points_hit: u64,
    /// Crash points of the stories that were to be played.
    pub crash_points: u64,
    /// Points of the stories at which a process was stopped for a while.
    pub stop_points_hit: u64,
    /// Points of the stories at which one was to be stopped.
    pub stop_points: u64,
    /// Polls of tasks.
    pub steps: u64,
    /// Requests by root field.
    pub requests: BTreeMap<&'static str, u64>,
    /// Faults by kind.
    pub faults: BTreeMap<&'static str, u64>,
    /// Time that passed in the worlds.
    pub virtual_time: Duration,
    /// Time that passed here.
    pub wall_time: Duration,
    /// The same for the same seed.
    pub digest: u64,
    /// What was found.
    pub failures: Vec<Failure>,
}

/// A broken invariant, with the payment and the command that plays it again.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The world of the run, or the crash point.
    pub place: String,
    /// What is broken.
    pub broken: Broken,
    /// The payment as it is shown at the end.
    pub payment: Value,
    /// Its entries in the processors' books.
    pub entries: Vec<Value>,
    /// What was said about it.
    pub said: Vec<String>,
}

impl Failure {
    /// For people, with the command that plays it again.
    pub(crate) fn write(&self, seed: u64, out: &mut String) -> std::fmt::Result {
        let Self {
            place,
            broken,
            payment,
            entries,
            said,
        } = self;
        writeln!(
            out,
            "\n{} of {}: {}",
            broken.invariant, broken.subject, broken.detail
        )?;
        let flag = match place.split_once(" (") {
            _ if place.starts_with("--world") => place.clone(),
            None if place.starts_with(NEWS) => place.replace(NEWS, "--no-crash-points --payments "),
            Some((point, _)) => format!("--crash-point '{point}'"),
            None => format!("--crash-point '{place}'"),
        };
        writeln!(
            out,
            "at {place}; play it again: pointsman-lab simulate --seed {seed} {flag}"
        )?;
        if !payment.is_null() {
            writeln!(out, "payment: {payment}")?;
        }
        for entry in entries {
            writeln!(out, "books: {entry}")?;
        }
        for line in said.iter().take(MOST_SAID) {
            writeln!(out, "said: {line}")?;
        }
        Ok(())
    }

    pub(crate) fn of(place: &str, case: Case) -> Self {
        let Case {
            broken,
            payment,
            entries,
            said,
        } = case;
        Self {
            place: place.to_owned(),
            broken,
            payment,
            entries,
            said,
        }
    }

    pub(crate) fn of_a_run(place: &str, broke: &Broke) -> Self {
        let broken = Broken {
            invariant: "the-run-ends",
            subject: String::new(),
            detail: broke.to_string(),
        };
        Self {
            place: place.to_owned(),
            broken,
            payment: Value::Null,
            entries: Vec::new(),
            said: Vec::new(),
        }
    }

    /// Of the payment with this number among those that are that got news in any order.
    pub(crate) fn of_news(number: u64, broken: Broken) -> Self {
        let place = format!("{NEWS}{number}");
        Self {
            place,
            broken,
            payment: Value::Null,
            entries: Vec::new(),
            said: Vec::new(),
        }
    }
}

impl Report {
    pub(crate) fn add(&mut self, place: &str, played: Played) {
        self.worlds += 1;
        self.payments += played.payments;
        self.steps += played.steps;
        self.virtual_time = self.virtual_time.saturating_add(played.virtual_time);
        join(&mut self.requests, &played.requests);
        join(&mut self.faults, &played.faults);
        let mut digest = Digest::default();
        digest.add(&format!("{:016x}{:016x}", self.digest, played.digest));
        self.digest = digest.value();
        self.failures.extend(
            played
                .broken
                .into_iter()
                .map(|case| Failure::of(place, case)),
        );
    }

    /// Whether nothing is broken.
    pub fn is_right(&self) -> bool {
        self.failures.is_empty()
    }

    /// Payments per second of wall time.
    fn rate(&self) -> u64 {
        let millis = u64::try_from(self.wall_time.as_millis()).unwrap_or(u64::MAX);
        self.payments
            .saturating_mul(1000)
            .checked_div(millis)
            .unwrap_or(0)
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "seed                {}", self.seed)?;
        writeln!(
            out,
            "payments            {} in {} worlds",
            self.payments, self.worlds
        )?;
        writeln!(
            out,
            "crash points        hit {} of {}",
            self.crash_points_hit, self.crash_points
        )?;
        writeln!(
            out,
            "stop points         hit {} of {}",
            self.stop_points_hit, self.stop_points
        )?;
        writeln!(out, "news in any order   {} payments", self.in_any_order)?;
        writeln!(
            out,
            "virtual time        {} h",
            self.virtual_time.as_secs() / 3600
        )?;
        writeln!(
            out,
            "wall time           {} s, {} payments per second",
            self.wall_time.as_secs(),
            self.rate()
        )?;
        writeln!(out, "steps               {}", self.steps)?;
        writeln!(out, "digest              {:016x}", self.digest)?;
        writeln!(
            out,
            "requests and visits {}",
            self.requests.values().sum::<u64>()
        )?;
        for (name, count) in &self.requests {
            writeln!(out, "  {count:>12}  {name}")?;
        }
        writeln!(
            out,
            "faults              {}",
            self.faults.values().sum::<u64>()
        )?;
        for (name, count) in &self.faults {
            writeln!(out, "  {count:>12}  {name}")?;
        }
        writeln!(out, "broken invariants   {}", self.failures.len())?;
        let mut by_name: BTreeMap<&str, u64> = BTreeMap::new();
        for failure in &self.failures {
            *by_name.entry(failure.broken.invariant).or_default() += 1;
        }
        for (name, count) in by_name {
            writeln!(out, "  {count:>12}  {name}")?;
        }
        for failure in self.failures.iter().take(3) {
            failure.write(self.seed, out)?;
        }
        Ok(())
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let failure = |failure: &Failure| {
            json!({
                "place": failure.place,
                "invariant": failure.broken.invariant,
                "subject": failure.broken.subject,
                "detail": failure.broken.detail,
                "payment": failure.payment,
                "books": failure.entries,
                "said": failure.said,
            })
        };
        json!({
            "seed": self.seed,
            "payments": self.payments,
            "worlds": self.worlds,
            "newsInAnyOrder": self.in_any_order,
            "crashPointsHit": self.crash_points_hit,
            "crashPoints": self.crash_points,
            "stopPointsHit": self.stop_points_hit,
            "stopPoints": self.stop_points,
            "steps": self.steps,
            "virtualSeconds": self.virtual_time.as_secs(),
            "wallMilliseconds": u64::try_from(self.wall_time.as_millis()).unwrap_or(u64::MAX),
            "paymentsPerSecond": self.rate(),
            "digest": format!("{:016x}", self.digest),
            "requests": self.requests,
            "faults": self.faults,
            "broken": self.failures.iter().map(failure).collect::<Vec<_>>(),
        })
    }
}
