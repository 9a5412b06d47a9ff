//! `pointsman audit`

use std::{
    fs::{self, File, OpenOptions},
    io::{BufRead, BufReader, BufWriter, ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, anyhow, bail};
use engine::{Mark, Verified, Verifier, Written};
use parking_lot::Mutex;
use vault::{AuditKey, Given, KeySource};

use super::{
    arguments::{Audits, Location},
    operate,
};
use crate::{
    admin::{AuditWanted, Request},
    app::{Keyed, verdict},
    config::{Sandbox, Settings},
};

pub(super) fn run(command: Audits) -> anyhow::Result<ExitCode> {
    match command {
        Audits::List {
            team,
            since,
            act,
            json,
            place,
        } => {
            let wanted = AuditWanted {
                team,
                since,
                act,
                json,
            };
            operate::operate(&place, &Request::AuditList(wanted))
        }
        Audits::Export { to, team, place } => export(&to, team, &place),
        Audits::Verify {
            file: None,
            team,
            json,
            place,
            ..
        } => operate::operate(&place, &Request::AuditVerify { team, json }),
        Audits::Verify {
            file: Some(file),
            key_file,
            json,
            place,
            ..
        } => verify(&file, key_file, json, &place),
    }
}

/// Writes the trail into a file for its owner alone. Where that fails, the file is removed again.
fn export(to: &Path, team: Option<String>, place: &Location) -> anyhow::Result<ExitCode> {
    let opened = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(to);
    let file = match opened {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{} is there already: choose another name", to.display())
        }
        opened => opened.with_context(|| to.display().to_string())?,
    };
    let exported = export_into(file, team, place).with_context(|| to.display().to_string());
    if exported.is_err() && fs::remove_file(to).is_err() {
        output::error(&format!("{} is not complete: remove it", to.display()));
    }
    let entries = exported?;
    output::line(&format!(
        "{entries} {} written to {}.",
        if entries == 1 {
            "entry was"
        } else {
            "entries were"
        },
        to.display()
    ));
    Ok(ExitCode::SUCCESS)
}

/// How the line of an entry begins, as `Written` is written; the others are beginnings and ends of chains.
const ENTRY: &str = "{\"entry\":";

/// Writes the trail into an open file. Returns how many entries there are.
fn export_into(file: File, team: Option<String>, place: &Location) -> anyhow::Result<u64> {
    let lines = Mutex::new((BufWriter::new(file), Ok(()), 0_u64));
    operate::operate_quietly(place, &Request::AuditExport { team }, &|line| {
        let (file, result, entries) = &mut *lines.lock();
        if result.is_ok() {
            *result = writeln!(file, "{line}");
            *entries += u64::from(line.starts_with(ENTRY));
        }
    })?;
    let (mut file, result, entries) = lines.into_inner();
    result
        .and_then(|()| file.flush())
        .and_then(|()| file.get_ref().sync_all())?;
    Ok(entries)
}

/// Verifies an exported file, with the keys where they are at hand.
fn verify(
    file: &Path,
    key_file: Option<PathBuf>,
    json: bool,
    place: &Location,
) -> anyhow::Result<ExitCode> {
    let key = key(key_file, place)?;
    let shown = || file.display().to_string();
    let opened = BufReader::new(File::open(file).with_context(shown)?);
    let mut chains = Chains {
        key: key.as_ref(),
        open: None,
        verified: Vec::new(),
    };
    for (number, line) in opened.lines().enumerate() {
        let written = match line {
            Ok(line) => serde_json::from_str(&line).ok(),
            Err(error) if error.kind() == ErrorKind::InvalidData => None,
            Err(error) => return Err(error).with_context(shown),
        };
        let Some(written) = written else {
            return Err(not_of_a_trail(file, number + 1));
        };
        chains
            .take(written)
            .map_err(|why| anyhow!("{}, line {}: {why}", file.display(), number + 1))?;
    }
    let verified = chains.end();
    if verified.is_empty() {
        bail!("{}: there is no chain in it", file.display());
    }
    let keyed = if key.is_some() { Keyed::Yes } else { Keyed::No };
    for line in verdict(&verified, keyed, json) {
        output::line(&line);
    }
    Ok(if verified.iter().all(|chain| chain.broken.is_none()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The error of a line that `audit export` has not written in this form.
fn not_of_a_trail(file: &Path, line: usize) -> anyhow::Error {
    if line == 1 {
        anyhow!(
            "{} is no exported trail: audit export writes one",
            file.display()
        )
    } else {
        anyhow!(
            "{}, line {line}: this is no line of an exported trail: it was changed or cut off",
            file.display()
        )
    }
}

/// The chains of a file, one after the other.
struct Chains<'a> {
    key: Option<&'a AuditKey>,
    open: Option<Verifier<'a>>,
    verified: Vec<Verified>,
}

impl Chains<'_> {
    fn take(&mut self, written: Written) -> Result<(), &'static str> {
        match (written, &mut self.open) {
            (Written::Beginning(mark), _) => {
                self.close(None);
                self.open = Some(Verifier::begin(&mark, self.key));
            }
            (Written::Entry(listed), Some(open)) => open.entry(&listed),
            (Written::End(mark), Some(_)) => self.close(Some(&mark)),
            (Written::Entry(_) | Written::End(_), None) => {
                return Err("it belongs to no chain: a beginning is missing before it");
            }
        }
        Ok(())
    }

    fn close(&mut self, end: Option<&Mark>) {
        if let Some(open) = self.open.take() {
            self.verified.push(open.end(end));
        }
    }

    fn end(mut self) -> Vec<Verified> {
        self.close(None);
        self.verified
    }
}

/// The key: of the named file, else of the configuration where it is there.
fn key(key_file: Option<PathBuf>, place: &Location) -> anyhow::Result<Option<AuditKey>> {
    if let Some(path) = key_file {
        return Ok(Some(KeySource::File(path).audit_key()?));
    }
    let settings = Settings::load(place.sources_alongside(), Sandbox::Absent)?;
    let source = match &settings.vault.keys {
        Some(keys) => KeySource::Given(Given::new(keys.expose().to_owned())),
        None if settings.key_file().exists() => KeySource::File(settings.key_file()),
        None => return Ok(None),
    };
    Ok(Some(source.audit_key()?))
}
