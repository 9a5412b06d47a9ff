//! TLS of the service's own, and what live mode refuses unless it is allowed by name.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output, Stdio},
    time::Duration,
};

use tempfile::TempDir;
use testkit::{Backend, PATIENCE, Server, Setup, until};

/// A certificate of its own authority for localhost, made by openssl under this common name.
fn make_certificate(dir: &Path, name: &str) {
    let output = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
        ])
        .args(["-nodes", "-days", "2", "-subj", &format!("/CN={name}")])
        .args(["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
        .arg("-keyout")
        .arg(dir.join("new.key"))
        .arg("-out")
        .arg(dir.join("new.pem"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    fs::set_permissions(dir.join("new.key"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::rename(dir.join("new.key"), dir.join("key.pem")).unwrap();
    fs::rename(dir.join("new.pem"), dir.join("cert.pem")).unwrap();
}

fn with_tls(setup: Setup, dir: &Path) -> Setup {
    setup
        .setting(
            "server.tls.certificate",
            dir.join("cert.pem").to_str().unwrap(),
        )
        .setting("server.tls.key", dir.join("key.pem").to_str().unwrap())
}

fn secured(setup: Setup) -> (Server, TempDir) {
    let dir = tempfile::tempdir().unwrap();
    make_certificate(dir.path(), "first.example");
    (with_tls(setup, dir.path()).start(), dir)
}

/// What a client gets that checks the certificate, with the certificate that it was shown.
fn ask(server: &Server, trusted: &Path, options: &[&str]) -> Output {
    let mut client = Command::new("openssl")
        .args(["s_client", "-connect", &server.address().to_string()])
        .args([
            "-servername",
            "localhost",
            "-verify_return_error",
            "-ign_eof",
            "-CAfile",
        ])
        .arg(trusted)
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = client.stdin.take().unwrap();
    let _ = stdin
        .write_all(b"GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    drop(stdin);
    client.wait_with_output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn it_serves_tls_1_2_and_1_3_and_tells_browsers_to_stay_with_it() {
    let (server, dir) = secured(Setup::new());
    let line = format!("pointsman listening on https://{}\n", server.address());
    assert!(server.stdout().contains(&line), "{}", server.stdout());
    let trusted = dir.path().join("cert.pem");
    for version in ["-tls1_2", "-tls1_3"] {
        let answer = text(&ask(&server, &trusted, &[version]));
        assert!(
            answer.contains("200 OK") && answer.contains("\"live\""),
            "{version}: {answer}"
        );
        assert!(
            answer.contains("strict-transport-security: max-age="),
            "{version}: {answer}"
        );
    }
    let old = ask(
        &server,
        &trusted,
        &["-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0"],
    );
    assert!(!text(&old).contains("200 OK"), "TLS 1.1 is refused");
    let mut plain = TcpStream::connect(server.address()).unwrap();
    plain
        .write_all(b"GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n")
        .unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!String::from_utf8_lossy(&answer).contains("HTTP/1.1 200"));
}

#[test]
fn a_changed_certificate_is_served_without_a_restart_and_a_broken_one_is_not() {
    let (server, dir) = secured(Setup::new());
    let trusted = dir.path().join("cert.pem");
    assert!(text(&ask(&server, &trusted, &[])).contains("first.example"));
    make_certificate(dir.path(), "second.example");
    until(PATIENCE, "the new certificate is served", || {
        text(&ask(&server, &trusted, &[]))
            .contains("second.example")
            .then_some(())
    });
    let good = dir.path().join("good.pem");
    fs::copy(&trusted, &good).unwrap();
    fs::write(&trusted, "no certificate").unwrap();
    until(PATIENCE, "the log says that it can't be used", || {
        server
            .log()
            .contains("the one from before is served")
            .then_some(())
    });
    let answer = text(&ask(&server, &good, &[]));
    assert!(
        answer.contains("second.example") && answer.contains("200 OK"),
        "{answer}"
    );
}

#[test]
fn a_handshake_that_is_not_finished_is_cut() {
    let (server, dir) = secured(Setup::new().setting("server.header_timeout", "1s"));
    let mut silent = TcpStream::connect(server.address()).unwrap();
    silent.write_all(&[0x16, 3, 1]).unwrap();
    silent
        .set_read_timeout(Some(Duration::from_mins(1)))
        .unwrap();
    let mut rest = Vec::new();
    assert!(
        !matches!(silent.read_to_end(&mut rest), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock),
        "it is still open"
    );
    assert!(text(&ask(&server, &dir.path().join("cert.pem"), &[])).contains("200 OK"));
}

#[test]
fn a_certificate_that_can_not_be_used_stops_the_start() {
    let dir = tempfile::tempdir().unwrap();
    make_certificate(dir.path(), "a.example");
    let key = fs::read(dir.path().join("key.pem")).unwrap();
    make_certificate(dir.path(), "b.example");
    fs::write(dir.path().join("key.pem"), key).unwrap();
    let said = with_tls(Setup::new(), dir.path()).start_refused();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let plain = format!(
        "the private key in {} does not belong to the certificate in {}",
        file("key.pem"),
        file("cert.pem")
    );
    assert!(
        said.contains("server.tls") && said.contains(&plain) && !said.contains("KeyMismatch"),
        "{said}"
    );
    fs::remove_file(dir.path().join("key.pem")).unwrap();
    let said = with_tls(Setup::new(), dir.path()).start_refused();
    assert!(said.contains("key.pem"), "{said}");
    let said = Setup::new()
        .setting("server.tls.key", "/nowhere/key.pem")
        .start_refused();
    assert!(said.contains("needs server.tls.certificate too"), "{said}");
}

/// `serve` or `check` in live mode in a directory of its own.
fn live(command: &str, data: &Path, settings: &[(&str, &str)]) -> Output {
    let mut setup = Setup::new()
        .on(Backend::Embedded)
        .without_environment("POINTSMAN_ACCESS_TOKEN");
    for (name, value) in settings {
        setup = setup.setting(name, value);
    }
    let root = data.parent().unwrap();
    let data = data.to_str().unwrap();
    let mut command = setup.command(root, &[command, "--data-dir", data]);
    command.output().unwrap()
}

#[test]
fn live_mode_refuses_each_risk_and_check_tells_the_same() {
    let root = tempfile::tempdir().unwrap();
    let data = root.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).unwrap();
    // A port that nobody may take ends a start that was allowed, before it serves.
    let ends = ("server.admin_listen", "192.0.2.1:9");
    for (risk, name, value) in [
        (
            "plain_public_url",
            "server.public_url",
            "http://pay.example",
        ),
        ("no_rate_limit", "limits.requests_per_second", "0"),
        ("public_listener_without_tls", "server.listen", "0.0.0.0:0"),
        (
            "unverified_database",
            "database.url",
            "postgres://a@192.0.2.1/x?connect_timeout=1",
        ),
        ("open_files", "server.listen", "127.0.0.1:0"),
    ] {
        let mode = if risk == "open_files" { 0o750 } else { 0o700 };
        fs::set_permissions(&data, fs::Permissions::from_mode(mode)).unwrap();
        let word = format!("risks.{risk} = true");
        let refused = live("serve", &data, &[(name, value), ends]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            !refused.status.success() && said.contains(&word),
            "{risk}: {said}"
        );
        if risk != "unverified_database" {
            let checked = live("check", &data, &[(name, value), ends]);
            assert!(
                !checked.status.success() && text(&checked).contains(&word),
                "{risk}: {}",
                text(&checked)
            );
            let allowed = live(
                "serve",
                &data,
                &[(name, value), ends, (&format!("risks.{risk}"), "true")],
            );
            let said = String::from_utf8_lossy(&allowed.stderr).into_owned();
            assert!(!said.contains("refuses what is unsafe"), "{risk}: {said}");
            assert!(said.contains("192.0.2.1"), "{risk}: {said}");
        }
    }
}

#[test]
fn a_delivery_to_a_certificate_that_nobody_vouches_for_says_so() {
    let (receiver, _dir) = secured(Setup::new());
    let server = Setup::new().start();
    let shop = server.shop();
    let save = "mutation($url: String!) { saveWebhookEndpoint(url: $url, kinds: [\"endpoint.*\"]) { id } }";
    let url = format!("https://{}/hooks", receiver.address());
    let made = shop.gql(save, serde_json::json!({ "url": url }));
    let test =
        "mutation($id: ID!) { sendTestEvent(endpointId: $id) { attempts { status error } } }";
    let tested = shop.gql(test, serde_json::json!({"id": made.root()["id"]}));
    let error = tested.root()["attempts"][0]["error"].clone();
    assert_eq!(
        error,
        "its certificate is not trusted, not valid now, or not for its name"
    );
}
