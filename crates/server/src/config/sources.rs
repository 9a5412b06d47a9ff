//! The three places that settings come from: a file, the environment, flags.

use std::{env, path::PathBuf};

use super::{
    reader::{Reader, Source},
    setting::Given,
};

/// Prefix of the variables that are ours.
const PREFIX: &str = "POINTSMAN_";
/// Between section and key in a variable's name.
const SEPARATOR: &str = "__";
/// Variables without a section, and the settings that they set.
const SPECIAL: [(&str, &str); 3] = [
    ("POINTSMAN_ACCESS_TOKEN", "access_token"),
    ("POINTSMAN_MODE", "mode"),
    ("POINTSMAN_WALLET_NAMES", "wallet_names"),
];

/// Variables that name a file which holds a secret, and the settings that it sets: files are seen by fewer than an environment.
const IN_FILES: [(&str, &str); 4] = [
    ("POINTSMAN_ACCESS_TOKEN_FILE", "access_token"),
    ("POINTSMAN_DATABASE__URL_FILE", "database.url"),
    ("POINTSMAN_VAULT__DATABASE_URL_FILE", "vault.database_url"),
    ("POINTSMAN_VAULT__KEYS_FILE", "vault.keys"),
];

/// Where settings come from. Flags win over variables, variables over the file.
#[derive(Default)]
pub struct Sources {
    /// The configuration file, when one is named.
    pub file: Option<PathBuf>,
    /// The environment's variables, also those of others.
    pub environment: Vec<(String, String)>,
    /// Setting, text and flag of each flag that was given.
    pub flags: Vec<(&'static str, String, &'static str)>,
}

impl Sources {
    /// The process's own environment, without a file or flags.
    pub fn of_process() -> Self {
        let variables = env::vars_os().filter_map(|(name, value)| {
            let name = name
                .into_string()
                .ok()
                .filter(|name| name.starts_with(PREFIX))?;
            // A value that is no text is no valid setting either: it is refused where it is read.
            Some((name, value.to_string_lossy().into_owned()))
        });
        Self {
            environment: variables.collect(),
            ..Self::default()
        }
    }

    /// The secret key with which commands for merchants' engineers call a server.
    pub fn access_token() -> Option<String> {
        env::var_os("POINTSMAN_ACCESS_TOKEN")?.into_string().ok()
    }

    /// A field of a connection's credentials, such as `apiKey` in `POINTSMAN_CREDENTIAL_API_KEY`. For `pointsman connection`.
    pub fn credential(field: &str) -> Option<String> {
        let value = env::var_os(credential_variable(field))?;
        value.into_string().ok().filter(|text| !text.is_empty())
    }

    /// Everything that was given, by name.
    pub(crate) fn reader(self) -> Reader {
        let mut reader = Reader::default();
        if let Some(path) = self.file {
            give_file(&mut reader, &path);
        }
        for (variable, value) in self.environment {
            if let Some((_, name)) = IN_FILES.iter().find(|(known, _)| *known == variable) {
                give_secret(&mut reader, variable, name, &value);
                continue;
            }
            // Deployments leave variables empty to say that they are not given.
            if let Some(name) = setting_of(&variable).filter(|_| !value.is_empty()) {
                reader.give(name, Given::Text(value), Source::Variable(variable));
            }
        }
        for (name, value, flag) in self.flags {
            reader.give(name, Given::Text(value), Source::Flag(flag));
        }
        reader
    }
}

/// The variable of a field of a connection's credentials.
fn credential_variable(field: &str) -> String {
    let mut variable = format!("{PREFIX}CREDENTIAL_");
    for letter in field.chars() {
        if letter.is_ascii_uppercase() {
            variable.push('_');
        }
        variable.push(letter.to_ascii_uppercase());
    }
    variable
}

/// Gives a setting what a file holds, without the line break at its end.
fn give_secret(reader: &mut Reader, variable: String, name: &str, path: &str) {
    if path.is_empty() {
        return;
    }
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let text = text.trim_end_matches(['\r', '\n']).to_owned();
            reader.give(name, Given::Text(text), Source::Variable(variable));
        }
        Err(error) => reader.refuse_source(&variable, &format!("{path} can't be read: {error}")),
    }
}

/// Whether output for a terminal is to be without colour (<https://no-color.org>).
pub fn no_color() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

fn give_file(reader: &mut Reader, path: &std::path::Path) {
    let shown = path.display().to_string();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return reader.refuse_source(&shown, &format!("can't be read: {error}")),
    };
    match text.parse::<toml::Table>() {
        Ok(table) => reader.give_table("", table, &shown),
        Err(error) => {
            // The error's own text quotes the line, which may hold a secret.
            let start = error.span().map_or(0, |span| span.start);
            let line = text
                .bytes()
                .take(start)
                .filter(|byte| *byte == b'\n')
                .count()
                .saturating_add(1);
            reader.refuse_source(
                &shown,
                &format!("is not TOML at line {line}: {}", error.message()),
            );
        }
    }
}

/// The setting that a variable sets. Variables without a section, and of others, set none.
fn setting_of(variable: &str) -> Option<String> {
    if let Some((_, setting)) = SPECIAL.iter().find(|(special, _)| *special == variable) {
        return Some((*setting).to_owned());
    }
    let name = variable.strip_prefix(PREFIX)?;
    name.contains(SEPARATOR)
        .then(|| name.replace(SEPARATOR, ".").to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_credentials_has_a_variable_that_is_no_setting() {
        let variable = credential_variable("notificationSecret");
        assert_eq!(variable, "POINTSMAN_CREDENTIAL_NOTIFICATION_SECRET");
        assert_eq!(setting_of(&variable), None);
    }

    #[test]
    fn a_secret_may_stand_in_a_file_that_a_variable_names() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "postgres://me:secret@127.0.0.1/x\n").unwrap();
        let read = |path: &str| {
            let variable = "POINTSMAN_DATABASE__URL_FILE".to_owned();
            let sources = Sources {
                environment: vec![(variable, path.to_owned())],
                ..Sources::default()
            };
            crate::config::Settings::load(sources, crate::config::Sandbox::Absent)
        };
        let settings = read(file.path().to_str().unwrap()).unwrap();
        assert_eq!(
            settings.database.url.unwrap().expose(),
            "postgres://me:secret@127.0.0.1/x"
        );
        let refused = read("/nowhere/url").unwrap_err().to_string();
        assert!(
            refused.contains("POINTSMAN_DATABASE__URL_FILE") && refused.contains("/nowhere/url"),
            "{refused}"
        );
    }

    #[test]
    fn a_variable_names_section_and_key() {
        assert_eq!(
            setting_of("POINTSMAN_LIMITS__BODY").as_deref(),
            Some("limits.body")
        );
        assert_eq!(setting_of("POINTSMAN_MODE").as_deref(), Some("mode"));
        assert_eq!(setting_of("POINTSMAN_BIN"), None);
        assert_eq!(setting_of("PATH"), None);
    }
}
