//! A world played on one thread: virtual time, seeded chance, tasks in an order that the seed decides.
//!
//! # Several nodes
//! [`Sim::node`] adds a process: a [`World`] of its own whose tasks, timers and wall clock are apart from those of others,
//! on the same virtual time. So one process can die ([`Node::crash`]), be stopped ([`Node::stop_for`]) or have its clock
//! moved ([`Node::jump`]) while the others go on. Whatever a process does must be *spawned* on its world: code of it that
//! is polled by somebody else's task outlives it, as nothing of a dead process does.

mod node;
mod play;
mod sleep;
mod state;
#[cfg(test)]
mod tests;

use std::{
    future::Future,
    sync::Arc,
    task::{Context, Poll},
};

use parking_lot::Mutex;

use crate::World;
pub use node::Node;
use node::NodePlace;
use play::Handle;
use state::{Scope, SimulatedState};

/// The player of a simulated world. Clones share the world; when the last one is dropped, its tasks are.
#[derive(Clone)]
pub struct Sim {
    inner: Arc<Inner>,
    /// Tasks hold worlds, and the world holds tasks: somebody must cut the circle.
    _end: Arc<End>,
}

struct Inner(Mutex<SimulatedState>);

struct End(Arc<Inner>);

impl Drop for End {
    fn drop(&mut self) {
        // A task that ends may start another.
        while !self.0.drop_tasks(|_| true).is_empty() {}
    }
}

/// The run can't go on: every task waits and no timer is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stuck;

impl Sim {
    /// A world with one process, and its player.
    pub(crate) fn new(seed: u64) -> (World, Self) {
        let inner = Arc::new(Inner(Mutex::new(SimulatedState::new(seed))));
        let sim = Self {
            _end: Arc::new(End(Arc::clone(&inner))),
            inner,
        };
        let (world, _first) = sim.node();
        (world, sim)
    }

    /// Adds a process, with its world.
    pub fn node(&self) -> (World, Node) {
        let number = self.inner.0.lock().add_node();
        let node = Node {
            inner: Arc::clone(&self.inner),
            number,
        };
        (node.world(), node)
    }

    /// Plays until `main` ends and returns its result. Other tasks stay where they are and go on in the next call. `main`
    /// belongs to no process.
    ///
    /// # Errors
    /// [`Stuck`] when nothing can run any more and `main` has not ended.
    pub fn run_until<T>(&self, main: impl Future<Output = T>) -> Result<T, Stuck> {
        let mut main = Box::pin(main);
        let handle = Arc::new(Handle::of_main(&self.inner));
        let waker = Arc::clone(&handle).into();
        handle.wake_now();
        loop {
            let Some(task) = self.inner.next() else {
                return Err(Stuck);
            };
            if task.is_main() {
                if let Poll::Ready(done) = main.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return Ok(done);
                }
            } else {
                self.inner.poll(&task);
            }
        }
    }

    /// Plays at most `steps` polls, and stops there: for a crash at that very moment.
    pub fn run_steps(&self, steps: u64) {
        for _ in 0..steps {
            let Some(task) = self.inner.next() else {
                return;
            };
            self.inner.poll(&task);
        }
    }

    /// How many polls were made: the same seed gives the same number.
    pub fn steps(&self) -> u64 {
        self.inner.0.lock().steps
    }

    /// Moves the wall clocks of all processes by `micros` (also backwards) without waking anyone, as a clock that jumps does.
    pub fn jump(&self, micros: i64) {
        let mut state = self.inner.0.lock();
        state.offset = state.offset.saturating_add(micros);
    }

    /// Drops every task of every process where it stands. Worlds stay good for what starts again.
    pub fn crash(&self) {
        drop(self.inner.drop_tasks(|_| true));
    }
}

impl Inner {
    fn world(self: &Arc<Self>, scope: Scope) -> World {
        World(Arc::new(NodePlace {
            inner: Arc::clone(self),
            scope,
        }))
    }

    /// Takes out the tasks and timers of the scopes that are meant. To be dropped without the lock: a task that is dropped
    /// may do something.
    fn drop_tasks(&self, meant: impl Fn(Scope) -> bool) -> state::Debris {
        self.0.lock().clear(meant)
    }
}
