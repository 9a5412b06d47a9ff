//! Following the feed as it grows.
//!
//! # How it works
//! Where somebody follows a team's feed on this node, one follower reads it on and shares each row with all of them. A stream first
//! reads by itself what is there, up to where the follower is, and then takes the shared rows; one that can't keep up reads by itself again. So a team
//! costs one look at the database however many follow it, and no stream misses a row, whatever it is given and when.
//!
//! # What is promised
//! - Each row behind the place where a stream begins comes once, in the order of the feed.
//! - Nothing here waits for a stream: one that takes nothing delays nobody.

use crate::boxed;
use std::{
    collections::{BTreeMap, VecDeque, btree_map::Entry},
    sync::Arc,
    time::Duration,
};

use domain::{
    Code, Fault, Timestamp,
    caller::Caller,
    event::{Event, KindFilter, public_events},
    id::{PaymentId, TeamId},
};
use parking_lot::Mutex;
use store::feed::{self, Committed, FeedPosition};
use tokio::sync::{
    broadcast::{self, error::RecvError},
    watch,
};

use super::{cursor::EventCursor, list::NOW};
use crate::{Engine, faults::database, payments::PaymentView};

/// How often a follower looks for new rows.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How often a stream says where it is while nothing that it wants goes by.
const PLACE_EVERY: Duration = Duration::from_secs(5);
/// How long it rests after the database was away.
const REST: Duration = Duration::from_secs(1);
/// Rows that are read at once.
const ROWS: u32 = 200;
/// Shared rows that a stream may be behind; further behind it reads by itself.
const SHARED: usize = 1_024;

/// Who follows on this node.
#[derive(Default)]
pub(crate) struct Followers {
    teams: Mutex<BTreeMap<TeamId, Follower>>,
    streams: Mutex<Open>,
}

/// Streams that are open.
#[derive(Default)]
struct Open {
    all: u32,
    of_team: BTreeMap<TeamId, u32>,
}

/// What reads a team's feed for all who follow it here.
#[derive(Clone)]
struct Follower {
    rows: broadcast::Sender<Arc<Committed>>,
    /// Whether it knows from where on it shares rows.
    is_placed: watch::Receiver<bool>,
}

/// A stream's right to be there; ends when it is dropped.
struct Permit {
    engine: Engine,
    team: TeamId,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut open = self.engine.inner.followers.streams.lock();
        open.all = open.all.saturating_sub(1);
        if let Entry::Occupied(mut of_team) = open.of_team.entry(self.team) {
            *of_team.get_mut() = of_team.get().saturating_sub(1);
            if *of_team.get() == 0 {
                of_team.remove();
            }
        }
        metrics::gauge!("pointsman_streams_open").set(f64::from(open.all));
    }
}

/// The rows of a team's feed from a place on, as they come.
struct Rows {
    permit: Permit,
    /// The last row that was given out, or behind which it began.
    place: Option<FeedPosition>,
    /// Read and not given out yet.
    ahead: VecDeque<Arc<Committed>>,
    /// Where further rows come from; absent while it reads by itself.
    shared: Option<broadcast::Receiver<Arc<Committed>>>,
}

/// A team's events from a place on, as they come.
pub struct FollowedEvents {
    rows: Rows,
    after: Option<EventCursor>,
    kinds: KindFilter,
    ahead: VecDeque<Followed>,
    /// When a place without an event was given out last.
    placed_at: Timestamp,
}

/// What a stream of events gives out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Followed {
    /// An event, with the cursor right behind it.
    Event(String, Event),
    /// The cursor where the stream is: at its begin, and when events went by that are not wanted.
    Place(String),
}

/// Behind what events are followed.
#[derive(Debug, Clone, Copy)]
pub struct After<'a> {
    /// A cursor, or `now`.
    pub cursor: &'a str,
    /// Who said so, for faults.
    pub field: &'a str,
}

/// A payment as it is now, and each time that it has changed.
pub struct FollowedPayment {
    rows: Rows,
    caller: Caller,
    id: PaymentId,
    /// The version that was given out last; none before the first.
    shown: Option<u64>,
    /// Whether it has changed since then.
    is_owed: bool,
    /// Whether it could not be read since then.
    has_failed: bool,
}

impl Engine {
    /// Follows a team's events behind a cursor, or from now on.
    ///
    /// # Errors
    /// `error.validation` for a text that is no cursor; `error.rate-limited` where too many follow already; `error.unavailable`.
    pub async fn follow_events(
        &self,
        caller: &Caller,
        after: Option<After<'_>>,
        kinds: KindFilter,
    ) -> Result<FollowedEvents, Fault> {
        let after = after.filter(|after| after.cursor != NOW);
        let after = after.map(|after| EventCursor::decode(after.cursor, after.field));
        let after = after.transpose()?;
        let permit = self.permit_stream(caller.team)?;
        let cursor = if let Some(after) = &after {
            after.clone()
        } else {
            let end = self.end_of_feed(caller.team).await?;
            EventCursor::behind(end.unwrap_or_else(FeedPosition::beginning))
        };
        Ok(FollowedEvents {
            rows: Rows::new(permit, Some(cursor.start())),
            after,
            kinds,
            ahead: VecDeque::from([Followed::Place(cursor.encode())]),
            placed_at: self.now(),
        })
    }

    /// Follows one payment.
    ///
    /// # Errors
    /// `error.payment.not-found`; `error.rate-limited` where too many follow already; `error.unavailable`.
    #[boxed]
    pub async fn follow_payment(
        &self,
        caller: &Caller,
        id: PaymentId,
    ) -> Result<FollowedPayment, Fault> {
        let permit = self.permit_stream(caller.team)?;
        // The place comes before the payment is read, so that no change falls in between.
        let place = self.end_of_feed(caller.team).await?;
        self.payment(caller, id).await?;
        Ok(FollowedPayment {
            rows: Rows::new(permit, place),
            caller: caller.clone(),
            id,
            shown: None,
            is_owed: true,
            has_failed: false,
        })
    }

    async fn end_of_feed(&self, team: TeamId) -> Result<Option<FeedPosition>, Fault> {
        let end = feed::end(&self.inner.store, team).await;
        end.map_err(|error| database(&error))
    }

    fn permit_stream(&self, team: TeamId) -> Result<Permit, Fault> {
        let limits = &self.inner.settings;
        let mut open = self.inner.followers.streams.lock();
        let of_team = open.of_team.get(&team).copied().unwrap_or_default();
        if open.all >= limits.streams || of_team >= limits.streams_of_team {
            let message = "Too many streams are open. Close some, or follow fewer things: one stream of events can tell of all.";
            return Err(Fault::new(Code::RateLimited, message).after(Duration::from_secs(5)));
        }
        open.all += 1;
        open.of_team.insert(team, of_team + 1);
        metrics::gauge!("pointsman_streams_open").set(f64::from(open.all));
        Ok(Permit {
            engine: self.clone(),
            team,
        })
    }

    /// Joins those who follow a team here.
    fn join(&self, team: TeamId) -> (broadcast::Receiver<Arc<Committed>>, watch::Receiver<bool>) {
        let mut teams = self.inner.followers.teams.lock();
        if let Some(follower) = teams.get(&team) {
            return (follower.rows.subscribe(), follower.is_placed.clone());
        }
        let (rows, receiver) = broadcast::channel(SHARED);
        let (placed, is_placed) = watch::channel(false);
        let follower = Follower { rows, is_placed };
        let joined = (receiver, follower.is_placed.clone());
        teams.insert(team, follower.clone());
        drop(teams);
        let engine = self.clone();
        let work = async move { engine.share(team, &follower.rows, &placed).await };
        self.inner.world.spawn(work);
        joined
    }

    /// Reads a team's feed on for as long as somebody follows it.
    async fn share(
        &self,
        team: TeamId,
        rows: &broadcast::Sender<Arc<Committed>>,
        placed: &watch::Sender<bool>,
    ) {
        let (world, store) = (&self.inner.world, &self.inner.store);
        let mut place = loop {
            if self.nobody_follows(team, rows) {
                return;
            }
            match feed::end(store, team).await {
                Ok(place) => break place,
                Err(error) => drop(database(&error)),
            }
            world.sleep(REST).await;
        };
        placed.send_replace(true);
        loop {
            if self.nobody_follows(team, rows) {
                return;
            }
            match feed::read(store, team, place.as_ref(), ROWS).await {
                Ok(found) => {
                    let is_full = found.len() >= ROWS as usize;
                    for row in found {
                        place = Some(row.place.clone());
                        // Those who have left are noticed above.
                        let _ = rows.send(Arc::new(row));
                    }
                    if !is_full {
                        world.sleep(LOOK_EVERY).await;
                    }
                }
                Err(error) => {
                    drop(database(&error));
                    world.sleep(REST).await;
                }
            }
        }
    }

    /// Whether nobody is left to share with: the follower is taken off the list then, and ends.
    fn nobody_follows(&self, team: TeamId, rows: &broadcast::Sender<Arc<Committed>>) -> bool {
        // Joining takes the same lock: nobody comes in between.
        let mut teams = self.inner.followers.teams.lock();
        let is_over = rows.receiver_count() == 0;
        if is_over {
            teams.remove(&team);
        }
        is_over
    }
}

impl Rows {
    const fn new(permit: Permit, place: Option<FeedPosition>) -> Self {
        Self {
            permit,
            place,
            ahead: VecDeque::new(),
            shared: None,
        }
    }

    /// The next row, once there is one.
    async fn next(&mut self) -> Arc<Committed> {
        loop {
            let row = match self.ahead.pop_front() {
                Some(row) => row,
                None => match &mut self.shared {
                    None => {
                        self.catch_up().await;
                        continue;
                    }
                    Some(shared) => match shared.recv().await {
                        Ok(row) => row,
                        Err(RecvError::Lagged(_) | RecvError::Closed) => {
                            self.shared = None;
                            continue;
                        }
                    },
                },
            };
            // What it has read by itself is shared as well.
            if self.place.as_ref().is_none_or(|place| row.place > *place) {
                self.place = Some(row.place.clone());
                return row;
            }
        }
    }

    /// Reads what is there. Once that is all, further rows are those that are shared.
    async fn catch_up(&mut self) {
        let engine = self.permit.engine.clone();
        let (world, store, team) = (&engine.inner.world, &engine.inner.store, self.permit.team);
        let (shared, mut is_placed) = engine.join(team);
        // What is shared begins where the follower began; what is read from here on goes further than that.
        if is_placed.wait_for(|placed| *placed).await.is_err() {
            return;
        }
        match feed::read(store, team, self.place.as_ref(), ROWS).await {
            Ok(rows) => {
                let is_all = rows.len() < ROWS as usize;
                self.ahead.extend(rows.into_iter().map(Arc::new));
                self.shared = is_all.then_some(shared);
            }
            Err(error) => {
                drop(database(&error));
                world.sleep(REST).await;
            }
        }
    }
}

impl FollowedEvents {
    /// The next event, once there is one, with the cursor right behind it; at first, and now and then, where the stream is.
    #[boxed]
    pub async fn next(&mut self) -> Followed {
        loop {
            if let Some(next) = self.ahead.pop_front() {
                return next;
            }
            let row = self.rows.next().await;
            let has_read = |event: &Event| {
                let after = self.after.as_ref();
                after.is_some_and(|after| after.has_read(&row.place, event.index))
            };
            let new = public_events(&row.commit)
                .into_iter()
                .filter(|event| !has_read(event) && self.kinds.wants(event.kind));
            let ahead = new.map(|event| {
                let cursor = EventCursor {
                    place: row.place.clone(),
                    index: Some(event.index),
                };
                Followed::Event(cursor.encode(), event)
            });
            self.ahead = ahead.collect();
            let now = self.rows.permit.engine.now();
            if self.ahead.is_empty() && now.since(self.placed_at) >= PLACE_EVERY {
                self.placed_at = now;
                return Followed::Place(EventCursor::behind(row.place.clone()).encode());
            }
        }
    }
}

impl FollowedPayment {
    /// The payment: at first as it is, then once it has changed.
    ///
    /// # Errors
    /// It can't be read now. That is said once; the next call tries again until it can be.
    #[boxed]
    pub async fn next(&mut self) -> Result<PaymentView, Fault> {
        let engine = self.rows.permit.engine.clone();
        self.await_change().await;
        loop {
            if self.has_failed {
                engine.inner.world.sleep(REST).await;
            }
            match engine.payment(&self.caller, self.id).await {
                Ok(view) => {
                    self.shown = Some(view.payment.version());
                    (self.is_owed, self.has_failed) = (false, false);
                    return Ok(view);
                }
                Err(fault) if !self.has_failed => {
                    self.has_failed = true;
                    return Err(fault);
                }
                Err(_) => {}
            }
        }
    }

    /// Waits until it has changed. What was owed before and could not be read is owed still.
    async fn await_change(&mut self) {
        while !self.is_owed {
            let row = self.rows.next().await;
            let version = u64::try_from(row.commit.version).ok();
            self.is_owed = row.commit.stream == self.id.key() && version > self.shown;
        }
    }
}
