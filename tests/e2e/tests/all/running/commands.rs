//! The commands.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use testkit::{Backend, Order, PATIENCE, Setup, cards, find_leaks, needles_of_number, until};

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let dir = tempfile::tempdir().unwrap();
    let output = Setup::new()
        .command(dir.path(), arguments)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn the_demo_ends_with_status_0_and_tells_a_story_without_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let mut demo: Command = Setup::new()
        .without_environment("POINTSMAN_ACCESS_TOKEN")
        .command(dir.path(), &["demo", "--exit"]);
    let output = demo.output().unwrap();
    let reported = String::from_utf8_lossy(&output.stdout).into_owned();
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{reported}\n{log}");
    let payments = ["tokenise", "authorise", "capture", "refund", "decline"];
    let checkouts = [
        "3d secure",
        "bnpla",
        "wallet",
        "falling back",
        "capture-after-delay",
        "completeintent",
    ];
    for word in payments.iter().chain(&checkouts) {
        assert!(
            reported.to_lowercase().contains(word),
            "no word of {word}: {reported}"
        );
    }
    let needles: Vec<_> = cards::ALL
        .iter()
        .copied()
        .flat_map(needles_of_number)
        .collect();
    assert!(
        !needles
            .iter()
            .any(|needle| needle.is_in(&output.stdout) || needle.is_in(&output.stderr))
    );
    assert_eq!(find_leaks(dir.path(), &needles), [""; 0]);
}

#[test]
fn a_demo_that_is_interrupted_in_its_story_ends_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut demo = Setup::new()
        .without_environment("POINTSMAN_ACCESS_TOKEN")
        .command(dir.path(), &["demo"])
        .env("TMPDIR", dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut reported = BufReader::new(demo.stdout.take().unwrap());
    let mut first = String::new();
    reported.read_line(&mut first).unwrap();
    let left = || {
        let entries = std::fs::read_dir(dir.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names
            .filter(|name| name.starts_with("pointsman-demo-"))
            .count()
    };
    let while_it_plays = left();
    let interrupt = Command::new("kill")
        .args(["-INT", &demo.id().to_string()])
        .status();
    // What it still tells must go somewhere.
    let rest = std::thread::spawn(move || std::io::copy(&mut reported, &mut std::io::sink()));
    let ended = until(PATIENCE, "the demo's end", || demo.try_wait().unwrap());
    rest.join().unwrap().unwrap();
    assert!(interrupt.unwrap().success());
    assert_eq!((ended.code(), while_it_plays, left()), (Some(0), 1, 0));
}

#[test]
fn two_demos_at_once_do_not_stand_in_each_others_way() {
    let codes = testkit::at_once(2, |_| run(&["demo", "--exit"]).0);
    assert_eq!(codes, [Some(0), Some(0)]);
}

#[test]
fn schema_prints_what_the_server_speaks() {
    let (code, schema, _) = run(&["schema"]);
    assert_eq!(code, Some(0));
    assert!(
        schema.contains("authorizePayment(authorisePayment: AuthorisedPaymentInput!): Payment"),
        "{schema}"
    );
    let committed =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema.graphql"))
            .unwrap();
    assert!(
        schema.trim() == committed.trim(),
        "schema.graphql is not what the service exports"
    );
}

#[test]
fn check_says_that_a_good_configuration_is_good_and_what_is_wrong_with_a_bad_one() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let check = |setup: Setup, toml: &str| {
        let file = dir.path().join("pointsman.toml");
        std::fs::write(&file, toml).unwrap();
        let arguments = [
            "check",
            "--config",
            file.to_str().unwrap(),
            "--data-dir",
            data.to_str().unwrap(),
            "--listen",
            "127.0.0.1:0",
        ];
        let output = setup.command(dir.path(), &arguments).output().unwrap();
        (
            output.status.success(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let plain = || Setup::new().without_environment("POINTSMAN_ACCESS_TOKEN");
    let (well, said) = check(plain(), "[limits]\nauthorisation_lifetime = \"7d\"\n");
    assert!(well && !said.contains("live mode: live mode"), "{said}");
    let count = |word: &str| said.lines().filter(|line| line.starts_with(word)).count();
    let (warnings, notes) = (count("warning  "), count("note  "));
    // What the first start makes is no cause for alarm.
    assert!(warnings == 0 && notes > 0, "{said}");
    let plural =
        |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let (warnings, notes) = (plural(warnings, "warning"), plural(notes, "note"));
    let last = format!("\n0 problems, {warnings}, {notes}: a start would go on\n");
    assert!(said.ends_with(&last), "{said}");
    let (well, said) = check(plain(), "[limits]\nauthorisation_lifetime = \"soon\"\n");
    assert!(
        said.ends_with("\n1 problem, 0 warnings, 0 notes: a start would be refused\n"),
        "{said}"
    );
    assert!(!well && said.contains("authorisation_lifetime"), "{said}");
    // As `serve` does with the same flags.
    let (well, said) = check(Setup::new(), "");
    assert!(
        !well && said.contains("access_token") && said.contains("for the sandbox alone"),
        "{said}"
    );
    let (well, said) = check(plain(), "[geo]\ntable = \"/is/not/there\"\n");
    assert!(!well && said.contains("geo.table"), "{said}");
    assert!(!data.exists(), "a look makes nothing");
}

#[test]
fn check_refuses_what_serve_refuses_of_the_data_and_changes_nothing() {
    let mut server = Setup::new().start();
    server.shop().tokenise(cards::VISA);
    let plain = server
        .setup()
        .clone()
        .without_environment("POINTSMAN_ACCESS_TOKEN");
    let check = |server: &testkit::Server, setup: &Setup, more: &[&str]| {
        let data = server.data_dir();
        let arguments = [&["check", "--data-dir", data.to_str().unwrap()], more].concat();
        let output = setup.command(&server.root(), &arguments).output().unwrap();
        (
            output.status.success(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    // Also while it serves.
    for stop in [false, true] {
        if stop {
            server.stop();
        }
        let (well, said) = check(&server, &plain, &["--sandbox"]);
        assert!(well && said.contains("teams: 1, keys: 1"), "{said}");
        let (well, said) = check(&server, &plain, &[]);
        assert!(
            !well && said.contains("holds data of test mode and can't be served in live mode"),
            "{said}"
        );
    }
    let key_file = server.data_dir().join("vault.keys");
    let keys = std::fs::read(&key_file).unwrap();
    std::fs::remove_file(&key_file).unwrap();
    let (well, said) = check(&server, &plain, &["--sandbox"]);
    assert!(
        !well && said.contains("vault.keys is missing") && !key_file.exists(),
        "{said}"
    );
    std::fs::write(&key_file, "junk").unwrap();
    let (well, said) = check(&server, &plain, &["--sandbox"]);
    let named = format!("the key file {} can't be used", key_file.display());
    assert!(!well && said.contains(&named), "{said}");
    std::fs::write(&key_file, keys).unwrap();
    server.restart();
    server
        .shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
}

#[test]
fn an_unknown_command_or_flag_is_refused_with_a_hint() {
    for arguments in [
        &["no-such-command"][..],
        &["serve", "--no-such-flag"],
        &["key", "revoke"],
    ] {
        let (code, _, said) = run(arguments);
        assert_ne!(code, Some(0), "{arguments:?}");
        assert!(
            said.to_lowercase().contains("usage"),
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn help_names_every_command() {
    let (code, help, _) = run(&["--help"]);
    assert_eq!(code, Some(0));
    for command in ["demo", "serve", "schema", "team", "key", "vault", "check"] {
        assert!(help.contains(command), "{command}: {help}");
    }
}

#[test]
fn revoking_a_key_that_is_not_there_is_an_error() {
    let server = Setup::new().start();
    let output = server.command(&["key", "revoke", "0192a000-0000-7000-8000-000000000000"]);
    assert!(!output.status.success());
    assert!(!output.stderr.is_empty());
}

#[test]
fn a_listed_key_is_never_shown_whole() {
    let server = Setup::new().start();
    let listed = server.run(&["key", "list"]);
    assert!(!listed.contains(testkit::ACCESS_TOKEN));
    assert!(!listed.trim().is_empty());
}

#[test]
fn without_its_address_nothing_is_begun_in_the_directory_of_a_server_on_postgresql() {
    let mut server = Setup::new().on(Backend::Postgres).start();
    let token = server.shop().tokenise(cards::VISA);
    server.stop();
    let keys = || std::fs::read(server.data_dir().join("vault.keys")).unwrap();
    let (before, data) = (keys(), server.data_dir());
    let data = data.to_str().unwrap();
    let forgotten = Setup::new()
        .on(Backend::Embedded)
        .without_environment("POINTSMAN_ACCESS_TOKEN");
    for words in [
        &["vault", "rotate"][..],
        &["key", "list"],
        &["team", "create", "--name", "a"],
        &["serve", "--sandbox"],
        &["check"],
    ] {
        let arguments = [words, &["--data-dir", data]].concat();
        let output = forgotten
            .command(&server.root(), &arguments)
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {said}");
        assert!(
            said.contains("belongs to an installation on PostgreSQL"),
            "{words:?}: {said}"
        );
    }
    assert_eq!(keys(), before);
    assert!(!server.data_dir().join("store.db").exists());
    server.restart();
    server
        .shop()
        .order(&Order::token(&token))
        .assert_status("SUCCEEDED");
}

#[test]
fn a_command_founds_no_installation_in_a_directory_that_has_none() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("lock"), "").unwrap();
    let embedded = Setup::new()
        .on(Backend::Embedded)
        .without_environment("POINTSMAN_ACCESS_TOKEN");
    for words in [["vault", "rotate"], ["key", "list"]] {
        let arguments = [&words[..], &["--data-dir", data.to_str().unwrap()]].concat();
        let output = embedded.command(dir.path(), &arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("there is no installation in"), "{said}");
    }
    let left: Vec<_> = std::fs::read_dir(&data)
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    assert_eq!(left, ["lock"]);
}
