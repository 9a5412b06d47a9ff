//! `pointsman serve`

use std::{net::SocketAddr, process::ExitCode};

use anyhow::Context;
use tokio::{
    net::TcpListener,
    signal::unix::{Signal, SignalKind, signal},
};
use world::World;

use super::{arguments::Serve, output, runtime};
use crate::{
    app::{App, Databases, Files, Founding, Listeners},
    config::{Problems, Sandbox, Settings},
    data_dir::DataDir,
    telemetry::{self, Metrics},
};

pub(super) fn serve(flags: &Serve) -> anyhow::Result<ExitCode> {
    refuse_planted(planted::BUILT_IN)?;
    let settings = settings(flags)?;
    telemetry::start_logging(&settings.log);
    runtime()?.block_on(run(&settings))?;
    Ok(ExitCode::SUCCESS)
}

/// What a server with these flags would run under.
pub(super) fn settings(flags: &Serve) -> Result<Settings, Problems> {
    let mut sources = flags.place.sources();
    if let Some(listen) = &flags.listen {
        sources
            .flags
            .push(("server.listen", listen.clone(), "--listen"));
    }
    let sandbox = if flags.sandbox {
        Sandbox::Open
    } else {
        Sandbox::Absent
    };
    Settings::load(sources, sandbox)
}

/// Keeps planted bugs away from payments.
pub(super) fn refuse_planted(built_in: bool) -> anyhow::Result<()> {
    anyhow::ensure!(
        !built_in,
        "this binary has planted bugs (feature `planted`): it simulates, it never serves"
    );
    Ok(())
}

async fn run(settings: &Settings) -> anyhow::Result<()> {
    let world = World::real();
    let metrics = Metrics::start();
    metrics.keep_up(&world);
    let stop = Stop::listen()?;
    // Before anything is made.
    let files = Files::read(settings, &world)?;
    let held = DataDir::at(&settings.database.data_dir).hold()?;
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
    if settings.database.url.is_some() {
        tracing::info!(
            schema = settings.database.schema,
            "the data are on a PostgreSQL server"
        );
    } else {
        tracing::info!(directory = %held.dir().path().display(), "the data are in the data directory");
    }
    let app = App::open(held, databases, (settings, files), &world, metrics).await?;
    app.note_server()?;
    if let Some(key) = app.prepare(settings).await? {
        announce_key(&key);
    }
    output::line(&format!("pointsman listening on http://{address}"));
    app.serve(settings, Listeners { public, admin }, stop.wait())
        .await
}

/// Listens at an address; port 0 is any free one.
pub(super) async fn bind(listen: SocketAddr) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(listen)
        .await
        .with_context(|| format!("can't listen on {listen}"))?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// The one time that the sandbox's key is shown.
fn announce_key(key: &str) {
    output::error(&format!(
        "\nThe sandbox's secret key, shown only now:\n\n    {key}\n"
    ));
}

/// The signals that end a server.
pub(super) struct Stop {
    terminate: Signal,
    interrupt: Signal,
}

impl Stop {
    /// From now on the signals no longer end the process by themselves.
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the first of them.
    pub(super) async fn wait(mut self) {
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
