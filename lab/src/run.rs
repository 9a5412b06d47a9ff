//! A run: every crash point of the stories, then many worlds, on several threads; then news in any order.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
};

use world::Stopwatch;

use crate::{
    Broke,
    chance::Chance,
    news,
    play::{Played, play},
    report::{Failure, Report},
    scenario::{self, Point, Story, StoryOutcome},
    stage::Strike,
};

/// How many shoppers a world has: enough to get into each other's way, few enough to keep it small.
pub(crate) const SHOPPERS: u32 = 150;

/// At most so many payments get their news in any order: what that can find it finds early.
const MOST_WITH_NEWS: u64 = 20_000;

/// What is to be played.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The seed of all chance.
    pub seed: u64,
    /// At least so many orders; nearly all of them are payments.
    pub payments: u64,
    /// On so many threads.
    pub threads: usize,
    /// Which crash points.
    pub crashes: Crashes,
    /// Of all crash points only each of these many-th: 1 is all of them.
    pub every: u64,
    /// Only this world of the run.
    pub world: Option<u64>,
    /// Whether Stripe and Adyen are among the processors, played in their wire formats.
    pub wire: bool,
}

impl Plan {
    /// How many worlds the whole run has; they are numbered from 0.
    pub fn worlds(&self) -> u64 {
        self.payments.div_ceil(u64::from(SHOPPERS))
    }

    /// So many jobs, on the threads of the run.
    const fn jobs(&self, count: u64) -> Jobs {
        Jobs {
            count,
            threads: self.threads,
        }
    }
}

/// Jobs that are numbered from 0, and how many threads share them.
#[derive(Debug, Clone, Copy)]
struct Jobs {
    count: u64,
    threads: usize,
}

/// Which crash points of the stories are played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Crashes {
    /// None.
    None,
    /// All of them.
    All,
    /// One: the name of a story and the number of a boundary, as a failure names them, for a stop with its seconds.
    One(String),
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is played: `crash points` or `worlds`.
    pub what: &'static str,
    /// Played.
    pub done: u64,
    /// In all.
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

/// Plays, telling how far it is. What could not be played is among the failures.
pub fn run(plan: &Plan, report_to: &mut dyn FnMut(Progress)) -> Report {
    let watch = Stopwatch::start();
    let mut report = Report {
        seed: plan.seed,
        ..Report::default()
    };
    stories(plan, &mut report, report_to);
    worlds(plan, &mut report, report_to);
    news(plan, &mut report);
    report.wall_time = watch.elapsed();
    report
}

/// Tells payments their news in any order.
fn news(plan: &Plan, report: &mut Report) {
    if plan.world.is_some() || matches!(plan.crashes, Crashes::One(_)) {
        return;
    }
    let (broken, outcome) = news::play(plan.seed, plan.payments.min(MOST_WITH_NEWS));
    report.in_any_order += outcome;
    report.failures.extend(
        broken
            .into_iter()
            .map(|broken| Failure::of_news(outcome, broken)),
    );
}

/// Plays every story undisturbed, then with a death, or a stop, at each of its boundaries.
fn stories(plan: &Plan, report: &mut Report, report_to: &mut dyn FnMut(Progress)) {
    let wanted = match &plan.crashes {
        Crashes::None => return,
        Crashes::All => None,
        Crashes::One(name) => Some(name.as_str()),
    };
    let mut chosen: Vec<&'static Story> = scenario::stories(plan.wire).iter().collect();
    if let Some(name) = wanted {
        chosen.extend(scenario::stories(!plan.wire));
        chosen.retain(|story| name.starts_with(story.name));
    }
    let count = u64::try_from(chosen.len()).unwrap_or(u64::MAX);
    let whole = pool(
        plan.jobs(count),
        |index| {
            let story = *chosen.get(usize::try_from(index).unwrap_or(usize::MAX))?;
            Some((story, one_story(story, plan.seed, None)))
        },
        &mut |_, _| {},
    );
    let mut points = Vec::new();
    for (story, outcome) in whole.into_values().flatten() {
        match outcome {
            Ok(outcome) => {
                points.extend(scenario::points(story, &outcome.passed));
                if let Some(strays) = story.strays(&outcome.played.ends) {
                    report
                        .failures
                        .push(Failure::of_a_run(story.name, &Broke(strays)));
                }
                report.add(story.name, outcome.played);
            }
            Err(broke) => report.failures.push(Failure::of_a_run(story.name, &broke)),
        }
    }
    points.retain(|point| wanted.is_none_or(|name| name == point.name()));
    if wanted.is_none() {
        // Others with other seeds.
        let mut number = plan.seed;
        points.retain(|_| {
            number = number.wrapping_add(1);
            number.checked_rem(plan.every) == Some(0)
        });
    }
    strikes(plan, &points, report, report_to);
}

/// Plays stories with what happens at these points.
fn strikes(
    plan: &Plan,
    points: &[Point],
    report: &mut Report,
    report_to: &mut dyn FnMut(Progress),
) {
    let of = u64::try_from(points.len()).unwrap_or(u64::MAX);
    let (mut done, mut broken) = (0, 0);
    let outcome = pool(
        plan.jobs(of),
        |index| {
            let point = *points.get(usize::try_from(index).unwrap_or(usize::MAX))?;
            Some((point, one_point(&point, plan.seed)))
        },
        &mut |_, outcome: &Option<(Point, Result<StoryOutcome, Broke>)>| {
            done += 1;
            broken += outcome
                .as_ref()
                .and_then(|outcome| outcome.1.as_ref().ok())
                .map_or(0, |outcome| outcome.played.broken.len());
            report_to(Progress {
                what: "crash points",
                done,
                of,
                payments: 0,
                broken,
            });
        },
    );
    for (point, outcome) in outcome.into_values().flatten() {
        let (all, hit) = if point.is_death() {
            (&mut report.crash_points, &mut report.crash_points_hit)
        } else {
            (&mut report.stop_points, &mut report.stop_points_hit)
        };
        *all += 1;
        match outcome {
            Ok(outcome) => {
                // The number of the boundary at which it was struck is that of the last one that its first life passed.
                let reached = outcome.passed.len() > point.number;
                *hit += u64::from(reached);
                if !reached {
                    let missed = Broke(
                        "the boundary was not reached: the story is not the same each time"
                            .to_owned(),
                    );
                    report
                        .failures
                        .push(Failure::of_a_run(&point.name(), &missed));
                }
                report.add(&at(&point, &outcome), outcome.played);
            }
            Err(broke) => report
                .failures
                .push(Failure::of_a_run(&point.name(), &broke)),
        }
    }
}

/// The name of a point with what is done there.
pub(crate) fn at(point: &Point, outcome: &StoryOutcome) -> String {
    format!(
        "{} ({})",
        point.name(),
        outcome.passed.get(point.number).map_or("", String::as_str)
    )
}

fn worlds(plan: &Plan, report: &mut Report, report_to: &mut dyn FnMut(Progress)) {
    let of = worlds_of(plan);
    let (mut done, mut payments, mut broken) = (0, 0, 0);
    // Added up in order, and soon, since a long run has many.
    let mut waiting: BTreeMap<u64, Result<Played, Broke>> = BTreeMap::new();
    let mut next = 0;
    let mut take = |world: u64, result: Result<Played, Broke>| match result {
        Ok(played) => report.add(&name_of(plan, world), played),
        Err(broke) => report
            .failures
            .push(Failure::of_a_run(&name_of(plan, world), &broke)),
    };
    let work = |index| one_world(plan, plan.world.unwrap_or(index));
    each(
        plan.jobs(of),
        work,
        &mut |index, result: Result<Played, Broke>| {
            if let Ok(played) = &result {
                payments += played.payments;
                broken += played.broken.len();
            }
            done += 1;
            report_to(Progress {
                what: "worlds",
                done,
                of,
                payments,
                broken,
            });
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&next) {
                take(plan.world.unwrap_or(next), result);
                next += 1;
            }
        },
    );
}

/// How many worlds are played.
pub(crate) fn worlds_of(plan: &Plan) -> u64 {
    match plan.world {
        Some(_) => 1,
        None => plan.worlds(),
    }
}

/// How a world is played alone.
pub(crate) fn name_of(plan: &Plan, world: u64) -> String {
    let wire = if plan.wire { " --wire" } else { "" };
    format!("--world {world} --payments {}{wire}", plan.payments)
}

/// Does every job on several threads; `seen` gets each result as it comes.
fn each<T: Send>(jobs: Jobs, work: impl Fn(u64) -> T + Sync, seen: &mut dyn FnMut(u64, T)) {
    let next = AtomicU64::new(0);
    let (send, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.threads.max(1) {
            let (send, next, work) = (send.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::SeqCst);
                    if index >= jobs.count || send.send((index, work(index))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        for (index, result) in results {
            seen(index, result);
        }
    });
}

/// Does every job on several threads. The results by the numbers of the jobs; `seen` sees each as it comes.
fn pool<T: Send>(
    jobs: Jobs,
    work: impl Fn(u64) -> T + Sync,
    seen: &mut dyn FnMut(u64, &T),
) -> BTreeMap<u64, T> {
    let mut all = BTreeMap::new();
    each(jobs, work, &mut |index, result| {
        seen(index, &result);
        all.insert(index, result);
    });
    all
}

/// Plays one world. A panic is a finding, not an end.
pub(crate) fn one_world(plan: &Plan, world: u64) -> Result<Played, Broke> {
    caught(|| play(seed_of(plan, world), SHOPPERS, plan.wire))
}

/// Plays one story undisturbed, or with what happens at a boundary.
pub(crate) fn one_story(
    story: &Story,
    seed: u64,
    strike: Option<(usize, Strike)>,
) -> Result<StoryOutcome, Broke> {
    caught(|| scenario::play(story, seed, strike))
}

/// Plays the story of a point, with what happens there.
pub(crate) fn one_point(point: &Point, seed: u64) -> Result<StoryOutcome, Broke> {
    one_story(point.story, seed, Some((point.number, point.strike)))
}

fn caught<T>(work: impl FnOnce() -> Result<T, Broke>) -> Result<T, Broke> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Broke(
            "a panic; its message is on standard error".to_owned(),
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(seed: u64, threads: usize, wire: bool) -> (u64, u64, u64) {
        let plan = Plan {
            seed,
            payments: 2 * u64::from(SHOPPERS),
            threads,
            crashes: Crashes::None,
            every: 1,
            world: None,
            wire,
        };
        let report = run(&plan, &mut |_| {});
        (report.digest, report.steps, report.payments)
    }

    #[test]
    fn the_same_seed_plays_the_same_story_to_the_same_step_on_any_number_of_threads() {
        for wire in [false, true] {
            let one = digest(11, 1, wire);
            assert!(one.2 >= 200, "{} payments", one.2);
            assert_eq!(digest(11, 2, wire), one);
            assert_ne!(digest(12, 2, wire).0, one.0);
        }
    }

    #[test]
    fn a_panic_in_a_world_is_a_finding() {
        let caught = caught(|| -> Result<(), Broke> { panic!("this panic is part of a test") });
        assert!(caught.is_err());
    }
}
