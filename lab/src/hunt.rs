//! Detection power: how soon the simulation finds bugs that were planted on purpose.
//!
//! For each bug the cheap comes first: the stories undisturbed, then with stops, then worlds in the order of their numbers,
//! then a part of the crash points, then news in any order. The first broken invariant ends the hunt, so that what it costs is
//! bounded, and the same seed finds the same.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use planted::Bug;
use serde_json::{Value, json};
use world::Stopwatch;

use crate::{
    Broke, Crashes, Plan, news,
    play::Played,
    report::Failure,
    run::{at, name_of, one_point, one_story, one_world, worlds_of},
    scenario::{self, Point},
};

/// At most so many crash points are played for a bug, spread evenly over all of them.
const MOST_POINTS: usize = 200;

/// At most so many payments get their news in any order for a bug.
const MOST_WITH_NEWS: u64 = 20_000;

/// What came of looking for one bug.
#[derive(Debug, Clone)]
pub struct Hunted {
    /// The bug.
    pub bug: Bug,
    /// After so many payments it was found, or given up.
    pub payments: u64,
    /// How long that took.
    pub took: Duration,
    /// What broke, all in one place; nothing when it was not found.
    pub failures: Vec<Failure>,
}

impl Hunted {
    /// Whether it was found.
    pub fn is_found(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Where it was found.
    fn place(&self) -> &str {
        self.failures
            .first()
            .map_or("", |failure| failure.place.as_str())
    }

    /// The invariants that it broke, in the order of how often.
    fn broken(&self) -> Vec<(&'static str, u64)> {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for failure in &self.failures {
            *counts.entry(failure.broken.invariant).or_default() += 1;
        }
        let mut broken: Vec<(&str, u64)> = counts.into_iter().collect();
        broken.sort_by_key(|found| std::cmp::Reverse(found.1));
        broken
    }

    /// For programs.
    pub fn json(&self) -> Value {
        json!({
            "bug": self.bug.name(),
            "found": self.is_found(),
            "payments": self.payments,
            "milliseconds": u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            "place": self.place(),
            "broken": self.broken(),
        })
    }

    /// The first thing that broke, for people.
    pub fn text(&self, seed: u64) -> String {
        let mut text = String::new();
        if let Some(first) = self.failures.first() {
            // Writing to a string does not fail.
            let _ = first.write(seed, &mut text);
        }
        text
    }
}

/// Looks for each of the bugs with at most `plan.payments` payments in worlds, each bug on one of `plan.threads` threads.
/// A plan with one world, or one crash point, plays that alone.
pub fn hunt(bugs: &[Bug], plan: &Plan, report_to: &mut dyn FnMut(&Hunted)) -> Vec<Hunted> {
    let next = AtomicUsize::new(0);
    let (send, results) = mpsc::channel();
    let mut found: BTreeMap<Bug, Hunted> = BTreeMap::new();
    thread::scope(|scope| {
        for _ in 0..plan.threads.max(1) {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                while let Some(bug) = bugs.get(next.fetch_add(1, Ordering::SeqCst)) {
                    planted::plant(Some(*bug));
                    let hunted = hunt_one(*bug, plan);
                    planted::plant(None);
                    if send.send(hunted).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        for hunted in results {
            report_to(&hunted);
            found.insert(hunted.bug, hunted);
        }
    });
    found.into_values().collect()
}

fn hunt_one(bug: Bug, plan: &Plan) -> Hunted {
    let watch = Stopwatch::start();
    let mut trail = Trail::default();
    trail.follow(plan);
    Hunted {
        bug,
        payments: trail.payments,
        took: watch.elapsed(),
        failures: trail.failures,
    }
}

/// What was played so far.
#[derive(Default)]
struct Trail {
    payments: u64,
    failures: Vec<Failure>,
}

impl Trail {
    /// Plays one thing after the other until something breaks.
    fn follow(&mut self, plan: &Plan) {
        let one = plan.world.is_some();
        let points = if one { Vec::new() } else { self.stories(plan) };
        let (deaths, stops): (Vec<Point>, Vec<Point>) =
            points.into_iter().partition(Point::is_death);
        self.points(plan, &stops, usize::MAX);
        if !matches!(plan.crashes, Crashes::One(_)) {
            let worlds = (0..worlds_of(plan)).map(|world| plan.world.unwrap_or(world));
            for world in worlds {
                if !self.failures.is_empty() {
                    return;
                }
                self.add(&name_of(plan, world), one_world(plan, world));
            }
        }
        self.points(plan, &deaths, MOST_POINTS);
        if self.failures.is_empty() && !one && !matches!(plan.crashes, Crashes::One(_)) {
            let (broken, outcome) = news::play(plan.seed, MOST_WITH_NEWS);
            self.payments += outcome;
            self.failures.extend(
                broken
                    .into_iter()
                    .map(|broken| Failure::of_news(outcome, broken)),
            );
        }
    }

    /// Plays the stories undisturbed. The points at which something can happen.
    fn stories(&mut self, plan: &Plan) -> Vec<Point> {
        let mut points = Vec::new();
        for story in scenario::stories(plan.wire) {
            if !self.failures.is_empty() {
                return Vec::new();
            }
            match one_story(story, plan.seed, None) {
                Ok(outcome) => {
                    points.extend(scenario::points(story, &outcome.passed));
                    self.add(story.name, Ok(outcome.played));
                }
                Err(broke) => self.add(story.name, Err(broke)),
            }
        }
        if let Crashes::One(name) = &plan.crashes {
            points.retain(|point| point.name() == *name);
        }
        points
    }

    fn points(&mut self, plan: &Plan, points: &[Point], most: usize) {
        if plan.crashes == Crashes::None {
            return;
        }
        for point in points.iter().step_by(points.len().div_ceil(most).max(1)) {
            if !self.failures.is_empty() {
                return;
            }
            match one_point(point, plan.seed) {
                Ok(outcome) => {
                    let place = at(point, &outcome);
                    self.add(&place, Ok(outcome.played));
                }
                Err(broke) => self.add(&point.name(), Err(broke)),
            }
        }
    }

    fn add(&mut self, place: &str, played: Result<Played, Broke>) {
        match played {
            Ok(played) => {
                self.payments += played.payments;
                self.failures.extend(
                    played
                        .broken
                        .into_iter()
                        .map(|case| Failure::of(place, case)),
                );
            }
            Err(broke) => self.failures.push(Failure::of_a_run(place, &broke)),
        }
    }
}

/// The table of a hunt, for people.
pub fn table(hunted: &[Hunted]) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_table(hunted, &mut text);
    text
}

fn write_table(hunted: &[Hunted], out: &mut String) -> std::fmt::Result {
    writeln!(
        out,
        "{:<28} {:>8} {:>7}  found by",
        "planted bug", "payments", "seconds"
    )?;
    for one in hunted {
        let broken: Vec<String> = one
            .broken()
            .iter()
            .take(3)
            .map(|(name, count)| format!("{name} ({count})"))
            .collect();
        let how = if one.is_found() {
            format!("{}, in {}", broken.join(", "), one.place())
        } else {
            "NOT FOUND".to_owned()
        };
        let seconds = one.took.as_millis() / 100;
        let seconds = format!("{}.{}", seconds / 10, seconds % 10);
        writeln!(
            out,
            "{:<28} {:>8} {seconds:>7}  {how}",
            one.bug.name(),
            one.payments
        )?;
    }
    let found = hunted.iter().filter(|one| one.is_found()).count();
    writeln!(out, "found {found} of {}", hunted.len())
}
