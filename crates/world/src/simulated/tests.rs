use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::Duration,
};

use parking_lot::Mutex;

use super::{state::BEGINNING, *};

const SECOND: Duration = Duration::from_secs(1);
/// A bit longer than whole seconds, so that what is due by then has happened.
const BIT: Duration = Duration::from_millis(1);

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
    sim.run_until(world.sleep(SECOND)).unwrap();
    let log = log.lock().clone();
    (log, sim.steps())
}

/// Writes down the time of the node each second.
fn clock(world: &World) -> Arc<Mutex<Vec<i64>>> {
    let log = Arc::new(Mutex::new(Vec::new()));
    let (own, noted) = (world.clone(), Arc::clone(&log));
    world.spawn(async move {
        loop {
            own.sleep(SECOND).await;
            noted
                .lock()
                .push((own.now().micros() - BEGINNING) / 1_000_000);
        }
    });
    log
}

/// Notes that it was dropped.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
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
    let slow = world.sleep(SECOND * 9);
    let result = sim.run_until(world.timeout(SECOND * 2, slow)).unwrap();
    assert_eq!(result, Err(crate::Elapsed));
    assert_eq!(world.now().micros(), BEGINNING + 2_000_000);
}

#[test]
fn a_timer_that_was_given_up_moves_no_time() {
    let (world, sim) = World::simulated(1);
    let late = sim
        .run_until(world.timeout(SECOND * 9, world.sleep(SECOND)))
        .unwrap();
    assert_eq!(
        (late, sim.run_until(std::future::pending::<()>())),
        (Ok(()), Err(Stuck))
    );
    assert_eq!(world.now().micros(), BEGINNING + 1_000_000);
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

#[test]
fn a_node_that_dies_takes_its_tasks_and_no_others() {
    let (world, sim) = World::simulated(1);
    let (mortal, node) = sim.node();
    let (here, there) = (clock(&world), clock(&mortal));
    sim.run_until(world.sleep(SECOND * 3 + BIT)).unwrap();
    node.crash();
    sim.run_until(world.sleep(SECOND * 2)).unwrap();
    assert_eq!((here.lock().len(), there.lock().len()), (5, 3));
    // What is left of the dead one can begin nothing, and waits without end.
    let left = clock(&mortal);
    assert!(
        sim.run_until(world.timeout(SECOND * 5, mortal.sleep(SECOND)))
            .unwrap()
            .is_err()
    );
    // The next life is as good as the first.
    let again = clock(&node.world());
    sim.run_until(world.sleep(SECOND * 2 + BIT)).unwrap();
    assert_eq!(
        (left.lock().len(), there.lock().len(), again.lock().len()),
        (0, 3, 2)
    );
}

#[test]
fn a_task_that_kills_its_own_node_is_dropped_at_its_next_wait() {
    let (world, sim) = World::simulated(1);
    let (mortal, node) = sim.node();
    let dropped = Arc::new(AtomicUsize::new(0));
    let went_on = Arc::new(AtomicBool::new(false));
    let (one, other, gone_on) = (
        Dropped(Arc::clone(&dropped)),
        Dropped(Arc::clone(&dropped)),
        Arc::clone(&went_on),
    );
    mortal.spawn(async move {
        let _one = one;
        std::future::pending::<()>().await;
    });
    let own = mortal.clone();
    mortal.spawn(async move {
        let _other = other;
        own.sleep(SECOND).await;
        node.crash();
        own.sleep(SECOND).await;
        gone_on.store(true, Ordering::SeqCst);
    });
    sim.run_until(world.sleep(SECOND * 5)).unwrap();
    assert_eq!(
        (
            dropped.load(Ordering::SeqCst),
            went_on.load(Ordering::SeqCst)
        ),
        (2, false)
    );
}

#[test]
fn a_task_that_kills_its_own_node_may_hold_a_sleep() {
    let (world, sim) = World::simulated(1);
    let (mortal, node) = sim.node();
    let own = mortal.clone();
    mortal.spawn(async move {
        let end = own.sleep(SECOND * 9);
        let work = async {
            own.sleep(SECOND).await;
            node.crash();
            std::future::pending::<()>().await;
        };
        futures_util::future::select(std::pin::pin!(work), end).await;
    });
    sim.run_until(world.sleep(SECOND * 5)).unwrap();
}

#[test]
fn a_stopped_node_sleeps_past_its_timers_and_goes_on() {
    let (world, sim) = World::simulated(1);
    let (zombie, node) = sim.node();
    let (here, there) = (clock(&world), clock(&zombie));
    sim.run_until(world.sleep(Duration::from_millis(2500)))
        .unwrap();
    node.stop_for(SECOND * 10);
    node.stop_for(SECOND);
    sim.run_until(world.sleep(SECOND * 5)).unwrap();
    assert!(node.is_stopped());
    assert_eq!(
        (here.lock().len(), there.lock().as_slice()),
        (7, [1, 2].as_slice())
    );
    sim.run_until(world.sleep(SECOND * 7 + BIT)).unwrap();
    assert!(!node.is_stopped());
    // The timer of the third second fires when it goes on at 12.5, the next ones from there on.
    assert_eq!(there.lock().as_slice(), [1, 2, 12, 13, 14]);
}

#[test]
fn a_task_that_is_woken_while_its_node_is_stopped_runs_once_it_goes_on() {
    let (world, sim) = World::simulated(1);
    let (zombie, node) = sim.node();
    let (tell, reported) = tokio::sync::oneshot::channel::<()>();
    let received = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&received);
    zombie.spawn(async move {
        let _ = reported.await;
        noted.store(true, Ordering::SeqCst);
    });
    sim.run_until(world.sleep(SECOND)).unwrap();
    node.stop_for(SECOND * 3);
    tell.send(()).unwrap();
    sim.run_until(world.sleep(SECOND * 2)).unwrap();
    assert!(!received.load(Ordering::SeqCst));
    sim.run_until(world.sleep(SECOND * 2)).unwrap();
    assert!(received.load(Ordering::SeqCst));
}

#[test]
fn a_clock_that_jumps_is_that_node_s_alone_and_wakes_nobody() {
    let (world, sim) = World::simulated(1);
    let (other, node) = sim.node();
    let (here, there) = (clock(&world), clock(&other));
    node.jump(-3_600_000_000);
    sim.run_until(world.sleep(SECOND * 2 + BIT)).unwrap();
    assert_eq!(
        (here.lock().as_slice(), there.lock().as_slice()),
        ([1, 2].as_slice(), [-3599, -3598].as_slice())
    );
    sim.jump(60_000_000);
    sim.run_until(world.sleep(SECOND)).unwrap();
    assert_eq!(
        (here.lock().last().copied(), there.lock().last().copied()),
        (Some(63), Some(-3537))
    );
}

#[test]
fn nothing_of_a_world_is_left_when_its_player_is_gone() {
    let (world, sim) = World::simulated(1);
    let dropped = Arc::new(AtomicUsize::new(0));
    for _ in 0..3 {
        let (own, noted) = (world.clone(), Dropped(Arc::clone(&dropped)));
        world.spawn(async move {
            let _noted = noted;
            own.sleep(SECOND).await;
        });
    }
    sim.run_steps(3);
    drop((world, sim));
    assert_eq!(dropped.load(Ordering::SeqCst), 3);
}
