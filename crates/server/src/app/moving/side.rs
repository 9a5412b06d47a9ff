//! One side of a move: an installation's databases, open, with nobody else at work on them.

use std::time::Duration;

use anyhow::bail;
use db::{Db, Row, Table, Value, tables};
use domain::caller::Mode;
use sha2::{Digest, Sha256};
use world::World;

use super::super::databases::{self, Databases, Founding};
use crate::{
    config::Settings,
    data_dir::{DataDir, DataDirError, Held, MOVED},
    sandbox::DbBooks,
};

/// How often it is looked whether nodes have gone.
const FAREWELL: u32 = 10;

/// Which kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseKind {
    /// Embedded, in a data directory.
    Embedded,
    /// Schemas on a PostgreSQL server.
    Server,
}

/// One database of an installation.
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) db: Db,
    pub(super) tables: Vec<Table>,
}

/// An installation, open.
pub struct Side {
    store: Part,
    vault: Part,
    /// In test mode.
    books: Option<Part>,
    mode: Mode,
    world: World,
    shown: String,
    kind: DatabaseKind,
    schema: String,
    tag: u64,
    /// Of an embedded one: held until the move has ended.
    held: Option<Held>,
}

impl Side {
    /// Opens what is to be moved from here.
    ///
    /// # Errors
    /// There is nothing, or a server is at work on it.
    pub async fn source(
        kind: DatabaseKind,
        settings: &Settings,
        world: &World,
    ) -> anyhow::Result<Self> {
        let dir = DataDir::at(&settings.database.data_dir);
        if kind == DatabaseKind::Embedded && !dir.store().exists() {
            bail!("there is no installation in {}", dir.path().display());
        }
        Self::open(kind, None, settings, world).await
    }

    /// Opens what is to be filled with data of this mode; makes it where it is not there.
    ///
    /// # Errors
    /// A server is at work on it, or it can't be made.
    pub async fn target(
        kind: DatabaseKind,
        mode: Mode,
        settings: &Settings,
        world: &World,
    ) -> anyhow::Result<Self> {
        Self::open(kind, Some(mode), settings, world).await
    }

    async fn open(
        kind: DatabaseKind,
        mode: Option<Mode>,
        settings: &Settings,
        world: &World,
    ) -> anyhow::Result<Self> {
        let mut settings = settings.clone();
        // What was moved stays, the books too.
        settings.books.sync_books = true;
        let dir = DataDir::at(&settings.database.data_dir);
        let (shown, held) = match kind {
            DatabaseKind::Embedded => {
                settings.database.url = None;
                settings.vault.database_url = None;
                let shown = format!("sqlite:{}", dir.path().display());
                let held = hold(&dir, &shown)?;
                (shown, Some(held))
            }
            DatabaseKind::Server => {
                settings.database.moves = true;
                (String::new(), None)
            }
        };
        // Only a target is made where there is nothing.
        let founding = if mode.is_some() {
            Founding::Allowed
        } else {
            Founding::Refused
        };
        let databases = Databases::open_for_a_move(&dir, &settings, world, founding).await?;
        let (shown, there) = match &held {
            Some(held) => (shown, held.dir().mode()?),
            None => (
                database_shown(&databases.store, &settings.database.schema).await?,
                databases.mode().await?,
            ),
        };
        let Some(mode) = mode.or(there) else {
            bail!("there is no installation in {shown}: it was never served");
        };
        let books = match mode {
            Mode::Test => {
                Some(databases::open_books(&dir, &settings, world, Founding::Allowed).await?)
            }
            Mode::Live => None,
        };
        let part = |name, db, migrations| {
            Ok::<_, db::DbError>(Part {
                name,
                db,
                tables: tables(migrations)?,
            })
        };
        let side = Self {
            store: part("store", databases.store, store::MIGRATIONS)?,
            vault: part("vault", databases.vault, vault::MIGRATIONS)?,
            books: books
                .map(|books| part("simulator", books, DbBooks::MIGRATIONS))
                .transpose()?,
            mode,
            world: world.clone(),
            shown,
            kind,
            tag: tag(&dir, &settings),
            schema: settings.database.schema.clone(),
            held,
        };
        side.refuse_company().await?;
        Ok(side)
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        [&self.store, &self.vault].into_iter().chain(&self.books)
    }

    pub(super) fn store(&self) -> &Db {
        &self.store.db
    }

    pub(super) fn world(&self) -> &World {
        &self.world
    }

    /// How it is called in words for the operator.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Tells it from other places, by its address.
    pub(super) fn tag(&self) -> u64 {
        self.tag
    }

    /// Whether money is real there.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Notes the mode where an embedded one has it, and that the data are here now. Until the target is marked as complete its other
    /// mark keeps it from being served.
    pub(super) fn claim(&self, mode: Mode) -> anyhow::Result<()> {
        let Some(held) = &self.held else {
            return Ok(());
        };
        held.claim(mode)?;
        held.note_generation(MOVED)?;
        held.forget_server()?;
        Ok(())
    }

    /// Notes that the data are to be served from here, where an embedded one was served on PostgreSQL meanwhile.
    pub(super) fn come_home(&self) -> anyhow::Result<()> {
        Ok(self.held.as_ref().map_or(Ok(()), Held::forget_server)?)
    }

    /// Refuses a target that holds anything.
    pub(super) async fn refuse_rows(&self) -> anyhow::Result<()> {
        for part in self.parts() {
            for table in &part.tables {
                if !page(&part.db, table, None, 1).await?.is_empty() {
                    bail!(
                        "{} is not empty: its table {} has rows; choose another target, or another database.schema",
                        self.shown,
                        table.name
                    );
                }
            }
        }
        Ok(())
    }

    /// Refuses a PostgreSQL server on which nodes are at work. The embedded databases have a lock for that.
    pub(super) async fn refuse_company(&self) -> anyhow::Result<()> {
        if self.kind == DatabaseKind::Embedded {
            return Ok(());
        }
        // Of the server's own statistics. Store, vault and simulator each have a schema of their own.
        let sql = "select count(*) from pg_catalog.pg_stat_activity, \
                   (select $1 || ending as name from (values (''), ('_vault'), ('_simulator')) as each (ending)) as node \
                   where datname = current_database() \
                   and (application_name = left(name, 63) or starts_with(application_name, name || ' '))";
        let nodes = format!("pointsman {}", self.schema);
        let mut others = 0;
        // The connections of a node that was just killed take their time to go.
        for _ in 0..FAREWELL {
            let rows = self.store().read(sql, vec![nodes.as_str().into()]).await?;
            others = rows.first().map_or(Ok(0), |row| row.int(0))?;
            if others == 0 {
                return Ok(());
            }
            self.world.sleep(Duration::from_millis(200)).await;
        }
        bail!(
            "{} has {others} connections of running nodes; stop every node first",
            self.shown
        );
    }

    /// Closes the databases.
    pub async fn close(self) {
        for part in self.parts() {
            part.db.close().await;
        }
    }
}

impl Part {
    /// The rows behind a key.
    pub(super) async fn page(
        &self,
        table: &Table,
        after: Option<&[Value]>,
        limit: u32,
    ) -> anyhow::Result<Vec<Row>> {
        page(&self.db, table, after, limit).await
    }

    /// How many rows a table has.
    pub(super) async fn count(&self, table: &Table) -> anyhow::Result<u64> {
        self.number(table.count()).await
    }

    /// How many rows a table has up to a key.
    pub(super) async fn count_up_to(
        &self,
        table: &Table,
        key: Option<&[Value]>,
    ) -> anyhow::Result<u64> {
        self.number(table.count_up_to(key.unwrap_or_default()))
            .await
    }

    async fn number(&self, statement: db::Statement) -> anyhow::Result<u64> {
        let rows = self.db.scan(statement.sql, statement.params).await?;
        let number = rows.first().map_or(Ok(0), |row| row.int(0))?;
        Ok(u64::try_from(number).unwrap_or_default())
    }
}

/// The rows of a table behind a key.
pub(super) async fn page(
    db: &Db,
    table: &Table,
    after: Option<&[Value]>,
    limit: u32,
) -> anyhow::Result<Vec<Row>> {
    let look = table.page(after, limit);
    Ok(db.scan(look.sql, look.params).await?)
}

/// A digest, since an address may hold a password and stands in the other side's mark.
fn tag(dir: &DataDir, settings: &Settings) -> u64 {
    let mut digest = Sha256::new();
    if let Some(url) = &settings.database.url {
        digest.update(url.expose());
        digest.update([0]);
        digest.update(&settings.database.schema);
    } else {
        let path = dir
            .path()
            .canonicalize()
            .unwrap_or_else(|_| dir.path().to_owned());
        digest.update(path.as_os_str().as_encoded_bytes());
    }
    let digest = digest.finalize();
    digest
        .iter()
        .take(8)
        .fold(0, |tag, byte| tag << 8 | u64::from(*byte))
}

/// A PostgreSQL database in words for the operator, who may have given another one's address.
async fn database_shown(store: &Db, schema: &str) -> anyhow::Result<String> {
    // Of the server itself.
    let rows = store
        .read("select current_database()::text", Vec::new())
        .await?;
    let name = rows.first().map_or(Ok(""), |row| row.text(0))?;
    Ok(format!("the PostgreSQL database {name} (schema {schema})"))
}

fn hold(dir: &DataDir, shown: &str) -> anyhow::Result<Held> {
    match dir.hold() {
        Err(DataDirError::InUse { pid, .. }) => {
            bail!(
                "{shown} is in use by another pointsman (process {pid}); stop it first: nobody may write while data are moved"
            )
        }
        held => Ok(held?),
    }
}
