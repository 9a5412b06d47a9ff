//! Stories that are played once to count their boundaries, and then once for each boundary with a death exactly there.
//!
//! A boundary is every commit and every call to a processor, before and after, those of recovery included; it is named by
//! the story and its number, and by what is done there.

mod actor;
mod stories;

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::{
    Broke,
    house::House,
    play::{Played, conclude, prepare},
    stage::Weather,
};
use actor::Actor;
pub(crate) use stories::STORIES;

/// A story.
pub(crate) struct Story {
    /// Its name.
    pub(crate) name: &'static str,
    tell: fn(Actor) -> BoxFuture<'static, ()>,
}

/// What came of a story.
pub(crate) struct Told {
    pub(crate) played: Played,
    /// The boundaries that were passed, up to the death.
    pub(crate) passed: Vec<String>,
}

/// How many nodes a story has.
const NODES: usize = 2;

/// Plays a story, with a death at the boundary of this number.
///
/// # Errors
/// The world can't be built, or the run is stuck.
pub(crate) fn play(story: &Story, seed: u64, death: Option<usize>) -> Result<Told, Broke> {
    let house = House::build(seed, NODES)?;
    let shop = prepare(&house)?;
    house.stage.set_weather(Weather::Counted(death));
    let actor = Actor::new(shop.clone());
    house.run((story.tell)(actor))?;
    let played = conclude(&house, &shop)?;
    Ok(Told { played, passed: Arc::clone(&house.stage).passed() })
}
