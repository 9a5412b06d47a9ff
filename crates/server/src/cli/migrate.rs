//! `pointsman migrate`

use std::process::ExitCode;

use anyhow::{anyhow, bail};
use world::World;

use super::{arguments::Migrate, runtime};
use crate::{
    app::moving::{self, DatabaseKind, GivenUp, Moved, Progress, Side},
    config::{Sandbox, Settings},
    log,
};

/// An installation's place as it is written on the command line.
#[derive(Debug, PartialEq, Eq)]
enum DatabasePlace<'a> {
    /// `sqlite:DIR`
    Embedded(&'a str),
    /// `postgres://…`; as the configuration has it when there is no more than `postgres:`.
    Server(Option<&'a str>),
}

impl<'a> DatabasePlace<'a> {
    fn parse(text: &'a str) -> anyhow::Result<Self> {
        match text {
            "postgres:" => Ok(Self::Server(None)),
            _ if text.starts_with("postgres://") || text.starts_with("postgresql://") => {
                Ok(Self::Server(Some(text)))
            }
            _ => match text.strip_prefix("sqlite:") {
                Some(dir) if !dir.is_empty() => Ok(Self::Embedded(dir)),
                // What was given is not repeated: it may hold a password.
                _ => Err(anyhow!(
                    "an installation is `sqlite:DIR` or `postgres://…`; `postgres:` is the configured one"
                )),
            },
        }
    }

    const fn kind(&self) -> DatabaseKind {
        match self {
            Self::Embedded(_) => DatabaseKind::Embedded,
            Self::Server(_) => DatabaseKind::Server,
        }
    }
}

/// From which database an installation moves, and to which.
#[derive(Debug, Clone, Copy)]
struct Direction {
    from: DatabaseKind,
    to: DatabaseKind,
}

pub(super) fn migrate(flags: &Migrate) -> anyhow::Result<ExitCode> {
    let from = DatabasePlace::parse(&flags.from)?;
    let to = flags.to.as_deref().map(DatabasePlace::parse).transpose()?;
    let to_or_configured = to.as_ref().unwrap_or(&DatabasePlace::Server(None));
    if !flags.give_up && from.kind() == to_or_configured.kind() {
        bail!(
            "an installation is moved between `sqlite:DIR` and `postgres://…`, in either direction"
        );
    }
    let mut settings = settings(flags, [Some(&from), to.as_ref()])?;
    // A command's own output is what counts; the log is for what goes wrong.
    "warn".clone_into(&mut settings.log.level);
    log::start(&settings.log);
    let asks_server = from.kind() == DatabaseKind::Server || !flags.give_up;
    if asks_server && settings.database.url.is_none() {
        bail!(
            "the address of the PostgreSQL server is missing: give it with --to, or as database.url"
        );
    }
    let which = if flags.abandon_target {
        GivenUp::Moved
    } else {
        GivenUp::Begun
    };
    let given_up = flags.give_up.then_some(which);
    let direction = Direction {
        from: from.kind(),
        to: to_or_configured.kind(),
    };
    runtime()?.block_on(run(given_up, direction, &settings))
}

/// The configuration, with what the flags say of both sides.
fn settings<'a>(
    flags: &Migrate,
    places: impl IntoIterator<Item = Option<&'a DatabasePlace<'a>>>,
) -> anyhow::Result<Settings> {
    let mut sources = flags.sources();
    for place in places.into_iter().flatten() {
        match place {
            DatabasePlace::Embedded(dir) => {
                sources
                    .flags
                    .push(("database.data_dir", (*dir).to_owned(), "the place sqlite:"));
            }
            DatabasePlace::Server(Some(url)) => {
                sources
                    .flags
                    .push(("database.url", (*url).to_owned(), "the place postgres:"));
            }
            DatabasePlace::Server(None) => {}
        }
    }
    Ok(Settings::load(sources, Sandbox::Absent)?)
}

async fn run(
    given_up: Option<GivenUp>,
    direction: Direction,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    let world = World::real();
    let source = Side::source(direction.from, settings, &world).await?;
    if let Some(given_up) = given_up {
        let ended = moving::give_up(&source, given_up).await;
        let shown = source.shown().to_owned();
        source.close().await;
        ended?;
        output::line(&format!(
            "{shown} may be served again. What the target has of it must not be served; empty it."
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let target = Side::target(direction.to, source.mode(), settings, &world).await?;
    let moved = moving::migrate(&source, &target, settings, &Progress::on_stderr()).await;
    let (from, to) = (source.shown().to_owned(), target.shown().to_owned());
    source.close().await;
    target.close().await;
    print_moved(&moved?, &from, &to);
    Ok(ExitCode::SUCCESS)
}

/// The table of what was compared, and what is left to do.
fn print_moved(moved: &Moved, from: &str, to: &str) {
    if moved.tables.is_empty() {
        output::line("Everything was there already.");
    } else {
        let width = moved
            .tables
            .iter()
            .map(|one| one.table.len())
            .max()
            .unwrap_or_default();
        output::line(&format!(
            "{:width$}  {:>12}  checksum, the same on both sides",
            "table", "rows"
        ));
    }
    let width = moved
        .tables
        .iter()
        .map(|one| one.table.len())
        .max()
        .unwrap_or_default();
    for one in &moved.tables {
        output::line(&format!(
            "{:width$}  {:>12}  {}",
            one.table, one.rows, one.checksum
        ));
    }
    output::line(&format!(
        "\nMoved from {from} to {to}. Serve the target; the source is not served any more."
    ));
    output::line(&match &moved.key_file {
        Some(path) => format!(
            "The vault's keys are in no database: {} is the place for them here. Keep the file, and give it to every \
             node (vault.key_file). Without it no card can be opened.",
            path.display()
        ),
        None => "The vault's keys are in your configuration (vault.keys): every node needs them."
            .to_owned(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_directory_or_a_server() {
        assert_eq!(
            DatabasePlace::parse("sqlite:./data").unwrap(),
            DatabasePlace::Embedded("./data")
        );
        assert_eq!(
            DatabasePlace::parse("postgres://h/d").unwrap(),
            DatabasePlace::Server(Some("postgres://h/d"))
        );
        assert_eq!(
            DatabasePlace::parse("postgres:").unwrap(),
            DatabasePlace::Server(None)
        );
        for wrong in ["", "sqlite:", "./data", "mysql://u:swordfish@h/d"] {
            let refused = DatabasePlace::parse(wrong).unwrap_err().to_string();
            assert!(!refused.contains("swordfish"), "{refused}");
        }
    }
}
