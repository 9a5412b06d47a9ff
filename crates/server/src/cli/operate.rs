//! Commands that change things: by the running server where there is one, else in this process.

use std::{process::ExitCode, time::Duration};

use anyhow::anyhow;
use world::World;

use super::{arguments::Location, runtime};
use crate::{
    admin::{self, AskError, Request},
    app::{App, Configured, Databases, Files, Founding},
    config::{Sandbox, Settings},
    data_dir::{DataDir, DataDirError, Held},
    log,
    telemetry::Metrics,
};

/// A server that starts or stops holds the data directory while it does not answer yet, or no more.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(100);

pub(super) fn operate(place: &Location, request: &Request) -> anyhow::Result<ExitCode> {
    operate_quietly(place, request, &|line| output::line(&line))?;
    Ok(ExitCode::SUCCESS)
}

/// Performs a request whose words go elsewhere than to standard output.
pub(super) fn operate_quietly(
    place: &Location,
    request: &Request,
    say: admin::Say<'_>,
) -> anyhow::Result<()> {
    let mut settings = Settings::load(place.sources_alongside(), Sandbox::Absent)?;
    // A command's own output is what counts; the log is for what goes wrong.
    "warn".clone_into(&mut settings.log.level);
    log::start(&settings.log);
    runtime()?.block_on(perform(settings, request, say))
}

/// Performs a request: by the server that has the data directory where there is one, else here.
async fn perform(settings: Settings, request: &Request, say: admin::Say<'_>) -> anyhow::Result<()> {
    let world = World::real();
    let dir = DataDir::at(&settings.database.data_dir);
    // A look or a slip of the pen must not found an installation; making a team may.
    let is_founded = dir.path().exists() || settings.database.url.is_some();
    if !is_founded && !matches!(request, Request::TeamCreate { .. }) {
        return Err(anyhow!(
            "there is no data directory at {}: name it with --data-dir",
            dir.path().display()
        ));
    }
    for turn in 0..TRIES {
        match dir.hold() {
            Ok(held) => {
                return here(held, settings, request, say, &world).await;
            }
            Err(DataDirError::InUse { .. }) => {
                if turn == 0 && settings.database.url.is_some() {
                    let shown = dir.path().display();
                    output::error(&format!(
                        "a server runs in {shown}: it is asked, and its own configuration counts"
                    ));
                }
            }
            Err(other) => return Err(other.into()),
        }
        match admin::ask(&dir.socket(), request, say).await {
            Err(AskError::Nobody) => world.sleep(PAUSE).await,
            answered => return answered.map_err(anyhow::Error::from),
        }
    }
    Err(anyhow!(
        "another process holds {} and does not answer at its socket",
        dir.path().display()
    ))
}

async fn here(
    held: Held,
    mut settings: Settings,
    request: &Request,
    say: admin::Say<'_>,
    world: &World,
) -> anyhow::Result<()> {
    settings.database.be_brief();
    let makes = matches!(request, Request::TeamCreate { .. });
    let founding = if makes {
        Founding::Allowed
    } else {
        Founding::Refused
    };
    let databases = Databases::open(held.dir(), &settings, world, founding).await?;
    // Data have their mode, whatever the configuration of a command says.
    let made = match databases.mode().await? {
        Some(made) => Some(made),
        None => held.dir().mode()?,
    };
    if made.is_none() && !makes {
        return Err(anyhow!(
            "there is no installation in the database yet: the first start of a server makes one"
        ));
    }
    settings.mode = made.unwrap_or(settings.mode);
    let files = Files::read(&settings, world)?;
    let app = App::open(
        held,
        databases,
        Configured {
            settings: &settings,
            files,
        },
        world,
        Metrics::absent(),
    )
    .await?;
    if makes {
        app.note_server()?;
    }
    app.reachable_as_configured(&settings);
    let result = app.operator().perform(request.clone(), say).await;
    app.close().await;
    result.map_err(|why| anyhow!(why))
}
