//! What writers and pools need of a server: PostgreSQL's own client implements it here, the model of one for simulations in a
//! crate of its own ([`crate::Db::on_server`]).

use domain::Timestamp;

use crate::{Statement, Value, dates, sql};

pub use crate::{
    dates::{SAMPLE, passes},
    group::Refusal,
    postgres::{Begin, Endpoint, Failure, Ready, Role, Sealed, Wire},
    sqlite::Memory,
};

/// The date that a statement guards, when it is the guard of [`crate::Change::dated`].
pub fn guarded(statement: &Statement) -> Option<Timestamp> {
    match statement.params.first() {
        Some(Value::Int(date)) if statement.sql == dates::GUARD => {
            Some(Timestamp::from_micros(*date))
        }
        _ => None,
    }
}

/// Whether a claim takes other rows in place of locked ones, so that it never waits.
pub fn passes_locked_rows(claim: &Statement) -> bool {
    sql::skip_locked(&claim.sql) != claim.sql
}
