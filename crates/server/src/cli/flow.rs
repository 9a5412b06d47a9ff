//! `pointsman flow`

use std::{fs, path::Path, process::ExitCode, sync::Mutex};

use anyhow::{Context, anyhow};
use flow::{Document, Problem, Program};

use super::{
    arguments::{ExportFlow, Flows, ImportFlow, Location},
    operate,
};
use crate::{
    admin::{FlowText, Request},
    config::{Sandbox, Settings},
};

/// A longer file is no flow. Unit: bytes.
const LONGEST: u64 = 64 * 1024;

pub(super) fn run(command: Flows) -> anyhow::Result<ExitCode> {
    match command {
        Flows::Check { files, config } => check(&files, config),
        Flows::Schema => {
            output::text(flow::JSON_SCHEMA);
            Ok(ExitCode::SUCCESS)
        }
        Flows::Import(flags) => import(flags),
        Flows::Export(flags) => export(flags),
        Flows::List { team, place } => operate::operate(&place, &Request::FlowList { team }),
        Flows::Publish {
            id,
            version,
            team,
            place,
        } => operate::operate(&place, &Request::FlowPublish { team, id, version }),
        Flows::SetDefault { id, team, place } => {
            operate::operate(&place, &Request::FlowSetDefault { team, id })
        }
        Flows::Delete { id, team, place } => {
            operate::operate(&place, &Request::FlowDelete { team, id })
        }
        Flows::Try {
            id,
            facts,
            version,
            team,
            place,
        } => operate::operate(
            &place,
            &Request::FlowTry {
                team,
                id,
                version,
                facts,
            },
        ),
    }
}

fn check(
    files: &[std::path::PathBuf],
    config: Option<std::path::PathBuf>,
) -> anyhow::Result<ExitCode> {
    let place = Location {
        config,
        data_dir: None,
        database_url: None,
    };
    let has_card_ranges = has_card_ranges(&place);
    let mut is_good = true;
    for file in files {
        if print_problems(file, &read(file)?, has_card_ranges) {
            is_good = false;
        } else {
            output::line(&format!("{}: ok", file.display()));
        }
    }
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Whether the configuration names a table of card ranges. One that can't be read names none: the check is of flows.
fn has_card_ranges(place: &Location) -> bool {
    let settings = Settings::load(place.sources_alongside(), Sandbox::Absent);
    settings.is_ok_and(|settings| settings.cards.ranges.is_some())
}

/// Tells what is wrong with a document, each problem on a line that editors understand. Whether there was any.
fn print_problems(file: &Path, text: &str, has_card_ranges: bool) -> bool {
    let shown = file.display().to_string();
    let read = Document::parse(text);
    let warnings = |document: &Document| document.warnings(has_card_ranges);
    for warning in read.iter().flat_map(warnings) {
        let warning = Problem {
            message: format!("warning: {}", warning.message),
            ..warning
        };
        output::error(&warning.located(&shown));
    }
    let judged = read.and_then(|document| Program::compile(&document));
    let problems = judged.err().unwrap_or_default();
    for problem in &problems {
        output::error(&problem.located(&shown));
    }
    !problems.is_empty()
}

fn read(file: &Path) -> anyhow::Result<String> {
    let shown = || file.display().to_string();
    let size = fs::metadata(file).with_context(shown)?.len();
    if size > LONGEST {
        return Err(anyhow!(
            "{}: a flow has at most {LONGEST} bytes",
            file.display()
        ));
    }
    fs::read_to_string(file).with_context(shown)
}

/// The flow's id, as the file is named.
fn id_of(file: &Path) -> anyhow::Result<String> {
    let stem = file.file_stem().and_then(|stem| stem.to_str());
    stem.map(str::to_owned)
        .ok_or_else(|| anyhow!("{}: name the flow's id with --id", file.display()))
}

fn import(flags: ImportFlow) -> anyhow::Result<ExitCode> {
    let file = &flags.file;
    let document = read(file)?;
    if print_problems(file, &document, has_card_ranges(&flags.place)) {
        return Ok(ExitCode::FAILURE);
    }
    let shown = file.display().to_string();
    let request = Request::FlowImport {
        team: flags.team,
        id: flags.id.map_or_else(|| id_of(file), Ok)?,
        file: shown.clone(),
        document,
        publish: flags.publish,
    };
    match operate::operate(&flags.place, &request) {
        // What is wrong with the document is reported as `flow check` does, each problem on a line of its own.
        Err(error) if error.to_string().starts_with(&shown) => {
            output::error(&error.to_string());
            Ok(ExitCode::FAILURE)
        }
        done => done,
    }
}

fn export(flags: ExportFlow) -> anyhow::Result<ExitCode> {
    let file = flags.output.as_deref();
    let request = Request::FlowExport {
        team: flags.team,
        id: flags.id,
        version: flags.version,
        format: flags.format.unwrap_or_else(|| format_of(file)),
    };
    let Some(file) = file else {
        return operate::operate(&flags.place, &request);
    };
    let said = Mutex::new(String::new());
    let collect = |line: String| {
        if let Ok(mut said) = said.lock() {
            *said += &line;
            said.push('\n');
        }
    };
    operate::operate_quietly(&flags.place, &request, &collect)?;
    let text = said.into_inner().unwrap_or_default();
    fs::write(file, text).with_context(|| file.display().to_string())?;
    Ok(ExitCode::SUCCESS)
}

/// The format that a file's name asks for.
fn format_of(file: Option<&Path>) -> FlowText {
    let is_json = file
        .and_then(Path::extension)
        .is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if is_json {
        FlowText::Json
    } else {
        FlowText::Yaml
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_name_gives_id_and_format() {
        assert_eq!(id_of(Path::new("flows/by-api.yaml")).unwrap(), "by-api");
        assert_eq!(format_of(Some(Path::new("x.JSON"))), FlowText::Json);
        assert_eq!(format_of(Some(Path::new("x.yml"))), FlowText::Yaml);
        assert_eq!(format_of(None), FlowText::Yaml);
    }
}
