//! `pointsman demo`

use std::{
    io::{IsTerminal, stdout},
    net::SocketAddr,
    os::unix::fs::MetadataExt,
    path::Path,
    process::ExitCode,
    time::{Duration, UNIX_EPOCH},
};

use anyhow::Context;
use domain::Timestamp;
use tokio::{net::TcpListener, sync::oneshot};
use world::World;

use super::{
    arguments::Demo,
    runtime,
    serve::{EndSignals, bind, refuse_planted},
};
use crate::{
    app::{App, Configured, Databases, Files, Founding, Listeners},
    config::{Sandbox, Settings, Sources, no_color},
    data_dir::DataDir,
    demo::{
        Client, Colour, Evidence, Narrator, OpenShop, curl_line, open_shop, payment_link, play,
    },
    log,
    sandbox::local_base,
    telemetry::Metrics,
};

/// Where it listens when nobody says otherwise and it is free.
const USUAL: &str = "127.0.0.1:8080";
/// Any free port.
const ANY: &str = "127.0.0.1:0";

/// The data directory within a demo's temporary directory.
const DATA: &str = "data";
/// How the temporary directories of demos begin.
const PREFIX: &str = "pointsman-demo-";
/// From this age on a directory that no server holds is one that a killed demo has left. A younger one may belong to a demo that
/// is about to start.
const LEFT_AFTER: Duration = Duration::from_mins(1);

pub(super) fn demo(flags: &Demo) -> anyhow::Result<ExitCode> {
    refuse_planted(engine::HAS_PLANTED_BUGS)?;
    let fresh = tempfile::Builder::new()
        .prefix(PREFIX)
        .tempdir()
        .context("a fresh directory")?;
    let runtime = runtime()?;
    let right = runtime.block_on(run(flags, fresh.path()))?;
    Ok(if right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Removes what killed demos of the same user have left next to `own`. Whatever can't be removed stays.
fn remove_left(own: &Path, now: Timestamp) {
    let Some((alongside, user)) = own.parent().zip(owner(own)) else {
        return;
    };
    for entry in std::fs::read_dir(alongside).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        if path != own
            && name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
            && is_left(&path, user, now)
        {
            let _ = std::fs::remove_dir_all(&path);
        }
    }
}

/// The user to whom a directory belongs; links are not followed.
fn owner(path: &Path) -> Option<u32> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    metadata.is_dir().then(|| metadata.uid())
}

/// Whether a directory is this user's, is old enough, and no server holds it.
fn is_left(path: &Path, user: u32, now: Timestamp) -> bool {
    let changed = std::fs::symlink_metadata(path).and_then(|metadata| metadata.modified());
    let age = changed
        .ok()
        .and_then(|at| at.duration_since(UNIX_EPOCH).ok())
        .and_then(|at| Duration::from_micros(now.micros().try_into().ok()?).checked_sub(at));
    age.is_some_and(|age| age >= LEFT_AFTER)
        && owner(path) == Some(user)
        && !DataDir::at(path.join(DATA)).is_held()
}

async fn run(flags: &Demo, fresh: &Path) -> anyhow::Result<bool> {
    let world = World::real();
    remove_left(fresh, world.now());
    let data = fresh.join(DATA);
    let data = data.as_path();
    let key = format!("sk_test_{}", world.token(32));
    let settings = settings(data, &key)?;
    let (listener, address) = listen(flags).await?;
    let metrics = Metrics::start();
    metrics.keep_up(&world);
    let mut stop = EndSignals::listen()?;
    let held = DataDir::at(data).hold()?;
    let databases = Databases::open(held.dir(), &settings, &world, Founding::Allowed).await?;
    let evidence = if databases.is_shared() && settings.attachments.bucket.is_none() {
        Evidence::TextsAlone
    } else {
        Evidence::WithDocument
    };
    let files = Files::read(&settings, &world)?;
    let app = App::open(
        held,
        databases,
        Configured {
            settings: &settings,
            files,
        },
        &world,
        metrics,
    )
    .await?;
    app.prepare(&settings).await?;
    let (end, ended) = oneshot::channel();
    let story = async {
        // Ctrl-C in the middle of the story ends it at once.
        let right = tokio::select! {
            biased;
            () = stop.next() => false,
            right = run_story(address, &key, evidence) => {
                if !flags.exit {
                    // It is open until the end.
                    let _shop = show_what_is_open(address, &key).await;
                    stop.next().await;
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

async fn run_story(address: SocketAddr, key: &str, evidence: Evidence) -> bool {
    let mut narrator = narrator();
    narrator.headline("Pointsman: a shop, its customers, and a simulated processor");
    narrator.line(&format!(
        "A fresh sandbox at http://{address}, used through its public API only."
    ));
    let client = Client::new(format!("http://{address}"), key.to_owned());
    play(&client, &mut narrator, evidence).await
}

fn narrator() -> Narrator {
    let seen = stdout().is_terminal() && !no_color();
    let colour = if seen { Colour::Seen } else { Colour::Unseen };
    Narrator::new(Box::new(stdout()), colour)
}

/// Opens the shop, and prints where everything is.
async fn show_what_is_open(address: SocketAddr, key: &str) -> Option<OpenShop> {
    let service = local_base("http", address);
    let client = Client::new(service.clone(), key.to_owned());
    let link = payment_link(&client).await;
    let shop = open_shop(client, service.clone(), address).await;
    let mut narrator = narrator();
    narrator.line("");
    narrator.headline("It keeps serving. Ctrl-C ends it and removes its data.");
    match &shop {
        Ok(shop) => {
            narrator.line(&format!(
                "  Shop      {}  (pay with 4242 4242 4242 4242)",
                shop.origin
            ));
        }
        Err(why) => narrator.line(&format!("  Shop      not open: {why}")),
    }
    match link {
        Ok(url) => narrator.line(&format!(
            "  Pay link  {url}  (a page of the service; paid once)"
        )),
        Err(why) => narrator.line(&format!("  Pay link  none: {why}")),
    }
    // The fragment stays in the browser, and the page takes it out of the address at once.
    narrator.line(&format!("  Explorer  {service}/explorer#key={key}"));
    narrator.line(&format!("  Address   http://{address}/api/graphql"));
    narrator.line(&format!("  Key       {key}"));
    narrator.line("  Try");
    narrator.line(&format!("  {}", curl_line(address, key)));
    narrator.line("");
    narrator.line(&format!("pointsman listening on http://{address}"));
    shop.ok()
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_killed_demos_have_left_is_removed_and_nothing_else() {
        let alongside = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let path = alongside.path().join(name);
            fs::create_dir_all(path.join(DATA)).unwrap();
            path
        };
        let (own, left, held, other) = (
            make("pointsman-demo-own"),
            make("pointsman-demo-left"),
            make("pointsman-demo-held"),
            make("somebody-else"),
        );
        fs::write(left.join(DATA).join("store.db"), "x").unwrap();
        let lock = DataDir::at(held.join(DATA)).hold().unwrap();
        let link = alongside.path().join("pointsman-demo-link");
        std::os::unix::fs::symlink(&other, &link).unwrap();
        let begun = fs::metadata(&left).unwrap().modified().unwrap();
        let begun = begun.duration_since(UNIX_EPOCH).unwrap().as_micros();
        let begun = Timestamp::from_micros(begun.try_into().unwrap());
        remove_left(&own, begun.after(Duration::from_secs(59)));
        assert!(left.exists(), "it may be about to start");
        remove_left(&own, begun.after(Duration::from_hours(1)));
        assert!(!left.exists());
        for kept in [&own, &held, &other, &link] {
            assert!(kept.exists(), "{}", kept.display());
        }
        drop(lock);
    }
}
