//! The one loop by which what is stored is changed.
//!
//! # How it works
//! A change takes the turn of its aggregate within this process, loads it, decides, and commits the next version with
//! everything that belongs to it. When somebody else committed first, most often on another node, it begins again with
//! what is stored then, until its deadline.
//!
//! # What is promised
//! - A decision is committed only as the successor of the version that it was made on. The version in the commit is the
//!   guard; the turn merely saves rounds of conflict.
//! - A commit whose outcome nobody can find out ends the change with a fault that says so. It is never a conflict, and
//!   never tried again.
//! - What goes with a change ([`Aggregate::commit`]) is in its commit, and follows only once that is on disk.
//!
//! # What is not
//! A decision may be made more than once, so it must not act on the outside, unless doing so again is harmless. It must not
//! wait for another change of the same aggregate: it holds the turn.

use std::{future::Future, time::Duration};

use db::Date;
use domain::{Fault, Timestamp, id::TeamId};
use uuid::Uuid;
use world::World;

use crate::{Engine, commit::Ended, deadline::Deadline, faults::EngineError, locks::StreamLocks};

/// How often a date is drawn for one thing. Each that is refused for its age has taken two seconds, so that a request's time is
/// over by then.
const DRAWS: u32 = 12;

/// So many rounds follow each other at once. A change that loses more rounds waits in between, for others in the same situation.
const AT_ONCE: u32 = 10;

/// The wait between later rounds.
const PAUSE: Duration = Duration::from_millis(5);

/// What names an aggregate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key<I> {
    /// Whose it is.
    pub(crate) team: TeamId,
    /// Its id.
    pub(crate) id: I,
}

/// What is stored under a version and changed as a whole.
pub(crate) trait Aggregate: Sized + Send {
    /// Its id within the team.
    type Id: Copy + Send + Sync;
    /// What must be known about it from before a decision, to see what the decision has changed.
    type Before: Send;
    /// What a change brings besides the next version.
    type Effects: Send;

    /// Whose turn a change waits for.
    fn lock_id(id: Self::Id) -> Uuid;

    /// The aggregate as it is stored; `None` when there is none.
    fn find(
        engine: &Engine,
        key: Key<Self::Id>,
    ) -> impl Future<Output = Result<Option<Self>, EngineError>> + Send;

    /// The fault that there is none.
    fn missing() -> Fault;

    /// What must be known from before a decision.
    fn before(&self) -> Self::Before;

    /// Commits it as its next version, with all that goes with the change; what follows from the change follows when that is on
    /// disk.
    fn commit(
        &mut self,
        engine: &Engine,
        before: Self::Before,
        effects: Self::Effects,
    ) -> impl Future<Output = Result<Ended, EngineError>> + Send;

    /// Why the commit was refused by one of the statements that go with the change. `Ok`: the change begins again.
    fn refused(&self, _engine: &Engine) -> impl Future<Output = Result<(), EngineError>> + Send {
        std::future::ready(Ok(()))
    }
}

/// What a decision comes to.
pub(crate) enum Decision<A: Aggregate, T = ()> {
    /// Nothing is to be written.
    Leave(A, T),
    /// The aggregate as it is to be, what goes with that, and the result once it is on disk.
    Write(A, A::Effects, T),
}

/// From where a change begins.
pub(crate) struct Start<A: Aggregate> {
    /// What is changed.
    pub(crate) key: Key<A::Id>,
    /// The aggregate as somebody has it, to save a read: when it was changed since, its version is refused.
    pub(crate) known: Option<A>,
    /// When it does not begin again any more.
    pub(crate) deadline: Deadline,
}

/// How one round of a change ended.
pub(crate) enum Round<T> {
    /// The change is made, or there is nothing to change.
    Done(T),
    /// Somebody else was first.
    Conflict,
}

impl<T> Round<T> {
    /// The round whose commit ended so: `refused` names the statement that was refused, if one was.
    pub(crate) fn of(refused: Option<usize>, done: T) -> Self {
        match refused {
            None => Self::Done(done),
            Some(_) => Self::Conflict,
        }
    }
}

impl Engine {
    /// Changes an aggregate by a decision. Returns it as it is then.
    ///
    /// # Errors
    /// What `decide` returns; that there is no such aggregate; `error.unavailable` when others are faster until the deadline.
    pub(crate) async fn change<A, T, F>(
        &self,
        key: Key<A::Id>,
        decide: impl Fn(A) -> F,
    ) -> Result<(A, T), EngineError>
    where
        A: Aggregate,
        F: Future<Output = Result<Decision<A, T>, EngineError>>,
    {
        let changed = self.change_if_there(key, decide).await?;
        changed.ok_or_else(|| EngineError::Fault(A::missing()))
    }

    /// The same; `None` when there is no such aggregate.
    pub(crate) async fn change_if_there<A, T, F>(
        &self,
        key: Key<A::Id>,
        decide: impl Fn(A) -> F,
    ) -> Result<Option<(A, T)>, EngineError>
    where
        A: Aggregate,
        F: Future<Output = Result<Decision<A, T>, EngineError>>,
    {
        let start = Start {
            key,
            known: None,
            deadline: self.deadline(),
        };
        self.change_from(start, decide).await
    }

    /// The same, from a given start.
    pub(crate) async fn change_from<A, T, F>(
        &self,
        start: Start<A>,
        decide: impl Fn(A) -> F,
    ) -> Result<Option<(A, T)>, EngineError>
    where
        A: Aggregate,
        F: Future<Output = Result<Decision<A, T>, EngineError>>,
    {
        let Start {
            key,
            mut known,
            deadline,
        } = start;
        let decide = &decide;
        self.rounds(Some(A::lock_id(key.id)), deadline, move || {
            let known = known.take();
            // Boxed: aggregates are large, and a round is handed on from one future to the next.
            Box::pin(async move {
                let loaded = match known {
                    Some(known) => Some(known),
                    None => A::find(self, key).await?,
                };
                let Some(loaded) = loaded else {
                    return Ok(Round::Done(None));
                };
                self.one_change(loaded, decide).await
            })
        })
        .await
    }

    /// One round: decides on the aggregate as it was loaded, and commits.
    async fn one_change<A, T, F>(
        &self,
        loaded: A,
        decide: &impl Fn(A) -> F,
    ) -> Result<Round<Option<(A, T)>>, EngineError>
    where
        A: Aggregate,
        F: Future<Output = Result<Decision<A, T>, EngineError>>,
    {
        let before = loaded.before();
        let (mut next, effects, result) = match decide(loaded).await? {
            Decision::Leave(as_it_is, result) => {
                return Ok(Round::Done(Some((as_it_is, result))));
            }
            Decision::Write(next, effects, result) => (next, effects, result),
        };
        match next.commit(self, before, effects).await? {
            Ended::Done => Ok(Round::Done(Some((next, result)))),
            Ended::Overtaken => Ok(Round::Conflict),
            Ended::Refused(_) => next.refused(self).await.map(|()| Round::Conflict),
            Ended::Taken => Err(EngineError::Taken),
        }
    }

    /// Makes rounds until one is done: for what is no [`Aggregate`]. With a turn each round holds it.
    ///
    /// # Errors
    /// What a round returns; `error.unavailable` when others are faster until the deadline.
    pub(crate) async fn rounds<T, F>(
        &self,
        lock_id: Option<Uuid>,
        deadline: Deadline,
        round: impl FnMut() -> F,
    ) -> Result<T, EngineError>
    where
        F: Future<Output = Result<Round<T>, EngineError>>,
    {
        let limits = Limits {
            locks: &self.inner.locks,
            lock_id,
            until: deadline.at(),
        };
        rounds(&self.inner.world, limits, round).await
    }

    /// Makes what bears a date ([`db::Change::dated`]), again with another date when the commit came too late for it. The date is
    /// drawn as late as possible: until the commit has ended, nothing that is dated later is shown to those who follow lists.
    ///
    /// # Errors
    /// What `make` returns; `error.unavailable` when commits never come in time.
    pub(crate) async fn dated<T, F>(&self, make: impl Fn(Date) -> F) -> Result<T, EngineError>
    where
        F: Future<Output = Result<T, EngineError>>,
    {
        for _ in 0..DRAWS {
            let date = self.inner.store.draw_date().await?;
            match make(date).await {
                Err(EngineError::Outdated) => {}
                ended => return ended,
            }
        }
        tracing::warn!("commits take longer than a date may be old");
        Err(Fault::unavailable().into())
    }
}

/// What bounds the rounds of a change.
struct Limits<'a> {
    locks: &'a StreamLocks,
    /// The turn that each round holds.
    lock_id: Option<Uuid>,
    /// No round begins later, but the first.
    until: Timestamp,
}

async fn rounds<T, F>(
    world: &World,
    limits: Limits<'_>,
    mut round: impl FnMut() -> F,
) -> Result<T, EngineError>
where
    F: Future<Output = Result<Round<T>, EngineError>>,
{
    let mut lost: u32 = 0;
    loop {
        {
            let _lock = match limits.lock_id {
                Some(lock_id) => Some(limits.locks.take(lock_id).await),
                None => None,
            };
            match round().await? {
                Round::Done(result) => return Ok(result),
                Round::Conflict => lost = lost.saturating_add(1),
            }
        }
        if world.now() >= limits.until {
            tracing::warn!(rounds = lost, "others change the same thing all the time");
            return Err(Fault::unavailable().into());
        }
        if lost >= AT_ONCE {
            world.sleep(PAUSE).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use domain::Code;
    use world::Sim;

    use super::*;

    const ONE: Uuid = Uuid::from_u128(1);

    fn code(stop: EngineError) -> Code {
        match stop {
            EngineError::Fault(fault) => fault.code,
            other => panic!("{other:?}"),
        }
    }

    struct Lab {
        world: World,
        sim: Sim,
    }

    impl Lab {
        fn new() -> Self {
            let (world, sim) = World::simulated(1);
            Self { world, sim }
        }

        /// Plays rounds that may begin within a second.
        fn play<T, F: Future<Output = Result<Round<T>, EngineError>>>(
            &self,
            round: impl FnMut() -> F,
        ) -> Result<T, EngineError> {
            let locks = StreamLocks::default();
            let limits = Limits {
                locks: &locks,
                lock_id: Some(ONE),
                until: self.world.now().after(Duration::from_secs(1)),
            };
            let played = rounds(&self.world, limits, round);
            self.sim.run_until(played).unwrap()
        }
    }

    #[test]
    fn a_conflict_begins_a_new_round_and_the_first_success_ends_them() {
        let lab = Lab::new();
        let tries = Cell::new(0);
        let done = lab.play(|| {
            tries.set(tries.get() + 1);
            let try_now = tries.get();
            async move { Ok(Round::of((try_now < 4).then_some(0), try_now)) }
        });
        assert_eq!(done.unwrap(), 4);
        assert_eq!(tries.get(), 4);
    }

    #[test]
    fn rounds_end_at_the_deadline_with_nothing_written() {
        let lab = Lab::new();
        let began = lab.world.now();
        let tries = Cell::new(0_u32);
        let done: Result<(), EngineError> = lab.play(|| {
            tries.set(tries.get() + 1);
            async { Ok(Round::Conflict) }
        });
        assert_eq!(code(done.unwrap_err()), Code::Unavailable);
        assert!(tries.get() > AT_ONCE, "{}", tries.get());
        let took = lab.world.now().since(began);
        assert!(took >= Duration::from_secs(1) && took < Duration::from_secs(2));
    }

    #[test]
    fn the_first_round_is_played_whatever_the_time() {
        let (world, sim) = World::simulated(1);
        let locks = StreamLocks::default();
        let limits = Limits {
            locks: &locks,
            lock_id: None,
            until: Timestamp::from_micros(0),
        };
        let done = rounds(&world, limits, || async { Ok(Round::Done("made")) });
        assert_eq!(sim.run_until(done).unwrap().unwrap(), "made");
    }

    #[test]
    fn an_unknown_outcome_ends_the_rounds_and_stays_unknown() {
        let lab = Lab::new();
        let tries = Cell::new(0);
        let done: Result<(), EngineError> = lab.play(|| {
            tries.set(tries.get() + 1);
            async { Err(EngineError::Fault(Fault::unconfirmed("the-id"))) }
        });
        let Err(EngineError::Fault(fault)) = done else {
            panic!("{done:?}")
        };
        assert_eq!(fault.id.as_deref(), Some("the-id"));
        assert_eq!(
            tries.get(),
            1,
            "it may be on disk, so it is not tried again"
        );
    }

    #[test]
    fn rounds_of_one_thing_follow_each_other_and_those_of_others_do_not_wait() {
        let (world, sim) = World::simulated(1);
        let locks = StreamLocks::default();
        let (story, pause) = (RefCell::new(Vec::new()), Duration::from_millis(10));
        let change = |lock_id, name: &'static str| {
            let limits = Limits {
                locks: &locks,
                lock_id: Some(lock_id),
                until: world.now().after(Duration::from_secs(1)),
            };
            let (story, world) = (&story, &world);
            rounds(world, limits, move || async move {
                story.borrow_mut().push(format!("{name} begins"));
                world.sleep(pause).await;
                story.borrow_mut().push(format!("{name} ends"));
                Ok(Round::Done(()))
            })
        };
        let all = async {
            futures_util::join!(
                change(ONE, "a"),
                change(ONE, "b"),
                change(Uuid::from_u128(2), "c")
            )
        };
        let (one, two, three) = sim.run_until(all).unwrap();
        one.and(two).and(three).unwrap();
        let story = story.into_inner();
        let at = |what: &str| story.iter().position(|line| line == what).unwrap();
        assert!(at("a ends") < at("b begins"), "{story:?}");
        assert!(at("c begins") < at("a ends"), "{story:?}");
    }
}
