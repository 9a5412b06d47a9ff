//! The settings as they were given, by name, and what is wrong with them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use domain::spelling::nearest;

use super::setting::{Given, Setting};

/// Where a setting was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// In the configuration file.
    File(String),
    /// By an environment variable.
    Variable(String),
    /// By a flag of the command line.
    Flag(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.write_str(path),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

/// Everything that is wrong with the configuration, one line each. Never holds a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the configuration is not right:\n  {}", .0.join("\n  "))]
pub struct Problems(pub Vec<String>);

/// Hands out settings by name, remembers what was asked for, and collects what is wrong.
#[derive(Default)]
pub(crate) struct Reader {
    given: BTreeMap<String, (Given, Source)>,
    asked: BTreeSet<&'static str>,
    problems: Vec<String>,
}

impl Reader {
    /// Adds a setting; a later one of the same name counts.
    pub(crate) fn give(&mut self, name: impl Into<String>, value: Given, source: Source) {
        self.given.insert(name.into(), (value, source));
    }

    /// Adds every setting of a TOML table, names joined by dots.
    pub(crate) fn give_table(&mut self, prefix: &str, table: toml::Table, file: &str) {
        for (key, value) in table {
            let name = if prefix.is_empty() {
                key
            } else {
                format!("{prefix}.{key}")
            };
            match value {
                toml::Value::Table(inner) => self.give_table(&name, inner, file),
                value => self.give(name, Given::Typed(value), Source::File(file.to_owned())),
            }
        }
    }

    /// The setting, or its default.
    pub(crate) fn take<T: Setting>(&mut self, name: &'static str, default: T) -> T {
        self.take_optional(name).unwrap_or(default)
    }

    /// The setting, or `None` when it was not given.
    pub(crate) fn take_optional<T: Setting>(&mut self, name: &'static str) -> Option<T> {
        self.asked.insert(name);
        let (given, _) = self.given.get(name)?;
        let value = T::read(given);
        if value.is_none() {
            self.refuse(name, &format!("must be {}", T::EXPECTED));
        }
        value
    }

    /// The setting, or its default; anything outside of the range is refused.
    pub(crate) fn within<T: Setting + PartialOrd>(
        &mut self,
        name: &'static str,
        default: T,
        range: &RangeInclusive<T>,
    ) -> T {
        let value = self.take(name, default);
        if !range.contains(&value) {
            let (least, most) = (range.start().show(), range.end().show());
            self.refuse(name, &format!("must be from {least} to {most}"));
        }
        value
    }

    /// A path, or `None` when it was not given. One of the file is meant from where the file stands.
    pub(crate) fn path(&mut self, name: &'static str) -> Option<PathBuf> {
        self.take_optional(name)
            .map(|path| self.relative_to_file(name, path))
    }

    /// A list of paths; empty when it was not given.
    pub(crate) fn paths(&mut self, name: &'static str) -> Vec<PathBuf> {
        let paths: Vec<PathBuf> = self.take(name, Vec::new());
        paths
            .into_iter()
            .map(|path| self.relative_to_file(name, path))
            .collect()
    }

    fn relative_to_file(&self, name: &str, path: PathBuf) -> PathBuf {
        match self.given.get(name) {
            Some((_, Source::File(file))) => Path::new(file)
                .parent()
                .map_or(path.clone(), |folder| folder.join(path)),
            Some((_, Source::Variable(_) | Source::Flag(_))) | None => path,
        }
    }

    /// Notes that a setting is not right.
    pub(crate) fn refuse(&mut self, name: &str, why: &str) {
        let problem = match self.given.get(name) {
            Some((_, source)) => format!("{name} (from {source}): {why}"),
            None => format!("{name}: {why}"),
        };
        self.problems.push(problem);
    }

    /// Notes something that is wrong with a source as a whole.
    pub(crate) fn refuse_source(&mut self, source: &str, why: &str) {
        self.problems.push(format!("{source}: {why}"));
    }

    /// The names of all settings that there are.
    #[cfg(test)]
    pub(crate) fn asked(&self) -> &BTreeSet<&'static str> {
        &self.asked
    }

    /// Ends the reading: what was given but never asked for is wrong too.
    pub(crate) fn finish(mut self) -> Result<(), Problems> {
        let unknown: Vec<String> = self
            .given
            .keys()
            .filter(|name| !self.asked.contains(name.as_str()))
            .cloned()
            .collect();
        for name in unknown {
            let why = match nearest(&name, self.asked.iter().copied()) {
                Some(known) => format!("there is no such setting; did you mean {known}?"),
                None => "there is no such setting".to_owned(),
            };
            self.refuse(&name, &why);
        }
        if self.problems.is_empty() {
            Ok(())
        } else {
            Err(Problems(self.problems))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_setting_is_refused_with_the_one_that_was_meant() {
        let mut reader = Reader::default();
        reader.give(
            "limits.dept",
            Given::Text("3".to_owned()),
            Source::Variable("POINTSMAN_LIMITS__DEPT".to_owned()),
        );
        assert_eq!(reader.take("limits.depth", 15_u64), 15);
        let problems = reader.finish().unwrap_err().0;
        assert_eq!(
            problems,
            [
                "limits.dept (from POINTSMAN_LIMITS__DEPT): there is no such setting; did you mean limits.depth?"
            ]
        );
    }
}
