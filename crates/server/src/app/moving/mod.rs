//! Moves an installation from one kind of database to the other: `pointsman migrate`.
//!
//! # How it works
//! Rows are copied in the order of their tables' keys, a bounded page in one commit. So the highest key in the target is the
//! place that was reached, and there is nothing else to remember: whenever the move is killed, the next one goes on from
//! there. Afterwards both sides are read again, row by row, and only when they are equal the target is marked as complete.
//!
//! # What keeps it from going wrong
//! Nobody may write on either side meanwhile. The row `migration` of the table `installation` says on both how far the move
//! is, under a number of its own: a source that was begun is served no more, a target is not served before it is complete, and
//! a target that another source has begun is refused. The command holds the data directory's lock like a server.
//!
//! # What does not move
//! The vault's keys are in no database. Security codes live for an hour at most and stay behind.

mod checksum;
mod copy;
mod mark;
mod progress;
mod side;
mod verify;

use anyhow::{Context, bail};
use db::{Change, ChangeId, Committed, Db, Statement};
use domain::audit::{self, Act, Deed};
use store::installation;
use world::World;

use super::attachments;
use crate::{config::Settings, data_dir::mode_name};

pub use mark::{NOT_TO_BE_SERVED, refuse_moved};
pub use progress::Progress;
pub use side::{DatabaseKind, Side};
pub use verify::Compared;

use mark::Mark;

/// The table that is not copied row by row: its rows come with the commit that completes the target.
const INSTALLATION: &str = "installation";
/// What stays behind.
const LEFT_BEHIND: [&str; 1] = ["security_code"];

/// What a move has done.
#[derive(Debug)]
pub struct Moved {
    /// Each table, as it was compared.
    pub tables: Vec<Compared>,
    /// Where the vault's keys must be brought.
    pub key_file: Option<std::path::PathBuf>,
}

/// Lets the target's stamps of commits go on behind those that were copied.
async fn raise_stamps(from: &Side, to: &Side, world: &World) -> anyhow::Result<()> {
    for (source, target) in from.parts().zip(to.parts()) {
        let above = source.db.latest_stamp().await?;
        let id = ChangeId(world.uuid_v7().as_u128());
        target.db.raise_stamps(id, above).await?;
    }
    Ok(())
}

/// Moves everything from one side to the other, or goes on with what was begun.
///
/// # Errors
/// In words for the operator. Nothing is lost by any of them: the source keeps every row.
pub async fn migrate(
    from: &Side,
    to: &Side,
    settings: &Settings,
    progress: &Progress,
) -> anyhow::Result<Moved> {
    let world = from.world();
    // First, so that nothing is begun where there is no place for them.
    attachments::bring(from.store(), settings, world).await?;
    let state = agree(from, to, world).await?;
    if let Agreed::Copy { id } = state {
        let total = rows(from).await?;
        progress.begin("copying", total);
        for (source, target) in from.parts().zip(to.parts()) {
            for table in source.tables.iter().filter(|table| moves(&table.name)) {
                copy::table(table, source, &target.db, progress)
                    .await
                    .with_context(|| format!("table {} of the {}", table.name, source.name))?;
            }
        }
        progress.end();
        let tables = compare(from, to, total, progress).await?;
        raise_stamps(from, to, world).await?;
        moved(from, to, id).await?;
        complete(from, to, id, world).await?;
        return Ok(Moved {
            tables,
            key_file: key_file(settings),
        });
    }
    Ok(Moved {
        tables: Vec::new(),
        key_file: key_file(settings),
    })
}

/// Which moves are given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenUp {
    /// One that was begun: nobody has served its target.
    Begun,
    /// Also one that was completed: the operator says that its target is stopped for good.
    Moved,
}

/// Lets a source be served again whose move was begun, or even completed.
///
/// # Errors
/// No move was begun there; or it was completed, and the operator has not said that the target is stopped.
pub async fn give_up(from: &Side, given_up: GivenUp) -> anyhow::Result<()> {
    match Mark::of(from.store()).await? {
        Some(Mark::Moved(_)) if given_up == GivenUp::Begun => bail!(
            "everything was moved from {}, and the target may be served: both would capture and refund the same payments. Stop \
             the target for good, then add --abandon-target",
            from.shown()
        ),
        // Exactly what was read: a running move may have gone on since.
        Some(mark @ (Mark::Leaving(..) | Mark::Moved(_))) => {
            from.come_home()?;
            write(from.store(), vec![mark.removal()], from.world()).await
        }
        Some(Mark::Arriving(_)) => {
            bail!(
                "{} is the unfinished target of a move; empty it instead",
                from.shown()
            )
        }
        Some(Mark::Arrived(_)) | None => bail!("no move was begun from {}", from.shown()),
    }
}

/// What both sides' marks allow.
enum Agreed {
    Copy {
        id: u128,
    },
    /// Everything was done by a run that was killed at its very end.
    AlreadyThere,
}

/// Reads the marks of both sides and writes what is missing.
async fn agree(from: &Side, to: &Side, world: &World) -> anyhow::Result<Agreed> {
    let (source, target) = (Mark::of(from.store()).await?, Mark::of(to.store()).await?);
    let id = match source {
        Some(Mark::Leaving(id, tag)) if tag == to.tag() => id,
        Some(Mark::Leaving(..)) => bail!(
            "{} is being moved to another target already; go on with that one under the same address, or give it up first \
             (--give-up)",
            from.shown()
        ),
        Some(Mark::Arriving(_)) => {
            bail!(
                "{} is itself the target of a move that was not finished",
                from.shown()
            )
        }
        Some(Mark::Moved(id)) if target == Some(Mark::Arrived(id)) => {
            return Ok(Agreed::AlreadyThere);
        }
        // Killed between the two marks at the end.
        Some(Mark::Moved(id)) if target == Some(Mark::Arriving(id)) => {
            return Ok(Agreed::Copy { id });
        }
        Some(Mark::Moved(_)) => bail!(
            "{} was moved already; what is there now is old",
            from.shown()
        ),
        Some(Mark::Arrived(_)) | None => world.uuid_v7().as_u128(),
    };
    match target {
        // As an earlier release may have left it.
        Some(Mark::Arrived(arrived)) if arrived == id => {
            moved(from, to, id).await?;
            return Ok(Agreed::AlreadyThere);
        }
        Some(Mark::Arriving(begun)) if begun == id => return Ok(Agreed::Copy { id }),
        Some(Mark::Arriving(_)) => bail!(
            "{} holds a part of another installation, whose move was not finished; empty it, or choose another target",
            to.shown()
        ),
        Some(Mark::Leaving(..) | Mark::Moved(_) | Mark::Arrived(_)) => {
            bail!(
                "{} holds an installation already; choose another target",
                to.shown()
            )
        }
        None => to.refuse_rows().await?,
    }
    // The source first: from here on nobody serves it, and the number is the same when this is begun again.
    let leaving = Mark::Leaving(id, to.tag());
    write(from.store(), vec![leaving.instead_of(source)], world).await?;
    alone(from, leaving, source, world).await?;
    let arriving = Mark::Arriving(id);
    write(to.store(), vec![arriving.instead_of(None)], world).await?;
    alone(to, arriving, None, world).await?;
    Ok(Agreed::Copy { id })
}

/// Looks again for running nodes, now that the mark keeps new ones away. Where there are some, what was there before the mark
/// is there again.
async fn alone(side: &Side, mark: Mark, before: Option<Mark>, world: &World) -> anyhow::Result<()> {
    let Err(company) = side.refuse_company().await else {
        return Ok(());
    };
    if before != Some(mark) {
        let back = before.map_or_else(|| mark.removal(), |before| before.instead_of(Some(mark)));
        write(side.store(), vec![back], world).await?;
    }
    Err(company)
}

/// Reads both sides again. Every difference is an error.
async fn compare(
    from: &Side,
    to: &Side,
    total: u64,
    progress: &Progress,
) -> anyhow::Result<Vec<Compared>> {
    progress.begin("verifying", total);
    let mut tables = Vec::new();
    for (source, target) in from.parts().zip(to.parts()) {
        for table in source.tables.iter().filter(|table| moves(&table.name)) {
            tables.push(verify::table(table, source, &target.db, progress).await?);
        }
    }
    progress.end();
    Ok(tables)
}

/// Marks the source as moved, unless it is. From here on nobody serves it and it is not freed lightly; only then the target
/// may be complete. A move that was given up meanwhile ends here.
async fn moved(from: &Side, to: &Side, id: u128) -> anyhow::Result<()> {
    let there = Mark::of(from.store()).await?;
    match there {
        Some(Mark::Moved(there)) if there == id => Ok(()),
        Some(Mark::Leaving(there, tag)) if there == id && tag == to.tag() => {
            write(
                from.store(),
                vec![Mark::Moved(id).instead_of(Some(Mark::Leaving(id, tag)))],
                from.world(),
            )
            .await
        }
        _ => bail!(
            "the move from {} was given up meanwhile; the target is not complete and is not served, empty it",
            from.shown()
        ),
    }
}

/// Brings what holds for the whole installation, and with it the word that the target is complete.
async fn complete(from: &Side, to: &Side, id: u128, world: &World) -> anyhow::Result<()> {
    let mut statements = vec![Mark::Arrived(id).instead_of(Some(Mark::Arriving(id)))];
    let mut rows = installation::all(from.store()).await?;
    if !rows.iter().any(|(name, _)| name == installation::MODE) {
        rows.push((
            installation::MODE.to_owned(),
            mode_name(from.mode()).to_owned(),
        ));
    }
    // The target's first start notes where it is.
    let stays = [installation::MIGRATION, installation::PLACE];
    rows.retain(|(name, _)| !stays.contains(&name.as_str()));
    statements.extend(
        rows.iter()
            .map(|(name, value)| installation::insert(name, value)),
    );
    let deed = Deed::on_whole(audit::INSTALLATION, Act::InstallationMoved, "databases");
    statements.push(engine::operators_entry(world, &deed));
    to.claim(from.mode())?;
    write(to.store(), statements, world).await
}

fn moves(table: &str) -> bool {
    table != INSTALLATION && !LEFT_BEHIND.contains(&table)
}

async fn rows(side: &Side) -> anyhow::Result<u64> {
    let mut sum: u64 = 0;
    for part in side.parts() {
        for table in part.tables.iter().filter(|table| moves(&table.name)) {
            sum = sum.saturating_add(part.count(table).await?);
        }
    }
    Ok(sum)
}

/// The file of the keys, unless the configuration has them.
fn key_file(settings: &Settings) -> Option<std::path::PathBuf> {
    settings.vault.keys.is_none().then(|| settings.key_file())
}

/// Commits. What stands there twice is written once: every statement may be done again.
async fn write(db: &Db, statements: Vec<Statement>, world: &World) -> anyhow::Result<()> {
    let mut change = Change::new(ChangeId(world.uuid_v7().as_u128()), installation::MIGRATION);
    for statement in statements {
        change.push(statement);
    }
    match db.commit(change).await? {
        Committed::Done => Ok(()),
        Committed::Conflict { .. } => bail!("somebody else writes into it at the same time"),
        Committed::Unknown => {
            bail!("the database did not say whether a commit was done; run the command again")
        }
    }
}
