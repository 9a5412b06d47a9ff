//! Where the credentials of a connection come from: a file, standard input, the environment, or a person at the terminal. Never an
//! argument: those can be read by other processes while the command runs, and stay in a shell's history.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, BufRead, IsTerminal, Read},
    os::fd::AsFd,
    path::Path,
};

use anyhow::{Context, bail};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use serde::Deserialize;

use crate::{admin::SecretText, config::Sources};

/// Longer input is no credentials. Unit: bytes.
const LONGEST: u64 = 64 * 1024;

/// A field, as the server describes it.
#[derive(Debug, Deserialize)]
pub(super) struct Field {
    name: String,
    secret: bool,
    described: String,
}

/// The credentials in a file, a JSON object of texts; `-` is standard input.
pub(super) fn of_file(file: &Path) -> anyhow::Result<SecretText> {
    let text = if file == Path::new("-") {
        read(io::stdin().lock()).context("standard input")?
    } else {
        let shown = file.display().to_string();
        read(fs::File::open(file).context(shown.clone())?).context(shown)?
    };
    document(&text)
}

fn read(from: impl Read) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = from
        .take(LONGEST.saturating_add(1))
        .read_to_string(&mut text)?;
    if u64::try_from(read).is_ok_and(|read| read > LONGEST) {
        bail!("credentials have at most {LONGEST} bytes");
    }
    Ok(text)
}

/// Checks the form. The error quotes nothing.
fn document(text: &str) -> anyhow::Result<SecretText> {
    let fields: Result<BTreeMap<String, String>, _> = serde_json::from_str(text);
    match fields {
        Ok(fields) => hidden(&fields),
        Err(_) => {
            bail!("credentials must be a JSON object of texts, such as {{\"apiKey\": \"…\"}}")
        }
    }
}

/// The credentials in the environment; `None` where there are none.
pub(super) fn of_environment(fields: &[Field]) -> Option<SecretText> {
    let given = fields.iter().filter_map(|field| {
        let value = Sources::credential(&field.name)?;
        Some((field.name.clone(), value))
    });
    let given: BTreeMap<String, String> = given.collect();
    if given.is_empty() {
        return None;
    }
    hidden(&given).ok()
}

/// Asks the person at the terminal for each field; `None` where nothing was entered, or nobody is there.
pub(super) fn of_terminal(fields: &[Field]) -> anyhow::Result<Option<SecretText>> {
    if fields.is_empty() || !io::stdin().is_terminal() {
        return Ok(None);
    }
    let mut given = BTreeMap::new();
    for field in fields {
        output::error(&field.described);
        output::error_text(&format!("{} [empty: none]: ", field.name));
        let value = if field.secret {
            without_echo(line)?
        } else {
            line()?
        };
        if !value.is_empty() {
            given.insert(field.name.clone(), value);
        }
    }
    if given.is_empty() {
        return Ok(None);
    }
    hidden(&given).map(Some)
}

fn line() -> anyhow::Result<String> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim().to_owned())
}

/// Reads while the terminal does not show what is typed.
fn without_echo(read: impl FnOnce() -> anyhow::Result<String>) -> anyhow::Result<String> {
    let stdin = io::stdin();
    let before = tcgetattr(stdin.as_fd())?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(stdin.as_fd(), OptionalActions::Flush, &silent)?;
    let _restored = Restored(before);
    let value = read();
    output::error("");
    value
}

/// Gives the terminal back as it was.
struct Restored(Termios);

impl Drop for Restored {
    fn drop(&mut self) {
        // A terminal that has gone needs nothing.
        let _ = tcsetattr(io::stdin().as_fd(), OptionalActions::Now, &self.0);
    }
}

fn hidden(fields: &BTreeMap<String, String>) -> anyhow::Result<SecretText> {
    Ok(SecretText(serde_json::to_string(fields)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_an_object_of_texts_and_no_error_quotes_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let given = |text: &str| {
            fs::write(file.path(), text).unwrap();
            of_file(file.path())
        };
        let good = given("{\"apiKey\": \"sesame\"}\n").unwrap();
        assert_eq!(good.0, r#"{"apiKey":"sesame"}"#);
        assert_eq!(format!("{good:?}"), "(hidden)");
        let long = "sesame".repeat(20_000);
        for wrong in ["sesame", "[\"sesame\"]", "{\"sesame\": 7}", &long] {
            let why = format!("{:#}", given(wrong).unwrap_err());
            assert!(!why.contains("sesame"), "{why}");
        }
    }
}
