//! Intents, and which payment holds each of them.

use db::{Db, DbError, Insert, Row, Select, Statement, Update, Value};
use domain::{
    Timestamp,
    id::{CustomerId, IntentId, PaymentId, TeamId},
    intent::{Intent, Status},
    payment::Payment,
};

/// A new row.
static NEW: Insert = Insert::new(
    "intent",
    &[
        "team_id",
        "intent_id",
        "version",
        "status",
        "tracking_id",
        "customer_id",
        "created_at",
        "due_at",
        "body",
    ],
);

/// The next version of a row.
static NEXT: Update = Update::new(
    "intent",
    &["team_id", "intent_id"],
    &[
        "version",
        "status",
        "tracking_id",
        "customer_id",
        "due_at",
        "body",
    ],
)
.expecting(&["version"]);

/// A row by its key.
static BY_ID: Select = Select::new("intent", &["intent_id", "body"], &["team_id", "intent_id"]);

/// A new intent.
pub fn insert(intent: &Intent) -> Statement {
    NEW.with(vec![
        intent.team.key().into(),
        intent.id.key().into(),
        version(intent.version),
        intent.status.code().into(),
        intent.tracking_id.as_str().into(),
        customer(intent),
        intent.created_at.micros().into(),
        due_at(intent),
        crate::text(intent).into(),
    ])
}

/// The next version of an intent, guarded by the version before it.
pub fn update(intent: &Intent) -> Statement {
    NEXT.with(vec![
        intent.team.key().into(),
        intent.id.key().into(),
        version(intent.version),
        intent.status.code().into(),
        intent.tracking_id.as_str().into(),
        customer(intent),
        due_at(intent),
        crate::text(intent).into(),
        version(intent.version.saturating_sub(1)),
    ])
}

/// Removes an intent that no payment holds, guarded by its version.
pub fn delete(intent: &Intent) -> Statement {
    Statement::one(
        "delete from intent where team_id = $1 and intent_id = $2 and version = $3 and payment_id is null",
        vec![
            intent.team.key().into(),
            intent.id.key().into(),
            version(intent.version),
        ],
    )
}

/// A team's intent by its id.
pub async fn of_team(db: &Db, team: TeamId, id: IntentId) -> Result<Option<Intent>, DbError> {
    db.find(&BY_ID, vec![team.key().into(), id.key().into()])
        .await?
        .first()
        .map(read)
        .transpose()
}

/// Makes `payment` the one live or paid payment of the intent. Touches no row when another one is, or when the intent is
/// complete.
pub fn claim(team: TeamId, intent: IntentId, payment: PaymentId) -> Statement {
    Statement::one(
        "update intent set payment_id = $3 \
         where team_id = $1 and intent_id = $2 and payment_id is null and status <> $4",
        vec![
            team.key().into(),
            intent.key().into(),
            payment.key().into(),
            Status::Complete.code().into(),
        ],
    )
}

/// Makes `payment` the intent's, also when it is that already. For the payment that completes the intent: touches no row
/// when another one is.
pub fn hold(team: TeamId, intent: IntentId, payment: PaymentId) -> Statement {
    Statement::one(
        "update intent set payment_id = $3 \
         where team_id = $1 and intent_id = $2 and (payment_id is null or payment_id = $3)",
        vec![team.key().into(), intent.key().into(), payment.key().into()],
    )
}

/// Refuses a change while the intent has a live or paid payment.
pub fn unheld(team: TeamId, intent: IntentId) -> Statement {
    Statement::one(
        "update intent set payment_id = null where team_id = $1 and intent_id = $2 and payment_id is null",
        vec![team.key().into(), intent.key().into()],
    )
}

/// The live or paid payment of an intent.
pub async fn claimed_by(
    db: &Db,
    team: TeamId,
    intent: IntentId,
) -> Result<Option<PaymentId>, DbError> {
    let sql = "select payment_id from intent where team_id = $1 and intent_id = $2";
    let rows = db
        .read(sql, vec![team.key().into(), intent.key().into()])
        .await?;
    let Some(payment) = rows
        .first()
        .map(|row| row.opt_text(0))
        .transpose()?
        .flatten()
    else {
        return Ok(None);
    };
    let corrupt = || DbError::Corrupt("intent: its payment".to_owned());
    PaymentId::parse(payment).map(Some).ok_or_else(corrupt)
}

/// Frees an intent whose payment has ended without money; does nothing when another payment holds it.
pub fn release(team: TeamId, intent: IntentId, payment: PaymentId) -> Statement {
    Statement::any(
        "update intent set payment_id = null where team_id = $1 and intent_id = $2 and payment_id = $3",
        vec![team.key().into(), intent.key().into(), payment.key().into()],
    )
}

/// The payments made for an intent: the newest `limit` of them, oldest first.
pub async fn payments(
    db: &Db,
    team: TeamId,
    intent: IntentId,
    limit: i64,
) -> Result<Vec<Payment>, DbError> {
    let sql = "select payment_id, body from payment where team_id = $1 and intent_id = $2 \
               order by payment_id desc limit $3";
    let rows = db
        .scan(
            sql,
            vec![team.key().into(), intent.key().into(), limit.into()],
        )
        .await?;
    rows.iter().rev().map(crate::payment::read).collect()
}

/// Takes intents of any team that are due: until `lease_until` nobody else takes them. Only those due later
/// than `after` are looked at, see [`crate::overdue`].
pub async fn claim_due(
    db: &Db,
    now: Timestamp,
    lease_until: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<(TeamId, IntentId)>, DbError> {
    // Jobs serve every team; the rows taken carry their team with them.
    let sql = "update intent set due_at = $2 where (team_id, intent_id) in \
               (select team_id, intent_id from intent where due_at is not null and due_at > $4 and due_at <= $1 order by due_at limit $3) \
               and due_at <= $1 returning team_id, intent_id";
    let rows = db
        .claim(
            sql,
            vec![
                now.micros().into(),
                lease_until.micros().into(),
                limit.into(),
                after.micros().into(),
            ],
        )
        .await?;
    rows.iter()
        .map(|row| {
            let keys = TeamId::parse(row.text(0)?).zip(IntentId::parse(row.text(1)?));
            keys.ok_or_else(|| DbError::Corrupt("intent: keys of a due intent".to_owned()))
        })
        .collect()
}

/// Gives an intent that was taken its own due time back; does nothing when it has been changed since, or another node has
/// taken it when the lease was over.
pub fn set_due(intent: &Intent, lease_until: Timestamp) -> Statement {
    Statement::any(
        "update intent set due_at = $3 where team_id = $1 and intent_id = $2 and version = $4 and due_at = $5",
        vec![
            intent.team.key().into(),
            intent.id.key().into(),
            due_at(intent),
            version(intent.version),
            lease_until.micros().into(),
        ],
    )
}

/// The intents that name a customer of the vault, after `after`, in order of their ids.
pub async fn of_customer(
    db: &Db,
    team: TeamId,
    customer: CustomerId,
    after: Option<IntentId>,
    limit: i64,
) -> Result<Vec<Intent>, DbError> {
    let sql = "select intent_id, body from intent where team_id = $1 and customer_id = $2 and intent_id > $3 \
               order by intent_id limit $4";
    let after = after.map(IntentId::key).unwrap_or_default();
    let params = vec![
        team.key().into(),
        customer.key().into(),
        after.into(),
        limit.into(),
    ];
    db.scan(sql, params).await?.iter().map(read).collect()
}

/// Reads an intent from a row of `intent_id, body`.
pub(crate) fn read(row: &Row) -> Result<Intent, DbError> {
    crate::document(row.text(1)?, "intent", row.text(0)?)
}

fn version(version: u64) -> Value {
    Value::Int(i64::try_from(version).unwrap_or(i64::MAX))
}

fn due_at(intent: &Intent) -> Value {
    intent.due_at().map(Timestamp::micros).into()
}

/// The id of a customer in the vault, when the merchant's id has its form: that customer's erasure must find the intent.
fn customer(intent: &Intent) -> Value {
    let id = intent
        .customer
        .as_ref()
        .and_then(|customer| customer.id.as_deref());
    id.and_then(CustomerId::parse).map(CustomerId::key).into()
}
