//! Signed messages that an endpoint's server sent and that had an effect: each has one, however often it comes.

use db::{Db, DbError, Statement};
use domain::Timestamp;

use crate::webhook_delivery::EndpointKey;

/// Notes a message. Refused when it is known.
pub fn note(key: EndpointKey, message: &str, at: Timestamp) -> Statement {
    Statement::one(
        "insert into webhook_received (team_id, endpoint_id, message_id, received_at) values ($1, $2, $3, $4) \
         on conflict (team_id, endpoint_id, message_id) do nothing",
        vec![
            key.team.key().into(),
            key.endpoint.key().into(),
            message.into(),
            at.micros().into(),
        ],
    )
}

/// Whether a message is known.
pub async fn is_known(db: &Db, key: EndpointKey, message: &str) -> Result<bool, DbError> {
    let sql = "select 1 from webhook_received where team_id = $1 and endpoint_id = $2 and message_id = $3";
    let params = vec![
        key.team.key().into(),
        key.endpoint.key().into(),
        message.into(),
    ];
    Ok(!db.read(sql, params).await?.is_empty())
}

/// Forgets messages of any team that came before `before`. Returns how many.
pub async fn sweep(db: &Db, before: Timestamp, limit: i64) -> Result<usize, DbError> {
    // Retention is the same for every team; the rows removed carry no data out.
    let sql = "delete from webhook_received where (team_id, endpoint_id, message_id) in \
        (select team_id, endpoint_id, message_id from webhook_received where received_at < $1 order by received_at limit $2) \
        returning received_at";
    let params = vec![before.micros().into(), limit.into()];
    Ok(db.claim_for_sweep(sql, params).await?.len())
}
