//! The audit trail: who did what, from where.
//!
//! # How it works
//! The engine as a request or a command uses it knows on whose behalf it works ([`Engine::on_behalf_of`]). An act adds its entry to its
//! own commit. What happens too often for that is counted in memory, per minute, and written by a job: operations that
//! read, rights that were refused, credentials that were refused. A job seals entries into one chain per team.
//!
//! # What is promised
//! - An act is on disk together with its entry, or not at all.
//! - A sealed entry can't be changed, removed, added or moved without notice by somebody who has not the vault's keys.
//! - No request waits for the trail, or fails because of it, except that its own commit has a row more.
//!
//! # What is not
//! Counts of the last minute are lost with a process that dies. An entry is not protected before it is sealed. A whole chain
//! that is removed, an older end that is put back with its keyed hash, and a trail that was written with the vault's keys have
//! nothing wrong in themselves: therefore the ends of the chains go to the log, which others keep.

mod chain;
mod counts;
mod retain;
mod seal;
mod trail;

use crate::boxed;
use std::sync::Arc;

use db::{Change, Statement};
use domain::{
    Fault,
    audit::{Act, Actor, ActorKind, Deed, Entry, INSTALLATION, Origin, Source},
    caller::Caller,
    id::TeamId,
    rights::{self, Record},
};

use crate::{AdminError, Engine};

pub use chain::{Broken, Listed, Mark, Verified, Verifier, Written};
pub(crate) use counts::{Counts, Failure, Party, RefusedCredential};
pub(crate) use seal::Logged;
pub use trail::TrailFilter;

/// What was done.
const DONE: &str = "done";
/// What was asked for, whatever came of it.
const TRIED: &str = "tried";
/// What was tried and refused.
const REFUSED: &str = "refused";

impl Engine {
    /// The engine as a request uses it that comes from there, before it is known who sends it.
    #[must_use]
    pub fn asked_from(&self, source: Source) -> Self {
        let actor = Actor::of(ActorKind::Unknown);
        self.by(Origin { actor, source })
    }

    /// The engine as the request of a caller uses it: what it does is recorded as the caller's.
    #[must_use]
    pub fn on_behalf_of(&self, caller: &Caller) -> Self {
        self.by(Origin {
            actor: Actor::of_caller(caller),
            source: caller.source.clone(),
        })
    }

    /// The engine as a customer uses it who comes back from a processor.
    #[must_use]
    pub fn for_customer(&self, source: Source) -> Self {
        let actor = Actor::of(domain::audit::ActorKind::Customer);
        self.by(Origin { actor, source })
    }

    /// The engine as a command of the people uses it who run the service.
    #[must_use]
    pub fn for_operator(&self) -> Self {
        self.by(Origin::operator())
    }

    fn by(&self, origin: Origin) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            answer_by: self.answer_by,
            named: self.named.clone(),
            origin: Arc::new(origin),
            lane: self.lane,
        }
    }

    /// Counts that a person who runs the service has read a team's data by a command.
    pub(crate) fn count_operators_read(&self, team: TeamId, command: &'static str) {
        let read = (team, Actor::of(ActorKind::Operator), command);
        self.inner.audit.accessed(read, self.inner.world.now());
    }

    /// Judges whether a caller may do the operation of this name, and counts it where the table of rights says so.
    ///
    /// # Errors
    /// `api.key.forbidden`.
    pub fn permit(&self, caller: &Caller, name: &str) -> Result<(), Fault> {
        let judged = rights::permit(caller, name);
        let Some(operation) = rights::operation(name) else {
            return judged;
        };
        let counts = &self.inner.audit;
        let (actor, now) = (Actor::of_caller(caller), self.inner.world.now());
        let done = (caller.team, actor, operation.name);
        match (&judged, operation.record) {
            (Err(_), _) => counts.refused(done, now),
            (Ok(()), Record::Counted) => counts.accessed(done, now),
            (Ok(()), Record::Nothing | Record::Event | Record::Act(_)) => {}
        }
        judged
    }

    /// The statement that records what is done, to go with its commit.
    pub(crate) fn audit(&self, deed: &Deed) -> Statement {
        let entry = self.entry(deed, &self.origin, DONE);
        store::audit::insert(deed.team, &entry)
    }

    /// Records what is done outside the store.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn record_alone(&self, deed: &Deed) -> Result<(), AdminError> {
        let change = Change::new(self.change_id(), "audit").with(self.audit(deed));
        self.committed_plain(change).await.map(|_| ())
    }

    /// Records an act on the installation.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn record_of_installation(
        &self,
        act: Act,
        subject: &'static str,
    ) -> Result<(), AdminError> {
        self.record_alone(&Deed::on_whole(INSTALLATION, act, subject))
            .await
    }

    fn entry(&self, deed: &Deed, origin: &Origin, outcome: &str) -> Entry {
        entry(&self.inner.world, deed, origin, outcome)
    }
}

fn entry(world: &world::World, deed: &Deed, origin: &Origin, outcome: &str) -> Entry {
    let at = world.now();
    Entry {
        team: deed.team.key(),
        id: world.uuid_at(at).hyphenated().to_string(),
        at_micros: at.micros(),
        act: deed.act.code().to_owned(),
        actor: origin.actor.kind.code().to_owned(),
        actor_id: origin.actor.credential.map(domain::id::KeyId::key),
        address: origin.kept_address(),
        request_id: origin.source.request.as_deref().map(str::to_owned),
        subject: deed.subject.to_owned(),
        subject_id: deed.subject_id.clone(),
        outcome: outcome.to_owned(),
        details: serde_json::Value::Object(deed.details.clone()).to_string(),
    }
}

/// The statement that records an act of the people who run the service, where no engine is at hand.
pub fn operators_entry(world: &world::World, deed: &Deed) -> Statement {
    let entry = entry(world, deed, &Origin::operator(), DONE);
    store::audit::insert(deed.team, &entry)
}
