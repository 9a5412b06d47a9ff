//! Detection power: how soon the simulation finds bugs that were planted on purpose.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use planted::Bug;
use serde_json::{Value, json};

use crate::{Plan, run};

/// What came of looking for one bug.
#[derive(Debug, Clone)]
pub struct Hunted {
    /// The bug.
    pub bug: Bug,
    /// After so many payments it was found, or given up.
    pub payments: u64,
    /// The invariants that it broke, in the order of how often; none when it was not found.
    pub broken: Vec<(String, u64)>,
}

impl Hunted {
    /// Whether it was found.
    pub fn is_found(&self) -> bool {
        !self.broken.is_empty()
    }

    /// For programs.
    pub fn json(&self) -> Value {
        json!({ "bug": self.bug.name(), "payments": self.payments, "broken": self.broken })
    }
}

/// Looks for each of the bugs with at most `plan.payments` payments, each bug on one of `plan.threads` threads. The first
/// world in which an invariant breaks ends the hunt for a bug.
pub fn hunt(bugs: &[Bug], plan: &Plan, tell: &mut dyn FnMut(&Hunted)) -> Vec<Hunted> {
    let next = AtomicUsize::new(0);
    let (send, results) = mpsc::channel();
    let mut found: BTreeMap<Bug, Hunted> = BTreeMap::new();
    thread::scope(|scope| {
        for _ in 0..plan.threads.max(1) {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                while let Some(bug) = bugs.get(next.fetch_add(1, Ordering::SeqCst)) {
                    if send.send(hunt_one(*bug, plan)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        for hunted in results {
            tell(&hunted);
            found.insert(hunted.bug, hunted);
        }
    });
    found.into_values().collect()
}

fn hunt_one(bug: Bug, plan: &Plan) -> Hunted {
    let report = run(&Plan { planted: Some(bug), threads: 1, ..plan.clone() }, &mut |_| {});
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for failure in &report.failures {
        *counts.entry(failure.broken.invariant).or_default() += 1;
    }
    let mut broken: Vec<(String, u64)> = counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    broken.sort_by_key(|found| std::cmp::Reverse(found.1));
    Hunted { bug, payments: report.payments.saturating_add(report.told), broken }
}

/// The table of a hunt, for people.
pub fn table(hunted: &[Hunted]) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_table(hunted, &mut text);
    text
}

fn write_table(hunted: &[Hunted], out: &mut String) -> std::fmt::Result {
    writeln!(out, "{:<28} {:>9}  broken invariants", "planted bug", "payments")?;
    for one in hunted {
        let broken: Vec<String> = one.broken.iter().take(3).map(|(name, count)| format!("{name} ({count})")).collect();
        let broken = if one.is_found() { broken.join(", ") } else { "NOT FOUND".to_owned() };
        writeln!(out, "{:<28} {:>9}  {broken}", one.bug.name(), one.payments)?;
    }
    let found = hunted.iter().filter(|one| one.is_found()).count();
    writeln!(out, "found {found} of {}", hunted.len())
}
