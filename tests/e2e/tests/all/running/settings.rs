//! Settings: file, environment, flags.

use serde_json::json;
use testkit::{Setup, cards};

#[test]
fn a_file_is_overridden_by_the_environment() {
    let server = Setup::new()
        .config("[limits]\nauthorisation_lifetime = \"1h\"\n")
        .setting("limits.authorisation_lifetime", "1s")
        .start();
    let id = server.shop().authorise_later(cards::VISA).id();
    server.shop().wait_for_status(&id, "CANCELLED");
}

#[test]
fn bad_settings_stop_the_start_with_a_precise_message() {
    for (toml, word) in [
        (
            "[limits]\nauthorisation_lifetime = \"soon\"\n",
            "authorisation_lifetime",
        ),
        ("[limits]\nno_such_setting = 1\n", "no_such_setting"),
        ("[no_such_section]\na = 1\n", "no_such_section"),
        ("[limits\n", "toml"),
        ("[recovery]\nschedule = \"often\"\n", "schedule"),
    ] {
        let said = Setup::new().config(toml).start_refused();
        assert!(
            said.to_lowercase().contains(word),
            "{word} is not named: {said}"
        );
        assert!(!said.contains("panicked"), "{said}");
    }
    let said = Setup::new()
        .setting("limits.authorisation_lifetime", "soon")
        .start_refused();
    assert!(
        said.to_lowercase().contains("authorisation_lifetime"),
        "{said}"
    );
    let said = Setup::new()
        .setting("limits.no_such_setting", "1")
        .start_refused();
    assert!(said.to_lowercase().contains("no_such_setting"), "{said}");
}

#[test]
fn a_missing_file_is_named() {
    let said = Setup::new()
        .flag("--config")
        .flag("/nowhere/pointsman.toml")
        .start_refused();
    assert!(said.contains("/nowhere/pointsman.toml"), "{said}");
}

#[test]
fn the_documented_example_is_a_good_configuration() {
    let example = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../pointsman.example.toml"
    ))
    .unwrap();
    let example = example.replace("mode = \"live\"", "mode = \"test\"");
    let server = Setup::new().config(&example).start();
    server.shop().gql("{ __typename }", json!({})).data();
}
