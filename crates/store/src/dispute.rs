//! Disputes.

use db::{Db, DbError, Insert, Row, Select, Statement, Update, Value};
use domain::{
    Timestamp,
    dispute::Dispute,
    id::{DisputeId, PaymentId, TeamId},
};

use crate::query::Conditions;

/// The most disputes of a page of payments that are read. A payment has few; a processor reports each once.
const MOST: i64 = 1_000;

/// A new row.
static NEW: Insert = Insert::new(
    "dispute",
    &[
        "team_id",
        "dispute_id",
        "version",
        "payment_id",
        "connection_id",
        "source_id",
        "status",
        "stage",
        "reason",
        "amount",
        "currency",
        "disputed_at",
        "response_at",
        "due_at",
        "body",
    ],
);

/// The next version of a row.
static NEXT: Update = Update::new(
    "dispute",
    &["team_id", "dispute_id"],
    &[
        "version",
        "status",
        "stage",
        "reason",
        "amount",
        "currency",
        "response_at",
        "due_at",
        "body",
    ],
)
.expecting(&["version"]);

/// A row by its key.
static BY_ID: Select = Select::new(
    "dispute",
    &["dispute_id", "body"],
    &["team_id", "dispute_id"],
);

/// A new dispute, committed at `at`.
pub fn insert(dispute: &Dispute, at: Timestamp) -> Statement {
    NEW.with(vec![
        dispute.team().key().into(),
        dispute.id().key().into(),
        version(dispute.version()),
        dispute.payment().key().into(),
        dispute.connection().as_str().into(),
        dispute.source_id().into(),
        dispute.status().code().into(),
        dispute.stage().code().into(),
        dispute.reason().code().into(),
        dispute.money().minor().into(),
        dispute.money().currency().code().into(),
        dispute.disputed_at().micros().into(),
        dispute.respond_by().map(Timestamp::micros).into(),
        dispute.due_after(at).map(Timestamp::micros).into(),
        crate::text(dispute).into(),
    ])
}

/// The next version of a dispute, guarded by the version before it and committed at `at`.
pub fn update(dispute: &Dispute, at: Timestamp) -> Statement {
    NEXT.with(vec![
        dispute.team().key().into(),
        dispute.id().key().into(),
        version(dispute.version()),
        dispute.status().code().into(),
        dispute.stage().code().into(),
        dispute.reason().code().into(),
        dispute.money().minor().into(),
        dispute.money().currency().code().into(),
        dispute.respond_by().map(Timestamp::micros).into(),
        dispute.due_after(at).map(Timestamp::micros).into(),
        crate::text(dispute).into(),
        version(dispute.version().saturating_sub(1)),
    ])
}

/// A team's dispute by its id.
pub async fn of_team(db: &Db, team: TeamId, id: DisputeId) -> Result<Option<Dispute>, DbError> {
    db.find(&BY_ID, vec![team.key().into(), id.key().into()])
        .await?
        .first()
        .map(read)
        .transpose()
}

/// A payment's disputes, in order of their ids.
pub async fn of_payment(
    db: &Db,
    team: TeamId,
    payment: PaymentId,
) -> Result<Vec<Dispute>, DbError> {
    of_payments(db, team, &[payment]).await
}

/// The disputes of these payments, in order of their ids.
pub async fn of_payments(
    db: &Db,
    team: TeamId,
    payments: &[PaymentId],
) -> Result<Vec<Dispute>, DbError> {
    if payments.is_empty() {
        return Ok(Vec::new());
    }
    let mut conditions = Conditions::of_team(team);
    let keys: Vec<String> = payments.iter().map(|payment| payment.key()).collect();
    let keys = conditions.bind_all(keys.iter().map(String::as_str));
    let limit = conditions.bind(MOST);
    let sql = format!(
        "select dispute_id, body from dispute where team_id = $1 and payment_id in ({keys}) \
         order by dispute_id limit {limit}"
    );
    let rows = db.scan(sql, conditions.into_params()).await?;
    rows.iter().map(read).collect()
}

/// Takes disputes of any team that are due: until `lease_until` nobody else takes them. Only those due later
/// than `after` are looked at, see [`crate::overdue`].
pub async fn claim_due(
    db: &Db,
    now: Timestamp,
    lease_until: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<(TeamId, DisputeId)>, DbError> {
    // Jobs serve every team; the rows taken carry their team with them.
    let sql = "update dispute set due_at = $2 where (team_id, dispute_id) in \
               (select team_id, dispute_id from dispute where due_at is not null and due_at > $4 and due_at <= $1 order by due_at limit $3) \
               and due_at <= $1 returning team_id, dispute_id";
    let params = vec![
        now.micros().into(),
        lease_until.micros().into(),
        limit.into(),
        after.micros().into(),
    ];
    let rows = db.claim(sql, params).await?;
    rows.iter()
        .map(|row| {
            let keys = TeamId::parse(row.text(0)?).zip(DisputeId::parse(row.text(1)?));
            keys.ok_or_else(|| DbError::Corrupt("dispute: keys of a due dispute".to_owned()))
        })
        .collect()
}

/// Gives a dispute that was taken and looked up at `at` its next due time; does nothing when it has been changed since, or
/// another node has taken it when the lease was over.
pub fn set_due(dispute: &Dispute, at: Timestamp, lease_until: Timestamp) -> Statement {
    Statement::any(
        "update dispute set due_at = $3 where team_id = $1 and dispute_id = $2 and version = $4 and due_at = $5",
        vec![
            dispute.team().key().into(),
            dispute.id().key().into(),
            dispute.due_after(at).map(Timestamp::micros).into(),
            version(dispute.version()),
            lease_until.micros().into(),
        ],
    )
}

/// Reads a dispute from a row of `dispute_id, body`.
pub(crate) fn read(row: &Row) -> Result<Dispute, DbError> {
    crate::document(row.text(1)?, "dispute", row.text(0)?)
}

fn version(version: u64) -> Value {
    Value::Int(i64::try_from(version).unwrap_or(i64::MAX))
}
