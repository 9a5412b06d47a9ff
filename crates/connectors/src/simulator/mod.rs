//! The simulator: a processor of our own, spoken to like any other.
//!
//! It plays a part for each test number and has durable books of what it authorised, captured, cancelled and refunded.
//! Like a good processor it is idempotent by reference: the same request under the same reference gets the same answer
//! and has no second effect, another one is rejected. It enforces what processors enforce: captures of at most the authorised
//! amount in all, none after a final one, refunds of at most the captured amount in all and of the capture that they name, a
//! cancellation only of what is not captured.
//! Where the customer has to act first it has a page for that; nothing is charged before the authorisation is completed.
//!
//! What is promised: once a call has ended, also by being dropped, a look-up tells for good what became of it. What is
//! not: a limit to the size of the books.

mod accounts;
mod agreement;
mod answers;
mod books;
#[cfg(feature = "planted")]
mod bugs;
mod cards;
mod challenge;
mod descriptor;
mod disputes;
mod elsewhere;
mod entry;
mod fields;
mod later;
mod locks;
mod look_up;
mod methods;
mod notify;
mod outbox;
mod pages;
mod probe;
mod responses;
mod rules;
mod settings;
mod show;
mod tokens;
mod verbs;

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use connector::{
    Answer, Authorise, CallError, Cause, Complete, Earlier, FundingSource, LaterAnswer, Link,
    Reference,
};
use domain::money::Money;
use world::World;

pub use books::{Books, BooksError, MemoryBooks};
pub use cards::Behaviour;
pub use challenge::{Challenge, Progress};
pub use descriptor::CALL_TIMEOUT;
pub use disputes::{DisputeState, SimulatedDispute, reference_of_dispute};
pub use elsewhere::{Elsewhere, NewElsewhere, reference_of};
pub use entry::Entry;
pub use later::{BookingKind, BookingState, Later, Refusal};
pub use notify::{Notify, Outgoing, derived_secret, sign};
pub use pages::Page;
pub use responses::SimulatedResponse;
pub use show::{books_json, read_books};

/// Far beyond the time at which the caller gives up.
const SILENCE: Duration = Duration::from_hours(1);

use methods::MethodHandling;
use settings::Fault;

/// How often a change is tried again after another node was faster.
const TRIES: u32 = 32;

/// How many later operations an entry can have, so that its size is bounded.
const MOST_LATER: usize = 2_000;

/// The simulated processor.
pub struct Simulator {
    world: World,
    books: Arc<dyn Books>,
    locks: locks::AccountLocks,
    base: OnceLock<String>,
}

/// A capture, cancellation or refund as it is asked for.
struct Operation<'a> {
    kind: BookingKind,
    reference: &'a Reference,
    authorisation: &'a Reference,
    /// What a refund is of.
    capture: Option<Earlier<'a>>,
    /// The authorisation stays open after it: a capture that is not the final one.
    keeps_open: bool,
    money: Money,
}

/// A later operation in the books.
enum Noted {
    /// By this call. With the card's part.
    Now(Later, Behaviour),
    /// By an earlier call under the same reference.
    Before(Later),
}

impl Simulator {
    /// A simulator with these books. Several may share the books.
    pub fn new(world: World, books: Arc<dyn Books>) -> Self {
        Self {
            world,
            books,
            locks: locks::AccountLocks::default(),
            base: OnceLock::new(),
        }
    }

    /// Tells the base of the addresses of the simulator's pages, without a slash at its end. Counts once.
    pub fn reachable_at(&self, base: String) {
        // A second telling is ignored: addresses that were handed out stay true.
        let _ = self.base.set(base);
    }

    fn base(&self) -> &str {
        self.base.get().map_or("", String::as_str)
    }

    async fn play_authorise(
        &self,
        link: &Link<'_>,
        call: &Authorise<'_>,
    ) -> Result<Answer, CallError> {
        check(call.money.minor())?;
        match (methods::handling(call.method), call.funding_source) {
            (None, FundingSource::Account(_) | FundingSource::Page) => {
                return Err(rejected("the method needs a card"));
            }
            (
                Some(MethodHandling::Debit),
                FundingSource::Card(_)
                | FundingSource::NetworkToken { .. }
                | FundingSource::Token(_)
                | FundingSource::StoredCard(_)
                | FundingSource::Page,
            ) => {
                return Err(rejected("the method needs a bank account"));
            }
            _ => {}
        }
        let entry = Entry::open(call, link.connection, &self.world);
        let mut entry = self.played_by_token(link, call, entry).await?;
        entry.notify_from(link);
        if fault(link.settings)? == Some(Fault::Fails) {
            entry = entry.failing();
        }
        if entry.behaviour == Behaviour::SilentNotCharged {
            return self.say_nothing().await;
        }
        entry.begin_notifying(self.world.now());
        let entry = self.open(entry).await?;
        if entry.behaviour == Behaviour::SilentCharged {
            return self.say_nothing().await;
        }
        Ok(answers::authorisation(
            &entry,
            self.world.now(),
            self.base(),
        ))
    }

    /// Writes a new entry, or finds the one that the same request made before: nothing is written twice.
    async fn open(&self, entry: Entry) -> Result<Entry, CallError> {
        if self.books.insert(&entry).await.map_err(of_a_write)? {
            return Ok(entry);
        }
        let known = self
            .books
            .load(entry.reference.as_str())
            .await
            .map_err(of_a_read)?;
        known
            .filter(|known| known.is_repeated_by(&entry))
            .ok_or_else(is_another_request)
    }

    async fn play_complete(
        &self,
        link: &Link<'_>,
        call: &Complete<'_>,
    ) -> Result<Answer, CallError> {
        let known = self
            .books
            .load(call.authorisation.reference.as_str())
            .await
            .map_err(of_a_read)?;
        let known =
            known.filter(|entry| entry.connection == *link.connection && entry.token.is_none());
        let Some(entry) = known else {
            return Err(rejected("there is no such authorisation"));
        };
        if entry.money != call.money || entry.sale != call.capture {
            return Err(is_another_request());
        }
        let complete = |entry: &mut Entry| entry.complete(self.world.now());
        let entry = self.change(entry, complete).await?;
        Ok(answers::authorisation(
            &entry,
            self.world.now(),
            self.base(),
        ))
    }

    /// Changes an entry, if `change` says that it did, even if others change it too. Returns the entry as it is then.
    async fn change(
        &self,
        known: Entry,
        change: impl Fn(&mut Entry) -> bool,
    ) -> Result<Entry, CallError> {
        let _turn = self.locks.take(&known.reference).await;
        let mut entry = known;
        for _ in 0..TRIES {
            if !change(&mut entry) {
                return Ok(entry);
            }
            let expected = entry.version;
            entry.version = expected.saturating_add(1);
            if self
                .books
                .update(&entry, expected)
                .await
                .map_err(of_a_write)?
            {
                return Ok(entry);
            }
            let stored = self
                .books
                .load(entry.reference.as_str())
                .await
                .map_err(of_a_read)?;
            entry = stored.ok_or_else(|| CallError::unknown("an entry of the books has gone"))?;
        }
        Err(overtaken())
    }

    /// Adds a payment that another system of the merchant's made. False when there is one of its key.
    ///
    /// # Errors
    /// The books can't be used.
    pub async fn add_elsewhere(&self, entry: &Entry) -> Result<bool, BooksError> {
        self.books.insert(entry).await
    }

    /// Changes the entry of an authorisation, if `change` says that it did. `None`: it did not, or there is no such entry.
    ///
    /// # Errors
    /// What a call says when the books can't be used.
    pub async fn change_entry<T>(
        &self,
        reference: &Reference,
        change: impl Fn(&mut Entry) -> Option<T>,
    ) -> Result<Option<T>, CallError> {
        let known = self
            .books
            .load(reference.as_str())
            .await
            .map_err(of_a_read)?;
        let Some(known) = known else { return Ok(None) };
        let result = parking_lot::Mutex::new(None);
        let changed = |entry: &mut Entry| {
            let made = change(entry);
            let is_changed = made.is_some();
            *result.lock() = made;
            is_changed
        };
        self.change(known, changed).await?;
        Ok(result.into_inner())
    }

    async fn play_later(
        &self,
        link: &Link<'_>,
        call: Operation<'_>,
    ) -> Result<LaterAnswer, CallError> {
        check(call.money.minor())?;
        let noted = {
            let _turn = self.locks.take(call.authorisation).await;
            self.note(link, &call).await?
        };
        match noted {
            Noted::Now(later, Behaviour::SilentLater) if later.state == BookingState::Done => {
                self.say_nothing().await
            }
            Noted::Now(later, _) | Noted::Before(later) => Ok(answers::later(
                &later,
                call.money.currency(),
                self.world.now(),
            )),
        }
    }

    /// Notes a later operation in the books, once.
    async fn note(&self, link: &Link<'_>, call: &Operation<'_>) -> Result<Noted, CallError> {
        for _ in 0..TRIES {
            let known = self
                .books
                .load(call.authorisation.as_str())
                .await
                .map_err(of_a_read)?;
            let known = known.filter(|entry| entry.is_of(link));
            let Some(mut entry) = known else {
                return Err(rejected("there is no such authorisation"));
            };
            if entry.money.currency() != call.money.currency() {
                return Err(rejected("the authorisation is in another currency"));
            }
            if let Some(later) = entry.find(call.reference) {
                let repeated = later.is_asked_again_by(call);
                return if repeated {
                    Ok(Noted::Before(later.clone()))
                } else {
                    Err(is_another_request())
                };
            }
            if call.reference == call.authorisation {
                return Err(is_another_request());
            }
            let is_capture = |capture: Earlier<'_>| {
                let found = entry.find(capture.reference);
                found.is_some_and(|found| found.kind == BookingKind::Capture)
            };
            if !call.capture.is_none_or(is_capture) {
                return Err(rejected("the authorisation has no such capture"));
            }
            if entry.later.len() >= MOST_LATER {
                return Err(rejected("the authorisation has too many operations"));
            }
            let expected = entry.version;
            let undone = fault(link.settings)?.and_then(Fault::undoes);
            entry.notify_from(link);
            let later = entry.note(call, undone, self.world.now());
            entry.version = expected.saturating_add(1);
            if self
                .books
                .update(&entry, expected)
                .await
                .map_err(of_a_write)?
            {
                return Ok(Noted::Now(later, entry.behaviour));
            }
        }
        Err(overtaken())
    }

    async fn say_nothing<T>(&self) -> Result<T, CallError> {
        self.world.sleep(SILENCE).await;
        Err(CallError::unknown("the processor did not answer"))
    }
}

fn fault(settings: &serde_json::Value) -> Result<Option<Fault>, CallError> {
    settings::read(settings).map_err(|_| rejected("the connection's settings can't be used"))
}

fn overtaken() -> CallError {
    CallError::not_sent("others change the entry all the time")
}

fn check(minor: i64) -> Result<(), CallError> {
    if minor > 0 {
        Ok(())
    } else {
        Err(rejected("the amount must be greater than zero"))
    }
}

fn rejected(reason: &str) -> CallError {
    CallError::rejected(reason)
}

fn is_another_request() -> CallError {
    CallError::Rejected {
        code: Some("reference_reused".into()),
        reason: "the reference belongs to another request".into(),
        cause: Cause::KeyReused,
    }
}

/// A write that failed: the books say whether it may have happened.
#[expect(clippy::needless_pass_by_value, reason = "used to map errors")]
fn of_a_write(error: BooksError) -> CallError {
    match error {
        BooksError::Untouched(_) => CallError::not_sent(error.to_string()),
        BooksError::Unknown => CallError::unknown(error.to_string()),
    }
}

/// A read that failed says nothing about what happened before.
#[expect(clippy::needless_pass_by_value, reason = "used to map errors")]
fn of_a_read(error: BooksError) -> CallError {
    CallError::unknown(error.to_string())
}
