//! `pointsman serve`

use std::{net::SocketAddr, process::ExitCode};

use anyhow::Context;
use tokio::{
    net::TcpListener,
    signal::unix::{Signal, SignalKind, signal},
};
use world::World;

use super::{arguments::Serve, runtime};
use crate::{
    app::{App, Configured, Databases, Files, Founding, Listeners, certificate, copies},
    config::{Problems, Sandbox, Settings, Sources},
    data_dir::DataDir,
    log,
    telemetry::Metrics,
};

/// Serves until a signal. What ends it is a line of its log, in the log's format.
pub(super) fn serve(flags: &Serve) -> ExitCode {
    let done = settings(flags)
        .map_err(anyhow::Error::from)
        .and_then(|settings| start(&settings));
    log::finish();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let format = Settings::log_format(sources(flags));
            output::error_text(&log::fatal(format, &format!("{error:#}")));
            ExitCode::FAILURE
        }
    }
}

fn start(settings: &Settings) -> anyhow::Result<()> {
    refuse_planted(engine::HAS_PLANTED_BUGS)?;
    log::start(&settings.log);
    runtime()?.block_on(run(settings))
}

/// What a server with these flags would run under.
pub(super) fn settings(flags: &Serve) -> Result<Settings, Problems> {
    let sandbox = if flags.sandbox {
        Sandbox::Open
    } else {
        Sandbox::Absent
    };
    let mut settings = Settings::load(sources(flags), sandbox)?;
    settings.after_restore = flags.after_restore;
    settings.moved_whole = flags.moved_whole;
    Ok(settings)
}

fn sources(flags: &Serve) -> Sources {
    let mut sources = flags.place.sources();
    if let Some(listen) = &flags.listen {
        sources
            .flags
            .push(("server.listen", listen.clone(), "--listen"));
    }
    sources
}

/// Keeps planted bugs away from payments.
pub(super) fn refuse_planted(built_in: bool) -> anyhow::Result<()> {
    anyhow::ensure!(
        !built_in,
        "this binary has planted bugs (feature `planted`): it simulates, it never serves"
    );
    Ok(())
}

/// Keeps live mode from what is unsafe, unless it is allowed by name.
fn refuse_risks(settings: &Settings) -> anyhow::Result<()> {
    let refused = settings.refused_risks();
    anyhow::ensure!(
        refused.is_empty(),
        "live mode refuses what is unsafe:\n  {}",
        refused.join("\n  ")
    );
    Ok(())
}

async fn run(settings: &Settings) -> anyhow::Result<()> {
    let world = World::real();
    let metrics = Metrics::start();
    metrics.keep_up(&world);
    let stop = EndSignals::listen()?;
    // Before anything is made.
    let files = Files::read(settings, &world)?;
    let tls = certificate(settings).context("server.tls")?;
    let dir = DataDir::at(&settings.database.data_dir);
    if settings.database.url.is_none() {
        // Before the risks of the wrong mode are listed.
        dir.refuse_other_mode(settings.mode)?;
        anyhow::ensure!(
            !settings.after_restore || dir.store().exists(),
            copies::nothing_restored(&dir.path().display().to_string())
        );
    }
    refuse_risks(settings)?;
    let held = dir.hold()?;
    let (public, address) = bind(settings.server.listen).await?;
    let admin = match settings.server.admin_listen {
        Some(listen) => {
            let (listener, address) = bind(listen).await?;
            tracing::info!(%address, "health and metrics are on the admin listener");
            Some(listener)
        }
        None => None,
    };
    let databases = Databases::open(held.dir(), settings, &world, Founding::Allowed).await?;
    note_start(settings, address);
    let app = App::open(
        held,
        databases,
        Configured { settings, files },
        &world,
        metrics,
    )
    .await?;
    app.note_server()?;
    if let Some(key) = app.prepare(settings).await? {
        announce_key(&key);
    }
    app.log_mode().await?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    output::line(&format!("pointsman listening on {scheme}://{address}"));
    let listeners = Listeners { public, admin, tls };
    app.serve(settings, listeners, stop.wait()).await
}

/// Listens at an address; port 0 is any free one.
pub(super) async fn bind(listen: SocketAddr) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(listen)
        .await
        .with_context(|| format!("can't listen on {listen}"))?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// What runs here, where its data are and where it listens.
fn note_start(settings: &Settings, address: SocketAddr) {
    let (database, place) = match settings.database.url {
        Some(_) => ("postgresql", settings.database.schema.clone()),
        None => ("embedded", settings.database.data_dir.display().to_string()),
    };
    let vault = match settings.vault.database_url {
        Some(_) => "of its own",
        None => "next to the store",
    };
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        mode = settings.mode.word(),
        node = node_name(),
        pid = std::process::id(),
        database,
        place,
        vault,
        listen = %address,
        "starting"
    );
}

/// The machine's name, by which lines of several nodes are distinguished.
fn node_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map(|name| name.trim().to_owned())
        .unwrap_or_default()
}

/// The one time that the sandbox's key is shown: on standard output, since standard error is the log, which is kept.
fn announce_key(key: &str) {
    output::line(&format!(
        "\nThe sandbox's secret key. It is not shown again:\n\n    {key}\n"
    ));
}

/// On Linux, and on the systems that are like it.
const SIGXFSZ: i32 = 25;

/// The signals that end a server.
pub(super) struct EndSignals {
    terminate: Signal,
    interrupt: Signal,
    /// A file that has reached its limit is an error of the writer, not the end of the process.
    _too_large: Signal,
}

impl EndSignals {
    /// From now on the signals no longer end the process by themselves.
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            _too_large: signal(SignalKind::from_raw(SIGXFSZ))?,
        })
    }

    /// Waits for the first of them.
    pub(super) async fn wait(mut self) {
        self.next().await;
    }

    /// Waits for the next of them.
    pub(super) async fn next(&mut self) {
        tokio::select! {
            biased;
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::refuse_planted;

    #[test]
    fn a_binary_with_planted_bugs_takes_no_payments() {
        assert!(
            refuse_planted(true)
                .unwrap_err()
                .to_string()
                .contains("never serves")
        );
        assert!(refuse_planted(false).is_ok());
    }
}
