//! What a simulated world holds.

use std::{cmp::Reverse, collections::BinaryHeap, sync::Arc, task::Waker};

use domain::Timestamp;
use futures_util::future::BoxFuture;
use rand_chacha::{
    ChaCha12Rng,
    rand_core::{RngCore, SeedableRng},
};

use super::play::Handle;

/// Where virtual time begins: 2026-01-01T00:00:00Z.
pub(super) const BEGINNING: i64 = 1_767_225_600_000_000;

/// Counts the lives of a node: each crash begins another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Life(pub(super) u32);

/// One life of one node: what a world, a task or a timer belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) node: usize,
    pub(super) life: Life,
}

pub(super) struct SimulatedState {
    /// Monotonic time. Unit: microseconds.
    pub(super) now: i64,
    /// How far all wall clocks are from it.
    pub(super) offset: i64,
    pub(super) chance: ChaCha12Rng,
    pub(super) steps: u64,
    pub(super) ready: Vec<Arc<Handle>>,
    pub(super) due: BinaryHeap<Reverse<(i64, u64, Due)>>,
    pub(super) tasks: Slots<Task>,
    pub(super) timers: Slots<Timer>,
    pub(super) nodes: Vec<NodeState>,
    /// Orders what is due at one moment.
    next_due: u64,
}

/// A task between two polls; its future is out while it is polled.
pub(super) struct Task {
    pub(super) scope: Scope,
    pub(super) future: Option<BoxFuture<'static, ()>>,
}

pub(super) struct Timer {
    pub(super) scope: Scope,
    pub(super) waker: Waker,
}

/// What happens at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    Timer(Key),
    /// A stopped node may go on.
    Resume(usize),
}

#[derive(Default)]
pub(super) struct NodeState {
    pub(super) life: u32,
    /// How far its wall clock is from the others'.
    pub(super) offset: i64,
    /// None of its tasks is polled before this (monotonic) time.
    pub(super) stopped_until: Option<i64>,
    /// Its tasks that are ready, while it is stopped.
    pub(super) held: Vec<Arc<Handle>>,
}

/// What is left of a crash.
pub(super) struct Debris {
    tasks: Vec<Task>,
    timers: Vec<Timer>,
}

impl Debris {
    pub(super) fn is_empty(&self) -> bool {
        self.tasks.is_empty() && self.timers.is_empty()
    }
}

impl SimulatedState {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            now: BEGINNING,
            offset: 0,
            chance: ChaCha12Rng::seed_from_u64(seed),
            steps: 0,
            ready: Vec::new(),
            due: BinaryHeap::new(),
            tasks: Slots::default(),
            timers: Slots::default(),
            nodes: Vec::new(),
            next_due: 0,
        }
    }

    pub(super) fn add_node(&mut self) -> usize {
        self.nodes.push(NodeState::default());
        self.nodes.len() - 1
    }

    /// The node's wall clock.
    pub(super) fn clock(&self, node: usize) -> Timestamp {
        let own = self.nodes.get(node).map_or(0, |node| node.offset);
        Timestamp::from_micros(self.now.saturating_add(self.offset).saturating_add(own))
    }

    /// Whether the node still lives the life of this scope.
    pub(super) fn lives(&self, scope: Scope) -> bool {
        self.nodes
            .get(scope.node)
            .is_some_and(|node| node.life == scope.life.0)
    }

    /// Lets something happen at a (monotonic) time.
    pub(super) fn at(&mut self, time: i64, what: Due) {
        self.due.push(Reverse((time, self.next_due, what)));
        self.next_due += 1;
    }

    /// Puts a task among those that may be polled.
    pub(super) fn make_ready(&mut self, handle: Arc<Handle>) {
        match handle.node().and_then(|node| self.nodes.get_mut(node)) {
            Some(node) if node.stopped_until.is_some() => node.held.push(handle),
            Some(_) | None => self.ready.push(handle),
        }
    }

    /// One of the tasks that are ready, chosen by chance.
    pub(super) fn pick(&mut self) -> Option<Arc<Handle>> {
        let count = self.ready.len();
        let index = match count {
            0 => return None,
            1 => 0,
            // The remainder of a number below the count fits.
            _ => usize::try_from(self.chance.next_u64() % u64::try_from(count).unwrap_or(1))
                .unwrap_or(0),
        };
        Some(self.ready.swap_remove(index))
    }

    /// Moves time on to the next moment at which something happens, and tells whom to wake. `None` when nothing will.
    pub(super) fn advance(&mut self, wake: &mut Vec<Waker>) -> Option<()> {
        let mut moment = None;
        while let Some(Reverse((at, _, what))) = self.due.peek().copied() {
            if moment.is_some_and(|moment| at > moment) {
                break;
            }
            self.due.pop();
            match what {
                Due::Timer(key) => {
                    // One that was given up means nothing, not even that time passes.
                    let Some(timer) = self.timers.remove(key) else {
                        continue;
                    };
                    wake.push(timer.waker);
                }
                Due::Resume(number) => {
                    let Some(node) = self.nodes.get_mut(number) else {
                        continue;
                    };
                    if node.stopped_until.is_none_or(|until| until > at) {
                        continue;
                    }
                    node.stopped_until = None;
                    self.ready.append(&mut node.held);
                }
            }
            moment = Some(at);
            self.now = self.now.max(at);
        }
        moment.map(|_| ())
    }

    pub(super) fn clear(&mut self, meant: impl Fn(Scope) -> bool) -> Debris {
        let all = |node: usize, life: u32| {
            meant(Scope {
                node,
                life: Life(life),
            })
        };
        self.ready
            .retain(|handle| handle.scope.is_none_or(|scope| !meant(scope)));
        for (number, node) in self.nodes.iter_mut().enumerate() {
            if all(number, node.life) {
                node.held.clear();
                node.stopped_until = None;
            }
        }
        let tasks = self.tasks.take(|task| meant(task.scope));
        let timers = self.timers.take(|timer| meant(timer.scope));
        Debris { tasks, timers }
    }
}

/// The place of something in [`Slots`], never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    index: usize,
    generation: u64,
}

/// Things by a key, found, added and removed at once.
pub(super) struct Slots<T> {
    slots: Vec<(u64, Option<T>)>,
    free: Vec<usize>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> Slots<T> {
    pub(super) fn add(&mut self, thing: T) -> Key {
        if let Some(index) = self.free.pop()
            && let Some((generation, slot)) = self.slots.get_mut(index)
        {
            *slot = Some(thing);
            return Key {
                index,
                generation: *generation,
            };
        }
        self.slots.push((0, Some(thing)));
        Key {
            index: self.slots.len() - 1,
            generation: 0,
        }
    }

    pub(super) fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        let (generation, slot) = self.slots.get_mut(key.index)?;
        if *generation == key.generation {
            slot.as_mut()
        } else {
            None
        }
    }

    pub(super) fn remove(&mut self, key: Key) -> Option<T> {
        let (generation, slot) = self.slots.get_mut(key.index)?;
        if *generation != key.generation {
            return None;
        }
        let thing = slot.take()?;
        *generation += 1;
        self.free.push(key.index);
        Some(thing)
    }

    /// Removes all that are meant, in the order of their places.
    pub(super) fn take(&mut self, meant: impl Fn(&T) -> bool) -> Vec<T> {
        let mut taken = Vec::new();
        for (index, (generation, slot)) in self.slots.iter_mut().enumerate() {
            if let Some(thing) = slot.take_if(|thing| meant(thing)) {
                taken.push(thing);
                *generation += 1;
                self.free.push(index);
            }
        }
        taken
    }
}
