//! The databases of the service: embedded in the data directory, or schemas on a PostgreSQL server.

use std::path::PathBuf;

use anyhow::{Context, bail};
use db::{
    Change, ChangeId, Db, DbError, Lanes, Migration, Overwrite, PostgresOptions, SqliteOptions,
    Survives, Tables,
};
use domain::caller::Mode;
use store::installation;
use world::World;

use super::{
    copies,
    findings::{Findings, Subject},
};
use crate::{
    config::{Database, Hidden, Settings},
    data_dir::{DataDir, mode_name},
    sandbox::DbBooks,
};

/// The store and the vault, open.
pub struct Databases {
    pub(super) store: Db,
    pub(super) vault: Db,
    pub(super) vault_was_there: bool,
}

/// Whether databases are made where there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Founding {
    /// By a server's start, or a command that makes something.
    Allowed,
    /// A slip of the pen must not found an installation.
    Refused,
    /// Nothing at all is made or changed: tables of an older release are [`DbError::Pending`].
    Looked,
}

/// One of the service's databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Store,
    Vault,
    Simulator,
}

impl Which {
    pub(super) const fn migrations(self) -> &'static [Migration] {
        match self {
            Self::Store => store::MIGRATIONS,
            Self::Vault => vault::MIGRATIONS,
            Self::Simulator => DbBooks::MIGRATIONS,
        }
    }

    /// Its name, for people and programs.
    const fn name(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Vault => "vault",
            Self::Simulator => "simulator",
        }
    }

    /// What follows the name of the store's schema.
    const fn ending(self) -> &'static str {
        match self {
            Self::Store => "",
            Self::Vault => "_vault",
            Self::Simulator => "_simulator",
        }
    }
}

impl Databases {
    /// Opens store and vault and brings their tables up to date.
    pub async fn open(
        dir: &DataDir,
        settings: &Settings,
        world: &World,
        founding: Founding,
    ) -> anyhow::Result<Self> {
        if settings.database.url.is_some() {
            return Self::open_on_server(dir, settings, world, founding).await;
        }
        refuse_elsewhere(dir)?;
        if founding == Founding::Refused {
            refuse_nothing(dir)?;
        }
        dir.refuse_parts()?;
        Self::open_for_a_move(dir, settings, world, founding).await
    }

    async fn open_on_server(
        dir: &DataDir,
        settings: &Settings,
        world: &World,
        founding: Founding,
    ) -> anyhow::Result<Self> {
        // Not even tables are made where the address is wrong.
        let second = belongs_elsewhere(dir);
        let restored = settings.after_restore;
        let founding = if (second || restored) && founding == Founding::Allowed {
            Founding::Refused
        } else {
            founding
        };
        match Self::open_for_a_move(dir, settings, world, founding).await {
            Err(error) if restored && matches!(error.downcast_ref(), Some(DbError::Unfounded)) => {
                bail!(copies::nothing_restored("this database"))
            }
            Err(error) if second && matches!(error.downcast_ref(), Some(DbError::Unfounded)) => {
                Err(second_one(dir))
            }
            opened => opened,
        }
    }

    /// As [`Databases::open`], also where the embedded ones are yet to become what a server on PostgreSQL has.
    pub(super) async fn open_for_a_move(
        dir: &DataDir,
        settings: &Settings,
        world: &World,
        founding: Founding,
    ) -> anyhow::Result<Self> {
        let vault_was_there = settings.database.url.is_none() && dir.vault().exists();
        Ok(Self {
            store: open(Which::Store, dir, settings, world, founding).await?,
            vault: open(Which::Vault, dir, settings, world, founding).await?,
            vault_was_there,
        })
    }

    /// The mode of the data; `None` before the first start. The embedded ones have it in their directory.
    pub async fn mode(&self) -> anyhow::Result<Option<Mode>> {
        if !self.store.is_shared() {
            return Ok(None);
        }
        installation::get(&self.store, installation::MODE)
            .await?
            .as_deref()
            .map(mode)
            .transpose()
    }

    /// Whether nodes can share them.
    pub fn is_shared(&self) -> bool {
        self.store.is_shared()
    }

    /// Refuses to begin an installation on a PostgreSQL server in a directory that has another one, or a way to it: most likely
    /// the address is wrong, and two that share keys would lose them at a rotation.
    pub(super) async fn refuse_second(&self, dir: &DataDir) -> anyhow::Result<()> {
        let second = self.is_shared() && belongs_elsewhere(dir) && self.mode().await?.is_none();
        if second { Err(second_one(dir)) } else { Ok(()) }
    }

    /// Refuses data of the other mode; the first node that starts decides permanently.
    pub(super) async fn claim(&self, asked: Mode, world: &World) -> anyhow::Result<()> {
        if !self.store.is_shared() {
            return Ok(());
        }
        let change = Change::new(ChangeId(world.uuid_v7().as_u128()), installation::MODE);
        let made = mode(
            &installation::claim(&self.store, change, installation::MODE, mode_name(asked)).await?,
        )?;
        refuse_other_mode(made, asked)
    }

    /// Refuses data of the other mode, where they have one. Writes nothing.
    pub(super) async fn refuse_other_mode(&self, asked: Mode) -> anyhow::Result<()> {
        self.mode()
            .await?
            .map_or(Ok(()), |made| refuse_other_mode(made, asked))
    }

    /// What is unsafe about where the vault is; `None` when nothing is.
    pub async fn exposure(&self, settings: &Settings) -> Result<Option<String>, DbError> {
        if !self.store.is_shared() {
            return Ok(None);
        }
        // Of the database's own catalogue, not of a team.
        let sql = "select count(*) from pg_catalog.pg_namespace \
                   where nspname = $1 and has_schema_privilege(oid, 'usage')";
        let schema = schema(Which::Vault, &settings.database);
        let rows = self.store.read(sql, vec![schema.as_str().into()]).await?;
        let reaches = rows.first().map_or(Ok(0), |row| row.int(0))? > 0;
        Ok(reaches.then(|| {
            format!(
                "the role of database.url can look into the vault's schema {schema}: give the vault a role of its own by \
                 vault.database_url, see docs/postgresql.md"
            )
        }))
    }

    /// Refuses to take a database of a server for a restored copy where no installation is.
    pub(super) async fn refuse_nothing_restored(&self, settings: &Settings) -> anyhow::Result<()> {
        let nothing = settings.after_restore && self.is_shared() && self.mode().await?.is_none();
        anyhow::ensure!(!nothing, copies::nothing_restored("this database"));
        Ok(())
    }

    /// Closes them.
    pub async fn close(&self) {
        self.store.close().await;
        self.vault.close().await;
    }
}

/// Refuses to begin embedded databases where a server on PostgreSQL has its keys: a forgotten address would found an installation
/// with the other one's keys, and a rotation there would destroy them.
fn refuse_elsewhere(dir: &DataDir) -> anyhow::Result<()> {
    anyhow::ensure!(
        !dir.is_of_a_server(),
        "{} belongs to an installation on PostgreSQL (its file on-postgresql says so), and no address is given: set database.url (--database-url, \
         POINTSMAN_DATABASE__URL), or choose another directory with --data-dir",
        dir.path().display()
    );
    Ok(())
}

/// Whether the directory has an installation, or a way to one on a PostgreSQL server.
fn belongs_elsewhere(dir: &DataDir) -> bool {
    dir.is_of_a_server() || dir.store().exists()
}

/// Why none is begun there in a server's empty database.
fn second_one(dir: &DataDir) -> anyhow::Error {
    anyhow::anyhow!(
        "there is nothing in this database, or in the vault's, yet, and {} belongs to another installation: look at the address \
         (database.url, database.schema, vault.database_url); a new installation needs a data directory and a key file of its own, and \
         `pointsman migrate` moves one",
        dir.path().display()
    )
}

/// Refuses embedded databases that are not there.
fn refuse_nothing(dir: &DataDir) -> anyhow::Result<()> {
    anyhow::ensure!(
        dir.store().exists() && dir.vault().exists(),
        "there is no installation in {}: name its directory with --data-dir, or its database with database.url (--database-url, \
         POINTSMAN_DATABASE__URL); the first start of a server makes one",
        dir.path().display()
    );
    Ok(())
}

fn refuse_other_mode(made: Mode, asked: Mode) -> anyhow::Result<()> {
    if made == asked {
        return Ok(());
    }
    bail!(
        "the database holds data of {} mode and can't be served in {} mode: serve it {} --sandbox, or choose another database or another \
         database.schema",
        mode_name(made),
        mode_name(asked),
        if made == Mode::Test {
            "with"
        } else {
            "without"
        }
    );
}

/// Opens the simulator's books.
pub(super) async fn open_books(
    dir: &DataDir,
    settings: &Settings,
    world: &World,
    founding: Founding,
) -> anyhow::Result<Db> {
    open(Which::Simulator, dir, settings, world, founding).await
}

/// Looks at each of the databases, whatever the others are like. Whether all of them are there and up to date.
pub(super) async fn look_at_each(
    dir: &DataDir,
    settings: &Settings,
    world: &World,
    findings: &mut Findings,
) -> bool {
    if settings.database.url.is_none()
        && let Err(error) = refuse_elsewhere(dir)
    {
        findings.problem(Subject::new("database", "store"), format!("{error:#}"));
        return false;
    }
    let mut databases = vec![Which::Store, Which::Vault];
    databases.extend((settings.mode == Mode::Test).then_some(Which::Simulator));
    let (mut all, mut empty) = (true, false);
    // What a directory has lost is said of the directory: no start makes it again.
    let is_lost = |which| {
        settings.database.url.is_none()
            && crate::data_dir::is_missing(&file(which, dir))
            && dir.refuse_parts().is_err()
    };
    for which in databases {
        let subject = Subject::new("database", which.name());
        match open(which, dir, settings, world, Founding::Looked).await {
            Ok(db) => {
                match look_at(&db).await {
                    Ok(()) => findings.ok(subject, "it answers, and its tables are up to date"),
                    Err(error) => {
                        all = false;
                        findings.problem(subject, error.to_string());
                    }
                }
                db.close().await;
            }
            Err(error) => {
                all = false;
                match error.downcast_ref() {
                    Some(DbError::Unfounded) if is_lost(which) => {}
                    Some(DbError::Unfounded) => {
                        empty |= which != Which::Simulator;
                        findings.note(subject, format!("{error:#}"));
                    }
                    Some(DbError::Pending(_)) => findings.note(subject, format!("{error:#}")),
                    _ => findings.problem(subject, format!("{error:#}")),
                }
            }
        }
    }
    if empty && settings.after_restore {
        let place = match settings.database.url {
            Some(_) => "this database".to_owned(),
            None => dir.path().display().to_string(),
        };
        findings.problem(
            Subject::new("database", "store"),
            copies::nothing_restored(&place),
        );
    }
    if empty && settings.database.url.is_some() && belongs_elsewhere(dir) {
        findings.problem(
            Subject::new("database", "store"),
            second_one(dir).to_string(),
        );
    }
    all
}

/// Whether a database answers, and is whole.
async fn look_at(db: &Db) -> Result<(), DbError> {
    db.check().await?;
    db.check_structure().await
}

async fn open(
    which: Which,
    dir: &DataDir,
    settings: &Settings,
    world: &World,
    founding: Founding,
) -> anyhow::Result<Db> {
    let database = &settings.database;
    match url(which, settings) {
        Some(url) => {
            let schema = schema(which, database);
            let tables = match founding {
                Founding::Allowed => Tables::Made,
                Founding::Refused => Tables::Renewed,
                Founding::Looked => Tables::LookedAt,
            };
            let options = PostgresOptions {
                tables,
                ..on_server(which, url, settings)
            };
            let opened = Db::postgres(options, which.migrations(), world).await;
            let shared = which == Which::Vault && settings.vault.database_url.is_none();
            let hint = match &opened {
                Err(DbError::Denied(_)) if shared => {
                    " (vault.database_url is not set: the role of database.url was used)"
                }
                _ => "",
            };
            let setting = setting(which, settings);
            opened.with_context(|| {
                format!("the PostgreSQL server of {setting}, schema {schema}{hint}")
            })
        }
        None if founding == Founding::Looked => {
            let path = file(which, dir);
            Db::sqlite_looked_at(&path, which.migrations(), world)
                .with_context(|| path.display().to_string())
        }
        None => open_file(which, dir, survives(which, settings), world),
    }
}

/// The setting that names the server of a database.
pub(super) fn setting(which: Which, settings: &Settings) -> &'static str {
    match which {
        Which::Vault if settings.vault.database_url.is_some() => "vault.database_url",
        Which::Store | Which::Vault | Which::Simulator => "database.url",
    }
}

/// The server that a database is on; `None` where it is embedded.
pub(super) fn url(which: Which, settings: &Settings) -> Option<&Hidden> {
    let url = settings.database.url.as_ref();
    match which {
        Which::Vault => settings.vault.database_url.as_ref().or(url),
        Which::Store | Which::Simulator => url,
    }
}

/// The simulator's books are those of a simulated processor: they outlive this process, and cost no write to the disk.
pub(super) fn survives(which: Which, settings: &Settings) -> Survives {
    match which {
        Which::Simulator if !settings.books.sync_books => Survives::TheProcess,
        Which::Store | Which::Vault | Which::Simulator => Survives::TheMachine,
    }
}

pub(super) fn open_file(
    which: Which,
    dir: &DataDir,
    survives: Survives,
    world: &World,
) -> anyhow::Result<Db> {
    let path = file(which, dir);
    let options = SqliteOptions::new(&path);
    let options = match which {
        // An erased customer's data are overwritten where they stood. Overwriting whole freed pages too would halve the
        // authorisations per second, and rows of the store are small: they hardly ever fill one.
        Which::Store => SqliteOptions {
            overwrite: Overwrite::Pages,
            ..options
        },
        Which::Vault => SqliteOptions {
            overwrite: Overwrite::Everything,
            ..options
        },
        Which::Simulator => SqliteOptions {
            readers: 2,
            survives,
            ..options
        },
    };
    Db::sqlite(options, which.migrations(), world).with_context(|| path.display().to_string())
}

pub(super) fn file(which: Which, dir: &DataDir) -> PathBuf {
    match which {
        Which::Store => dir.store(),
        Which::Vault => dir.vault(),
        Which::Simulator => dir.simulator(),
    }
}

pub(super) fn schema(which: Which, database: &Database) -> String {
    format!("{}{}", database.schema, which.ending())
}

/// How one is opened that is on a server.
pub(super) fn on_server(which: Which, url: &Hidden, settings: &Settings) -> PostgresOptions {
    let database = &settings.database;
    let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let (writers, readers, scanners, lanes) = match which {
        Which::Store => (
            count(database.writers),
            count(database.readers),
            count(database.scanners),
            database.lanes,
        ),
        // Only sweeps claim in the vault, and nothing in the simulator.
        Which::Vault | Which::Simulator => (1, 2, 1, Lanes::SweepsClaim),
    };
    PostgresOptions {
        writers,
        readers,
        scanners,
        lanes,
        connect_timeout: database.connect_timeout,
        statement_timeout: database.statement_timeout,
        patience: database.patience,
        max_clock_skew: database.max_clock_skew,
        bundles: database.bundles,
        moves: database.moves,
        migrates: database.migrate_at_start,
        survives: survives(which, settings),
        ..PostgresOptions::new(url.expose(), schema(which, database))
    }
}

fn mode(text: &str) -> anyhow::Result<Mode> {
    match text {
        "test" => Ok(Mode::Test),
        "live" => Ok(Mode::Live),
        _ => bail!("the database does not say whether its data are of test or of live mode"),
    }
}
