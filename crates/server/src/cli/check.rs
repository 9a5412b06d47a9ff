//! `pointsman check`

use std::{
    io::ErrorKind,
    net::{SocketAddr, TcpListener},
    process::ExitCode,
};

use world::World;

use super::{arguments::Check, runtime, serve};
use crate::{
    app::{App, Files, Findings, Subject, certificate, directory_problem, key_file_problem},
    config::Settings,
    data_dir::DataDir,
    log,
};
use domain::caller::Mode;

/// Where the findings about the data directory's mode are.
const DIRECTORY: Subject = Subject::new("data directory", "mode");
/// Where those about the key file are.
const KEY_FILE: Subject = Subject::new("key file", "mode");
/// Where those about the certificate are.
const TLS: Subject = Subject::new("configuration", "server.tls");
/// Where those about wallet B's proof of this domain are.
const ASSOCIATION: Subject = Subject::new("configuration", "wallets.b.domain_association");
/// Where those about the configuration are.
const CONFIGURATION: Subject = Subject::new("configuration", "settings");

pub(super) fn check(flags: &Check) -> anyhow::Result<ExitCode> {
    let mut findings = Findings::default();
    match serve::settings(&flags.serve) {
        Ok(settings) => {
            for risk in settings.refused_risks() {
                findings.problem(Subject::new("configuration", "risks"), risk);
            }
            match certificate(&settings) {
                Ok(None) => {}
                Ok(Some(_)) => findings.ok(TLS, "certificate and key can be used"),
                Err(error) => findings.problem(TLS, error.to_string()),
            }
            association(&settings, &mut findings);
            look_into(settings, &mut findings)?;
        }
        Err(problems) => problems
            .0
            .iter()
            .for_each(|problem| findings.problem(CONFIGURATION, problem.clone())),
    }
    if flags.json {
        output::line(&findings.json().to_string());
    } else {
        findings.lines().for_each(|line| output::line(&line));
        output::line(&findings.verdict());
    }
    Ok(if findings.has_problem() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Whether wallet B's button can be shown on the hosted page.
fn association(settings: &Settings, findings: &mut Findings) {
    match settings.wallets.domain_association() {
        Ok(Some(_)) => findings.ok(
            ASSOCIATION,
            "wallet B's proof of this domain is served at /.well-known/apple-developer-merchantid-domain-association",
        ),
        Ok(None) if settings.wallets.has_wallet_b() => findings.warning(
            ASSOCIATION,
            "wallet B is set up without it: Apple shows no button on the hosted page of this domain",
        ),
        // What can't be read was refused with the settings.
        Ok(None) | Err(_) => {}
    }
}

fn look_into(mut settings: Settings, findings: &mut Findings) -> anyhow::Result<()> {
    settings.database.be_brief();
    "error".clone_into(&mut settings.log.level);
    log::start(&settings.log);
    let dir = DataDir::at(&settings.database.data_dir);
    directory(&dir, findings);
    if settings.database.url.is_none()
        && let Err(lost) = dir.refuse_parts()
    {
        findings.problem(
            Subject::new("data directory", "databases"),
            lost.to_string(),
        );
    }
    key_file(&settings, findings);
    address("server.listen", settings.server.listen, &dir, findings);
    if let Some(listen) = settings.server.admin_listen {
        address("server.admin_listen", listen, &dir, findings);
    }
    runtime()?.block_on(async {
        let world = World::real();
        match Files::read(&settings, &world) {
            Ok(files) => {
                findings.ok(
                    CONFIGURATION,
                    "complete, and the files that it names can be read",
                );
                App::look(&settings, files, &world, findings).await;
            }
            Err(error) => findings.problem(CONFIGURATION, format!("{error:#}")),
        }
    });
    Ok(())
}

/// What a start says of the directory's mode.
fn directory(dir: &DataDir, findings: &mut Findings) {
    let shown = dir.path().display();
    if !dir.path().exists() {
        findings.note(
            DIRECTORY,
            format!("{shown} is not there yet; the first start makes it"),
        );
        return;
    }
    match directory_problem(dir) {
        Ok(None) => findings.ok(DIRECTORY, format!("{shown} is its owner's alone")),
        // In live mode it is one of the risks, which are judged by themselves.
        Ok(Some(problem)) => findings.warning(DIRECTORY, problem),
        Err(error) => findings.problem(DIRECTORY, error.to_string()),
    }
}

/// What a start says of the key file's mode.
fn key_file(settings: &Settings, findings: &mut Findings) {
    if settings.vault.keys.is_some() {
        findings.ok(KEY_FILE, "none: the keys are in the configuration");
        return;
    }
    let path = settings.key_file();
    let shown = path.display();
    let dir = DataDir::at(&settings.database.data_dir);
    let is_restored = settings.database.url.is_none() && matches!(dir.restored(), Ok(Some(_)));
    if !path.exists() && is_restored && !settings.after_restore {
        // With --after-restore the vault says it.
        findings.problem(
            KEY_FILE,
            format!("{shown} is missing: copy the key file of the original there"),
        );
        return;
    }
    if !path.exists() {
        // Whether it should be there is checked by the vault, further on.
        findings.note(
            KEY_FILE,
            format!(
                "{shown} is not there: a vault that has had keys needs its own file, and for a new vault the first start makes one"
            ),
        );
        return;
    }
    match (key_file_problem(&path), settings.mode) {
        (None, _) => findings.ok(KEY_FILE, format!("{shown} is its owner's alone")),
        (Some(problem), Mode::Live) => findings.problem(KEY_FILE, problem),
        (Some(problem), Mode::Test) => findings.warning(KEY_FILE, problem),
    }
}

/// Whether a start could listen there. Next to a server that is at work in the directory the address is that one's.
fn address(name: &'static str, listen: SocketAddr, dir: &DataDir, findings: &mut Findings) {
    let subject = Subject::new("address", name);
    match TcpListener::bind(listen) {
        Ok(_) => findings.ok(subject, format!("{listen} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse && dir.is_held() => findings.note(
            subject,
            format!("{listen} is taken, as it is while the server of this data directory runs"),
        ),
        Err(error) => findings.problem(subject, format!("can't listen on {listen}: {error}")),
    }
}
