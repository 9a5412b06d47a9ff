//! `pointsman events trigger` and `pointsman listen`: for engineers who build on events.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use serde_json::Value;
use testkit::{PATIENCE, Server, Setup, cards, until};

use super::{all, endpoint};

/// A command that calls the server's API with its key.
fn command(server: &Server, arguments: &[&str]) -> Command {
    let shop = server.shop();
    let address = format!("http://{}", shop.address());
    let arguments: Vec<&str> = arguments
        .iter()
        .copied()
        .chain(["--server", &address])
        .collect();
    let mut command = server.setup().command(&server.root(), &arguments);
    command.env("POINTSMAN_ACCESS_TOKEN", shop.credential());
    command
}

#[test]
fn each_kind_that_is_listed_happens_when_it_is_triggered() {
    let server = Setup::new()
        .config("[limits]\nintent_inactivity = \"1s\"\n")
        .start();
    let receiver = testkit::Receiver::start();
    endpoint(&server.shop(), &receiver.url("/tested"), &["endpoint.*"]);
    let listed = command(&server, &["events", "trigger"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let kinds: BTreeSet<&str> = listed
        .lines()
        .filter(|line| !line.contains("not on demand"))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(kinds.len() > 20, "{listed}");
    for kind in &kinds {
        let triggered = command(&server, &["events", "trigger", kind])
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&triggered.stderr);
        assert!(triggered.status.success(), "{kind}: {error}");
        assert!(!triggered.stdout.is_empty(), "{kind}");
        let shop = server.shop();
        until(PATIENCE, kind, || {
            if *kind == "endpoint.test" {
                return (!receiver.arrived("/tested").is_empty()).then_some(());
            }
            let (found, _) = all(&shop, None, 100, &[kind]);
            (!found.is_empty()).then_some(())
        });
    }
    let refused = command(&server, &["events", "trigger", "payment.captured!"])
        .output()
        .unwrap();
    assert!(!refused.status.success());
    let nobody = server
        .setup()
        .command(&server.root(), &["events", "trigger", "payment.captured"])
        .env_remove("POINTSMAN_ACCESS_TOKEN")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&nobody.stderr);
    assert!(error.contains("a secret key is needed"), "{error}");
}

#[test]
fn one_who_listens_sees_what_happens_from_then_on_and_forwards_it_signed() {
    let server = Setup::new().start();
    let shop = server.shop();
    shop.authorise(cards::VISA);
    let receiver = testkit::Receiver::start();
    let mut listening = command(
        &server,
        &[
            "listen",
            "--json",
            "--kind",
            "payment.*",
            "--forward-to",
            &receiver.url("/hooks"),
        ],
    )
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    let mut said = BufReader::new(listening.stderr.take().unwrap()).lines();
    let secret = said.next().unwrap().unwrap();
    let secret = secret.rsplit(' ').next().unwrap().to_owned();
    assert!(secret.starts_with("whsec_"), "{secret}");
    let mut lines = BufReader::new(listening.stdout.take().unwrap()).lines();
    let (sender, seen) = std::sync::mpsc::channel::<Value>();
    let reader = std::thread::spawn(move || {
        while let Some(Ok(line)) = lines.next() {
            if sender.send(serde_json::from_str(&line).unwrap()).is_err() {
                break;
            }
        }
    });
    // What it begins with depends on when its first question arrives: pay until it has seen something.
    let first = until(PATIENCE, "an event", || {
        shop.authorise(cards::VISA);
        seen.try_recv().ok()
    });
    let last = shop.authorise(cards::GENERAL_DECLINE).id();
    let mut events = vec![first];
    until(PATIENCE, "the declined payment", || {
        events.extend(seen.try_iter());
        events
            .iter()
            .any(|event| {
                event["data"]["paymentId"] == last.as_str() && event["type"] == "payment.declined"
            })
            .then_some(())
    });
    let ids: BTreeSet<&str> = events
        .iter()
        .map(|event| event["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), events.len(), "each once");
    let forwarded = until(PATIENCE, "the forwarded events", || {
        let messages = receiver.arrived("/hooks");
        (messages.len() >= events.len()).then_some(messages)
    });
    for message in &forwarded {
        assert_eq!(message.signatures_by(&secret), 1);
    }
    listening.kill().unwrap();
    listening.wait().unwrap();
    reader.join().unwrap();
}

#[test]
fn what_is_forwarded_is_signed_with_the_secret_that_is_given() {
    let server = Setup::new().start();
    let receiver = testkit::Receiver::start();
    let given = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
    let url = receiver.url("/hooks");
    let listen = [
        "listen",
        "--from-start",
        "--forward-to",
        url.as_str(),
        "--secret",
    ];
    for wrong in [
        "whsec_c2hvcnQ=",
        "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
    ] {
        let refused = command(&server, &[&listen[..], &[wrong]].concat())
            .output()
            .unwrap();
        assert!(!refused.status.success());
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            error.contains("--secret must be") && !error.contains(wrong),
            "{error}"
        );
    }
    server.shop().authorise(cards::VISA);
    let mut listening = command(&server, &[&listen[..], &[given]].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let message = until(PATIENCE, "a forwarded event", || {
        receiver.arrived("/hooks").pop()
    });
    assert_eq!(message.signatures_by(given), 1);
    listening.kill().unwrap();
    listening.wait().unwrap();
}
