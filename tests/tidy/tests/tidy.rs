//! How the project is written, as tests: who may import whom, what SQL may use, what stands in one place alone.

use std::collections::BTreeSet;

use tidy::{code, files, parameters::tuples, root, shown, sql::statements, text};

/// Which of our crates each crate may import. An edge that is missing here is a decision to be taken, in
/// `ARCHITECTURE.md` first.
const EDGES: &[(&str, &[&str])] = &[
    ("bench", &["db", "world"]),
    ("connector", &["domain", "http_client", "world"]),
    (
        "connectors",
        &["connector", "domain", "http_client", "planted", "world"],
    ),
    ("db", &["domain", "world"]),
    ("db-model", &["db", "domain", "world"]),
    ("domain", &["planted"]),
    ("e2e", &["testkit"]),
    (
        "engine",
        &[
            "connector",
            "db",
            "domain",
            "flow",
            "http_client",
            "objects",
            "paper",
            "planted",
            "store",
            "vault",
            "wallet",
            "world",
        ],
    ),
    ("faults", &["testkit"]),
    ("flow", &["domain"]),
    ("graphql", &["domain", "engine"]),
    ("http_client", &["world"]),
    (
        "lab",
        &[
            "connector",
            "connectors",
            "db",
            "db-model",
            "domain",
            "engine",
            "graphql",
            "http_client",
            "objects",
            "output",
            "planted",
            "processors",
            "store",
            "vault",
            "world",
        ],
    ),
    ("objects", &["domain", "http_client", "world"]),
    ("output", &[]),
    ("paper", &[]),
    ("planted", &["planted-macros"]),
    ("planted-macros", &[]),
    ("processors", &["http_client", "world"]),
    (
        "server",
        &[
            "connector",
            "connectors",
            "db",
            "domain",
            "engine",
            "flow",
            "graphql",
            "http_client",
            "objects",
            "output",
            "store",
            "vault",
            "web",
            "world",
        ],
    ),
    ("store", &["db", "domain", "planted"]),
    ("testkit", &[]),
    ("tidy", &[]),
    ("vault", &["db", "domain", "world"]),
    ("wallet", &["domain"]),
    ("web", &[]),
    ("world", &["domain"]),
];

/// Words that SQL must not use, with what to use instead.
const SQL_BANS: &[(&str, &str)] = &[
    ("::", "a cast is engine-specific: convert in Rust"),
    ("select *", "name the columns"),
    ("sum(", "its type differs between engines: add in Rust"),
    (
        " like ",
        "its case rules differ between engines: compare exactly, or by replace()",
    ),
    (" true", "use 1"),
    (" false", "use 0"),
    ("insert or ", "use `on conflict`"),
    ("now()", "time is a parameter"),
    ("random()", "chance is a parameter"),
];

fn no_findings(findings: &[String]) {
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn crates_import_only_what_the_table_allows() {
    let ours: BTreeSet<&str> = EDGES.iter().map(|(name, _)| *name).collect();
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for manifest in files(&root(), &["Cargo.toml"]) {
        let parsed: toml::Table = text(&manifest).parse().unwrap();
        let Some(package) = parsed.get("package") else {
            continue;
        };
        let name = package["name"].as_str().unwrap().to_owned();
        let Some((_, allowed)) = EDGES.iter().find(|(known, _)| *known == name) else {
            findings.push(format!("{name} is not in the table of edges"));
            continue;
        };
        seen.insert(name.clone());
        if let Some(dependencies) = parsed.get("dependencies").and_then(toml::Value::as_table) {
            for dependency in dependencies.keys() {
                if ours.contains(dependency.as_str()) && !allowed.contains(&dependency.as_str()) {
                    findings.push(format!("{name} must not import {dependency}"));
                }
            }
        }
        let lints = parsed
            .get("lints")
            .and_then(|lints| lints.get("workspace"))
            .and_then(toml::Value::as_bool);
        if lints != Some(true) {
            findings.push(format!("{name} does not take the workspace's lints"));
        }
    }
    assert_eq!(
        seen.len(),
        EDGES.len(),
        "the table names a crate that is not there"
    );
    no_findings(&findings);
}

#[test]
fn sql_stays_in_the_portable_subset() {
    let mut findings = Vec::new();
    let mut looked_at = 0;
    for folder in [
        "crates/store/src",
        "crates/vault/src",
        "crates/server/src/sandbox",
    ] {
        for file in files(&root().join(folder), &[".rs"]) {
            for statement in statements(&code(&file)) {
                let sql = statement.sql;
                looked_at += 1;
                let lower = sql.to_ascii_lowercase();
                for (ban, instead) in SQL_BANS {
                    if lower.contains(ban) {
                        findings.push(format!(
                            "{}: `{}`: {instead}: {sql}",
                            shown(&file),
                            ban.trim()
                        ));
                    }
                }
                if lower.starts_with("insert into") && !lower.contains(" (") {
                    findings.push(format!(
                        "{}: an insert must name its columns: {sql}",
                        shown(&file)
                    ));
                }
            }
        }
    }
    assert!(
        looked_at > 180,
        "the scan finds too few statements ({looked_at}): mend the scan"
    );
    no_findings(&findings);
}

#[test]
fn what_must_stand_in_one_place_does() {
    let rules: &[(&str, &str, &[&str])] = &[
        (
            "engine",
            ".open_card(",
            &["crates/engine/src/payments/call.rs"],
        ),
        (
            "engine",
            ".open_account(",
            &["crates/engine/src/payments/call.rs"],
        ),
        (
            "engine",
            "payment.settle(",
            &["crates/engine/src/payments/settle.rs"],
        ),
        (
            "engine",
            "payment::insert(",
            &["crates/engine/src/commit.rs"],
        ),
        (
            "engine",
            "payment::update(",
            &["crates/engine/src/commit.rs"],
        ),
        ("engine", ".locks.take(", &["crates/engine/src/change.rs"]),
        (
            "engine",
            ".begin_complete(",
            &["crates/engine/src/payments/returns.rs"],
        ),
        (
            "engine",
            ".may_fall_back(",
            &["crates/engine/src/payments/settle.rs"],
        ),
        ("server", "env::vars_os(", &["crates/server/src/config"]),
    ];
    let mut findings = Vec::new();
    for (owner, what, allowed) in rules {
        let mut uses = 0;
        for file in files(&root().join("crates").join(owner).join("src"), &[".rs"]) {
            if code(&file).contains(what) {
                uses += 1;
                let path = shown(&file);
                if !allowed.iter().any(|place| path.starts_with(place)) {
                    findings.push(format!(
                        "{path}: `{what}` belongs in {}",
                        allowed.join(" or ")
                    ));
                }
            }
        }
        if uses == 0 {
            findings.push(format!(
                "`{what}` is used nowhere in {owner}: mend this rule"
            ));
        }
    }
    no_findings(&findings);
}

#[test]
fn the_engine_can_be_played_in_a_simulation() {
    let bans = [
        ("tokio::spawn", "World::spawn"),
        ("tokio::time", "World::sleep or World::timeout"),
        ("HashMap", "BTreeMap: its order is the same in every run"),
        ("HashSet", "BTreeSet: its order is the same in every run"),
        ("SystemTime", "World::now"),
        (
            "Instant::now",
            "World::now, or world::Stopwatch for a metric",
        ),
        ("simulator", "the engine names no processor"),
    ];
    let mut findings = Vec::new();
    for file in files(&root().join("crates/engine/src"), &[".rs"]) {
        let source = code(&file);
        for (ban, instead) in bans {
            if source.contains(ban) {
                findings.push(format!("{}: `{ban}`: {instead}", shown(&file)));
            }
        }
    }
    no_findings(&findings);
}

#[test]
fn the_graphql_executor_could_be_lifted_into_another_product() {
    let words = [
        "payment",
        "card",
        "customer",
        "merchant",
        "refund",
        "capture",
        "authoris",
        "authoriz",
        "wallet",
        "currency",
        "amount",
        "money",
        "processor",
        "vault",
        "flow",
    ];
    // The form of faults, words, times and wiping: what any product has.
    let imports = ["Code", "Fault", "Faults", "Timestamp", "spelling", "wipe"];
    let mut findings = Vec::new();
    let mut looked_at = 0;
    for file in files(&root().join("crates/graphql/src/executor"), &[".rs"]) {
        if file.ends_with("tests.rs") {
            continue;
        }
        looked_at += 1;
        let source = code(&file);
        for line in source.lines() {
            let lower = line.to_lowercase().replace("overflow", "");
            for word in words.iter().filter(|word| lower.contains(**word)) {
                findings.push(format!("{}: `{word}`: {}", shown(&file), line.trim()));
            }
            if lower.contains("use engine") || lower.contains("engine::") {
                findings.push(format!("{}: imports the engine", shown(&file)));
            }
            let outside = line.contains("use crate::") && !line.contains("use crate::executor");
            if outside {
                findings.push(format!("{}: {}", shown(&file), line.trim()));
            }
            if let Some((_, imported)) = line.split_once("use domain::") {
                let names = imported.split(|letter: char| !letter.is_alphanumeric());
                let first = names.filter(|name| name.starts_with(char::is_uppercase));
                for name in first.filter(|name| !imports.contains(name)) {
                    findings.push(format!("{}: imports {name}", shown(&file)));
                }
                let module = imported.split("::").next().unwrap();
                if module.starts_with(char::is_lowercase) && !imports.contains(&module) {
                    findings.push(format!("{}: imports {module}", shown(&file)));
                }
            }
        }
    }
    assert!(looked_at > 20, "the executor has {looked_at} files");
    no_findings(&findings);
}

/// The longest file. Unit: lines. Functions and their parameters are bounded by `clippy.toml`.
const LONGEST_FILE: usize = 500;

/// What is wrong with a source that is too long.
fn too_long(source: &str) -> Option<String> {
    let lines = source.lines().count();
    (lines > LONGEST_FILE).then(|| format!("{lines} lines; is it one thing?"))
}

#[test]
fn the_bounds_of_sizes_are_kept() {
    assert_eq!(too_long(&"line\n".repeat(LONGEST_FILE)), None);
    assert!(too_long(&"line\n".repeat(LONGEST_FILE + 1)).is_some());
    let clippy = text(&root().join("clippy.toml"));
    for bound in [
        "too-many-arguments-threshold = 5",
        "too-many-lines-threshold = 70",
    ] {
        assert!(clippy.lines().any(|line| line == bound), "{bound}");
    }
}

#[test]
fn no_function_takes_a_tuple() {
    let mut found = Vec::new();
    for folder in ["crates", "lab", "tests", "bench"] {
        for file in files(&root().join(folder), &[".rs"]) {
            let taken = tuples(&text(&file)).into_iter();
            found.extend(taken.map(|one| format!("{}: {one}", shown(&file))));
        }
    }
    // The samples of the scan itself.
    found.retain(|one| !one.starts_with("tests/tidy/src/parameters.rs"));
    assert!(
        found.is_empty(),
        "name what travels together in a struct:\n{}",
        found.join("\n")
    );
}

#[test]
fn files_stay_small_and_finished() {
    let mut findings = Vec::new();
    for folder in ["crates", "lab", "tests", "bench"] {
        for file in files(&root().join(folder), &[".rs"]) {
            let source = text(&file);
            findings.extend(too_long(&source).map(|lines| format!("{}: {lines}", shown(&file))));
            if file.ends_with("tidy.rs") {
                continue;
            }
            for mark in ["FIXME", "todo!(", "HACK"] {
                if source.contains(mark) {
                    findings.push(format!("{}: {mark}", shown(&file)));
                }
            }
        }
    }
    no_findings(&findings);
}

#[test]
fn the_project_stands_on_its_own() {
    let mut findings = Vec::new();
    for file in files(
        &root(),
        &[".rs", ".md", ".toml", ".graphql", ".mjs", ".json", "/test"],
    ) {
        if file.ends_with("tidy.rs") {
            continue;
        }
        if text(&file).contains("../shared") {
            findings.push(format!(
                "{}: refers to a place outside the project",
                shown(&file)
            ));
        }
    }
    no_findings(&findings);
}

#[test]
fn planted_bugs_stand_alongside_the_product() {
    let mut findings = Vec::new();
    let mut replaced = 0;
    for file in files(&root().join("crates"), &[".rs"]) {
        // The tests that plant them.
        if file.ends_with("bugs.rs") || file.ends_with("tests/planted/main.rs") {
            continue;
        }
        let source = text(&file);
        for (at, _) in source.match_indices("planted::") {
            let before = source[..at].trim_end();
            // Above a function, in an attribute that only the feature makes one.
            if before.ends_with("#[cfg_attr(feature = \"planted\",")
                || before.ends_with("feature = \"planted\",")
            {
                replaced += 1;
            } else {
                findings.push(format!("{}: names `planted` in a body", shown(&file)));
            }
        }
    }
    assert!(
        replaced >= 25,
        "only {replaced} functions have alternatives: mend the scan"
    );
    no_findings(&findings);
}
