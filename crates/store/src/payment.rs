//! Payments.

use db::{Db, DbError, Insert, Row, Select, Statement, Update, Value};
use domain::{
    Timestamp,
    id::{ConnectionId, CustomerId, IntentId, PaymentId, TeamId},
    payment::Payment,
};

/// A new row.
static NEW: Insert = Insert::new(
    "payment",
    &[
        "team_id",
        "payment_id",
        "version",
        "status",
        "created_at",
        "due_at",
        "amount",
        "currency",
        "method",
        "gateway",
        "country",
        "flow_id",
        "customer_id",
        "order_id",
        "intent_id",
        "connection_id",
        "body",
    ],
);

/// The next version of a row.
static NEXT: Update = Update::new(
    "payment",
    &["team_id", "payment_id"],
    &[
        "version",
        "status",
        "due_at",
        "gateway",
        "country",
        "connection_id",
        "body",
    ],
)
.expecting(&["version"]);

/// A row by its key.
static BY_ID: Select = Select::new(
    "payment",
    &["payment_id", "body"],
    &["team_id", "payment_id"],
);

/// A new payment, committed at `at`: the task that commits it goes on with what is due then.
pub fn insert(payment: &Payment, at: Timestamp) -> Statement {
    NEW.with(vec![
        payment.team().key().into(),
        payment.id().key().into(),
        version(payment.version()),
        payment.status().text().into(),
        payment.created_at().micros().into(),
        due_at(payment, at),
        payment.money().minor().into(),
        payment.money().currency().code().into(),
        payment.method().method.canonical().code().into(),
        gateway(payment),
        country(payment),
        payment.flow().map(|flow| flow.id.as_str()).into(),
        customer(payment),
        payment.order_id().into(),
        payment.intent().map(IntentId::key).into(),
        connection(payment),
        crate::text(payment).into(),
    ])
}

/// The next version of a payment, guarded by the version before it and committed at `at`: the task that commits it goes on with
/// what is due then.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(VersionUnchecked = crate::bugs::update_any_version)
)]
pub fn update(payment: &Payment, at: Timestamp) -> Statement {
    NEXT.with(vec![
        payment.team().key().into(),
        payment.id().key().into(),
        version(payment.version()),
        payment.status().text().into(),
        due_at(payment, at),
        gateway(payment),
        country(payment),
        connection(payment),
        crate::text(payment).into(),
        version(payment.version().saturating_sub(1)),
    ])
}

/// Whether a payment at a connection may still need it: it is open, or there is money that can be captured, cancelled,
/// refunded or disputed. Newest first, so that a connection that is in use is found out at once; for one that is not it looks
/// at all payments of the team, and may take long.
pub async fn needs_connection(
    db: &Db,
    team: TeamId,
    connection: &ConnectionId,
) -> Result<bool, DbError> {
    let sql = "select 1 from payment where team_id = $1 and connection_id = $2 \
               and status not in ('DECLINED', 'FAILED', 'CANCELLED') order by payment_id desc limit 1";
    let params = vec![team.key().into(), connection.as_str().into()];
    Ok(!db.scan(sql, params).await?.is_empty())
}

/// A team's payment by its id.
pub async fn of_team(db: &Db, team: TeamId, id: PaymentId) -> Result<Option<Payment>, DbError> {
    let rows = db
        .find(&BY_ID, vec![team.key().into(), id.key().into()])
        .await?;
    rows.into_iter().next().map(|row| read(&row)).transpose()
}

/// Takes payments of any team that are due: until `lease_until` nobody else takes them. Only those due later
/// than `after` are looked at, see [`crate::overdue`].
#[cfg_attr(
    feature = "planted",
    planted::alternatives(LeaseIgnored = crate::bugs::claim_without_lease)
)]
pub async fn claim_due(
    db: &Db,
    now: Timestamp,
    lease_until: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<(TeamId, PaymentId)>, DbError> {
    // Jobs serve every team; the rows taken carry their team with them.
    let sql = "update payment set due_at = $2 where (team_id, payment_id) in \
               (select team_id, payment_id from payment where due_at is not null and due_at > $4 and due_at <= $1 order by due_at limit $3) \
               and due_at <= $1 returning team_id, payment_id";
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
            let team = TeamId::parse(row.text(0)?);
            let payment = PaymentId::parse(row.text(1)?);
            team.zip(payment)
                .ok_or_else(|| DbError::Corrupt("payment: keys of a due payment".to_owned()))
        })
        .collect()
}

/// Gives a payment that was taken its own due time back, but none before `not_before`; does nothing when the payment
/// has been changed since, or another node has taken it when the lease was over.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(HandBackUnguarded = crate::bugs::hand_back_any_version)
)]
pub fn set_due(payment: &Payment, not_before: Timestamp, lease_until: Timestamp) -> Statement {
    let due_at = payment.due_at().map(|due| due.max(not_before).micros());
    let sql = "update payment set due_at = $3 \
                   where team_id = $1 and payment_id = $2 and version = $4 and due_at = $5";
    Statement::any(
        sql,
        vec![
            payment.team().key().into(),
            payment.id().key().into(),
            due_at.into(),
            version(payment.version()),
            lease_until.micros().into(),
        ],
    )
}

/// Gives a payment that is held for the task that committed it, until `held_until` at most, its own due time back, but none before
/// `not_before`; does nothing when the payment has been changed since, or somebody has taken it.
pub fn set_due_early(payment: &Payment, not_before: Timestamp, held_until: Timestamp) -> Statement {
    let due_at = payment.due_at().map(|due| due.max(not_before).micros());
    Statement::any(
        "update payment set due_at = $3 where team_id = $1 and payment_id = $2 and version = $4 and due_at <= $5",
        vec![
            payment.team().key().into(),
            payment.id().key().into(),
            due_at.into(),
            version(payment.version()),
            held_until.micros().into(),
        ],
    )
}

/// A customer's payments after `after`, in order of their ids.
pub async fn of_customer(
    db: &Db,
    team: TeamId,
    customer: CustomerId,
    after: Option<PaymentId>,
    limit: i64,
) -> Result<Vec<Payment>, DbError> {
    let sql = "select payment_id, body from payment where team_id = $1 and customer_id = $2 and payment_id > $3 \
               order by payment_id limit $4";
    let after = after.map(PaymentId::key).unwrap_or_default();
    let params = vec![
        team.key().into(),
        customer.key().into(),
        after.into(),
        limit.into(),
    ];
    db.scan(sql, params).await?.iter().map(read).collect()
}

/// Reads a payment from a row of `payment_id, body`.
pub(crate) fn read(row: &Row) -> Result<Payment, DbError> {
    crate::document(row.text(1)?, "payment", row.text(0)?)
}

fn version(version: u64) -> Value {
    Value::Int(i64::try_from(version).unwrap_or(i64::MAX))
}

fn due_at(payment: &Payment, at: Timestamp) -> Value {
    payment.due_for_others(at).map(Timestamp::micros).into()
}

/// The processor: what the interface shows as `paymentGateway.id`.
fn gateway(payment: &Payment) -> Value {
    payment
        .gateway()
        .map(|gateway| gateway.processor.as_str())
        .into()
}

/// The connection of the last attempt.
fn connection(payment: &Payment) -> Value {
    payment
        .attempt()
        .map(|attempt| attempt.connection.as_str())
        .into()
}

fn country(payment: &Payment) -> Value {
    payment
        .approval()
        .and_then(|approval| approval.card_country.as_deref())
        .into()
}

fn customer(payment: &Payment) -> Value {
    payment
        .customer()
        .and_then(|payer| payer.id)
        .map(CustomerId::key)
        .into()
}
