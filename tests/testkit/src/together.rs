//! Many callers at the same moment.

use std::sync::Barrier;
use std::thread;

/// Runs `act(0..count)`, each in a thread of its own, released together; the results in order.
pub fn at_once<T: Send>(count: usize, act: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let gate = Barrier::new(count);
    thread::scope(|scope| {
        let callers: Vec<_> = (0..count)
            .map(|number| {
                let (gate, act) = (&gate, &act);
                scope.spawn(move || {
                    gate.wait();
                    act(number)
                })
            })
            .collect();
        callers
            .into_iter()
            .map(|caller| caller.join().expect("a caller panicked"))
            .collect()
    })
}
