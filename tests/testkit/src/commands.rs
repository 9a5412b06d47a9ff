//! The service's own commands, as a person types them while a server runs.

use std::process::Output;

use crate::{Server, Shop};

/// What a key that a command creates may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// `sk_test_…`
    Secret,
    /// `pk_test_…`
    Public,
}

impl KeyKind {
    fn word(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::Public => "public",
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Secret => "sk_test_",
            Self::Public => "pk_test_",
        }
    }
}

impl Server {
    /// Runs a command of the service on this server's data directory, while it serves.
    pub fn command(&self, arguments: &[&str]) -> Output {
        let data = self.data_dir();
        let data = data.to_str().expect("a readable path");
        let arguments: Vec<&str> = arguments
            .iter()
            .copied()
            .chain(["--data-dir", data])
            .collect();
        self.setup()
            .command(&self.root(), &arguments)
            .output()
            .expect("the command runs")
    }

    /// Like [`Self::command`], for one that must succeed; what it printed.
    #[track_caller]
    pub fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments);
        assert!(
            output.status.success(),
            "`pointsman {}` ended with {}: {}",
            arguments.join(" "),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("text")
    }

    /// Creates a key of the default team.
    #[track_caller]
    pub fn create_key(&self, kind: KeyKind) -> String {
        let printed = self.run(&["key", "create", "--kind", kind.word()]);
        key_in(&printed, kind)
    }

    /// Creates another team with a secret key of its own; its shop.
    #[track_caller]
    pub fn other_team(&self) -> Shop {
        let printed = self.run(&["team", "create", "--name", "The other shop"]);
        let team = words(&printed)
            .find(|word| looks_like_uuid(word))
            .unwrap_or_else(|| panic!("no team id: {printed}"));
        let printed = self.run(&["key", "create", "--kind", "secret", "--team", team]);
        self.shop_with(&key_in(&printed, KeyKind::Secret))
    }
}

fn words(printed: &str) -> impl Iterator<Item = &str> {
    printed.split(|character: char| {
        !(character.is_ascii_alphanumeric() || character == '_' || character == '-')
    })
}

fn looks_like_uuid(word: &str) -> bool {
    word.len() == 36 && word.split('-').map(str::len).eq([8, 4, 4, 4, 12])
}

#[track_caller]
fn key_in(printed: &str, kind: KeyKind) -> String {
    words(printed)
        .find(|word| word.starts_with(kind.prefix()) && word.len() > kind.prefix().len())
        .unwrap_or_else(|| panic!("no key was printed: {printed}"))
        .to_owned()
}
