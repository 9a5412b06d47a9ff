//! The catch-up query: a team's events from a cursor on, without gaps.

use crate::boxed;
use domain::{
    Fault,
    caller::Caller,
    event::{Event, KindFilter, public_events},
    id::TeamId,
};
use store::feed::{self, FeedPosition};

use super::cursor::EventCursor;
use crate::{Engine, faults::database};

/// Rows of the feed that are read at once.
const ROWS_READ: u32 = 200;

/// So many rows are looked through for one page at most: a filter may want few of them.
const ROWS_SEARCHED: usize = 2_000;

/// The cursor behind everything that has happened.
pub(super) const NOW: &str = "now";

/// A request for events.
#[derive(Debug, Clone)]
pub struct ListEvents {
    /// Behind which cursor, or `now`; from the first event on when absent.
    pub after: Option<String>,
    /// At most so many.
    pub size: u16,
    /// Of which kinds.
    pub kinds: KindFilter,
}

/// Events in the order in which their commits became visible, those of one stream in their sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPage {
    /// Each with its cursor.
    pub events: Vec<(String, Event)>,
    /// Where to go on, also when the page is empty: nothing before it is missing. `None` at the beginning of a feed without rows.
    pub end: Option<String>,
    /// Whether more may be there already. When not, the next ones come with the next commits.
    pub has_next: bool,
}

impl Engine {
    /// A team's events behind a cursor. One who goes on from each page's `end` gets every event once.
    ///
    /// # Errors
    /// `error.validation` for a text that is no cursor; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn events(&self, caller: &Caller, list: ListEvents) -> Result<EventPage, Fault> {
        if list.after.as_deref() == Some(NOW) {
            return Ok(EventPage {
                events: Vec::new(),
                end: self.newest_event(caller.team).await?,
                has_next: false,
            });
        }
        let after = list.after.as_deref();
        let after = after.map(|text| EventCursor::decode(text, "after"));
        let mut search = Search::new(after.transpose()?, &list);
        while search.goes_on() {
            let start = search.start();
            let rows = feed::read(&self.inner.store, caller.team, start.as_ref(), ROWS_READ)
                .await
                .map_err(|error| database(&error))?;
            search.take(&rows);
        }
        Ok(search.page(&list))
    }

    /// The cursor behind all events that are visible now: one who goes on from there gets what comes from now on. `None` where there
    /// is no event yet.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn newest_event(&self, team: TeamId) -> Result<Option<String>, Fault> {
        let end = feed::end(&self.inner.store, team).await;
        let end = end.map_err(|error| database(&error))?;
        Ok(end.map(|place| EventCursor::behind(place).encode()))
    }
}

/// A page that is being filled.
struct Search<'a> {
    list: &'a ListEvents,
    after: Option<EventCursor>,
    found: Vec<Found>,
    /// The last row that was read.
    last: Option<FeedPosition>,
    rows: usize,
    is_at_end: bool,
}

impl<'a> Search<'a> {
    const fn new(after: Option<EventCursor>, list: &'a ListEvents) -> Self {
        Self {
            list,
            after,
            found: Vec::new(),
            last: None,
            rows: 0,
            is_at_end: false,
        }
    }

    /// One event more than the page has shows that there is a next page.
    fn goes_on(&self) -> bool {
        !self.is_at_end
            && self.rows < ROWS_SEARCHED
            && self.found.len() <= usize::from(self.list.size)
    }

    fn start(&self) -> Option<FeedPosition> {
        let given = || self.after.as_ref().map(EventCursor::start);
        self.last.clone().or_else(given)
    }

    fn take(&mut self, rows: &[feed::Committed]) {
        self.is_at_end = rows.len() < usize::try_from(ROWS_READ).unwrap_or(usize::MAX);
        self.rows += rows.len();
        for row in rows {
            let is_new = |event: &Event| {
                let after = self.after.as_ref();
                !after.is_some_and(|after| after.has_read(&row.place, event.index))
            };
            let events = public_events(&row.commit).into_iter().filter(is_new);
            let wanted = events.filter(|event| self.list.kinds.wants(event.kind));
            self.found.extend(wanted.map(|event| Found {
                place: row.place.clone(),
                event,
            }));
            self.last = Some(row.place.clone());
        }
    }

    fn page(mut self, list: &ListEvents) -> EventPage {
        let size = usize::from(list.size);
        let is_full = self.found.len() > size;
        self.found.truncate(size);
        let events: Vec<(String, Event)> = self.found.into_iter().map(Found::with_cursor).collect();
        let end = match (is_full, events.last(), self.last) {
            (true, Some((cursor, _)), _) => Some(cursor.clone()),
            (_, _, Some(read)) => Some(EventCursor::behind(read).encode()),
            (_, _, None) => list.after.clone(),
        };
        EventPage {
            events,
            end,
            has_next: is_full || !self.is_at_end,
        }
    }
}

/// An event with its row.
struct Found {
    place: FeedPosition,
    event: Event,
}

impl Found {
    /// The event with the cursor right behind it.
    fn with_cursor(self) -> (String, Event) {
        let cursor = EventCursor {
            place: self.place,
            index: Some(self.event.index),
        };
        (cursor.encode(), self.event)
    }
}
