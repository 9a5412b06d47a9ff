//! `pointsman-lab simulate`

use std::{
    io::{IsTerminal, Write, stderr},
    process::ExitCode,
    thread,
};

use lab::{Crashes, Plan, Progress};

use super::{Simulate, planted};

pub(super) fn simulate(flags: &Simulate) -> anyhow::Result<ExitCode> {
    let seed = match flags.seed {
        Some(seed) => seed,
        None => fresh()?,
    };
    let threads = flags
        .threads
        .unwrap_or_else(|| thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let crashes = match &flags.crash_point {
        Some(point) => Crashes::One(point.clone()),
        None if flags.no_crash_points || flags.world.is_some() => Crashes::None,
        None => Crashes::All,
    };
    let payments = if flags.crash_point.is_some() {
        0
    } else {
        flags.payments
    };
    let plan = Plan {
        seed,
        payments,
        threads,
        crashes,
        every: flags.every,
        world: flags.world,
        wire: flags.wire,
    };
    refuse_world(&plan)?;
    output::error(&format!("seed {seed}"));
    if let Some(wanted) = &flags.planted {
        return planted::hunt(wanted, &plan, flags.json);
    }
    let mut bar = Bar::default();
    let report = lab::run(&plan, &mut |progress| bar.show(progress));
    bar.end();
    if let Some(point) = flags
        .crash_point
        .as_ref()
        .filter(|_| report.crash_points + report.stop_points == 0 && report.is_right())
    {
        anyhow::bail!("there is no crash point {point}: a failure names them, as STORY/NUMBER");
    }
    if flags.json {
        output::line(&report.json().to_string());
    } else {
        output::text(&report.text());
    }
    Ok(if report.is_right() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Refuses a world that the run does not have: it would be another than the one that was meant.
fn refuse_world(plan: &Plan) -> anyhow::Result<()> {
    let (worlds, payments) = (plan.worlds(), plan.payments);
    match plan.world {
        Some(world) if world >= worlds => anyhow::bail!(
            "there is no world {world} in a run of {payments} payments, which has {worlds}, counted from 0: give --payments as a \
             failure names it"
        ),
        _ => Ok(()),
    }
}

/// A seed that nobody has chosen, short enough to be typed again.
fn fresh() -> anyhow::Result<u64> {
    // Worlds are of a runtime; this one draws a number and ends.
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let drawn = runtime.block_on(async { world::World::real().random() });
    Ok(drawn % 1_000_000_000)
}

/// Tells on standard error how far the run is: a line that is written over on a terminal, else a line now and then.
#[derive(Default)]
struct Bar {
    reported: u64,
    open: bool,
}

impl Bar {
    fn show(&mut self, progress: Progress) {
        let Progress {
            what,
            done,
            of,
            payments,
            broken,
        } = progress;
        let tenth = done.saturating_mul(10).checked_div(of).unwrap_or(0);
        if done == 1 {
            self.reported = 0;
        }
        let line =
            format!("{done} of {of} {what}, {payments} payments, {broken} broken invariants");
        if stderr().is_terminal() {
            let mut out = stderr().lock();
            self.open = write!(out, "\r{line}\x1b[K")
                .and_then(|()| out.flush())
                .is_ok();
        } else if tenth > self.reported {
            self.reported = tenth;
            output::error(&line);
        }
    }

    fn end(&self) {
        if self.open {
            output::error("");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_beyond_the_run_is_refused() {
        let plan = |payments, world| Plan {
            seed: 1,
            payments,
            threads: 1,
            crashes: Crashes::None,
            every: 1,
            world,
            wire: false,
        };
        let last = plan(1000, None).worlds() - 1;
        assert!(
            refuse_world(&plan(1000, None)).is_ok()
                && refuse_world(&plan(1000, Some(last))).is_ok()
        );
        let refused = refuse_world(&plan(1000, Some(last + 1)))
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains(&format!("no world {}", last + 1)) && refused.contains("--payments"),
            "{refused}"
        );
        assert!(refuse_world(&plan(0, Some(0))).is_err());
    }
}
