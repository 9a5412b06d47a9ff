//! Which payment was made of what a processor has under an id of its own.

use db::{Db, DbError, Statement};
use domain::id::{ConnectionId, PaymentId, TeamId};

/// What a processor has under an id of its own.
#[derive(Debug, Clone, Copy)]
pub struct Reported<'a> {
    /// Whose connection reported it.
    pub team: TeamId,
    /// The connection.
    pub connection: &'a ConnectionId,
    /// The processor's id.
    pub processor_id: &'a str,
}

/// Notes the payment that is made of it. Refused when there is one.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(ImportedTwice = crate::bugs::note_import_of_its_own)
)]
pub fn note(reported: Reported<'_>, payment: PaymentId) -> Statement {
    Statement::one(
        "insert into imported_payment (team_id, connection_id, processor_id, payment_id) values ($1, $2, $3, $4) \
         on conflict (team_id, connection_id, processor_id) do nothing",
        vec![
            reported.team.key().into(),
            reported.connection.as_str().into(),
            reported.processor_id.into(),
            payment.key().into(),
        ],
    )
}

/// The payment that was made of it.
pub async fn find(db: &Db, reported: Reported<'_>) -> Result<Option<PaymentId>, DbError> {
    let sql = "select payment_id from imported_payment \
               where team_id = $1 and connection_id = $2 and processor_id = $3";
    let params = vec![
        reported.team.key().into(),
        reported.connection.as_str().into(),
        reported.processor_id.into(),
    ];
    let rows = db.read(sql, params).await?;
    let Some(row) = rows.first() else {
        return Ok(None);
    };
    let corrupt = || DbError::Corrupt("imported_payment: a payment's id".to_owned());
    PaymentId::parse(row.text(0)?).map(Some).ok_or_else(corrupt)
}
