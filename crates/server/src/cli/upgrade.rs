//! `pointsman upgrade`

use std::process::ExitCode;

use world::World;

use super::{arguments::Upgrade, runtime};
use crate::{
    app::upgrade::{self, Lacking},
    config::{Sandbox, Settings},
    log,
};

pub(super) fn upgrade(flags: &Upgrade) -> anyhow::Result<ExitCode> {
    let sandbox = if flags.sandbox {
        Sandbox::Open
    } else {
        Sandbox::Absent
    };
    let mut settings = Settings::load(flags.place.sources_alongside(), sandbox)?;
    settings.database.be_brief();
    log::start(&settings.log);
    runtime()?.block_on(async {
        let world = World::real();
        let upgrade = upgrade::Upgrade::of(&settings, &world);
        for lacking in upgrade.lacking().await? {
            print_lacking(&lacking);
        }
        if flags.apply {
            upgrade.apply().await?;
            output::line("up to date");
        }
        Ok(ExitCode::SUCCESS)
    })
}

fn print_lacking(lacking: &Lacking) {
    let Lacking {
        place,
        steps,
        is_new,
    } = lacking;
    if *is_new {
        output::line(&format!(
            "{place}: nothing is there yet; {} migrations make its tables",
            steps.len()
        ));
        return;
    }
    if steps.is_empty() {
        output::line(&format!("{place}: up to date"));
        return;
    }
    output::line(&format!("{place}:"));
    for step in steps {
        let how = if step.concurrent {
            "makes an index while nodes write"
        } else {
            "one short transaction"
        };
        let alongside = if step.code_from < step.number {
            format!(
                "nodes that know migration {} may serve on it",
                step.code_from
            )
        } else {
            "nodes of an older release may not serve on it".to_owned()
        };
        output::line(&format!(
            "  migration {} ({}): {how}; {alongside}",
            step.number, step.name
        ));
    }
}
