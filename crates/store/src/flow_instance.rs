//! Instances of flows that began without a payment.

use db::{Db, DbError, Insert, Select, Statement, Update, Value};
use domain::{
    Timestamp,
    automation::Instance,
    id::{IntentId, TeamId},
};
use uuid::Uuid;

use crate::flow_wait::key;

/// A new row.
static NEW: Insert = Insert::new(
    "flow_instance",
    &[
        "team_id",
        "instance_id",
        "version",
        "due_at",
        "started_at",
        "body",
        "intent_id",
    ],
);

/// The next version of a row.
static NEXT: Update = Update::new(
    "flow_instance",
    &["team_id", "instance_id"],
    &["version", "due_at", "body"],
)
.expecting(&["version"]);

/// A row by its key.
static BY_ID: Select = Select::new(
    "flow_instance",
    &["instance_id", "body"],
    &["team_id", "instance_id"],
);

/// A new instance.
pub fn insert(instance: &Instance) -> Statement {
    NEW.with(vec![
        instance.team.key().into(),
        key(instance.run.instance).into(),
        version(instance.version),
        due_at(instance),
        instance.run.started_at.micros().into(),
        crate::text(instance).into(),
        instance.intent.map(IntentId::key).into(),
    ])
}

/// The instances that an intent started.
pub async fn of_intent(db: &Db, team: TeamId, intent: IntentId) -> Result<Vec<Instance>, DbError> {
    let sql = "select instance_id, body from flow_instance where team_id = $1 and intent_id = $2";
    let rows = db
        .scan(sql, vec![team.key().into(), intent.key().into()])
        .await?;
    rows.iter()
        .map(|row| crate::document(row.text(1)?, "flow instance", row.text(0)?))
        .collect()
}

/// Removes the instances that an intent started.
pub fn delete_of_intent(team: TeamId, intent: IntentId) -> Statement {
    Statement::any(
        "delete from flow_instance where team_id = $1 and intent_id = $2",
        vec![team.key().into(), intent.key().into()],
    )
}

/// The next version of an instance, guarded by the version before it.
pub fn update(instance: &Instance) -> Statement {
    NEXT.with(vec![
        instance.team.key().into(),
        key(instance.run.instance).into(),
        version(instance.version),
        due_at(instance),
        crate::text(instance).into(),
        version(instance.version.saturating_sub(1)),
    ])
}

/// A team's instance by its id.
pub async fn of_team(db: &Db, team: TeamId, instance: Uuid) -> Result<Option<Instance>, DbError> {
    let rows = db
        .find(&BY_ID, vec![team.key().into(), key(instance).into()])
        .await?;
    rows.first()
        .map(|row| crate::document(row.text(1)?, "flow instance", row.text(0)?))
        .transpose()
}

/// Takes instances of any team that are due: until `lease_until` nobody else takes them. Only those due later
/// than `after` are looked at, see [`crate::overdue`].
pub async fn claim_due(
    db: &Db,
    now: Timestamp,
    lease_until: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<(TeamId, Uuid)>, DbError> {
    // Jobs serve every team; the rows taken carry their team with them.
    let sql = "update flow_instance set due_at = $2 where (team_id, instance_id) in \
               (select team_id, instance_id from flow_instance where due_at is not null and due_at > $4 and due_at <= $1 \
               order by due_at limit $3) and due_at <= $1 returning team_id, instance_id";
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
    let corrupt = || DbError::Corrupt("flow_instance: keys of a due instance".to_owned());
    rows.iter()
        .map(|row| {
            let team = TeamId::parse(row.text(0)?);
            let instance = Uuid::parse_str(row.text(1)?).ok();
            team.zip(instance).ok_or_else(corrupt)
        })
        .collect()
}

fn version(version: u64) -> Value {
    Value::Int(i64::try_from(version).unwrap_or(i64::MAX))
}

fn due_at(instance: &Instance) -> Value {
    instance
        .run
        .pause
        .as_ref()
        .and_then(|pause| pause.due)
        .map(Timestamp::micros)
        .into()
}
