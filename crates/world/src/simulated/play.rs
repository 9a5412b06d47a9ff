//! Polling tasks and waking them.

use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Wake, Waker},
};

use futures_util::future::BoxFuture;

use super::{
    Inner,
    state::{Key, Scope, Task},
};

/// What wakes a task: it is its waker, and its entry among those that are ready.
pub(super) struct Handle {
    /// Weak, so that a waker that is kept somewhere keeps no world alive.
    world: Weak<Inner>,
    /// `None` for the main future, which belongs to no node.
    pub(super) scope: Option<Scope>,
    task: Option<Key>,
    /// Whether it is among those that are ready already.
    queued: AtomicBool,
}

impl Handle {
    pub(super) fn of_main(world: &Arc<Inner>) -> Self {
        Self {
            world: Arc::downgrade(world),
            scope: None,
            task: None,
            queued: AtomicBool::new(false),
        }
    }

    pub(super) fn is_main(&self) -> bool {
        self.task.is_none()
    }

    pub(super) fn node(&self) -> Option<usize> {
        self.scope.map(|scope| scope.node)
    }

    pub(super) fn wake_now(self: &Arc<Self>) {
        if let Some(world) = self.world.upgrade()
            && !self.queued.swap(true, Ordering::AcqRel)
        {
            world.0.lock().make_ready(Arc::clone(self));
        }
    }
}

impl Wake for Handle {
    fn wake(self: Arc<Self>) {
        self.wake_now();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.wake_now();
    }
}

impl Inner {
    /// Starts a task. One of a life that is over does not begin.
    pub(super) fn spawn(self: &Arc<Self>, scope: Scope, future: BoxFuture<'static, ()>) {
        let mut state = self.0.lock();
        if !state.lives(scope) {
            // The future is dropped without the lock.
            drop(state);
            return;
        }
        let task = state.tasks.add(Task {
            scope,
            future: Some(future),
        });
        let handle = Handle {
            world: Arc::downgrade(self),
            scope: Some(scope),
            task: Some(task),
            queued: AtomicBool::new(true),
        };
        state.make_ready(Arc::new(handle));
    }

    /// The task to be polled next. `None` when every task waits and nothing is due.
    pub(super) fn next(&self) -> Option<Arc<Handle>> {
        let mut wake: Vec<Waker> = Vec::new();
        loop {
            let mut state = self.0.lock();
            if let Some(task) = state.pick() {
                state.steps += 1;
                task.queued.store(false, Ordering::Release);
                return Some(task);
            }
            state.advance(&mut wake)?;
            drop(state);
            wake.drain(..).for_each(Waker::wake);
        }
    }

    /// Polls a task, if it still is one.
    pub(super) fn poll(&self, handle: &Arc<Handle>) {
        let Some(key) = handle.task else { return };
        let Some(mut future) = self
            .0
            .lock()
            .tasks
            .get_mut(key)
            .and_then(|task| task.future.take())
        else {
            return;
        };
        let waker = Waker::from(Arc::clone(handle));
        let ended = future
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_ready();
        let mut state = self.0.lock();
        let debris = if ended {
            state.tasks.remove(key)
        } else if let Some(task) = state.tasks.get_mut(key) {
            task.future = Some(future);
            return;
        } else {
            // Its node died while it was polled.
            None
        };
        // Dropped without the lock: what it holds, a sleep for one, takes the lock to end.
        drop(state);
        drop((debris, future));
    }
}
