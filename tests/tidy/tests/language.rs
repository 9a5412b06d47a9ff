//! The language of names, comments and documents: plain technical English, one word for one meaning.

use std::path::Path;

use tidy::{files, root, shown, text};

/// Words of a private dialect, each with what is said in its place.
const WORDS: &[Banned] = &[
    Banned::new("told", "answered, reported, shown"),
    Banned::new("whoever", "the caller, the one that, no matter who"),
    Banned::new("anew", "again"),
    Banned::new("lately", "recently"),
    Banned::new("for ever", "permanently"),
];

/// Names that say nothing of a type.
const TYPES: &[&str] = &[
    "Extra", "Heard", "Kind", "Lately", "Means", "Place", "State", "Told", "Way", "With",
];

/// A word that is not used.
struct Banned {
    word: &'static str,
    better: &'static str,
}

impl Banned {
    const fn new(word: &'static str, better: &'static str) -> Self {
        Self { word, better }
    }
}

/// The banned words of a text, with their lines. A word is one also as a part of an identifier.
fn dialect(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (index, line) in source.lines().enumerate() {
        let lower = line.to_lowercase();
        for banned in WORDS {
            let at_word = |at: usize| {
                let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphabetic);
                let (before, after) = (&lower[..at], &lower[at + banned.word.len()..]);
                !is_letter(before.chars().next_back()) && !is_letter(after.chars().next())
            };
            if lower.match_indices(banned.word).any(|(at, _)| at_word(at)) {
                found.push(format!(
                    "{}: `{}`; better: {}",
                    index + 1,
                    banned.word,
                    banned.better
                ));
            }
        }
    }
    found
}

/// The definitions of types whose name alone says nothing.
fn bare_types(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (index, line) in source.lines().enumerate() {
        let words: Vec<&str> = line
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .filter(|word| !word.is_empty())
            .collect();
        for (defining, name) in words.iter().zip(words.iter().skip(1)) {
            let defines = ["struct", "enum", "type", "trait", "union"].contains(defining);
            if defines && TYPES.contains(name) && !line.trim_start().starts_with("//") {
                found.push(format!("{}: a type called `{name}`", index + 1));
            }
        }
    }
    found
}

fn sources(endings: &[&str]) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for folder in ["bench", "crates", "docs", "examples", "lab", "sdk", "tests"] {
        found.extend(files(&root().join(folder), endings));
    }
    for name in [
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "GLOSSARY.md",
        "README.md",
        "SECURITY.md",
        "pointsman.example.toml",
    ] {
        let path = root().join(name);
        if endings.iter().any(|ending| name.ends_with(ending)) {
            assert!(path.exists(), "{name} is gone");
            found.push(path);
        }
    }
    // This file has to spell what it looks for. What is built has the words of its sources, and of theirs.
    found.retain(|path| {
        let is_built = path.components().any(|part| part.as_os_str() == "dist")
            || path.starts_with(root().join("crates/server/assets/sdk"));
        !is_built && !path.ends_with(Path::new("tests/tidy/tests/language.rs"))
    });
    found
}

#[test]
fn names_comments_and_documents_have_no_dialect() {
    let mut findings = Vec::new();
    let files = sources(&[
        ".css", ".html", ".js", ".jsx", ".md", ".mjs", ".rs", ".sql", ".toml", ".ts", ".tsx",
    ]);
    for ending in ["html", "js", "md", "mjs", "rs", "ts", "tsx"] {
        let is_read = |path: &std::path::PathBuf| path.extension().is_some_and(|one| one == ending);
        assert!(files.iter().any(is_read), "files of type {ending} are read");
    }
    for file in files {
        let found = dialect(&text(&file));
        findings.extend(found.iter().map(|one| format!("{}:{one}", shown(&file))));
    }
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn types_have_names_that_say_what_they_are() {
    let mut findings = Vec::new();
    for file in sources(&[".rs"]) {
        let found = bare_types(&text(&file));
        findings.extend(found.iter().map(|one| format!("{}:{one}", shown(&file))));
    }
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn the_rules_find_what_they_are_for() {
    assert_eq!(
        dialect("It is told.\nfine\nlet is_told = 1;\nstolid fortold").len(),
        2
    );
    assert_eq!(dialect("Kept for ever, whoever asks").len(), 2);
    assert_eq!(
        bare_types("pub enum Kind {\n/// enum Kind\nstruct KindOf;").len(),
        1
    );
}
