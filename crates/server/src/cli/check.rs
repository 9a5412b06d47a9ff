//! `pointsman check`

use std::process::ExitCode;

use world::World;

use super::{arguments::Serve, output, runtime, serve};
use crate::{
    app::{App, Files, certificate, is_not_yet},
    config::Settings,
    data_dir::{DataDir, DataDirError},
    log,
};

/// What the check has found, as it goes.
#[derive(Default)]
struct Findings {
    problems: u32,
}

fn right(what: &str) {
    output::line(&format!("ok       {what}"));
}

impl Findings {
    fn wrong(&mut self, what: &str) {
        self.problems = self.problems.saturating_add(1);
        output::line(&format!("PROBLEM  {what}"));
    }
}

pub(super) fn check(flags: &Serve) -> anyhow::Result<ExitCode> {
    let mut findings = Findings::default();
    match serve::settings(flags) {
        Ok(settings) => {
            right("configuration");
            for risk in settings.refused_risks() {
                findings.wrong(&format!("risk: {risk}"));
            }
            match certificate(&settings) {
                Ok(None) => {}
                Ok(Some(_)) => right("server.tls: certificate and key can be used"),
                Err(error) => findings.wrong(&format!("server.tls: {error}")),
            }
            look_into(settings, &mut findings)?;
        }
        Err(problems) => problems
            .0
            .iter()
            .for_each(|problem| findings.wrong(&format!("configuration: {problem}"))),
    }
    Ok(if findings.problems == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn look_into(mut settings: Settings, findings: &mut Findings) -> anyhow::Result<()> {
    settings.database.be_brief();
    "error".clone_into(&mut settings.log.level);
    log::start(&settings.log);
    let dir = DataDir::at(&settings.database.data_dir);
    let shown = dir.path().display().to_string();
    match is_open_to_others(&dir) {
        Ok(None) => right(&format!(
            "data directory: {shown} is not there yet; the first start makes it"
        )),
        Ok(Some(false)) => right(&format!("data directory: {shown} is its owner's alone")),
        Ok(Some(true)) => {
            findings.wrong(&format!(
                "data directory: others can look into {shown}; run: chmod 700 {shown}"
            ));
        }
        Err(error) => findings.wrong(&format!("data directory: {error}")),
    }
    key_file(&settings, findings);
    runtime()?.block_on(async {
        let world = World::real();
        let files = match Files::read(&settings, &world) {
            Ok(files) => files,
            Err(error) => {
                findings.wrong(&format!("configuration: {error:#}"));
                return;
            }
        };
        match App::look(&settings, files, &world, &|line| output::line(&line)).await {
            Ok(()) => {}
            Err(error) if is_not_yet(&error) => right(&format!("databases: {error:#}")),
            Err(error) => findings.wrong(&format!("databases: {error:#}")),
        }
    });
    Ok(())
}

/// Whether others can look into the directory, when it is there.
fn is_open_to_others(dir: &DataDir) -> Result<Option<bool>, DataDirError> {
    dir.path()
        .exists()
        .then(|| dir.is_open_to_others())
        .transpose()
}

fn key_file(settings: &Settings, findings: &mut Findings) {
    if settings.vault.keys.is_some() {
        right("key file: none, the keys are in the configuration");
        return;
    }
    let path = settings.key_file();
    let shown = path.display();
    if !path.exists() {
        // Whether it should be there is told by the vault, further on.
        output::line(&format!(
            "key file {shown} is not there: the first start of a vault that never had keys makes it"
        ));
        return;
    }
    match crate::app::key_file_problem(&path) {
        None => right(&format!("key file: {shown} is its owner's alone")),
        Some(problem) => findings.wrong(&format!("key file: {problem}")),
    }
}
