//! One process of a simulated world.

use std::{sync::Arc, time::Duration};

use domain::Timestamp;
use futures_util::future::BoxFuture;
use rand_chacha::rand_core::RngCore;

use super::{
    Inner,
    sleep::Sleep,
    state::{Due, Life, Scope},
};
use crate::{Seams, World};

/// A process of a simulated world. Clones mean the same process.
#[derive(Clone)]
pub struct Node {
    pub(super) inner: Arc<Inner>,
    pub(super) number: usize,
}

impl Node {
    /// The world as this process sees it, in its present life.
    pub fn world(&self) -> World {
        let life = self
            .inner
            .0
            .lock()
            .nodes
            .get(self.number)
            .map_or(0, |node| node.life);
        self.inner.world(Scope {
            node: self.number,
            life: Life(life),
        })
    }

    /// The process dies (SIGKILL): its tasks and timers are dropped where they stand. Ask for its [`Node::world`] again to
    /// start what comes after it: with a world of an earlier life nothing can be spawned and no sleep ends.
    ///
    /// A task may kill the process that it belongs to; it is dropped as soon as it waits for something.
    pub fn crash(&self) {
        let number = self.number;
        let debris = {
            let mut state = self.inner.0.lock();
            let debris = state.clear(|scope| scope.node == number);
            if let Some(node) = state.nodes.get_mut(number) {
                node.life += 1;
            }
            debris
        };
        drop(debris);
    }

    /// The process is stopped for `span` (SIGSTOP, SIGCONT): none of its tasks is polled meanwhile and its timers fire
    /// late, while its clock and the others go on. A stop while it is stopped may only prolong it.
    pub fn stop_for(&self, span: Duration) {
        let mut state = self.inner.0.lock();
        let until = state.now.saturating_add(micros(span));
        let Some(node) = state.nodes.get_mut(self.number) else {
            return;
        };
        node.stopped_until = Some(
            node.stopped_until
                .map_or(until, |earlier| earlier.max(until)),
        );
        // Taken in their order, so that the same seed goes on in the same way.
        let number = self.number;
        let ready = std::mem::take(&mut state.ready);
        let (held, ready) = ready
            .into_iter()
            .partition(|task| task.node() == Some(number));
        state.ready = ready;
        let mut held: Vec<_> = held;
        if let Some(node) = state.nodes.get_mut(number) {
            node.held.append(&mut held);
        }
        state.at(until, Due::Resume(number));
    }

    /// Whether it is stopped.
    pub fn is_stopped(&self) -> bool {
        self.inner
            .0
            .lock()
            .nodes
            .get(self.number)
            .is_some_and(|node| node.stopped_until.is_some())
    }

    /// Moves the wall clock of this process alone by `micros`, also backwards. Its timers keep to the monotonic time.
    pub fn jump(&self, micros: i64) {
        if let Some(node) = self.inner.0.lock().nodes.get_mut(self.number) {
            node.offset = node.offset.saturating_add(micros);
        }
    }
}

fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

/// The seams as one life of one node has them.
pub(super) struct NodePlace {
    pub(super) inner: Arc<Inner>,
    pub(super) scope: Scope,
}

impl Seams for NodePlace {
    fn now(&self) -> Timestamp {
        self.inner.0.lock().clock(self.scope.node)
    }

    fn sleep(&self, span: Duration) -> BoxFuture<'static, ()> {
        let due = self.inner.0.lock().now.saturating_add(micros(span));
        Box::pin(Sleep::new(Arc::clone(&self.inner), self.scope, due))
    }

    fn fill(&self, bytes: &mut [u8]) {
        self.inner.0.lock().chance.fill_bytes(bytes);
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.inner.spawn(self.scope, task);
    }

    fn block(&self, work: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()> {
        work();
        Box::pin(std::future::ready(()))
    }
}
