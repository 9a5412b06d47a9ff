//! Starting.

use std::{
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
};

use testkit::{Backend, Order, PATIENCE, Setup, cards, until};

#[test]
fn it_says_where_it_listens_in_one_line_and_how_long_it_took_is_printed() {
    let server = Setup::new().start();
    let line = format!("pointsman listening on http://{}\n", server.address());
    assert_eq!(
        server.stdout().matches(&line).count(),
        1,
        "{}",
        server.stdout()
    );
    println!(
        "from the start of the process to ready: {:?} (a debug build, unless POINTSMAN_BIN names another)",
        server.start_to_ready
    );
}

#[test]
fn a_second_server_on_the_same_data_directory_is_kept_out() {
    let server = Setup::new().start();
    let second = Setup::new().serve(&server.root()).output().unwrap();
    assert!(!second.status.success());
    assert!(!second.stderr.is_empty(), "it says why");
    server
        .shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
}

#[test]
fn after_a_kill_the_directory_can_be_used_again_at_once() {
    let mut server = Setup::new().start();
    for _ in 0..3 {
        server.kill();
        server.restart();
    }
    server
        .shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
}

#[test]
fn an_address_that_is_taken_is_an_error_and_no_panic() {
    let server = Setup::new().start();
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let address = server.address().to_string();
    let output = Setup::new()
        .command(
            dir.path(),
            &[
                "serve",
                "--sandbox",
                "--listen",
                &address,
                "--data-dir",
                data.to_str().unwrap(),
            ],
        )
        .output()
        .unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.is_empty() && !said.contains("panicked"), "{said}");
    // What `serve` refuses, `check` reports; while the very server that has the address runs it is no problem.
    let refusal = format!("can't listen on {address}");
    assert!(said.contains(&refusal), "{said}");
    let check = |data: &std::path::Path| {
        let arguments = [
            "check",
            "--sandbox",
            "--listen",
            &address,
            "--data-dir",
            data.to_str().unwrap(),
        ];
        let checked = Setup::new().command(dir.path(), &arguments).output();
        let checked = checked.unwrap();
        (
            checked.status.success(),
            String::from_utf8(checked.stdout).unwrap(),
        )
    };
    let (well, reported) = check(&data);
    assert!(
        !well
            && reported.contains("PROBLEM  address: server.listen")
            && reported.contains(&refusal),
        "{reported}"
    );
    if server.setup().backend() == Backend::Embedded {
        let (well, reported) = check(&server.data_dir());
        assert!(
            well && reported.contains("note     address: server.listen"),
            "{reported}"
        );
    }
}

#[test]
fn without_a_mode_of_test_the_sandboxes_things_are_refused() {
    let mut server = Setup::new().start();
    let (root, data) = (server.root(), server.data_dir());
    server.kill();
    let output = Setup::new()
        .without_environment("POINTSMAN_ACCESS_TOKEN")
        .command(
            &root,
            &[
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--data-dir",
                data.to_str().unwrap(),
            ],
        )
        .output()
        .unwrap();
    assert!(
        !output.status.success(),
        "live mode refuses the sandbox's keys and simulator connections"
    );
    assert!(!output.stderr.is_empty());
}

#[test]
fn nothing_is_taken_once_the_data_directory_is_not_where_it_was() {
    let mut server = Setup::new().on(Backend::Embedded).start();
    let id = server.shop().authorise(cards::VISA).id();
    let (data, aside) = (server.data_dir(), server.root().join("aside"));
    std::fs::rename(&data, &aside).unwrap();
    until(PATIENCE, "it is not ready any more", || {
        (!server.is_ready()).then_some(())
    });
    let shop = server.shop();
    let refused = shop
        .authorise_request(&Order::card(cards::VISA), None)
        .send(shop.address());
    assert!(
        refused.status == 503 && refused.text().contains("error.unavailable"),
        "{}",
        refused.text()
    );
    server.kill();
    let said = String::from_utf8(server.output()).unwrap();
    assert!(said.contains("was removed, moved or replaced"), "{said}");
    std::fs::rename(&aside, &data).unwrap();
    server.restart();
    server.shop().payment(&id).assert_status("SUCCEEDED");
}

#[test]
fn keys_are_not_rotated_once_a_database_has_another_in_its_place() {
    let mut server = Setup::new().on(Backend::Embedded).start();
    let token = server.shop().tokenise(cards::VISA);
    let (data, aside) = (server.data_dir(), server.root().join("aside"));
    std::fs::create_dir(&aside).unwrap();
    let keys = std::fs::read(data.join("vault.keys")).unwrap();
    for name in ["store.db", "vault.db"] {
        std::fs::rename(data.join(name), aside.join(name)).unwrap();
        std::fs::write(data.join(name), "").unwrap();
    }
    let rotated = server.command(&["vault", "rotate"]);
    assert!(!rotated.status.success());
    assert_eq!(std::fs::read(data.join("vault.keys")).unwrap(), keys);
    server.kill();
    for name in ["store.db", "vault.db"] {
        std::fs::rename(aside.join(name), data.join(name)).unwrap();
    }
    server.restart();
    server
        .shop()
        .order(&Order::token(&token))
        .assert_status("SUCCEEDED");
}

#[test]
fn the_limit_on_open_files_is_raised_and_deliveries_leave_most_of_it() {
    let root = tempfile::tempdir().unwrap();
    let serve = Setup::new().on(Backend::Embedded).serve(root.path());
    let mut limited = Command::new("bash");
    limited
        .args([
            "-c",
            "ulimit -Sn 300 && ulimit -Hn 1024 && exec \"$@\"",
            "bash",
        ])
        .arg(serve.get_program())
        .args(serve.get_args());
    for (name, value) in serve.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    let mut process = limited
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let said: Vec<String> = lines
        .map_while(Result::ok)
        .filter(|line| line.contains("the limit on open files"))
        .take(2)
        .collect();
    process.kill().unwrap();
    process.wait().unwrap();
    let of_files =
        |line: &String| line.contains("open_files=1024") || line.contains("open_files\":1024");
    assert!(said.iter().all(of_files), "{said:?}");
    assert!(said[0].contains("256"), "{said:?}");
    // 4,096 connections of clients would not find room.
    assert!(said[1].contains("LimitNOFILE"), "{said:?}");
}
