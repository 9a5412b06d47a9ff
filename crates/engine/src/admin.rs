//! For the people who run the service: teams and keys.

mod keys;
mod teams;

use crate::boxed;
use db::{Change, Committed, DbError};
use domain::bounded::{NAME_MAX, bounded};

use crate::Engine;

pub(crate) use keys::made_key;
pub use keys::{KeyKind, KeyMade, KeyRotated, ListedKey, NewKey};
pub use teams::ListedTeam;

/// Why the service refused what an operator asked for. The text is for the operator and repeats no input.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// It can't be done as asked.
    #[error("{0}")]
    Refused(String),
    /// The database failed.
    #[error("the database could not do it")]
    Database(#[from] DbError),
}

impl AdminError {
    pub(crate) fn refused(why: impl Into<String>) -> Self {
        Self::Refused(why.into())
    }
}

impl Engine {
    /// The processors that connections of any team speak to.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn processors_in_use(&self) -> Result<Vec<String>, AdminError> {
        Ok(store::connection::processors(&self.inner.store).await?)
    }

    /// Commits; whether it was refused because something of it was there already.
    pub(crate) async fn committed_plain(&self, change: Change) -> Result<Refused, AdminError> {
        match self.inner.store.commit(change).await? {
            Committed::Done => Ok(Refused::No),
            Committed::Conflict { .. } => Ok(Refused::Yes),
            Committed::Unknown => Err(AdminError::refused(
                "the database did not say whether it was done: list what there is, then try again",
            )),
        }
    }
}

/// Whether a commit was refused.
pub(crate) enum Refused {
    No,
    Yes,
}

pub(crate) fn checked_name(name: &str) -> Result<String, AdminError> {
    if name.trim().is_empty() {
        return Err(AdminError::refused("a name must not be empty"));
    }
    bounded(name.to_owned(), "name", NAME_MAX).map_err(|fault| AdminError::Refused(fault.message))
}

pub(crate) fn malformed() -> AdminError {
    AdminError::refused(
        "the key is not of the right form: the prefix of its kind and mode (such as sk_test_), then at least 4 letters, \
         digits, `_` or `-`",
    )
}
