//! The dependencies against `deny.toml`: licences, versions and sources. `cargo deny` reads the same file; this needs nothing
//! but cargo.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::Command,
};

use serde_json::Value;
use tidy::{root, text};

/// A package that is built, from elsewhere.
struct Package {
    name: String,
    version: String,
    licence: String,
    source: String,
    /// What it asks for with the version `*`.
    wildcards: Vec<String>,
}

impl Package {
    fn of(json: &Value) -> Self {
        let text_of = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
        let dependencies = json["dependencies"].as_array().unwrap().iter();
        let wildcards = dependencies
            .filter(|one| one["req"] == "*" && one["path"].is_null())
            .map(|one| one["name"].as_str().unwrap().to_owned());
        Self {
            name: text_of("name"),
            version: text_of("version"),
            licence: licence(json),
            source: text_of("source"),
            wildcards: wildcards.collect(),
        }
    }

    fn is_ours(&self) -> bool {
        self.source.is_empty()
    }
}

/// The expression of a package's licence; one that has only a file is recognised by its first line.
fn licence(json: &Value) -> String {
    if let Some(expression) = json["license"].as_str() {
        return expression.to_owned();
    }
    let folder = Path::new(json["manifest_path"].as_str().unwrap())
        .parent()
        .unwrap();
    let file = json["license_file"].as_str().unwrap_or("LICENSE");
    match text(&folder.join(file)).trim_start() {
        whole if whole.starts_with("MIT License") => "MIT".to_owned(),
        whole => whole.lines().next().unwrap_or_default().to_owned(),
    }
}

/// What is built on this platform, tests included.
fn packages() -> Vec<Package> {
    let version = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    // What this platform does not build need not be downloaded.
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(["--all-features", "--filter-platform", host])
        .current_dir(root())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = metadata
        .get("packages")
        .and_then(Value::as_array)
        .unwrap()
        .iter();
    let found: Vec<Package> = found.map(Package::of).collect();
    assert!(found.len() > 200, "too few packages: {}", found.len());
    found
}

fn deny() -> toml::Table {
    text(&root().join("deny.toml")).parse().unwrap()
}

fn texts(list: &toml::Value) -> Vec<String> {
    let entries = list.as_array().unwrap().iter();
    entries
        .map(|entry| entry.as_str().unwrap().to_owned())
        .collect()
}

/// The names that a list of bans has, each with its reason.
fn named(list: &toml::Value) -> Vec<String> {
    let entries = list.as_array().unwrap().iter();
    entries
        .map(|entry| {
            let name = entry["crate"].as_str().unwrap().to_owned();
            let reason = entry.get("reason").and_then(toml::Value::as_str);
            assert!(
                reason.is_some_and(|reason| !reason.is_empty()),
                "{name} has no reason"
            );
            name
        })
        .collect()
}

/// Whether an SPDX expression can be met with these licences.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    // Older packages write `/` for `OR`.
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let met = either(&mut words, allowed);
    met && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn either(words: &mut Words<'_>, allowed: &[String]) -> bool {
    let mut met = both(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        met |= both(words, allowed);
    }
    met
}

fn both(words: &mut Words<'_>, allowed: &[String]) -> bool {
    let mut met = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut Words<'_>, allowed: &[String]) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let met = either(words, allowed);
        return words.next_if_eq(&")").is_some() && met;
    }
    let Some(name) = words.next() else {
        return false;
    };
    let name = match words.next_if_eq(&"WITH") {
        Some(_) => format!("{name} WITH {}", words.next().unwrap_or_default()),
        None => name.to_owned(),
    };
    allowed.contains(&name)
}

#[test]
fn every_licence_is_allowed_and_every_allowed_one_is_needed() {
    let allowed = texts(&deny()["licenses"]["allow"]);
    let packages = packages();
    let mut findings: Vec<String> = packages
        .iter()
        .filter(|package| !is_met(&package.licence, &allowed))
        .map(|package| format!("{} {}: {}", package.name, package.version, package.licence))
        .collect();
    for licence in &allowed {
        let is_named = packages.iter().any(|package| {
            let words = package.licence.replace(['/', '(', ')'], " ");
            format!(" {words} ").contains(&format!(" {licence} "))
        });
        if !is_named {
            findings.push(format!("{licence} is allowed and no package has it"));
        }
    }
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn a_package_has_two_versions_only_where_the_list_says_why() {
    let skipped = named(&deny()["bans"]["skip"]);
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages() {
        versions
            .entry(package.name)
            .or_default()
            .insert(package.version);
    }
    let mut findings = Vec::new();
    for (name, found) in &versions {
        let left: Vec<&String> = found
            .iter()
            .filter(|version| !skipped.contains(&format!("{name}@{version}")))
            .collect();
        if left.len() > 1 {
            findings.push(format!("{name} has the versions {left:?}"));
        }
    }
    for skip in &skipped {
        let (name, version) = skip.split_once('@').unwrap();
        let found = versions.get(name);
        if !found.is_some_and(|found| found.len() > 1 && found.contains(version)) {
            findings.push(format!("{skip} is skipped and is no second version"));
        }
    }
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn what_is_banned_is_not_there_and_everything_comes_from_the_registry() {
    let deny = deny();
    let banned = named(&deny["bans"]["deny"]);
    let sources: Vec<String> = texts(&deny["sources"]["allow-registry"])
        .into_iter()
        .map(|registry| format!("registry+{registry}"))
        .collect();
    let mut findings = Vec::new();
    for package in packages() {
        if banned.contains(&package.name) {
            findings.push(format!("{} is banned", package.name));
        }
        if !package.is_ours() && !sources.contains(&package.source) {
            findings.push(format!("{} comes from {}", package.name, package.source));
        }
        if package.is_ours() {
            let any = package.wildcards.iter();
            findings.extend(any.map(|of| format!("{}: {of} of any version", package.name)));
        }
    }
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn expressions_are_met_as_spdx_means_them() {
    let allowed = ["MIT".to_owned(), "ISC".to_owned(), "A WITH x".to_owned()];
    for met in [
        "MIT",
        "GPL OR MIT",
        "GPL/MIT",
        "MIT AND ISC",
        "(GPL OR MIT) AND ISC",
        "A WITH x",
    ] {
        assert!(is_met(met, &allowed), "{met}");
    }
    for unmet in [
        "",
        "GPL",
        "MIT AND GPL",
        "(MIT OR ISC) AND GPL",
        "A",
        "A WITH y",
        "MIT ISC",
        "(MIT",
    ] {
        assert!(!is_met(unmet, &allowed), "{unmet}");
    }
}
