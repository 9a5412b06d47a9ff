//! The bounded buffer between the threads that log and standard error.
//!
//! A request must not wait for the reader of the log: lines are copied into a buffer, and one thread writes what has
//! gathered. When the reader is too slow, lines are dropped and counted. An error waits until it is written, since the
//! process may end right behind it.

use std::{
    io::{self, Write},
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

use parking_lot::{Condvar, Mutex};

/// Bytes that wait to be written; what comes on top is dropped.
const MOST: usize = 4 * 1024 * 1024;
/// A buffer that has grown beyond this is given back after it was written.
const KEPT: usize = 256 * 1024;
/// How long an error waits until it is written.
const URGENT: Duration = Duration::from_millis(250);
/// How long the end of the process waits for the rest.
const ENDING: Duration = Duration::from_secs(1);
/// How long lines gather after some were written: one system call for many.
const GATHERING: Duration = Duration::from_millis(2);
/// How often `tick` runs while nothing is logged.
const TICK: Duration = Duration::from_secs(1);

/// The buffer and its thread.
pub(super) struct Writer {
    state: Mutex<WriterState>,
    arrived: Condvar,
    written: Condvar,
    lines: [OnceLock<metrics::Counter>; 3],
    lost: OnceLock<metrics::Counter>,
}

#[derive(Default)]
struct WriterState {
    waiting: Vec<u8>,
    /// Lines that were taken since the start, and those of them that are written.
    taken: u64,
    done: u64,
    lost: u64,
    /// The thread waits for lines.
    is_idle: bool,
    /// An error was not written in its time: nobody waits again before something is.
    is_stuck: bool,
}

/// How a line is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// Everything below a warning.
    Plain,
    /// A warning.
    Warning,
    /// An error; it is waited for.
    Error,
}

impl Writer {
    /// Starts the thread that writes. `tick` may return lines of its own, about once a second.
    pub(super) fn start(tick: impl FnMut() -> Vec<String> + Send + 'static) -> Arc<Self> {
        Self::start_with(io::stderr(), tick)
    }

    fn start_with(
        to: impl Write + Send + 'static,
        tick: impl FnMut() -> Vec<String> + Send + 'static,
    ) -> Arc<Self> {
        let writer = Arc::new(Self {
            state: Mutex::default(),
            arrived: Condvar::new(),
            written: Condvar::new(),
            lines: [const { OnceLock::new() }; 3],
            lost: OnceLock::new(),
        });
        let own = Arc::clone(&writer);
        let started = thread::Builder::new()
            .name("pointsman-log".to_owned())
            .spawn(move || own.work(to, tick));
        if started.is_err() {
            // Without a thread nothing is written; the counter of lost lines tells.
            writer.state.lock().is_stuck = true;
        }
        writer
    }

    /// Takes a line, with its line break.
    pub(super) fn take(&self, line: &str, weight: Weight) {
        self.count(weight);
        let mut state = self.state.lock();
        if state.waiting.len().saturating_add(line.len()) > MOST {
            state.lost = state.lost.saturating_add(1);
            drop(state);
            self.lost
                .get_or_init(|| metrics::counter!("pointsman_log_lines_lost_total"))
                .increment(1);
            return;
        }
        state.waiting.extend_from_slice(line.as_bytes());
        state.taken = state.taken.wrapping_add(1);
        if state.is_idle {
            state.is_idle = false;
            self.arrived.notify_one();
        }
        if weight == Weight::Error && !state.is_stuck {
            let mine = state.taken;
            let late = self
                .written
                .wait_while_for(&mut state, |state| state.done < mine, URGENT)
                .timed_out();
            state.is_stuck = late;
        }
    }

    /// Waits until everything taken so far is written.
    pub(super) fn flush(&self) {
        let mut state = self.state.lock();
        let mine = state.taken;
        self.arrived.notify_one();
        self.written
            .wait_while_for(&mut state, |state| state.done < mine, ENDING);
    }

    fn count(&self, weight: Weight) {
        let (place, level) = match weight {
            Weight::Plain => (0, "info"),
            Weight::Warning => (1, "warn"),
            Weight::Error => (2, "error"),
        };
        if let Some(counter) = self.lines.get(place) {
            counter
                .get_or_init(|| metrics::counter!("pointsman_log_lines_total", "level" => level))
                .increment(1);
        }
    }

    fn work(&self, mut to: impl Write, mut tick: impl FnMut() -> Vec<String>) {
        let mut batch = Vec::new();
        loop {
            let (upto, lost) = self.next(&mut batch);
            // Nobody is left to learn that the log can't be written.
            let _ = to.write_all(&batch).and_then(|()| to.flush());
            batch.clear();
            batch.shrink_to(KEPT);
            {
                let mut state = self.state.lock();
                state.done = upto;
                state.is_stuck = false;
            }
            self.written.notify_all();
            if lost > 0 {
                tracing::warn!(
                    lines = lost,
                    "lines of the log were lost: standard error is read too slowly"
                );
            }
            for line in tick() {
                self.take(&line, Weight::Warning);
            }
            thread::sleep(GATHERING);
        }
    }

    /// Waits for lines, at most for a tick, and exchanges the buffers.
    fn next(&self, batch: &mut Vec<u8>) -> (u64, u64) {
        let mut state = self.state.lock();
        if state.waiting.is_empty() {
            state.is_idle = true;
            self.arrived
                .wait_while_for(&mut state, |state| state.is_idle, TICK);
            state.is_idle = false;
        }
        std::mem::swap(batch, &mut state.waiting);
        (state.taken, std::mem::take(&mut state.lost))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[derive(Clone, Default)]
    struct Page {
        text: Arc<Mutex<Vec<u8>>>,
        /// Writes wait while this is set.
        is_held: Arc<AtomicBool>,
        /// A write has begun.
        is_reached: Arc<AtomicBool>,
    }

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.is_reached.store(true, Ordering::SeqCst);
            while self.is_held.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(1));
            }
            self.text.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn text(page: &Page) -> String {
        String::from_utf8(page.text.lock().clone()).unwrap()
    }

    #[test]
    fn an_error_is_written_before_its_thread_goes_on() {
        let page = Page::default();
        let writer = Writer::start_with(page.clone(), Vec::new);
        writer.take("one\n", Weight::Plain);
        writer.take("two\n", Weight::Error);
        assert_eq!(text(&page), "one\ntwo\n");
        writer.take("three\n", Weight::Plain);
        writer.flush();
        assert_eq!(text(&page), "one\ntwo\nthree\n");
    }

    #[test]
    fn a_reader_that_stops_costs_lines_and_not_the_service() {
        let page = Page::default();
        page.is_held.store(true, Ordering::SeqCst);
        let writer = Writer::start_with(page.clone(), Vec::new);
        // From its first line on the thread is held in the write: it takes no more lines and no count of lost ones.
        writer.take("before\n", Weight::Plain);
        while !page.is_reached.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        let line = format!("{}\n", "x".repeat(1023));
        for _ in 0..3 * MOST / line.len() {
            writer.take(&line, Weight::Plain);
        }
        // The first error waits in vain, the others do not.
        for _ in 0..100 {
            writer.take("error\n", Weight::Error);
        }
        assert!(writer.state.lock().waiting.len() <= MOST);
        assert!(writer.state.lock().lost > 0);
        page.is_held.store(false, Ordering::SeqCst);
        while !writer.state.lock().waiting.is_empty() {
            thread::sleep(Duration::from_millis(1));
        }
        writer.take("after\n", Weight::Error);
        writer.flush();
        assert!(text(&page).ends_with("after\n"));
    }
}
