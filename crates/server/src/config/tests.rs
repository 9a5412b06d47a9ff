use std::time::Duration;

use super::*;

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../pointsman.example.toml");

fn environment(variables: &[(&str, &str)]) -> Sources {
    let owned = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Sources {
        environment: owned.collect(),
        ..Sources::default()
    }
}

fn file(text: &str) -> (tempfile::NamedTempFile, Sources) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let sources = Sources {
        file: Some(file.path().to_owned()),
        ..Sources::default()
    };
    (file, sources)
}

fn problems(sources: Sources, sandbox: Sandbox) -> Vec<String> {
    Settings::load(sources, sandbox).unwrap_err().0
}

#[test]
fn the_example_holds_the_defaults() {
    let sources = Sources {
        file: Some(EXAMPLE.into()),
        ..Sources::default()
    };
    let example = Settings::load(sources, Sandbox::Absent).unwrap();
    assert_eq!(
        example,
        Settings::load(Sources::default(), Sandbox::Absent).unwrap()
    );
}

#[test]
fn the_example_documents_every_setting_in_its_section() {
    let mut reader = Reader::default();
    Settings::read(&mut reader, Sandbox::Absent);
    let text = std::fs::read_to_string(EXAMPLE).unwrap();
    let (mut section, mut documented) = (String::new(), Vec::new());
    for line in text.lines() {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'))
        {
            section = format!("{name}.");
        }
        let line = line.strip_prefix("# ").unwrap_or(line);
        if let Some((key, _)) = line.split_once(" = ").filter(|(key, _)| !key.contains(' ')) {
            documented.push(format!("{section}{key}"));
        }
    }
    for name in reader.asked() {
        let found = documented
            .iter()
            .filter(|documented| documented == name)
            .count();
        assert_eq!(found, 1, "{name} is in the example once");
    }
    assert_eq!(
        documented.len(),
        reader.asked().len(),
        "the example has nothing else"
    );
}

#[test]
fn flags_win_over_variables_and_variables_over_the_file() {
    let (_file, mut sources) = file("[limits]\ndepth = 7\naliases = 7\nroot_fields = 7\n");
    sources.environment = environment(&[
        ("POINTSMAN_LIMITS__ALIASES", "8"),
        ("POINTSMAN_LIMITS__ROOT_FIELDS", "8"),
    ])
    .environment;
    sources.flags = vec![("limits.root_fields", "9".to_owned(), "--root-fields")];
    let limits = Settings::load(sources, Sandbox::Absent).unwrap().limits;
    assert_eq!(
        (limits.depth, limits.aliases, limits.root_fields),
        (7, 8, 9)
    );
}

#[test]
fn every_problem_is_reported_at_once_with_setting_and_source_and_without_its_value() {
    let (file, mut sources) =
        file("[limits]\ndepth = \"deep-secret\"\n[server]\nlisten = 5\n[limit]\nbody = 1\n");
    sources.environment =
        environment(&[("POINTSMAN_JOBS__POLL_INTERVAL", "now-secret")]).environment;
    let reported = problems(sources, Sandbox::Absent);
    let path = file.path().display();
    assert_eq!(reported.len(), 4, "{reported:?}");
    assert!(
        reported.contains(&format!(
            "limits.depth (from {path}): must be a whole number"
        )),
        "{reported:?}"
    );
    assert!(
        reported
            .iter()
            .any(|line| line
                .starts_with(&format!("server.listen (from {path}): must be an address")))
    );
    assert!(reported.iter().any(|line| line.starts_with(
        "jobs.poll_interval (from POINTSMAN_JOBS__POLL_INTERVAL): must be a duration"
    )));
    assert!(reported.contains(&format!(
        "limit.body (from {path}): there is no such setting; did you mean limits.body?"
    )));
    assert!(!reported.join(" ").contains("secret"), "{reported:?}");
}

#[test]
fn a_file_that_is_no_toml_is_refused_with_its_line_and_without_its_text() {
    let (_file, sources) = file("mode = \"test\"\n[vault]\nkeys = swordfish swordfish\n");
    let reported = problems(sources, Sandbox::Absent);
    assert!(
        reported[0].contains("line 3") && !reported[0].contains("swordfish"),
        "{reported:?}"
    );
}

#[test]
fn numbers_outside_their_range_are_refused() {
    let reported = problems(
        environment(&[("POINTSMAN_LIMITS__DEPTH", "0")]),
        Sandbox::Absent,
    );
    assert_eq!(
        reported,
        ["limits.depth (from POINTSMAN_LIMITS__DEPTH): must be from 1 to 100"]
    );
    let reported = problems(
        environment(&[("POINTSMAN_VAULT__CVC_LIFETIME", "61m")]),
        Sandbox::Absent,
    );
    assert_eq!(reported.len(), 1);
}

#[test]
fn an_address_of_postgresql_is_taken_and_another_one_is_refused_without_being_repeated() {
    let given = |url: &str| environment(&[("POINTSMAN_DATABASE__URL", url)]);
    let settings = Settings::load(given("postgres://u:swordfish@h/d"), Sandbox::Absent).unwrap();
    assert_eq!(
        settings.database.url.as_ref().map(Hidden::expose),
        Some("postgres://u:swordfish@h/d")
    );
    assert!(!format!("{settings:?}").contains("swordfish"));
    let reported = problems(given("mysql://u:swordfish@h/d"), Sandbox::Absent);
    assert_eq!(
        reported,
        ["database.url (from POINTSMAN_DATABASE__URL): must be a postgres:// address"]
    );
    let alone = environment(&[(
        "POINTSMAN_VAULT__DATABASE_URL",
        "postgres://u:swordfish@h/d",
    )]);
    let reported = problems(alone, Sandbox::Absent);
    assert!(
        reported.len() == 1 && reported[0].contains("needs database.url"),
        "{reported:?}"
    );
}

#[test]
fn a_schema_is_a_plain_name_with_room_for_endings() {
    let schema = |name: &str| {
        Settings::load(
            environment(&[("POINTSMAN_DATABASE__SCHEMA", name)]),
            Sandbox::Open,
        )
    };
    assert_eq!(schema("pay_2").unwrap().database.schema, "pay_2");
    for wrong in [
        "2pay",
        "Pay",
        "pay-2",
        "pg_pay",
        "information_schema",
        "_pay",
        &"p".repeat(41),
    ] {
        assert!(schema(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_sandbox_is_test_mode_and_can_t_be_live() {
    assert_eq!(
        Settings::load(Sources::default(), Sandbox::Open)
            .unwrap()
            .mode,
        Mode::Test
    );
    assert_eq!(
        Settings::load(Sources::default(), Sandbox::Absent)
            .unwrap()
            .mode,
        Mode::Live
    );
    assert_eq!(
        problems(environment(&[("POINTSMAN_MODE", "live")]), Sandbox::Open).len(),
        1
    );
    let test = Settings::load(environment(&[("POINTSMAN_MODE", "test")]), Sandbox::Absent).unwrap();
    assert_eq!((test.mode, test.sandbox), (Mode::Test, Sandbox::Absent));
}

#[test]
fn keys_are_remembered_for_a_day_at_least_where_money_is_real() {
    let hour = || environment(&[("POINTSMAN_LIMITS__IDEMPOTENCY_RETENTION", "1h")]);
    assert!(Settings::load(hour(), Sandbox::Open).is_ok());
    assert_eq!(problems(hour(), Sandbox::Absent).len(), 1);
}

#[test]
fn introspection_and_rates_follow_the_mode() {
    let test = Settings::load(Sources::default(), Sandbox::Open).unwrap();
    let live = Settings::load(Sources::default(), Sandbox::Absent).unwrap();
    assert!(test.server.introspection && !live.server.introspection);
    assert_eq!(test.limits.requests_per_second, None);
    assert_eq!(live.limits.requests_per_second, Some(200));
    let none = environment(&[("POINTSMAN_LIMITS__REQUESTS_PER_SECOND", "0")]);
    assert_eq!(
        Settings::load(none, Sandbox::Absent)
            .unwrap()
            .limits
            .requests_per_second,
        None
    );
}

#[test]
fn an_access_token_is_for_the_sandbox_and_well_formed() {
    let token = [("POINTSMAN_ACCESS_TOKEN", "sk_test_0123456789abcdef")];
    assert!(Settings::load(environment(&token), Sandbox::Open).is_ok());
    assert_eq!(problems(environment(&token), Sandbox::Absent).len(), 1);
    for wrong in [
        "sk_live_0123456789abcdef",
        "sk_test_abc",
        "sk_test_0123456789abcdef\n",
    ] {
        let reported = problems(
            environment(&[("POINTSMAN_ACCESS_TOKEN", wrong)]),
            Sandbox::Open,
        );
        assert!(
            reported.len() == 1 && !reported[0].contains(wrong),
            "{reported:?}"
        );
    }
}

#[test]
fn a_schedule_is_a_list_of_durations() {
    let sources = environment(&[("POINTSMAN_RECOVERY__SCHEDULE", "1s,2s")]);
    let schedule = Settings::load(sources, Sandbox::Open)
        .unwrap()
        .recovery
        .schedule;
    assert_eq!(schedule, [Duration::from_secs(1), Duration::from_secs(2)]);
    assert_eq!(
        problems(
            environment(&[("POINTSMAN_RECOVERY__SCHEDULE", "[]")]),
            Sandbox::Open
        )
        .len(),
        1
    );
}

#[test]
fn a_public_url_is_a_base() {
    let url = |url: &str| {
        Settings::load(
            environment(&[("POINTSMAN_SERVER__PUBLIC_URL", url)]),
            Sandbox::Open,
        )
    };
    assert_eq!(
        url("https://pay.example/")
            .unwrap()
            .server
            .public_url
            .as_deref(),
        Some("https://pay.example")
    );
    for wrong in [
        "pay.example",
        "ftp://pay.example",
        "https://",
        "https:///x",
        "https://pay.example?x=1",
    ] {
        assert!(url(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn an_empty_variable_is_none() {
    let sources = environment(&[
        ("POINTSMAN_ACCESS_TOKEN", ""),
        ("POINTSMAN_LIMITS__DEPTH", ""),
    ]);
    assert_eq!(
        Settings::load(sources, Sandbox::Open),
        Settings::load(Sources::default(), Sandbox::Open)
    );
}
