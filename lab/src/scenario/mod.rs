//! Stories that are played once to count their boundaries, and then once for each boundary with a death exactly there.
//!
//! A boundary is every commit and every call to a processor, before and after, those of recovery included; it is named by
//! the story and its number, and by what is done there. Some stories are played with a stop of the process there as well,
//! which then goes on as if no time had passed.

mod actor;
#[macro_use]
mod stories;
mod wire;

use std::{sync::Arc, time::Duration};

use futures_util::future::BoxFuture;

use crate::{
    Broke,
    house::House,
    play::{Clients, Played, conclude, prepare},
    shop::Subscriber,
    stage::{BATCH, Strike, Weather},
};
use actor::Actor;

/// A story.
pub(crate) struct Story {
    /// Its name.
    pub(crate) name: &'static str,
    /// How its payments end when nothing goes wrong, in the order of their beginning; `|` stands between what may be.
    pub(crate) ends: &'static [&'static str],
    /// Whether it is played with stops as well.
    stops: bool,
    /// Whether its events are sent to an endpoint.
    subscribes: bool,
    /// Whether Stripe and Adyen are connected, played in their wire formats.
    by_wire: bool,
    report_to: fn(Actor) -> BoxFuture<'static, ()>,
}

/// What came of a story.
pub(crate) struct StoryOutcome {
    pub(crate) played: Played,
    /// The boundaries that were passed, up to the death.
    pub(crate) passed: Vec<String>,
}

/// A boundary of a story, and what happens to the process there.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    pub(crate) story: &'static Story,
    pub(crate) number: usize,
    pub(crate) strike: Strike,
}

impl Story {
    /// Why a play without a death did not go as it should, if so: a story in which nothing happens would test nothing.
    pub(crate) fn strays(&self, ends: &[String]) -> Option<String> {
        let fits = |(wanted, end): (&&str, &String)| wanted.split('|').any(|one| one == end);
        let same = ends.len() == self.ends.len() && self.ends.iter().zip(ends).all(fits);
        (!same).then(|| format!("its payments ended as {ends:?} in place of {:?}", self.ends))
    }
}

/// How many nodes a story has.
const NODES: usize = 2;

/// For how long a process is stopped: shorter and longer than the lease of a job.
const STOPS: [Duration; 2] = [Duration::from_secs(8), Duration::from_secs(70)];

impl Point {
    /// Its name on the command line: `STORY/NUMBER`, for a stop `STORY/NUMBER+SECONDS`.
    pub(crate) fn name(&self) -> String {
        match self.strike {
            Strike::Death => format!("{}/{}", self.story.name, self.number),
            Strike::Stop(span) => format!("{}/{}+{}", self.story.name, self.number, span.as_secs()),
        }
    }

    pub(crate) fn is_death(&self) -> bool {
        self.strike == Strike::Death
    }
}

/// What can happen at the boundaries that a story has passed.
pub(crate) fn points(story: &'static Story, passed: &[String]) -> Vec<Point> {
    let at = |number, strike| Point {
        story,
        number,
        strike,
    };
    let mut points = Vec::new();
    for (number, name) in passed.iter().enumerate() {
        // A death before a batch is sent is one before its commit.
        if !name.starts_with(BATCH) {
            points.push(at(number, Strike::Death));
        }
        // Between a look at the clock and a send no process is stopped: time is the only fence there is.
        if story.stops && (name.starts_with(BATCH) || name.starts_with("after")) {
            points.extend(STOPS.map(|span| at(number, Strike::Stop(span))));
        }
    }
    points
}

/// The stories of a run: those on the wire are runs of their own, as its worlds are.
pub(crate) fn stories(by_wire: bool) -> &'static [Story] {
    if by_wire {
        wire::STORIES
    } else {
        stories::STORIES
    }
}

/// Plays a story; at the boundary of this number something happens to the process.
///
/// # Errors
/// The world can't be built, or the run is stuck.
pub(crate) fn play(
    story: &Story,
    seed: u64,
    strike: Option<(usize, Strike)>,
) -> Result<StoryOutcome, Broke> {
    let house = House::build(seed, NODES)?;
    let mut shop = prepare(&house, &[stories::GOOD])?;
    if story.by_wire {
        house.run(house.connect())??;
        shop.by_wire = true;
    }
    let mut clients = Clients::default();
    if story.subscribes {
        clients.add(house.run(Subscriber::alone(&shop))?);
    }
    house.stage.set_weather(Weather::Counted(strike));
    let actor = Actor::new(shop.clone());
    house.run((story.report_to)(actor))?;
    let played = conclude(&house, &shop, clients)?;
    Ok(StoryOutcome {
        played,
        passed: Arc::clone(&house.stage).passed(),
    })
}
