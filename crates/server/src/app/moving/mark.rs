//! How far a move is, as each side says of itself.

use anyhow::bail;
use db::{Db, Statement};
use store::installation;

/// What the row `migration` of a side says. The number is that of the move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// A source: its rows are being copied, to the target with this tag.
    Leaving(u128, u64),
    /// A source: everything is at its target.
    Moved(u128),
    /// A target that is not complete.
    Arriving(u128),
    /// A target that is complete: an installation like any other.
    Arrived(u128),
}

impl Mark {
    /// The mark of a side, if it has one.
    pub(super) async fn of(store: &Db) -> anyhow::Result<Option<Self>> {
        let Some(text) = installation::get(store, installation::MIGRATION).await? else {
            return Ok(None);
        };
        match Self::parse(&text) {
            Some(mark) => Ok(Some(mark)),
            None => bail!("the row `migration` of the table installation can't be read"),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (word, rest) = text.split_once(' ')?;
        let (id, tag) = rest
            .split_once(' ')
            .map_or((rest, None), |(id, tag)| (id, Some(tag)));
        let id = u128::from_str_radix(id, 16).ok()?;
        Some(match word {
            "leaving" => Self::Leaving(id, u64::from_str_radix(tag?, 16).ok()?),
            _ if tag.is_some() => return None,
            "moved" => Self::Moved(id),
            "arriving" => Self::Arriving(id),
            "arrived" => Self::Arrived(id),
            _ => return None,
        })
    }

    fn text(self) -> String {
        match self {
            Self::Leaving(id, tag) => format!("leaving {id:032x} {tag:016x}"),
            Self::Moved(id) => format!("moved {id:032x}"),
            Self::Arriving(id) => format!("arriving {id:032x}"),
            Self::Arrived(id) => format!("arrived {id:032x}"),
        }
    }

    /// Writes it in the place of exactly this one: of two moves from one source one is refused.
    pub(super) fn instead_of(self, there: Option<Self>) -> Statement {
        installation::swap(
            installation::MIGRATION,
            there.map(Self::text).as_deref(),
            &self.text(),
        )
    }

    /// Removes exactly this one.
    pub(super) fn removal(self) -> Statement {
        installation::remove(installation::MIGRATION, &self.text())
    }
}

/// Finds a row when data were moved away, or have not all arrived: a node that has lost its connections meanwhile looks again
/// on each new one.
// It belongs to the installation, not to a team.
pub const NOT_TO_BE_SERVED: &str =
    "select 1 from installation where name = 'migration' and substr(value, 1, 8) <> 'arrived '";

/// Refuses to work on data that were moved away, or have not all arrived.
///
/// # Errors
/// In words for the operator; `shown` names the place.
pub async fn refuse_moved(store: &Db, shown: &str) -> anyhow::Result<()> {
    match Mark::of(store).await? {
        None | Some(Mark::Arrived(_)) => Ok(()),
        Some(Mark::Moved(_)) => bail!(
            "the data of {shown} were moved to another database by `pointsman migrate`; serve that one. What is here is old \
             (docs/migrating.md says how to go back)"
        ),
        Some(Mark::Leaving(..)) => bail!(
            "the data of {shown} are being moved to another database; run `pointsman migrate` again to go on, or \
             `pointsman migrate --give-up` to serve them from here again"
        ),
        Some(Mark::Arriving(_)) => bail!(
            "{shown} does not hold all of the installation yet that is being moved here; run `pointsman migrate` again to \
             go on"
        ),
    }
}

#[cfg(test)]
mod tests {
    use db::Value;

    use super::*;

    #[test]
    fn a_mark_is_read_as_it_was_written() {
        for mark in [
            Mark::Leaving(7, u64::MAX),
            Mark::Moved(u128::MAX),
            Mark::Arriving(0),
            Mark::Arrived(1 << 100),
        ] {
            let statement = mark.removal();
            let Some(Value::Text(text)) = statement.params.get(1) else {
                panic!("no text")
            };
            assert_eq!(Mark::parse(text), Some(mark));
        }
        for wrong in [
            "",
            "arrived",
            "arrived x",
            "gone 00",
            "leaving 07",
            "moved 07 01",
        ] {
            assert_eq!(Mark::parse(wrong), None, "{wrong}");
        }
    }
}
