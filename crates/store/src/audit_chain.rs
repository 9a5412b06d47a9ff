//! The chains of the audit trail: where each team's ends, and where it begins since older entries were removed.

use db::{Db, DbError, Statement};
use domain::{Timestamp, id::TeamId};

use crate::audit::Seal;

/// A team's chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The last sealed entry. Its keyed hash is that of an end.
    pub head: Seal,
    /// When that was sealed.
    pub sealed_at: Timestamp,
    /// The last entry that was removed, number 0 when none was. Its keyed hash is that of a beginning.
    pub anchor: Seal,
    /// When that was removed.
    pub anchored_at: Timestamp,
}

/// The first end of a chain. Refused when there is a chain already.
pub fn insert(team: TeamId, chain: &Chain) -> Statement {
    Statement::one(
        "insert into audit_chain (team_id, seq, link, mac, sealed_at, anchor_seq, anchor_link, anchor_mac, anchored_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (team_id) do nothing",
        vec![
            team.key().into(),
            chain.head.seq.into(),
            chain.head.link.as_str().into(),
            chain.head.mac.as_str().into(),
            chain.sealed_at.micros().into(),
            chain.anchor.seq.into(),
            chain.anchor.link.as_str().into(),
            chain.anchor.mac.as_str().into(),
            chain.anchored_at.micros().into(),
        ],
    )
}

/// The next end of a chain whose end was `before`.
pub fn advance(team: TeamId, before: &Seal, head: &Seal, at: Timestamp) -> Statement {
    Statement::one(
        "update audit_chain set seq = $2, link = $3, mac = $4, sealed_at = $5 \
         where team_id = $1 and seq = $6 and link = $7 and mac = $8",
        vec![
            team.key().into(),
            head.seq.into(),
            head.link.as_str().into(),
            head.mac.as_str().into(),
            at.micros().into(),
            before.seq.into(),
            before.link.as_str().into(),
            before.mac.as_str().into(),
        ],
    )
}

/// The next beginning of a chain whose beginning was `before`.
pub fn cut(team: TeamId, before: &Seal, anchor: &Seal, at: Timestamp) -> Statement {
    Statement::one(
        "update audit_chain set anchor_seq = $2, anchor_link = $3, anchor_mac = $4, anchored_at = $5 \
         where team_id = $1 and anchor_seq = $6 and anchor_link = $7 and anchor_mac = $8",
        vec![
            team.key().into(),
            anchor.seq.into(),
            anchor.link.as_str().into(),
            anchor.mac.as_str().into(),
            at.micros().into(),
            before.seq.into(),
            before.link.as_str().into(),
            before.mac.as_str().into(),
        ],
    )
}

/// A team's chain; `None` until its first entry is sealed.
pub async fn of_team(db: &Db, team: TeamId) -> Result<Option<Chain>, DbError> {
    let sql = "select seq, link, mac, sealed_at, anchor_seq, anchor_link, anchor_mac, anchored_at from audit_chain where team_id = $1";
    let rows = db.read(sql, vec![team.key().into()]).await?;
    let Some(row) = rows.first() else {
        return Ok(None);
    };
    let seal = |first: usize| -> Result<Seal, DbError> {
        Ok(Seal {
            seq: row.int(first)?,
            link: row.text(first + 1)?.to_owned(),
            mac: row.text(first + 2)?.to_owned(),
        })
    };
    Ok(Some(Chain {
        head: seal(0)?,
        sealed_at: row.time(3)?,
        anchor: seal(4)?,
        anchored_at: row.time(7)?,
    }))
}

/// The chains whose last entry was sealed after a time: teams and ends.
pub async fn sealed_after(db: &Db, after: Timestamp) -> Result<Vec<(TeamId, Seal)>, DbError> {
    // Of all teams on purpose: the ends are written to the log, each with its team.
    let sql =
        "select team_id, seq, link, mac from audit_chain where sealed_at > $1 order by team_id";
    let rows = db.scan(sql, vec![after.micros().into()]).await?;
    rows.iter()
        .map(|row| {
            let team = TeamId::parse(row.text(0)?)
                .ok_or_else(|| DbError::Corrupt("audit_chain: its team".to_owned()))?;
            let head = Seal {
                seq: row.int(1)?,
                link: row.text(2)?.to_owned(),
                mac: row.text(3)?.to_owned(),
            };
            Ok((team, head))
        })
        .collect()
}
