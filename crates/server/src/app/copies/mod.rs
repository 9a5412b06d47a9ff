//! Backups of the embedded databases: taken while a server runs, put back, and looked through.

mod files;
pub mod horizon;
mod keys;
mod manifest;
mod place;
mod verify;

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
    time::Duration,
};

use anyhow::{Context, ensure};
use db::{Change, ChangeId, Committed, Db, Snapshot};
use domain::{
    Timestamp,
    audit::{Act, Deed, INSTALLATION},
    caller::Mode,
};
use store::installation;
use world::World;

pub use manifest::Manifest;
use place::Places;
pub use verify::{Report, verify_backup, verify_server};

use super::databases::{self, Databases, Which, file};
use crate::{
    config::Settings,
    data_dir::{DataDir, Held, MOVED, mode_name},
};

/// How far apart the clocks of an installation and of its copy may be.
const CLOCKS: Duration = Duration::from_mins(1);

/// What to use where the data are on a PostgreSQL server.
pub const ON_POSTGRESQL: &str = "the data are on a PostgreSQL server, which has its own tools: pg_basebackup with an archive of its log (or pgBackRest, Barman) \
     for anything big, pg_dump of the schemas for small ones, the store's schema before the vault's; the key file apart. See docs/backup.md. \
     `pointsman backup verify --database-url …` looks through a restored database";

/// Copies the databases of a data directory into a directory, also while a server runs on them: store, then vault, then the
/// simulator's books, each as it was at one moment, all within a moment of each other. The key file is left out.
///
/// # Errors
/// There is no installation, the directory holds something, or a disk failed. What was begun is no backup: it has no manifest.
pub fn back_up(settings: &Settings, to: &Path, world: &World) -> anyhow::Result<Manifest> {
    let dir = DataDir::at(&settings.database.data_dir);
    let mode = dir.mode()?;
    let (Some(mode), true, true) = (mode, dir.store().exists(), dir.vault().exists()) else {
        anyhow::bail!("there is no installation in {}", dir.path().display());
    };
    make_empty(to)?;
    // What a payment in the first one refers to is in the second one: it was sealed before.
    let mut snapshots = Vec::new();
    for which in databases(mode) {
        let path = file(which, &dir);
        if which == Which::Simulator && !path.exists() {
            continue;
        }
        let snapshot = Snapshot::of_file(&path).with_context(|| path.display().to_string())?;
        snapshots.push((name_of(&path)?, snapshot));
    }
    let made_at = world.now().rfc3339();
    let generation = dir.generation()?;
    let mut manifest = Manifest::new(made_at, mode_name(mode), generation);
    for (name, snapshot) in snapshots {
        let path = to.join(&name);
        let file = create(&path)?;
        snapshot
            .copy_to(&path)
            .with_context(|| path.display().to_string())?;
        file.sync_all()
            .with_context(|| path.display().to_string())?;
        manifest.add(to, &name)?;
    }
    // After the store: what its rows refer to was written before, and is not removed on the same day.
    manifest.attachments = files::copy_all(&dir.attachments(), &to.join(files::ATTACHMENTS))?;
    manifest.write(to)?;
    Ok(manifest)
}

/// Makes an installation of a backup in a data directory that has none. The key file, when it is given, is copied too.
///
/// # Errors
/// It is no whole backup, the directory has something, or the keys are others: then nothing is written. A disk failed.
pub async fn restore(
    settings: &Settings,
    from: &Path,
    key_file: Option<&Path>,
    world: &World,
) -> anyhow::Result<Manifest> {
    let manifest = Manifest::read(from)?;
    let dir = DataDir::at(&settings.database.data_dir);
    ensure!(
        !dir.is_of_a_server() && !dir.store().exists() && !dir.vault().exists(),
        "{} has an installation: restore into an empty directory, and put that in the place of the old one",
        dir.path().display()
    );
    let keys_there = dir.path().join("vault.keys");
    let to_copy = keys::to_copy(key_file, &keys_there)?;
    keys::refuse_for(settings, from, key_file, world).await?;
    let held = dir.hold()?;
    let mode = manifest.mode();
    // Before anything is there to be served.
    held.note_restored(&manifest.made_at)?;
    held.claim(mode)?;
    for copied in &manifest.files {
        copy(&from.join(&copied.name), &dir.path().join(&copied.name))?;
    }
    let attachments = files::copy_all(&from.join(files::ATTACHMENTS), &dir.attachments())?;
    ensure!(
        attachments == manifest.attachments,
        "{} has {attachments} files of attachments and had {}: it is no whole backup any more. Empty {} before you restore another one",
        from.display(),
        manifest.attachments,
        dir.path().display()
    );
    if let Some(keys) = to_copy {
        copy(keys, &keys_there)?;
    }
    File::open(dir.path())?.sync_all()?;
    Ok(manifest)
}

/// The databases that an installation has, in the order in which they are copied.
fn databases(mode: Mode) -> impl Iterator<Item = Which> {
    [Which::Store, Which::Vault, Which::Simulator]
        .into_iter()
        .filter(move |which| mode == Mode::Test || *which != Which::Simulator)
}

fn name_of(path: &Path) -> anyhow::Result<String> {
    path.file_name()
        .and_then(|name| name.to_str())
        .map(str::to_owned)
        .context("a database without a name")
}

fn make_empty(dir: &Path) -> anyhow::Result<()> {
    let shown = || dir.display().to_string();
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .with_context(shown)?;
    let is_empty = fs::read_dir(dir).with_context(shown)?.next().is_none();
    ensure!(
        is_empty,
        "{} is not empty: a backup needs a directory of its own",
        dir.display()
    );
    Ok(())
}

/// A new file for its owner alone.
fn create(path: &Path) -> anyhow::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .with_context(|| path.display().to_string())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    let shown = || format!("{} to {}", from.display(), to.display());
    let mut source = File::open(from).with_context(shown)?;
    let mut target = create(to)?;
    std::io::copy(&mut source, &mut target).with_context(shown)?;
    target.sync_all().with_context(shown)
}

/// Why a copy is not served like any other.
fn a_copy(command: &str) -> String {
    format!(
        "the databases here were restored from a backup, or copied from another directory: what happened at the processors since is not \
         in them. Make sure that the original is never served again, then start once with --after-restore, which looks at each \
         processor before anything is sent for a payment from before (docs/backup.md): {command}"
    )
}

/// The same for a database of a server.
fn another_place(settings: &Settings) -> String {
    let sandbox = if settings.mode == Mode::Test {
        " --sandbox"
    } else {
        ""
    };
    format!(
        "this database is not the one that the installation was served from: it was restored from a dump, or copied, and what happened at \
         the processors since is not in it. Make sure that the original is never served again, then start one node once with \
         --after-restore (docs/backup.md): pointsman serve{sandbox} --after-restore. Where the whole installation came here and nothing \
         can have happened meanwhile (pg_upgrade, a replica of another release that took over), say --moved-whole instead"
    )
}

/// Why a database is not served that was brought back to an earlier time where it stands.
fn an_earlier_time(command: &str) -> String {
    format!(
        "the database is at an earlier time than when it was last served from here: its files were restored from a backup or a snapshot, or a \
         standby took over that had not received every commit. What happened at the processors since is not in it. Stop every node, then start \
         one node once with --after-restore, which looks at each processor before anything is sent for a payment from before \
         (docs/backup.md): {command}"
    )
}

/// Why nothing is served as a restored copy.
pub fn nothing_restored(place: &str) -> String {
    format!(
        "there is nothing restored in {place}: look at the address, or restore a backup first (pointsman restore); a new \
         installation is begun without --after-restore"
    )
}

/// Holds the mark in the store against that of the directory. A copy bears another one, or none is in the directory. When it may
/// be served it gets a mark of its own. Returns when the backup was taken that the installation was last restored from.
///
/// # Errors
/// It is a copy, and nobody said that it is to be served.
pub(super) async fn recognise(
    held: Option<&Held>,
    dir: &DataDir,
    databases: &Databases,
    settings: &Settings,
    world: &World,
) -> anyhow::Result<Option<Timestamp>> {
    let store = &databases.store;
    let there = installation::get(store, installation::GENERATION).await?;
    let (here, restored) = if databases.is_shared() {
        // Many directories serve one database: what tells a copy there is where it is.
        (there.clone(), dir.restored()?)
    } else {
        (dir.generation()?, dir.restored()?)
    };
    let places = Places::of(store).await?;
    let is_elsewhere = places.differ() && !settings.moved_whole;
    ensure!(
        !is_elsewhere || settings.after_restore,
        another_place(settings)
    );
    let went_back = horizon::went_back(store, dir, there.as_deref()).await?;
    ensure!(
        !went_back || settings.after_restore,
        an_earlier_time(&dir.command(settings.mode, true))
    );
    let is_copy = restored.is_some()
        || is_elsewhere
        || went_back
        || match (&here, &there) {
            (Some(here), Some(there)) => here != there && here != MOVED,
            (None, Some(_)) => true,
            (_, None) => false,
        };
    ensure!(
        !is_copy || settings.after_restore,
        a_copy(&dir.command(settings.mode, true))
    );
    if let Some(held) = held {
        if is_copy || settings.after_restore {
            let at = match restored.as_deref().and_then(Timestamp::parse) {
                Some(at) => at,
                // A copy by hand does not say of when it is. What is later is looked up as well.
                None => world.now(),
            };
            tracing::warn!(
                restored_at = at.rfc3339(),
                "serving after a restore: what is sent for payments from before is looked up at its processor first"
            );
            raise_stamps(store, world).await?;
            renew(store, there.as_deref(), at, world, held).await?;
        } else if there.is_none() {
            let mark = here
                .filter(|mark| mark != MOVED)
                .unwrap_or_else(|| world.uuid_v7().to_string());
            if !databases.is_shared() {
                held.note_generation(&mark)?;
            }
            let change = Change::new(
                ChangeId(world.uuid_v7().as_u128()),
                installation::GENERATION,
            );
            installation::claim(store, change, installation::GENERATION, &mark).await?;
        } else if let Some(there) = there.filter(|_| here.as_deref() == Some(MOVED)) {
            held.note_generation(&there)?;
        }
        if places.differ() && !is_copy {
            // The whole installation came here: another cluster counts its transactions otherwise.
            raise_stamps(store, world).await?;
        }
        places.note(store, world).await?;
    }
    let restored_at = installation::get(store, installation::RESTORED_AT).await?;
    Ok(restored_at
        .and_then(|at| at.parse().ok())
        .map(Timestamp::from_micros))
}

/// Lets the stamps of commits go on behind all that may have been given since the copy was taken, so that nobody who follows the
/// feed of events misses what happens here.
async fn raise_stamps(store: &Db, world: &World) -> anyhow::Result<()> {
    let above = world.now().after(CLOCKS).micros();
    let id = ChangeId(world.uuid_v7().as_u128());
    Ok(store.raise_stamps(id, above).await?)
}

/// What is recorded of a copy that is served.
fn restored(at: Timestamp) -> Deed {
    Deed::on_whole(INSTALLATION, Act::InstallationRestored, "databases")
        .with("restored_at", at.rfc3339_seconds())
}

/// Gives a copy that is to be served a mark of its own, and notes of when it is.
async fn renew(
    store: &Db,
    there: Option<&str>,
    at: Timestamp,
    world: &World,
    held: &Held,
) -> anyhow::Result<()> {
    let mark = world.uuid_v7().to_string();
    if !store.is_shared() {
        held.note_generation(&mark)?;
    }
    let before = installation::get(store, installation::RESTORED_AT).await?;
    let latest = before
        .as_deref()
        .and_then(|before| before.parse().ok())
        .map_or(at, |before| at.max(Timestamp::from_micros(before)));
    let change = Change::new(
        ChangeId(world.uuid_v7().as_u128()),
        installation::GENERATION,
    )
    .with(installation::swap(installation::GENERATION, there, &mark))
    .with(installation::swap(
        installation::RESTORED_AT,
        before.as_deref(),
        &latest.micros().to_string(),
    ))
    .with(engine::operators_entry(world, &restored(latest)));
    ensure!(
        store.commit(change).await? == Committed::Done,
        "another process marks the installation: start again"
    );
    held.forget_restored()?;
    Ok(())
}
