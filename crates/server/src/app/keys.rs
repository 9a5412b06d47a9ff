//! The vault's keys: where they come from, and whether they are safe there.

use std::path::Path;

use anyhow::bail;
use domain::caller::Mode;
use vault::{Given, KeySource, Protection};

use crate::{
    config::Settings,
    data_dir::{DataDir, DataDirError},
};

/// The source of the keys, once it is safe to use. Fresh ones are made only for a vault that has never had any.
pub(super) fn source(settings: &Settings, had_keys: bool) -> anyhow::Result<KeySource> {
    if let Some(keys) = &settings.vault.keys {
        return Ok(KeySource::Given(Given::new(keys.expose().to_owned())));
    }
    let path = settings.key_file();
    if !path.exists() {
        if had_keys {
            let path = path.display();
            let advice = match settings.database.url {
                Some(_) => {
                    "copy the key file of a node that serves this database, or name it by vault.key_file"
                }
                None => "bring back your copy",
            };
            bail!(
                "the key file {path} is missing, and without it nothing in the vault can be opened; {advice}"
            );
        }
    } else if let Some(problem) = problem(&path) {
        match settings.mode {
            Mode::Live => bail!("live mode refuses an unprotected key file: {problem}"),
            Mode::Test => tracing::warn!("{problem}"),
        }
    }
    Ok(KeySource::File(path))
}

/// Why a data directory is not safe; `None` when it is.
///
/// # Errors
/// The operating system's.
pub fn directory_problem(dir: &DataDir) -> Result<Option<String>, DataDirError> {
    let shown = dir.path().display();
    Ok(dir
        .is_open_to_others()?
        .then(|| format!("others can look into {shown}; run: chmod 700 {shown}")))
}

/// Where the keys are, for a person.
pub(super) fn place(settings: &Settings) -> String {
    match settings.vault.keys {
        Some(_) => "the keys in vault.keys".to_owned(),
        None => format!("the key file {}", settings.key_file().display()),
    }
}

/// Why a key file is not safe; `None` when it is.
pub fn problem(path: &Path) -> Option<String> {
    let shown = path.display();
    match KeySource::File(path.to_owned()).protection() {
        Ok(Protection::Owner) => None,
        Ok(Protection::Open) => Some(format!("others can read {shown}; run: chmod 600 {shown}")),
        Err(error) => Some(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;
    use crate::config::{Sandbox, Sources};

    fn settings(mode: &str, file: &Path) -> Settings {
        let file = file.display().to_string();
        let variables = [
            ("POINTSMAN_MODE", mode),
            ("POINTSMAN_VAULT__KEY_FILE", &file),
        ];
        let environment = variables
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec();
        Settings::load(
            Sources {
                environment,
                ..Sources::default()
            },
            Sandbox::Absent,
        )
        .unwrap()
    }

    #[test]
    fn live_mode_refuses_a_key_file_that_others_can_read() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("keys");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let refused = source(&settings("live", &file), false)
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("unprotected") && refused.contains("chmod 600"),
            "{refused}"
        );
        assert!(source(&settings("test", &file), false).is_ok());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(source(&settings("live", &file), false).is_ok());
    }

    #[test]
    fn a_key_file_is_never_made_for_a_vault_that_has_had_one() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("keys");
        assert!(source(&settings("live", &file), false).is_ok());
        assert!(
            source(&settings("live", &file), true)
                .unwrap_err()
                .to_string()
                .contains("missing")
        );
    }
}
