//! `pointsman simulate`

use std::{
    io::{IsTerminal, Write, stderr},
    process::ExitCode,
    thread,
};

use simulation::{Plan, Progress};

use super::{arguments::Simulate, output, planted};

pub(super) fn simulate(flags: &Simulate) -> anyhow::Result<ExitCode> {
    let seed = match flags.seed {
        Some(seed) => seed,
        None => fresh()?,
    };
    let threads = flags.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let plan = Plan { seed, payments: flags.payments, threads, world: flags.world, planted: None };
    output::error(&format!("seed {seed}"));
    if let Some(wanted) = &flags.planted {
        return planted::hunt(wanted, &plan, flags.json);
    }
    let mut bar = Bar::default();
    let report = simulation::run(&plan, &mut |progress| bar.show(progress));
    bar.end();
    if flags.json {
        output::line(&report.json().to_string());
    } else {
        output::text(&report.text());
    }
    Ok(if report.is_right() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A seed that nobody has chosen, short enough to be typed again.
fn fresh() -> anyhow::Result<u64> {
    // Worlds are of a runtime; this one draws a number and ends.
    let drawn = super::runtime()?.block_on(async { world::World::real().random() });
    Ok(drawn % 1_000_000_000)
}

/// Tells on standard error how far the run is: a line that is written over on a terminal, else a line now and then.
#[derive(Default)]
struct Bar {
    told: u64,
    open: bool,
}

impl Bar {
    fn show(&mut self, progress: Progress) {
        let Progress { worlds, of, payments, broken } = progress;
        let tenth = worlds.saturating_mul(10).checked_div(of).unwrap_or(0);
        let line = format!("{worlds} of {of} worlds, {payments} payments, {broken} broken invariants");
        if stderr().is_terminal() {
            let mut out = stderr().lock();
            self.open = write!(out, "\r{line}").and_then(|()| out.flush()).is_ok();
        } else if tenth > self.told {
            self.told = tenth;
            output::error(&line);
        }
    }

    fn end(&self) {
        if self.open {
            output::error("");
        }
    }
}
