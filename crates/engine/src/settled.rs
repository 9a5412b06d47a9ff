//! How far lists in the order of dates may be shown to those who follow them.

use std::time::Duration;

use domain::{Fault, Timestamp};
use store::Part;

use crate::{Engine, faults::database};

/// A list of dates up to now waits at most so long until all of them are settled. On a server that takes two seconds, which is how
/// old a date may be when it is committed.
const MOST_WAIT: Duration = Duration::from_secs(3);
/// How often it looks.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// Clients' clocks may be so far ahead.
const CLIENT_AHEAD: Duration = Duration::from_millis(500);

/// How a list is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// By dates, the oldest first: it stops at what is settled. The date before which the list itself ends.
    Followed(Option<Timestamp>),
    /// In another order: all is shown. Whether the settled date is wanted.
    Whole(bool),
}

impl Engine {
    /// Bounds a part of a list by what is settled, which is asked for before the list is read. Returns the date before which nothing is added
    /// any more, in whole milliseconds as lists tell dates; `None` when it is not known or not wanted.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(ListsUnsettled = crate::bugs::show_unsettled)
    )]
    pub(crate) async fn settled(
        &self,
        part: &mut Part,
        reading: Reading,
    ) -> Result<Option<Timestamp>, Fault> {
        let end = match reading {
            Reading::Whole(false) => return Ok(None),
            Reading::Whole(true) => None,
            Reading::Followed(end) => end,
        };
        let settled = self.settled_until(end).await?;
        if matches!(reading, Reading::Followed(_)) {
            part.until = Some(settled.unwrap_or(Timestamp::from_micros(0)));
        }
        Ok(settled.map(Timestamp::whole_millis))
    }

    /// The settled date; once `end` is settled, when that was just now.
    async fn settled_until(&self, end: Option<Timestamp>) -> Result<Option<Timestamp>, Fault> {
        let world = &self.inner.world;
        let give_up_at = world.now().after(MOST_WAIT);
        loop {
            let settled = self.inner.store.settled_until().await;
            let settled = settled.map_err(|error| database(&error))?;
            let now = world.now();
            let waits = |end: &Timestamp| {
                *end <= now.after(CLIENT_AHEAD) && settled.is_none_or(|settled| settled < *end)
            };
            if end.as_ref().is_none_or(|end| !waits(end)) || now >= give_up_at {
                return Ok(settled);
            }
            world.sleep(LOOK_AGAIN).await;
        }
    }
}
