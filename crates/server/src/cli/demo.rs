//! `pointsman demo`

use std::{
    io::{IsTerminal, stdout},
    net::SocketAddr,
    process::ExitCode,
};

use anyhow::Context;
use tokio::{net::TcpListener, sync::oneshot};
use world::World;

use super::{
    arguments::Demo,
    runtime,
    serve::{Stop, bind, refuse_planted},
};
use crate::{
    app::{App, Databases, Files, Founding, Listeners},
    config::{Sandbox, Settings, Sources, no_color},
    data_dir::DataDir,
    demo::{Client, Colour, Teller, curl_line, tell},
    log,
    telemetry::Metrics,
};

/// Where it listens when nobody says otherwise and it is free.
const USUAL: &str = "127.0.0.1:8080";
/// Any free port.
const ANY: &str = "127.0.0.1:0";

pub(super) fn demo(flags: &Demo) -> anyhow::Result<ExitCode> {
    refuse_planted(planted::BUILT_IN)?;
    let fresh = tempfile::Builder::new()
        .prefix("pointsman-demo-")
        .tempdir()
        .context("a fresh directory")?;
    let runtime = runtime()?;
    let right = runtime.block_on(run(flags, &fresh.path().join("data")))?;
    Ok(if right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn run(flags: &Demo, data: &std::path::Path) -> anyhow::Result<bool> {
    let world = World::real();
    let key = format!("sk_test_{}", world.token(32));
    let settings = settings(data, &key)?;
    let (listener, address) = listen(flags).await?;
    let metrics = Metrics::start();
    metrics.keep_up(&world);
    let mut stop = Stop::listen()?;
    let held = DataDir::at(data).hold()?;
    let databases = Databases::open(held.dir(), &settings, &world, Founding::Allowed).await?;
    let files = Files::read(&settings, &world)?;
    let app = App::open(held, databases, (&settings, files), &world, metrics).await?;
    app.prepare(&settings).await?;
    let (end, ended) = oneshot::channel();
    let story = async {
        // Whoever ends it in the middle of the story is heeded at once.
        let right = tokio::select! {
            biased;
            () = stop.heard() => false,
            right = told(flags, address, &key) => {
                if !flags.exit {
                    stop.heard().await;
                }
                right
            }
        };
        // The server goes when either side is gone.
        let _ = end.send(());
        right
    };
    let listeners = Listeners {
        public: listener,
        admin: None,
        tls: None,
    };
    let serving = app.serve(&settings, listeners, async {
        let _ = ended.await;
    });
    let (right, served) = futures_util::join!(story, serving);
    served?;
    Ok(right || !flags.exit)
}

async fn told(flags: &Demo, address: SocketAddr, key: &str) -> bool {
    let seen = stdout().is_terminal() && !no_color();
    let mut teller = Teller::new(
        Box::new(stdout()),
        if seen { Colour::Seen } else { Colour::Unseen },
    );
    teller.headline("Pointsman: a shop, its customers, and a simulated processor");
    teller.line(&format!(
        "A fresh sandbox at http://{address}, spoken to over its public interface alone."
    ));
    let client = Client::new(format!("http://{address}"), key.to_owned());
    let right = tell(&client, &mut teller).await;
    if !flags.exit {
        teller.line("");
        teller.headline("It keeps serving. Ctrl-C ends it and removes its data.");
        teller.line(&format!("  Address  http://{address}/api/graphql"));
        teller.line(&format!("  Key      {key}"));
        teller.line("  Try");
        teller.line(&format!("  {}", curl_line(address, key)));
        teller.line("");
        teller.line(&format!("pointsman listening on http://{address}"));
    }
    right
}

/// The environment's settings, with a key and a directory of the demo's own.
fn settings(data: &std::path::Path, key: &str) -> anyhow::Result<Settings> {
    let mut sources = Sources::of_process();
    sources.flags.push(("access_token", key.to_owned(), "demo"));
    sources.flags.push((
        "database.data_dir",
        data.to_string_lossy().into_owned(),
        "demo",
    ));
    let mut settings = Settings::load(sources, Sandbox::Open)?;
    // The story is on the screen; the log would only interrupt it.
    "error".clone_into(&mut settings.log.level);
    log::start(&settings.log);
    Ok(settings)
}

async fn listen(flags: &Demo) -> anyhow::Result<(TcpListener, SocketAddr)> {
    match &flags.listen {
        Some(address) => {
            bind(
                address
                    .parse()
                    .context("--listen must be an address such as 127.0.0.1:8080")?,
            )
            .await
        }
        None if flags.exit => bind(ANY.parse()?).await,
        None => match bind(USUAL.parse()?).await {
            Ok(bound) => Ok(bound),
            Err(_taken) => bind(ANY.parse()?).await,
        },
    }
}
