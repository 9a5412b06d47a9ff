//! What becomes of the works of a batch, by the same rules on every database.
//!
//! A work that is refused as the first to run in its transaction is refused by the committed state, and that is final.
//! One that is refused behind others may be refused only because of them, and they are not committed yet: it is judged
//! [`Verdict::Again`]. A work that was refused after it had touched something spoils the transaction, which is rolled
//! back and done again without it.

use std::borrow::Cow;

use crate::{DbError, Expect, Row, Statement, Value};

/// What becomes of a work.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is committed. The rows are those of a claim.
    Done(Vec<Row>),
    /// The committed state refuses the statement with this index; nothing of the work was written.
    Conflict(usize),
    /// The work is wrong in itself; nothing of it was written.
    Failed(DbError),
    /// COMMIT was sent and no answer came.
    Unknown,
    /// Refused behind others of the batch; nothing of it was written. To be judged again.
    Again,
}

/// Why a statement did not run.
#[derive(Debug)]
pub enum Refusal {
    /// A unique or primary key is taken.
    Taken(DbError),
    /// The statement is wrong in itself.
    Defect(DbError),
    /// The machine failed; the whole transaction may have been rolled back.
    Storage(DbError),
}

impl From<Refusal> for DbError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Taken(error) | Refusal::Defect(error) | Refusal::Storage(error) => error,
        }
    }
}

/// What ran before a work in its transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ahead {
    Nothing,
    Others,
}

/// Whether a refused work has touched rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Traces {
    None,
    Left,
}

impl Verdict {
    /// What a refusal is worth behind what ran before.
    pub(crate) fn behind(self, ahead: Ahead) -> Self {
        match ahead {
            Ahead::Nothing => self,
            Ahead::Others => Self::Again,
        }
    }
}

/// What the answer to the statement with this index means for its work: `None` to go on, or why the work is refused.
///
/// Errors: the machine failed, which says nothing about the work.
pub(crate) fn weigh(
    index: usize,
    expect: Expect,
    ran: Result<u64, Refusal>,
    traces: &mut Traces,
) -> Result<Option<Verdict>, DbError> {
    match ran {
        Ok(count) => {
            if count > 0 {
                *traces = Traces::Left;
            }
            Ok((!expect.is_met_by(count)).then_some(Verdict::Conflict(index)))
        }
        // The database undoes what the refused statement did, no more.
        Err(Refusal::Taken(_)) => Ok(Some(Verdict::Conflict(index))),
        Err(Refusal::Defect(error)) => {
            // Whatever it was, it may have touched rows.
            *traces = Traces::Left;
            Ok(Some(Verdict::Failed(error)))
        }
        Err(Refusal::Storage(error)) => Err(error),
    }
}

/// Messages of databases name tables and columns, but a few of their functions quote their arguments.
pub(crate) fn repeats_a_value(message: &str, params: &[Value]) -> bool {
    params.iter().any(|param| matches!(param, Value::Text(text) if text.len() > 3 && message.contains(text.as_str())))
}

/// The text of a statement as errors show it. One that was put together may hold values, so it is not shown.
pub(crate) fn shown(statement: &Statement) -> String {
    match &statement.sql {
        Cow::Borrowed(text) => (*text).to_owned(),
        Cow::Owned(_) => "a statement that was put together".to_owned(),
    }
}
