//! Slots that all teams share, so that no team takes them all.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

use domain::id::TeamId;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;

use super::Slots;
use crate::Engine;

/// A team may use this part of the slots, whatever the others do.
const SHARE: usize = 8;

/// Slots of which each team has a share. Teams that have theirs take more only while half of all slots are free.
pub(crate) struct TeamSlots {
    slots: Slots,
    of_team: Arc<Mutex<BTreeMap<TeamId, usize>>>,
    most: usize,
}

impl TeamSlots {
    /// At most `most` items at the same time.
    pub(crate) fn at_most(most: usize) -> Self {
        Self {
            slots: Slots::at_most(most),
            of_team: Arc::default(),
            most,
        }
    }

    /// How many items may be taken now, `rows` at most.
    pub(crate) fn free(&self, rows: i64) -> i64 {
        self.slots.free(rows)
    }

    /// How many of them may be items of teams that have their share.
    pub(crate) fn spare(&self, rows: i64) -> i64 {
        let most = i64::try_from(self.most).unwrap_or(i64::MAX);
        let half = i64::try_from(self.most / 2).unwrap_or(i64::MAX);
        rows.min(self.slots.free(most).saturating_sub(half)).max(0)
    }

    /// The teams that have their share, or more.
    pub(crate) fn sated(&self) -> Vec<TeamId> {
        let of_team = self.of_team.lock();
        let sated = of_team.iter().filter(|(_, used)| **used >= self.share());
        sated.map(|(team, _)| *team).collect()
    }

    /// Whether somebody else may wait for the slot that a team's item has.
    pub(crate) fn is_short(&self, team: TeamId) -> bool {
        let used = self.of_team.lock().get(&team).copied().unwrap_or_default();
        used > self.share() || self.slots.free(1) == 0
    }

    fn share(&self) -> usize {
        self.most.div_ceil(SHARE)
    }

    fn take(&self, team: TeamId) -> TeamSlot {
        *self.of_team.lock().entry(team).or_default() += 1;
        TeamSlot {
            of_team: Arc::clone(&self.of_team),
            team,
        }
    }
}

/// A slot in use, as one of its team's.
struct TeamSlot {
    of_team: Arc<Mutex<BTreeMap<TeamId, usize>>>,
    team: TeamId,
}

impl Drop for TeamSlot {
    fn drop(&mut self) {
        if let Entry::Occupied(mut used) = self.of_team.lock().entry(self.team) {
            *used.get_mut() = used.get().saturating_sub(1);
            if *used.get() == 0 {
                used.remove();
            }
        }
    }
}

impl Engine {
    /// Has a task of its own work on a team's item that was taken.
    pub(crate) fn work_for(&self, team: TeamId, slots: &TeamSlots, work: BoxFuture<'static, ()>) {
        let slot = slots.take(team);
        let work = Box::pin(async move {
            let _slot = slot;
            work.await;
        });
        self.work_on(&slots.slots, work);
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn team(n: u128) -> TeamId {
        TeamId::new(Uuid::from_u128(n))
    }

    #[test]
    fn a_team_that_has_its_share_leaves_half_of_the_slots_to_others() {
        let slots = TeamSlots::at_most(16);
        let mut taken = vec![slots.take(team(1))];
        assert!(slots.sated().is_empty() && !slots.is_short(team(1)));
        taken.push(slots.take(team(1)));
        assert_eq!(slots.sated(), [team(1)]);
        assert!(!slots.is_short(team(1)), "it has no more than its share");
        taken.push(slots.take(team(1)));
        assert!(slots.is_short(team(1)) && !slots.is_short(team(2)));
        taken.push(slots.take(team(2)));
        assert_eq!(slots.sated(), [team(1)]);
        drop(taken);
        assert!(slots.sated().is_empty() && slots.of_team.lock().is_empty());
    }

    #[test]
    fn what_is_spare_is_what_is_free_beyond_half() {
        let slots = TeamSlots::at_most(16);
        assert_eq!(
            (slots.free(20), slots.spare(20), slots.spare(5)),
            (16, 8, 5)
        );
        let used: Vec<_> = (0..7).map(|_| slots.slots.take()).collect();
        assert_eq!((slots.free(20), slots.spare(20)), (9, 1));
        let more: Vec<_> = (0..7).map(|_| slots.slots.take()).collect();
        assert_eq!((slots.free(20), slots.spare(20)), (2, 0));
        drop((used, more));
    }
}
