//! `pointsman flow`

use std::{fs, path::Path, process::ExitCode, sync::Mutex};

use anyhow::{Context, anyhow};
use flow::{Document, Problem, Program};

use super::{
    arguments::{Flows, Location},
    operate,
};
use crate::admin::{FlowText, Request};

/// A longer file is no flow. Unit: bytes.
const LONGEST: u64 = 64 * 1024;

pub(super) fn run(command: Flows) -> anyhow::Result<ExitCode> {
    match command {
        Flows::Check { files } => check(&files),
        Flows::Schema => {
            output::text(flow::JSON_SCHEMA);
            Ok(ExitCode::SUCCESS)
        }
        Flows::Import {
            file,
            id,
            publish,
            team,
            place,
        } => {
            let document = read(&file)?;
            if print_problems(&file, &document) {
                return Ok(ExitCode::FAILURE);
            }
            let id = id.map_or_else(|| id_of(&file), Ok)?;
            let request = Request::FlowImport {
                team,
                id,
                file: file.display().to_string(),
                document,
                publish,
            };
            import(&place, &file, &request)
        }
        Flows::Export {
            id,
            version,
            output,
            format,
            team,
            place,
        } => {
            let format = format.unwrap_or_else(|| format_of(output.as_deref()));
            export(
                &place,
                &Request::FlowExport {
                    team,
                    id,
                    version,
                    format,
                },
                output.as_deref(),
            )
        }
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

fn check(files: &[std::path::PathBuf]) -> anyhow::Result<ExitCode> {
    let mut is_good = true;
    for file in files {
        if print_problems(file, &read(file)?) {
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

/// Tells what is wrong with a document, each problem on a line that editors understand. Whether there was any.
fn print_problems(file: &Path, text: &str) -> bool {
    let shown = file.display().to_string();
    let read = Document::parse(text);
    for warning in read.iter().flat_map(Document::warnings) {
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

/// What is wrong with the document is reported as `flow check` does, each problem on a line of its own.
fn import(place: &Location, file: &Path, request: &Request) -> anyhow::Result<ExitCode> {
    let begins = file.display().to_string();
    match operate::operate(place, request) {
        Err(error) if error.to_string().starts_with(&begins) => {
            output::error(&error.to_string());
            Ok(ExitCode::FAILURE)
        }
        done => done,
    }
}

fn export(place: &Location, request: &Request, file: Option<&Path>) -> anyhow::Result<ExitCode> {
    let Some(file) = file else {
        return operate::operate(place, request);
    };
    let said = Mutex::new(String::new());
    let collect = |line: String| {
        if let Ok(mut said) = said.lock() {
            *said += &line;
            said.push('\n');
        }
    };
    operate::operate_quietly(place, request, &collect)?;
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
