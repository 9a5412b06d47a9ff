//! How far it is, for those who watch.

use std::{
    io::{self, IsTerminal, Write},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::Mutex;

/// Tells how far a move is: as a bar where standard error is a terminal, else as lines.
pub struct Progress {
    bar: Option<ProgressBar>,
    state: Mutex<ProgressState>,
}

#[derive(Default)]
struct ProgressState {
    work: &'static str,
    done: u64,
    total: u64,
    /// Rows of the present table that are counted in `done`.
    of_table: u64,
    reported: u64,
}

/// Without a terminal a large table is reported this often, in rows.
const TELL: u64 = 100_000;

impl Progress {
    /// On standard error.
    pub fn on_stderr() -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Self {
            bar,
            state: Mutex::default(),
        }
    }

    pub(super) fn begin(&self, work: &'static str, total: u64) {
        *self.state.lock() = ProgressState {
            work,
            total,
            ..ProgressState::default()
        };
        match &self.bar {
            Some(bar) => {
                bar.set_style(style());
                bar.set_length(total);
                bar.set_position(0);
                bar.set_prefix(work);
            }
            None => line(&format!("{work} {total} rows")),
        }
    }

    /// A table begins.
    pub(super) fn at(&self, table: &str) {
        self.state.lock().of_table = 0;
        if let Some(bar) = &self.bar {
            bar.set_message(table.to_owned());
        }
    }

    /// Rows of the present table that an earlier run has brought.
    pub(super) fn set_done_before(&self, table: &str, rows: u64) {
        let mut state = self.state.lock();
        let more = rows.saturating_sub(state.of_table);
        state.of_table = rows.max(state.of_table);
        state.done = state.done.saturating_add(more);
        match &self.bar {
            Some(bar) => bar.set_position(state.done),
            None => line(&format!("{table}: goes on behind {rows} rows")),
        }
    }

    pub(super) fn add(&self, rows: u64) {
        let mut state = self.state.lock();
        state.done = state.done.saturating_add(rows);
        state.of_table = state.of_table.saturating_add(rows);
        match &self.bar {
            Some(bar) => bar.set_position(state.done),
            None if state.done.saturating_sub(state.reported) >= TELL => {
                state.reported = state.done;
                line(&format!(
                    "{}: {} of {} rows",
                    state.work, state.done, state.total
                ));
            }
            None => {}
        }
    }

    pub(super) fn table_done(&self, table: &str) {
        if self.bar.is_none() {
            let state = self.state.lock();
            line(&format!("{} {table}: {} rows", state.work, state.of_table));
        }
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style() -> ProgressStyle {
    let template = "{prefix:>9} [{bar:40}] {pos}/{len} rows, {per_sec}, {eta} left  {msg}";
    // A template that can't be read would only change how the bar looks.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A reader that has gone does not stop it.
fn line(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
