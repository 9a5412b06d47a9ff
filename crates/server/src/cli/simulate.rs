//! `pointsman simulate`

use std::{
    io::{IsTerminal, Write, stderr},
    process::ExitCode,
    thread,
};

use simulation::{Crashes, Plan, Progress};

use super::{arguments::Simulate, output, planted};

pub(super) fn simulate(flags: &Simulate) -> anyhow::Result<ExitCode> {
    let seed = match flags.seed {
        Some(seed) => seed,
        None => fresh()?,
    };
    let threads = flags.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let crashes = match &flags.crash_point {
        Some(point) => Crashes::One(point.clone()),
        None if flags.no_crash_points || flags.world.is_some() => Crashes::None,
        None => Crashes::All,
    };
    let payments = if flags.crash_point.is_some() { 0 } else { flags.payments };
    let plan = Plan { seed, payments, threads, crashes, world: flags.world };
    output::error(&format!("seed {seed}"));
    if let Some(wanted) = &flags.planted {
        return planted::hunt(wanted, &plan, flags.json);
    }
    let mut bar = Bar::default();
    let report = simulation::run(&plan, &mut |progress| bar.show(progress));
    bar.end();
    if let Some(point) =
        flags.crash_point.as_ref().filter(|_| report.crash_points + report.stop_points == 0 && report.is_right())
    {
        anyhow::bail!("there is no crash point {point}: a failure names them, as STORY/NUMBER");
    }
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
        let Progress { what, done, of, payments, broken } = progress;
        let tenth = done.saturating_mul(10).checked_div(of).unwrap_or(0);
        if done == 1 {
            self.told = 0;
        }
        let line = format!("{done} of {of} {what}, {payments} payments, {broken} broken invariants");
        if stderr().is_terminal() {
            let mut out = stderr().lock();
            self.open = write!(out, "\r{line}\x1b[K").and_then(|()| out.flush()).is_ok();
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
