//! `pointsman-lab simulate --planted`

use std::process::ExitCode;

use ::planted::Bug;
use anyhow::{Context, ensure};
use lab::{Hunted, Plan};

/// Looks for the bugs of these names, or for all of them. Fails unless each was found.
pub(super) fn hunt(wanted: &str, plan: &Plan, json: bool) -> anyhow::Result<ExitCode> {
    ensure!(
        lab::HAS_BUGS,
        "this binary has no planted bugs: build it with `--features planted`"
    );
    // Those of connectors are in what only runs on the wire reach.
    let known = if plan.wire { Bug::ALL } else { Bug::SERVICE };
    let bugs = match wanted {
        "all" => known.to_vec(),
        names => {
            let names = names.split(',');
            let bugs = names.map(|name| named(name, known));
            bugs.collect::<anyhow::Result<_>>()?
        }
    };
    let mut tell = |hunted: &Hunted| {
        let end = if hunted.is_found() {
            "found"
        } else {
            "not found"
        };
        output::error(&format!(
            "{}: {end} after {} payments",
            hunted.bug.name(),
            hunted.payments
        ));
        if bugs.len() == 1 {
            output::error(&hunted.text(plan.seed));
        }
    };
    let hunted = lab::hunt(&bugs, plan, &mut tell);
    if json {
        output::line(
            &hunted
                .iter()
                .map(Hunted::json)
                .collect::<serde_json::Value>()
                .to_string(),
        );
    } else {
        output::text(&lab::table(&hunted));
    }
    Ok(if hunted.iter().all(Hunted::is_found) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn named(name: &str, known: &[Bug]) -> anyhow::Result<Bug> {
    let bug = Bug::parse(name).filter(|bug| known.contains(bug));
    bug.with_context(|| {
        let names: Vec<String> = known.iter().map(|bug| bug.name()).collect();
        format!(
            "there is no planted bug {name}; there are: {}",
            names.join(", ")
        )
    })
}
