//! Customers.

use db::{Db, DbError, Insert, Row, Select, Statement, Update, Value};
use domain::{
    customer::Customer,
    id::{CustomerId, TeamId},
};

/// A new row.
static NEW: Insert = Insert::new(
    "customer",
    &[
        "team_id",
        "customer_id",
        "version",
        "name",
        "email",
        "body",
        "created_at",
    ],
);

/// The next version of a row.
static NEXT: Update = Update::new(
    "customer",
    &["team_id", "customer_id"],
    &["version", "name", "email", "body"],
)
.expecting(&["version"]);

/// A row by its key.
static BY_ID: Select = Select::new(
    "customer",
    &["customer_id", "body"],
    &["team_id", "customer_id"],
);

/// A new customer.
pub fn insert(customer: &Customer) -> Statement {
    NEW.with(vec![
        customer.team.key().into(),
        customer.id.key().into(),
        version(customer.version),
        customer.name.to_lowercase().into(),
        customer.email.as_deref().map(str::to_lowercase).into(),
        crate::text(customer).into(),
        customer.created_at.micros().into(),
    ])
}

/// The next version of a customer, guarded by the version before it.
pub fn update(customer: &Customer) -> Statement {
    NEXT.with(vec![
        customer.team.key().into(),
        customer.id.key().into(),
        version(customer.version),
        customer.name.to_lowercase().into(),
        customer.email.as_deref().map(str::to_lowercase).into(),
        crate::text(customer).into(),
        version(customer.version.saturating_sub(1)),
    ])
}

/// Removes a customer, guarded by its version.
pub fn delete(customer: &Customer) -> Statement {
    Statement::one(
        "delete from customer where team_id = $1 and customer_id = $2 and version = $3",
        vec![
            customer.team.key().into(),
            customer.id.key().into(),
            version(customer.version),
        ],
    )
}

/// A team's customer by its id.
pub async fn of_team(db: &Db, team: TeamId, id: CustomerId) -> Result<Option<Customer>, DbError> {
    db.find(&BY_ID, vec![team.key().into(), id.key().into()])
        .await?
        .first()
        .map(read)
        .transpose()
}

/// Reads a customer from a row of `customer_id, body`.
pub(crate) fn read(row: &Row) -> Result<Customer, DbError> {
    crate::document(row.text(1)?, "customer", row.text(0)?)
}

fn version(version: u64) -> Value {
    Value::Int(i64::try_from(version).unwrap_or(i64::MAX))
}
