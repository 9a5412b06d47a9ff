//! A world played on one thread: virtual time, seeded chance, tasks in an order that the seed decides.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap, VecDeque},
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use domain::Timestamp;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use rand_chacha::{
    ChaCha12Rng,
    rand_core::{RngCore, SeedableRng},
};

use crate::Seams;

/// Where virtual time begins: 2026-01-01T00:00:00Z.
const BEGINNING: i64 = 1_767_225_600_000_000;

/// The player of a simulated world. Clones share the world.
#[derive(Clone)]
pub struct Sim(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    ready: Mutex<VecDeque<u64>>,
}

struct State {
    now: i64,
    chance: ChaCha12Rng,
    next_task: u64,
    next_timer: u64,
    tasks: BTreeMap<u64, BoxFuture<'static, ()>>,
    timers: BinaryHeap<Reverse<(i64, u64)>>,
    wakers: BTreeMap<u64, Waker>,
    steps: u64,
}

/// The run can't go on: every task waits and no timer is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stuck;

impl Sim {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Arc::new(Inner {
            state: Mutex::new(State {
                now: BEGINNING,
                chance: ChaCha12Rng::seed_from_u64(seed),
                next_task: 1,
                next_timer: 1,
                tasks: BTreeMap::new(),
                timers: BinaryHeap::new(),
                wakers: BTreeMap::new(),
                steps: 0,
            }),
            ready: Mutex::new(VecDeque::new()),
        }))
    }

    /// Plays until `main` ends and returns its result. Other tasks stay where they are and go on in the next call.
    ///
    /// # Errors
    /// [`Stuck`] when nothing can run any more and `main` has not ended.
    pub fn run_until<T>(&self, main: impl Future<Output = T>) -> Result<T, Stuck> {
        let mut main = Box::pin(main);
        let waker = self.waker(0);
        self.0.ready.lock().push_back(0);
        loop {
            let Some(task) = self.pick() else {
                if self.advance() {
                    continue;
                }
                return Err(Stuck);
            };
            self.0.state.lock().steps += 1;
            if task == 0 {
                if let Poll::Ready(done) = main.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return Ok(done);
                }
            } else {
                self.poll(task);
            }
        }
    }

    /// Plays at most `steps` polls, and stops there: for a crash at that very moment.
    pub fn run_steps(&self, steps: u64) {
        for _ in 0..steps {
            let task = loop {
                match self.pick() {
                    Some(task) => break task,
                    None if self.advance() => {}
                    None => return,
                }
            };
            self.0.state.lock().steps += 1;
            self.poll(task);
        }
    }

    /// How many polls were made: the same seed gives the same number.
    pub fn steps(&self) -> u64 {
        self.0.state.lock().steps
    }

    /// Moves the wall clock by `micros` (also backwards) without waking anyone, as a clock that jumps does.
    pub fn jump(&self, micros: i64) {
        let mut state = self.0.state.lock();
        state.now = state.now.saturating_add(micros);
    }

    /// Drops every task where it stands, as the death of a process does.
    pub fn crash(&self) {
        let tasks = {
            let mut state = self.0.state.lock();
            state.timers.clear();
            state.wakers.clear();
            std::mem::take(&mut state.tasks)
        };
        self.0.ready.lock().clear();
        drop(tasks);
    }

    /// One of the tasks that are ready, chosen by chance.
    fn pick(&self) -> Option<u64> {
        let mut ready = self.0.ready.lock();
        let count = u64::try_from(ready.len()).unwrap_or(0);
        if count == 0 {
            return None;
        }
        let index = self.0.state.lock().chance.next_u64() % count;
        ready.remove(usize::try_from(index).unwrap_or(0))
    }

    fn poll(&self, task: u64) {
        let Some(mut future) = self.0.state.lock().tasks.remove(&task) else { return };
        let waker = self.waker(task);
        if future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
            self.0.state.lock().tasks.insert(task, future);
        }
    }

    /// Moves time to the next timer and wakes whoever waits for it. False when there is none.
    fn advance(&self) -> bool {
        let mut state = self.0.state.lock();
        let Some(Reverse((at, timer))) = state.timers.pop() else { return false };
        state.now = state.now.max(at);
        let waker = state.wakers.remove(&timer);
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        true
    }

    fn waker(&self, task: u64) -> Waker {
        Waker::from(Arc::new(TaskWaker { world: Arc::clone(&self.0), task }))
    }
}

struct TaskWaker {
    world: Arc<Inner>,
    task: u64,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        let mut ready = self.world.ready.lock();
        if !ready.contains(&self.task) {
            ready.push_back(self.task);
        }
    }
}

impl Seams for Sim {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.state.lock().now)
    }

    fn sleep(&self, span: Duration) -> BoxFuture<'static, ()> {
        let due = self.now().after(span).micros();
        Box::pin(Sleep { world: Arc::clone(&self.0), due, timer: None })
    }

    fn fill(&self, bytes: &mut [u8]) {
        self.0.state.lock().chance.fill_bytes(bytes);
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        let mut state = self.0.state.lock();
        let id = state.next_task;
        state.next_task += 1;
        state.tasks.insert(id, task);
        drop(state);
        self.0.ready.lock().push_back(id);
    }

    fn block(&self, work: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()> {
        work();
        Box::pin(std::future::ready(()))
    }
}

struct Sleep {
    world: Arc<Inner>,
    due: i64,
    timer: Option<u64>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let world = Arc::clone(&self.world);
        let mut state = world.state.lock();
        if state.now >= self.due {
            return Poll::Ready(());
        }
        let timer = match self.timer {
            // The timer has fired but a jump moved the clock back: wait for it again.
            Some(timer) if state.wakers.contains_key(&timer) => timer,
            _ => {
                let timer = state.next_timer;
                state.next_timer += 1;
                state.timers.push(Reverse((self.due, timer)));
                timer
            }
        };
        state.wakers.insert(timer, context.waker().clone());
        drop(state);
        self.timer = Some(timer);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(timer) = self.timer {
            self.world.state.lock().wakers.remove(&timer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::World;

    fn story(seed: u64) -> (Vec<(u32, i64)>, u64) {
        let (world, sim) = World::simulated(seed);
        let log = Arc::new(Mutex::new(Vec::new()));
        for who in 0..5 {
            let (world, log) = (world.clone(), Arc::clone(&log));
            world.clone().spawn(async move {
                for _ in 0..3 {
                    world.sleep(Duration::from_millis(world.random() % 5)).await;
                    log.lock().push((who, world.now().micros() - BEGINNING));
                }
            });
        }
        let end = world.clone();
        sim.run_until(async move { end.sleep(Duration::from_secs(1)).await }).unwrap();
        let log = log.lock().clone();
        (log, sim.steps())
    }

    #[test]
    fn the_same_seed_plays_the_same_story() {
        assert_eq!(story(7), story(7));
        assert_ne!(story(7).0, story(8).0);
        assert_eq!(story(7).0.len(), 15);
    }

    #[test]
    fn a_timeout_drops_work_that_is_too_slow() {
        let (world, sim) = World::simulated(1);
        let slow = world.sleep(Duration::from_secs(9));
        let result = sim.run_until(world.timeout(Duration::from_secs(2), slow)).unwrap();
        assert_eq!(result, Err(crate::Elapsed));
        assert_eq!(world.now().micros(), BEGINNING + 2_000_000);
    }

    #[test]
    fn a_run_that_waits_for_nothing_is_stuck() {
        let (_world, sim) = World::simulated(1);
        assert_eq!(sim.run_until(std::future::pending::<()>()), Err(Stuck));
    }

    #[test]
    fn tokens_are_letters_and_digits_of_the_length_asked_for() {
        let (world, _sim) = World::simulated(3);
        let token = world.token(43);
        assert_eq!(token.len(), 43);
        assert!(token.bytes().all(|b| b.is_ascii_alphanumeric()));
        assert_ne!(token, world.token(43));
    }
}
