//! How the text of one setting becomes its value.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

/// A setting as it was given: typed in the file, text in a variable or a flag.
#[derive(Clone)]
pub(crate) enum Given {
    /// A value of the TOML file.
    Typed(toml::Value),
    /// The text of a variable or a flag.
    Text(String),
}

impl Given {
    /// The text, when it is one.
    fn text(&self) -> Option<&str> {
        match self {
            Self::Typed(toml::Value::String(text)) | Self::Text(text) => Some(text),
            Self::Typed(_) => None,
        }
    }

    /// The entries of a list: a TOML array, also as the text of a variable, or a text with commas.
    fn entries(&self) -> Option<Vec<Self>> {
        match self {
            Self::Typed(toml::Value::Array(entries)) => {
                Some(entries.iter().cloned().map(Self::Typed).collect())
            }
            Self::Typed(_) => None,
            Self::Text(text) if text.trim_start().starts_with('[') => {
                let table: toml::Table = format!("list = {text}").parse().ok()?;
                Self::Typed(table.get("list")?.clone()).entries()
            }
            Self::Text(text) => {
                let entries = text
                    .split(',')
                    .map(str::trim)
                    .filter(|entry| !entry.is_empty());
                Some(entries.map(|entry| Self::Text(entry.to_owned())).collect())
            }
        }
    }
}

/// A type that a setting can have.
pub(crate) trait Setting: Sized {
    /// What a person is to write, completing "must be …".
    const EXPECTED: &'static str;

    /// The value; `None` when it is not what is expected.
    fn read(given: &Given) -> Option<Self>;

    /// The value as a person writes it.
    fn show(&self) -> String;
}

impl Setting for String {
    const EXPECTED: &'static str = "a text that is not empty";

    fn read(given: &Given) -> Option<Self> {
        given
            .text()
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    }

    fn show(&self) -> String {
        self.clone()
    }
}

impl Setting for bool {
    const EXPECTED: &'static str = "true or false";

    fn read(given: &Given) -> Option<Self> {
        match given {
            Given::Typed(toml::Value::Boolean(value)) => Some(*value),
            Given::Text(text) => text.parse().ok(),
            Given::Typed(_) => None,
        }
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl Setting for u64 {
    const EXPECTED: &'static str = "a whole number";

    fn read(given: &Given) -> Option<Self> {
        match given {
            Given::Typed(toml::Value::Integer(value)) => Self::try_from(*value).ok(),
            Given::Text(text) => text.parse().ok(),
            Given::Typed(_) => None,
        }
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl Setting for Duration {
    const EXPECTED: &'static str = "a duration such as `500ms`, `2s`, `5m`, `24h` or `7d`";

    fn read(given: &Given) -> Option<Self> {
        humantime::parse_duration(given.text()?).ok()
    }

    fn show(&self) -> String {
        humantime::format_duration(*self).to_string()
    }
}

impl Setting for SocketAddr {
    const EXPECTED: &'static str = "an address with a port, such as `127.0.0.1:8080`";

    fn read(given: &Given) -> Option<Self> {
        given.text()?.parse().ok()
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl Setting for PathBuf {
    const EXPECTED: &'static str = "a path";

    fn read(given: &Given) -> Option<Self> {
        given.text().filter(|text| !text.is_empty()).map(Self::from)
    }

    fn show(&self) -> String {
        self.display().to_string()
    }
}

impl<T: Setting> Setting for Vec<T> {
    const EXPECTED: &'static str =
        "a list (in a variable: with commas between) of which each entry is right";

    fn read(given: &Given) -> Option<Self> {
        given.entries()?.iter().map(T::read).collect()
    }

    fn show(&self) -> String {
        self.iter().map(T::show).collect::<Vec<_>>().join(", ")
    }
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl Bytes {
    /// As a size of something in memory.
    pub fn in_memory(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl Setting for Bytes {
    const EXPECTED: &'static str = "a size such as `65536`, `256KiB` or `1MiB`";

    fn read(given: &Given) -> Option<Self> {
        let Some(text) = given.text() else {
            return u64::read(given).map(Self);
        };
        let (digits, unit) = text.split_at(
            text.find(|c: char| !c.is_ascii_digit())
                .unwrap_or(text.len()),
        );
        let factor = match unit.trim() {
            "" | "B" => 1,
            "KiB" => 1024,
            "MiB" => 1024 * 1024,
            _ => return None,
        };
        digits.parse::<u64>().ok()?.checked_mul(factor).map(Self)
    }

    fn show(&self) -> String {
        match self.0 {
            bytes if bytes >= 1024 && bytes.is_multiple_of(1024) => format!("{}KiB", bytes / 1024),
            bytes => format!("{bytes}B"),
        }
    }
}

/// A secret of the configuration. It can't be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(String);

impl Hidden {
    /// Hides a text.
    pub fn new(secret: String) -> Self {
        Self(secret)
    }

    /// The secret itself, for the one place that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(hidden)")
    }
}

impl Setting for Hidden {
    const EXPECTED: &'static str = String::EXPECTED;

    fn read(given: &Given) -> Option<Self> {
        String::read(given).map(Self)
    }

    fn show(&self) -> String {
        "(hidden)".to_owned()
    }
}

/// Gives an enum of words the form of a setting.
macro_rules! words {
    ($name:ident, $expected:literal, $($word:literal => $value:ident),+ $(,)?) => {
        impl $crate::config::setting::Setting for $name {
            const EXPECTED: &'static str = $expected;

            fn read(given: &$crate::config::setting::Given) -> Option<Self> {
                match <String as $crate::config::setting::Setting>::read(given)?.as_str() {
                    $($word => Some(Self::$value),)+
                    _ => None,
                }
            }

            fn show(&self) -> String {
                match self { $(Self::$value => $word,)+ }.to_owned()
            }
        }
    };
}
pub(crate) use words;

#[cfg(test)]
mod tests {
    use super::*;

    fn text<T: Setting>(text: &str) -> Option<T> {
        T::read(&Given::Text(text.to_owned()))
    }

    #[test]
    fn durations_and_sizes_are_written_with_units() {
        assert_eq!(text("5m"), Some(Duration::from_mins(5)));
        assert_eq!(text("7d"), Some(Duration::from_hours(7 * 24)));
        assert_eq!(text::<Duration>("5"), None);
        assert_eq!(text::<Duration>("-5m"), None);
        assert_eq!(text("256KiB"), Some(Bytes(262_144)));
        assert_eq!(text("100"), Some(Bytes(100)));
        assert_eq!(text::<Bytes>("1GB"), None);
        assert_eq!(text::<Bytes>("99999999999999999999MiB"), None);
        assert_eq!(Bytes(262_144).show(), "256KiB");
    }

    #[test]
    fn a_list_in_a_variable_has_commas_or_brackets() {
        let expected = vec![Duration::from_secs(1), Duration::from_mins(2)];
        assert_eq!(text("1s, 2m"), Some(expected.clone()));
        assert_eq!(text(r#"["1s", "2m"]"#), Some(expected));
        assert_eq!(text(""), Some(Vec::<Duration>::new()));
        assert_eq!(text::<Vec<Duration>>("1s, soon"), None);
    }

    #[test]
    fn numbers_are_whole_and_not_negative() {
        assert_eq!(text("15"), Some(15_u64));
        assert_eq!(text::<u64>("-1"), None);
        assert_eq!(text::<u64>("1.5"), None);
        assert_eq!(u64::read(&Given::Typed(toml::Value::Integer(-1))), None);
        assert_eq!(
            u64::read(&Given::Typed(toml::Value::String("15".to_owned()))),
            None
        );
    }

    #[test]
    fn a_secret_is_not_shown() {
        let hidden: Hidden = text("swordfish").unwrap();
        assert!(!format!("{hidden:?} {}", hidden.show()).contains("swordfish"));
        assert_eq!(hidden.expose(), "swordfish");
    }
}
