use clap::CommandFactory;

use super::*;

#[test]
fn commands_and_flags_are_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn flags_become_settings() {
    let arguments = [
        "pointsman",
        "check",
        "--data-dir",
        "d",
        "--database-url",
        "postgres://h/d",
    ];
    let Ok(Cli {
        command: Command::Check(flags),
    }) = Cli::try_parse_from(arguments)
    else {
        panic!("not parsed")
    };
    let names: Vec<&str> = flags
        .serve
        .place
        .sources()
        .flags
        .iter()
        .map(|flag| flag.0)
        .collect();
    assert_eq!(names, ["database.data_dir", "database.url"]);
}
