//! `pointsman check`

use std::process::ExitCode;

use db::DbError;

use super::{arguments::Place, operate, output, runtime};
use crate::{
    admin::Request,
    config::{Sandbox, Settings},
    data_dir::{DataDir, DataDirError, mode_name},
    telemetry,
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

pub(super) fn check(place: &Place) -> anyhow::Result<ExitCode> {
    let mut findings = Findings::default();
    match Settings::load(place.sources_beside(), Sandbox::Absent) {
        Ok(settings) => {
            right("configuration");
            look_into(settings, &mut findings)?;
        }
        Err(problems) => problems.0.iter().for_each(|problem| findings.wrong(&format!("configuration: {problem}"))),
    }
    Ok(if findings.problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn look_into(mut settings: Settings, findings: &mut Findings) -> anyhow::Result<()> {
    let dir = DataDir::at(&settings.database.data_dir);
    let shown = dir.path().display().to_string();
    if settings.database.url.is_none() {
        if !dir.path().exists() {
            right(&format!("data directory: {shown} is not there yet; the first start makes it"));
            return Ok(());
        }
        match mode(&dir, &settings) {
            Ok(text) => right(&text),
            Err(error) => findings.wrong(&error.to_string()),
        }
    }
    match is_open_to_others(&dir) {
        Ok(false) => right(&format!("data directory: {shown} is its owner's alone")),
        Ok(true) => findings.wrong(&format!("data directory: others can look into {shown}; run: chmod 700 {shown}")),
        Err(error) => findings.wrong(&format!("data directory: {error}")),
    }
    key_file(&settings, findings);
    if settings.database.url.is_none() && !dir.store().exists() {
        right("databases: not there yet; the first start makes them");
        return Ok(());
    }
    "error".clone_into(&mut settings.log.level);
    telemetry::start_logging(&settings.log);
    let checked = runtime()?.block_on(operate::perform(settings, &Request::Check, &|line| output::line(&line)));
    match checked {
        Ok(()) => {}
        Err(error) if error.downcast_ref() == Some(&DbError::Unfounded) => right(&format!("databases: {error:#}")),
        Err(error) => findings.wrong(&format!("databases: {error:#}")),
    }
    Ok(())
}

/// Whether others can look into the directory, when it is there.
fn is_open_to_others(dir: &DataDir) -> Result<bool, DataDirError> {
    if dir.path().exists() { dir.is_open_to_others() } else { Ok(false) }
}

fn mode(dir: &DataDir, settings: &Settings) -> Result<String, DataDirError> {
    let made = dir.mode()?;
    Ok(match made {
        Some(made) if made == settings.mode => format!("mode: {}, like the data", mode_name(made)),
        Some(made) => format!(
            "mode: the data is of {} mode and the configuration says {}; serve it with --sandbox or mode = \"{}\"",
            mode_name(made),
            mode_name(settings.mode),
            mode_name(made)
        ),
        None => format!("mode: {}, no data yet", mode_name(settings.mode)),
    })
}

fn key_file(settings: &Settings, findings: &mut Findings) {
    if settings.vault.keys.is_some() {
        right("key file: none, the keys are in the configuration");
        return;
    }
    let path = settings.key_file();
    let shown = path.display();
    if !path.exists() {
        right(&format!("key file: {shown} is not there; a start makes it for a vault that never had keys"));
        return;
    }
    match crate::app::key_file_problem(&path) {
        None => right(&format!("key file: {shown} is its owner's alone")),
        Some(problem) => findings.wrong(&format!("key file: {problem}")),
    }
}
