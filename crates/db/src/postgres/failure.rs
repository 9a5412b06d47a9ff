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
enum FailureKind {
    Taken,
    Met(&'static str),
    Aborted,
    Lost,
    Machine,
    Damaged,
    Denied,
    Defect,
}

fn kind(code: &str) -> FailureKind {
    match code {
        "23505" => FailureKind::Taken,
        "40001" => FailureKind::Met("a conflict of serialisation"),
        "40P01" => FailureKind::Met("a deadlock"),
        "55P03" => FailureKind::Met("a lock that was not given in time"),
        "57014" => FailureKind::Met("a statement that took too long"),
        "25P02" => FailureKind::Aborted,
        // The second comes for a schema that one may not look into.
        "42501" | "3F000" => FailureKind::Denied,
        // The first means that the server has become a standby, the second that a pooler gave us another connection.
        "25006" | "26000" | "25P03" | "57P01" | "57P02" | "57P03" | "57P04" | "57P05" => {
            FailureKind::Lost
        }
        _ => match code.split_at_checked(2).map(|(class, _)| class) {
            Some("08") => FailureKind::Lost,
            Some("53" | "58") => FailureKind::Machine,
            Some("XX") => FailureKind::Damaged,
            _ => FailureKind::Defect,
        },
    }
}

/// What an error means for a statement.
pub(crate) fn failure(error: &Error, statement: &Statement, role: Role) -> Failure {
    let Some(reported) = error.as_db_error() else {
        return Failure::Lost(reason(error));
    };
    let message = if repeats_a_value(reported.message(), &statement.params) {
        "the message is left out since it repeats a value".to_owned()
    } else {
        reported.message().to_owned()
    };
    // The detail is never shown: it holds values.
    let sql = || DbError::Sql {
        message: message.clone(),
        sql: shown(statement),
    };
    match kind(reported.code().code()) {
        FailureKind::Taken => Failure::Refused(Refusal::Taken(sql())),
        FailureKind::Defect => Failure::Refused(Refusal::Defect(sql())),
        FailureKind::Denied => Failure::Refused(Refusal::Defect(DbError::Denied(message))),
        FailureKind::Machine => Failure::Refused(Refusal::Storage(DbError::Storage(message))),
        FailureKind::Damaged => Failure::Refused(Refusal::Storage(DbError::Corrupt(message))),
        FailureKind::Met(what) => Failure::Met(what),
        FailureKind::Aborted => Failure::Aborted,
        // A connection that only reads was asked to write.
        FailureKind::Lost
            if role.only_reads() && reported.code() == &SqlState::READ_ONLY_SQL_TRANSACTION =>
        {
            Failure::Refused(Refusal::Defect(sql()))
        }
        FailureKind::Lost => Failure::Lost(message),
    }
}

/// What an error means for a text of our own that makes or changes tables.
pub(crate) fn of_tables(error: &Error) -> DbError {
    match error.code().map(|code| kind(code.code())) {
        Some(FailureKind::Denied) => DbError::Denied(reason(error)),
        Some(FailureKind::Met(_)) => DbError::Busy,
        Some(FailureKind::Lost) | None => DbError::Unreachable(reason(error)),
        Some(FailureKind::Machine) => DbError::Storage(reason(error)),
        Some(_) => DbError::Schema(reason(error)),
    }
}

/// What an error says, with its source and without details, which may hold values.
pub(crate) fn reason(error: &Error) -> String {
    if let Some(reported) = error.as_db_error() {
        return reported.message().to_owned();
    }
    error
        .source()
        .map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_distinguished_by_their_codes() {
        for (code, wanted) in [
            ("23505", FailureKind::Taken),
            ("23503", FailureKind::Defect),
            ("42601", FailureKind::Defect),
            ("22P02", FailureKind::Defect),
            ("40P01", FailureKind::Met("a deadlock")),
            ("25P02", FailureKind::Aborted),
            ("42501", FailureKind::Denied),
            ("57P01", FailureKind::Lost),
            ("08006", FailureKind::Lost),
            ("53100", FailureKind::Machine),
            ("53200", FailureKind::Machine),
            ("58030", FailureKind::Machine),
            ("XX001", FailureKind::Damaged),
            ("", FailureKind::Defect),
        ] {
            assert_eq!(kind(code), wanted, "{code}");
        }
    }
}
