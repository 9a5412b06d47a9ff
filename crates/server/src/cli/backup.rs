//! `pointsman backup`, `pointsman backup verify` and `pointsman restore`

use std::{path::Path, process::ExitCode};

use anyhow::{anyhow, bail};
use world::World;

use super::{
    arguments::{Backup, Location, Restore, Verify},
    runtime,
};
use crate::{
    admin::{self, AskError, Request},
    app::copies::{self, Manifest, Report},
    config::{Sandbox, Settings},
    data_dir::DataDir,
    log,
};

pub(super) fn backup(flags: Backup) -> anyhow::Result<ExitCode> {
    if let Some(Verify::Verify {
        dir,
        key_file,
        one_in,
        sandbox,
        place,
    }) = flags.verify
    {
        let sandbox = if sandbox {
            Sandbox::Open
        } else {
            Sandbox::Absent
        };
        let mut settings = settings(&place, sandbox)?;
        if key_file.is_some() {
            settings.vault.key_file = key_file;
        }
        return verify(&settings, dir.as_deref(), one_in);
    }
    let settings = settings(&flags.place, Sandbox::Absent)?;
    let to = flags.to.ok_or_else(|| anyhow!("--to is missing"))?;
    refuse_on_server(&settings)?;
    let manifest =
        runtime()?.block_on(async { copies::back_up(&settings, &to, &World::real()) })?;
    record(&settings)?;
    print_manifest(&manifest);
    output::line(&format!(
        "The backup is in {}. The key file is not in it: without a copy of {} kept elsewhere no card number in it can be opened.",
        to.display(),
        settings.key_file().display()
    ));
    Ok(ExitCode::SUCCESS)
}

/// Has the server that runs here record that a backup was taken. Without one nothing is opened for it: a backup is taken
/// before an upgrade, too.
fn record(settings: &Settings) -> anyhow::Result<()> {
    let socket = DataDir::at(&settings.database.data_dir).socket();
    let asked =
        runtime()?.block_on(async { admin::ask(&socket, &Request::BackupTaken, &|_| {}).await });
    match asked {
        Ok(()) | Err(AskError::Nobody) => {}
        Err(error) => output::error(&format!(
            "the backup is whole, but the audit trail has no entry of it: {error}"
        )),
    }
    Ok(())
}

pub(super) fn restore(flags: &Restore) -> anyhow::Result<ExitCode> {
    let settings = settings(&flags.place, Sandbox::Absent)?;
    refuse_on_server(&settings)?;
    let manifest = runtime()?.block_on(async {
        let key_file = flags.key_file.as_deref();
        copies::restore(&settings, &flags.from, key_file, &World::real()).await
    })?;
    print_manifest(&manifest);
    let dir = settings.database.data_dir.display();
    if settings.vault.keys.is_none() && flags.key_file.is_none() && !settings.key_file().exists() {
        output::line(&format!(
            "There is no key file yet, and without it no start goes on. Copy the key file of the original to {dir}/vault.keys, as it was at \
             that time, or name it by vault.key_file."
        ));
    }
    let command = DataDir::at(&settings.database.data_dir).command(manifest.mode(), true);
    output::line(&format!(
        "Restored to {dir} from the backup of {}. Make sure that the original is never served again; then start once with: {command}",
        manifest.made_at
    ));
    Ok(ExitCode::SUCCESS)
}

fn verify(settings: &Settings, dir: Option<&Path>, one_in: u64) -> anyhow::Result<ExitCode> {
    let has_keys = settings.vault.keys.is_some()
        || settings
            .vault
            .key_file
            .as_ref()
            .is_some_and(|path| path.exists());
    let report = runtime()?.block_on(async {
        let world = World::real();
        match dir {
            Some(dir) => copies::verify_backup(settings, dir, one_in, &world).await,
            None if settings.database.url.is_some() => {
                copies::verify_server(settings, one_in, &world).await
            }
            None => Err(anyhow!(
                "name a backup's directory, or a restored database with --database-url"
            )),
        }
    })?;
    Ok(print_report(&report, has_keys))
}

fn print_report(report: &Report, has_keys: bool) -> ExitCode {
    output::line(&format!(
        "payments: {}, of which {} are in the simulator's books; stored methods: {}; secrets of connections and wallets: {}",
        report.payments, report.entries, report.methods, report.secrets
    ));
    if report.attachments > 0 {
        output::line(&format!("attachments: {}", report.attachments));
    }
    if has_keys {
        output::line(&format!("sealed records opened: {}", report.opened));
    } else {
        output::line("no sealed record was opened: the keys were not given (--key-file)");
    }
    output::line(&format!(
        "sealed numbers that nothing refers to: {} (a job erases them)",
        report.orphans
    ));
    for problem in &report.problems {
        output::line(&format!("PROBLEM  {problem}"));
    }
    if report.more > 0 {
        output::line(&format!("PROBLEM  and {} more", report.more));
    }
    if report.problems.is_empty() {
        output::line("ok");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn print_manifest(manifest: &Manifest) {
    for file in &manifest.files {
        output::line(&format!(
            "{}  {} bytes  sha256 {}",
            file.name, file.bytes, file.sha256
        ));
    }
    if manifest.attachments > 0 {
        output::line(&format!("files of attachments: {}", manifest.attachments));
    }
}

fn settings(place: &Location, sandbox: Sandbox) -> anyhow::Result<Settings> {
    let mut settings = Settings::load(place.sources_alongside(), sandbox)?;
    settings.database.be_brief();
    "warn".clone_into(&mut settings.log.level);
    log::start(&settings.log);
    Ok(settings)
}

fn refuse_on_server(settings: &Settings) -> anyhow::Result<()> {
    let dir = DataDir::at(&settings.database.data_dir);
    if settings.database.url.is_some() || dir.is_of_a_server() {
        bail!(copies::ON_POSTGRESQL);
    }
    Ok(())
}
