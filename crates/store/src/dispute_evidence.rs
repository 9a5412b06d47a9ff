//! Evidence of responses to disputes: as a draft, and as it was sent. Written in commits of the dispute alone, under its version.

use db::{Db, DbError, Insert, Select, Statement};
use domain::{
    dispute::Evidence,
    id::{DisputeId, TeamId},
};

/// The evidence of one response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvidenceKey {
    /// Whose it is.
    pub team: TeamId,
    /// The dispute.
    pub dispute: DisputeId,
    /// The number of the response.
    pub n: u32,
}

/// A row, new or in place of the one of the same response.
static PUT: Insert = Insert::or(
    "dispute_evidence",
    &["team_id", "dispute_id", "n", "body"],
    &["on conflict (team_id, dispute_id, n) do update set body = excluded.body"],
);

/// A row by its key.
static BY_KEY: Select = Select::new(
    "dispute_evidence",
    &["body"],
    &["team_id", "dispute_id", "n"],
);

/// Keeps the evidence of a response, in place of what was kept.
pub fn put(key: EvidenceKey, evidence: &Evidence) -> Statement {
    PUT.with(vec![
        key.team.key().into(),
        key.dispute.key().into(),
        i64::from(key.n).into(),
        crate::text(evidence).into(),
    ])
}

/// Forgets the evidence of a response, if there is any.
pub fn delete(key: EvidenceKey) -> Statement {
    Statement::any(
        "delete from dispute_evidence where team_id = $1 and dispute_id = $2 and n = $3",
        vec![
            key.team.key().into(),
            key.dispute.key().into(),
            i64::from(key.n).into(),
        ],
    )
}

/// The evidence of a response.
pub async fn find(db: &Db, key: EvidenceKey) -> Result<Option<Evidence>, DbError> {
    let params = vec![
        key.team.key().into(),
        key.dispute.key().into(),
        i64::from(key.n).into(),
    ];
    let rows = db.find(&BY_KEY, params).await?;
    rows.first()
        .map(|row| crate::document(row.text(0)?, "dispute_evidence", &key.dispute.key()))
        .transpose()
}
