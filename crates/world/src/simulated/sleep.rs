//! Waiting for a moment of virtual time.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use super::{
    Inner,
    state::{Due, Key, Scope, Timer},
};

/// Ends at a (monotonic) time; never in a life that is over.
pub(super) struct Sleep {
    world: Arc<Inner>,
    scope: Scope,
    due: i64,
    timer: Option<Key>,
}

impl Sleep {
    pub(super) fn new(world: Arc<Inner>, scope: Scope, due: i64) -> Self {
        Self {
            world,
            scope,
            due,
            timer: None,
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let world = Arc::clone(&self.world);
        let mut state = world.0.lock();
        if !state.lives(self.scope) {
            return Poll::Pending;
        }
        if state.now >= self.due {
            return Poll::Ready(());
        }
        if let Some(timer) = self.timer.and_then(|key| state.timers.get_mut(key)) {
            let old = std::mem::replace(&mut timer.waker, context.waker().clone());
            drop(state);
            // Without the lock: it may be anybody's.
            drop(old);
            return Poll::Pending;
        }
        let key = state.timers.add(Timer {
            scope: self.scope,
            waker: context.waker().clone(),
        });
        state.at(self.due, Due::Timer(key));
        drop(state);
        self.timer = Some(key);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(key) = self.timer {
            let timer = self.world.0.lock().timers.remove(key);
            drop(timer);
        }
    }
}
