//! What an error of PostgreSQL means.

use std::error::Error as _;

use tokio_postgres::{Error, error::SqlState};

use super::link::Role;
use crate::{
    DbError, Statement,
    group::{Refusal, repeats_a_value, shown},
};

/// Why a statement did not run.
#[derive(Debug)]
pub enum Failure {
    /// It is the statement's own fault, or the machine's.
    Refused(Refusal),
    /// A deadlock or another meeting of transactions: the same may succeed the next time.
    Met(&'static str),
    /// A statement before it failed, so it was not looked at.
    Aborted,
    /// The connection is gone, or good for nothing any more.
    Lost(String),
}

impl From<Failure> for DbError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(refusal) => refusal.into(),
            Failure::Met(_) | Failure::Aborted => Self::Busy,
            Failure::Lost(why) => Self::Unreachable(why),
        }
    }
}

/// The kind of an error by its SQLSTATE (PostgreSQL's documentation, appendix A).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Taken,
    Met(&'static str),
    Aborted,
    Lost,
    Machine,
    Damaged,
    Denied,
    Defect,
}

fn kind(code: &str) -> Kind {
    match code {
        "23505" => Kind::Taken,
        "40001" => Kind::Met("a conflict of serialisation"),
        "40P01" => Kind::Met("a deadlock"),
        "55P03" => Kind::Met("a lock that was not given in time"),
        "57014" => Kind::Met("a statement that took too long"),
        "25P02" => Kind::Aborted,
        // The second is told of a schema that one may not look into.
        "42501" | "3F000" => Kind::Denied,
        // The first means that the server has become a standby, the second that a pooler gave us another connection.
        "25006" | "26000" | "25P03" | "57P01" | "57P02" | "57P03" | "57P04" | "57P05" => Kind::Lost,
        _ => match code.split_at_checked(2).map(|(class, _)| class) {
            Some("08") => Kind::Lost,
            Some("53" | "58") => Kind::Machine,
            Some("XX") => Kind::Damaged,
            _ => Kind::Defect,
        },
    }
}

/// What an error means for a statement.
pub(crate) fn failure(error: &Error, statement: &Statement, role: Role) -> Failure {
    let Some(told) = error.as_db_error() else {
        return Failure::Lost(reason(error));
    };
    let message = if repeats_a_value(told.message(), &statement.params) {
        "the message is left out since it repeats a value".to_owned()
    } else {
        told.message().to_owned()
    };
    // The detail is never shown: it holds values.
    let sql = || DbError::Sql {
        message: message.clone(),
        sql: shown(statement),
    };
    match kind(told.code().code()) {
        Kind::Taken => Failure::Refused(Refusal::Taken(sql())),
        Kind::Defect => Failure::Refused(Refusal::Defect(sql())),
        Kind::Denied => Failure::Refused(Refusal::Defect(DbError::Denied(message))),
        Kind::Machine => Failure::Refused(Refusal::Storage(DbError::Storage(message))),
        Kind::Damaged => Failure::Refused(Refusal::Storage(DbError::Corrupt(message))),
        Kind::Met(what) => Failure::Met(what),
        Kind::Aborted => Failure::Aborted,
        // A connection that only reads was asked to write.
        Kind::Lost if role.only_reads() && told.code() == &SqlState::READ_ONLY_SQL_TRANSACTION => {
            Failure::Refused(Refusal::Defect(sql()))
        }
        Kind::Lost => Failure::Lost(message),
    }
}

/// What an error means for a text of our own that makes or changes tables.
pub(crate) fn of_tables(error: &Error) -> DbError {
    match error.code().map(|code| kind(code.code())) {
        Some(Kind::Denied) => DbError::Denied(reason(error)),
        Some(Kind::Met(_)) => DbError::Busy,
        Some(Kind::Lost) | None => DbError::Unreachable(reason(error)),
        Some(Kind::Machine) => DbError::Storage(reason(error)),
        Some(_) => DbError::Schema(reason(error)),
    }
}

/// What an error says, with its source and without details, which may hold values.
pub(crate) fn reason(error: &Error) -> String {
    if let Some(told) = error.as_db_error() {
        return told.message().to_owned();
    }
    error
        .source()
        .map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_apart_by_their_codes() {
        for (code, wanted) in [
            ("23505", Kind::Taken),
            ("23503", Kind::Defect),
            ("42601", Kind::Defect),
            ("22P02", Kind::Defect),
            ("40P01", Kind::Met("a deadlock")),
            ("25P02", Kind::Aborted),
            ("42501", Kind::Denied),
            ("57P01", Kind::Lost),
            ("08006", Kind::Lost),
            ("53100", Kind::Machine),
            ("53200", Kind::Machine),
            ("58030", Kind::Machine),
            ("XX001", Kind::Damaged),
            ("", Kind::Defect),
        ] {
            assert_eq!(kind(code), wanted, "{code}");
        }
    }
}
