//! Copies one table.

use anyhow::bail;
use db::{Change, ChangeId, Committed, Db, Row, Table, Value};
use futures_util::future;

use super::{Progress, side::Part};

/// Rows that are copied in one commit: few enough to fit into memory with the largest documents.
const PAGE: u32 = 400;
/// How often in a row a commit may be of unknown outcome before that is an error.
const UNKNOWN: u32 = 5;

/// Copies what the target does not have yet.
pub(super) async fn table(
    table: &Table,
    from: &Part,
    to: &Db,
    progress: &Progress,
) -> anyhow::Result<()> {
    let label = format!("{}.{}", from.name, table.name);
    progress.at(&label);
    let mut unknown = 0;
    loop {
        let reached = reached(table, to).await?;
        if reached.is_some() {
            progress.set_done_before(&label, from.count_up_to(table, reached.as_deref()).await?);
        }
        if go_on(table, from, to, reached, progress).await? {
            progress.table_done(&label);
            return Ok(());
        }
        unknown += 1;
        if unknown == UNKNOWN {
            bail!(
                "the target does not say what becomes of commits; run the command again when it is well"
            );
        }
    }
}

/// The highest key in the target.
async fn reached(table: &Table, to: &Db) -> anyhow::Result<Option<Vec<Value>>> {
    let look = table.last_key();
    Ok(to
        .read(look.sql, look.params)
        .await?
        .pop()
        .map(Row::into_values))
}

/// Copies page by page; the next one is read while one is committed. False when the outcome of a commit is unknown: what the
/// target has reached must be looked at again.
async fn go_on(
    table: &Table,
    from: &Part,
    to: &Db,
    reached: Option<Vec<Value>>,
    progress: &Progress,
) -> anyhow::Result<bool> {
    let mut rows = from.page(table, reached.as_deref(), PAGE).await?;
    while let Some(last) = rows.last() {
        let after = table.key_of(last)?;
        let count = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        let mut change = Change::new(ChangeId(0), &table.name);
        for row in rows {
            change.push(table.insert(row));
        }
        let (next, committed) =
            future::join(from.page(table, Some(&after), PAGE), to.commit(change)).await;
        match committed? {
            Committed::Done => progress.add(count),
            Committed::Unknown => return Ok(false),
            Committed::Conflict { .. } => {
                bail!("somebody else writes into the target at the same time")
            }
        }
        rows = next?;
    }
    Ok(true)
}
