//! A run: many worlds on several threads.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
};

use planted::Bug;
use world::Stopwatch;

use crate::{
    Broke,
    chance::Chance,
    play::{Played, play},
    report::{Failure, Report},
};

/// How many shoppers a world has: enough to get into each other's way, few enough to keep it small.
pub(crate) const SHOPPERS: u32 = 150;

/// What is to be played.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The seed of all chance.
    pub seed: u64,
    /// At least so many orders; nearly all of them are payments.
    pub payments: u64,
    /// On so many threads.
    pub threads: usize,
    /// Only this world of the run.
    pub world: Option<u64>,
    /// With this bug, until it is found. Needs a build with the feature `planted`.
    pub planted: Option<Bug>,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Worlds played.
    pub worlds: u64,
    /// Worlds in all.
    pub of: u64,
    /// Payments so far.
    pub payments: u64,
    /// Broken invariants so far.
    pub broken: usize,
}

/// The seed of one world of a run.
fn seed_of(plan: &Plan, world: u64) -> u64 {
    Chance::of(plan.seed, world).next()
}

/// Plays, telling how far it is. A world that could not be played is among the failures.
pub fn run(plan: &Plan, tell: &mut dyn FnMut(Progress)) -> Report {
    let watch = Stopwatch::start();
    let worlds = match plan.world {
        Some(_) => 1,
        None => plan.payments.div_ceil(u64::from(SHOPPERS)).max(1),
    };
    let next = AtomicU64::new(0);
    // A planted bug is found once.
    let enough = AtomicBool::new(false);
    let (send, results) = mpsc::channel();
    let mut played: BTreeMap<u64, Result<Played, Broke>> = BTreeMap::new();
    thread::scope(|scope| {
        for _ in 0..plan.threads.max(1) {
            let (send, next, enough) = (send.clone(), &next, &enough);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::SeqCst);
                    if index >= worlds || enough.load(Ordering::SeqCst) {
                        return;
                    }
                    let world = plan.world.unwrap_or(index);
                    let result = one_world(plan, world);
                    let found = result.as_ref().map_or(true, |played| !played.broken.is_empty());
                    enough.fetch_or(plan.planted.is_some() && found, Ordering::SeqCst);
                    if send.send((world, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let (mut payments, mut broken) = (0, 0);
        for (world, result) in results {
            if let Ok(result) = &result {
                payments += result.payments;
                broken += result.broken.len();
            }
            played.insert(world, result);
            let done = u64::try_from(played.len()).unwrap_or(u64::MAX);
            tell(Progress { worlds: done, of: worlds, payments, broken });
        }
    });
    let mut report = Report { seed: plan.seed, ..Report::default() };
    for (world, result) in played {
        match result {
            Ok(result) => report.add(world, result),
            Err(broke) => report.failures.push(Failure::of_a_run(world, &broke)),
        }
    }
    report.wall_time = watch.elapsed();
    report
}

/// Plays one world. A panic is a finding, not an end.
fn one_world(plan: &Plan, world: u64) -> Result<Played, Broke> {
    planted::plant(plan.planted);
    catch_unwind(AssertUnwindSafe(|| play(seed_of(plan, world), SHOPPERS)))
        .unwrap_or_else(|_| Err(Broke("a panic; its message is on standard error".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(seed: u64, threads: usize) -> (u64, u64, u64) {
        let plan = Plan { seed, payments: 2 * u64::from(SHOPPERS), threads, world: None, planted: None };
        let report = run(&plan, &mut |_| {});
        (report.digest, report.steps, report.payments)
    }

    #[test]
    fn the_same_seed_plays_the_same_story_to_the_same_step_on_any_number_of_threads() {
        let one = digest(11, 1);
        assert!(one.2 >= 200, "{} payments", one.2);
        assert_eq!(digest(11, 2), one);
        assert_ne!(digest(12, 2).0, one.0);
    }
}
