//! What browsers made and nobody may ever use: customers, intents, and tokens of processors' own fields.

use db::{Db, DbError, Insert, Statement};
use domain::{
    Timestamp,
    id::{CustomerId, IntentId, TeamId, VaultToken},
};

/// What a browser made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Made {
    /// A customer.
    Customer(CustomerId),
    /// An intent.
    Intent(IntentId),
    /// The record of a token of a processor's own fields, which ends with the token.
    Token(VaultToken),
}

impl Made {
    fn words(&self) -> (&'static str, String) {
        match self {
            Self::Customer(id) => ("customer", id.key()),
            Self::Intent(id) => ("intent", id.key()),
            Self::Token(token) => ("token", token.as_str().to_owned()),
        }
    }

    fn parse(what: &str, id: &str) -> Option<Self> {
        match what {
            "customer" => CustomerId::parse(id).map(Self::Customer),
            "intent" => IntentId::parse(id).map(Self::Intent),
            "token" => VaultToken::parse(id).map(Self::Token),
            _ => None,
        }
    }
}

/// A new row.
static NEW: Insert = Insert::new("browser_made", &["team_id", "what", "id", "due_at"]);

/// Notes what a browser made, and when the job looks at it.
pub fn insert(team: TeamId, made: &Made, due_at: Timestamp) -> Statement {
    let (what, id) = made.words();
    NEW.with(vec![
        team.key().into(),
        what.into(),
        id.into(),
        due_at.micros().into(),
    ])
}

/// Looks at it again later.
pub fn postpone(team: TeamId, made: &Made, due_at: Timestamp) -> Statement {
    let (what, id) = made.words();
    Statement::any(
        "update browser_made set due_at = $4 where team_id = $1 and what = $2 and id = $3",
        vec![
            team.key().into(),
            what.into(),
            id.into(),
            due_at.micros().into(),
        ],
    )
}

/// Looks at it no more.
pub fn forget(team: TeamId, made: &Made) -> Statement {
    let (what, id) = made.words();
    Statement::any(
        "delete from browser_made where team_id = $1 and what = $2 and id = $3",
        vec![team.key().into(), what.into(), id.into()],
    )
}

/// Takes what is due of any team; until `again_at` nobody else takes it. Only what is due later than
/// `after` is looked at, see [`crate::overdue`].
pub async fn claim_due(
    db: &Db,
    now: Timestamp,
    again_at: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<(TeamId, Made)>, DbError> {
    // Jobs serve every team; the rows taken carry their team with them.
    let sql = "update browser_made set due_at = $2 where (team_id, what, id) in \
               (select team_id, what, id from browser_made where due_at > $4 and due_at <= $1 order by due_at limit $3) \
               and due_at <= $1 returning team_id, what, id";
    let rows = db
        .claim_for_sweep(
            sql,
            vec![
                now.micros().into(),
                again_at.micros().into(),
                limit.into(),
                after.micros().into(),
            ],
        )
        .await?;
    rows.iter()
        .map(|row| {
            let made = Made::parse(row.text(1)?, row.text(2)?);
            let keys = TeamId::parse(row.text(0)?).zip(made);
            keys.ok_or_else(|| DbError::Corrupt("browser_made: keys of a due row".to_owned()))
        })
        .collect()
}
