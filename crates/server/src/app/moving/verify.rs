//! Compares one table of both sides, row by row.

use anyhow::bail;
use db::{Db, Table, Value};
use futures_util::future;

use super::{
    Progress,
    checksum::Checksum,
    side::{Part, page},
};

const PAGE: u32 = 400;

/// A table that is the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// Where it belongs, with its name: `store.payment`.
    pub table: String,
    /// How many rows each side has.
    pub rows: u64,
    /// What every column of every row adds up to, in hexadecimal digits.
    pub checksum: String,
}

/// Reads the whole table on both sides.
///
/// # Errors
/// They differ.
pub(super) async fn table(
    table: &Table,
    from: &Part,
    to: &Db,
    progress: &Progress,
) -> anyhow::Result<Compared> {
    let label = format!("{}.{}", from.name, table.name);
    progress.at(&label);
    let (mut source, mut target) = (Checksum::default(), Checksum::default());
    let mut differs_at = None;
    let (mut after_source, mut after_target): (Option<Vec<Value>>, Option<Vec<Value>>) =
        (None, None);
    loop {
        let reading = future::join(
            from.page(table, after_source.as_deref(), PAGE),
            page(to, table, after_target.as_deref(), PAGE),
        );
        let (ours, theirs) = reading.await;
        let (ours, theirs) = (ours?, theirs?);
        if ours.is_empty() && theirs.is_empty() {
            break;
        }
        if differs_at.is_none() && ours != theirs {
            let equal = ours
                .iter()
                .zip(&theirs)
                .take_while(|(one, other)| one == other)
                .count();
            differs_at = Some(
                source
                    .rows()
                    .saturating_add(u64::try_from(equal).unwrap_or(u64::MAX))
                    .saturating_add(1),
            );
        }
        if let Some(last) = ours.last() {
            after_source = Some(table.key_of(last)?);
        }
        if let Some(last) = theirs.last() {
            after_target = Some(table.key_of(last)?);
        }
        for row in &ours {
            source.add(row);
        }
        for row in &theirs {
            target.add(row);
        }
        progress.add(u64::try_from(ours.len()).unwrap_or(u64::MAX));
    }
    progress.table_done(&label);
    let (rows, there) = (source.rows(), target.rows());
    let (checksum, found) = (source.finish(), target.finish());
    if rows != there || checksum != found {
        let place = differs_at
            .map(|row| format!("; they differ first at row {row} in the order of its key"));
        bail!(
            "table {label} is not the same on both sides: {rows} rows with checksum {checksum} at the source, {there} with \
             {found} at the target{}. The target is not served; empty it and move again",
            place.unwrap_or_default()
        );
    }
    Ok(Compared {
        table: label,
        rows,
        checksum,
    })
}
