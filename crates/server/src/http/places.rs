//! Places for what takes much memory, shared fairly: one team never has all of them, and nothing has two.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use domain::id::{AttachmentId, TeamId};
use parking_lot::Mutex;

/// So many places.
pub(super) struct Places {
    most: usize,
    most_of_team: usize,
    taken: Mutex<BTreeMap<TeamId, usize>>,
    /// What has a place of its own.
    items: Mutex<BTreeSet<AttachmentId>>,
}

/// The only place of a thing; free again when it is dropped.
pub(super) struct Only {
    places: Arc<Places>,
    item: AttachmentId,
}

impl Drop for Only {
    fn drop(&mut self) {
        self.places.items.lock().remove(&self.item);
    }
}

/// One place; free again when it is dropped.
pub(super) struct Taken {
    places: Arc<Places>,
    team: TeamId,
}

impl Places {
    /// So many, of which one team has half at most.
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            most_of_team: most.div_ceil(2),
            taken: Mutex::default(),
            items: Mutex::default(),
        })
    }

    /// Holds a thing that nobody else holds here.
    pub(super) fn hold(self: &Arc<Self>, item: AttachmentId) -> Option<Only> {
        let is_free = self.items.lock().insert(item);
        is_free.then(|| Only {
            places: Arc::clone(self),
            item,
        })
    }

    /// Takes a place; none is waited for.
    pub(super) fn take(self: &Arc<Self>, team: TeamId) -> Option<Taken> {
        let mut taken = self.taken.lock();
        let all: usize = taken.values().sum();
        let of_team = taken.get(&team).copied().unwrap_or_default();
        if all >= self.most || of_team >= self.most_of_team {
            return None;
        }
        taken.insert(team, of_team + 1);
        Some(Taken {
            places: Arc::clone(self),
            team,
        })
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock();
        let left = taken.get(&self.team).map_or(0, |of_team| of_team - 1);
        if left == 0 {
            taken.remove(&self.team);
        } else {
            taken.insert(self.team, left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_team_never_has_all_places_and_a_free_one_is_taken_again() {
        let team = |n| TeamId::new(uuid::Uuid::from_u128(n));
        let places = Places::new(4);
        let one = places.take(team(1));
        let two = places.take(team(1));
        assert!(one.is_some() && two.is_some());
        assert!(places.take(team(1)).is_none());
        let three = places.take(team(2));
        let four = places.take(team(3));
        assert!(three.is_some() && four.is_some());
        assert!(places.take(team(4)).is_none());
        drop(one);
        assert!(places.take(team(4)).is_some());
        drop((two, three, four));
        assert!(places.taken.lock().is_empty());
    }
    #[test]
    fn a_thing_has_one_place_at_a_time() {
        let places = Places::new(4);
        let id = |n| AttachmentId::new(uuid::Uuid::from_u128(n));
        let held = places.hold(id(1));
        assert!(held.is_some() && places.hold(id(1)).is_none() && places.hold(id(2)).is_some());
        drop(held);
        assert!(places.hold(id(1)).is_some());
    }
}
