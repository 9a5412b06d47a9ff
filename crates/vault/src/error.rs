//! What can go wrong in the vault.

use db::DbError;
use domain::id::BlobId;

use crate::keyring::KeyError;
#[cfg(doc)]
use crate::secrets::SECRET_MAX;

/// What can go wrong in the vault. None of it tells a number.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The database.
    #[error(transparent)]
    Db(#[from] DbError),
    /// A record does not open: its bytes, its team or its id were changed.
    #[error("the sealed record {0} is damaged")]
    Damaged(BlobId),
    /// A record is sealed under a version that the key file does not have.
    #[error("key version {0} is missing")]
    NoKey(u32),
    /// The keys are those of another vault, or of another time.
    #[error(
        "version {0} of the keys is not what this vault was sealed with: bring back the right key file"
    )]
    WrongKey(u32),
    /// The keys.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// A rotation's step is at work.
    #[error("another rotation is at work")]
    Rotating,
    /// A secret is longer than [`SECRET_MAX`].
    #[error("the secret is too long to be sealed")]
    TooLong,
    /// The number was not sealed, several times over.
    #[error("the number could not be sealed under the current key")]
    Refused,
    /// The database did not say what became of a commit.
    #[error("the outcome of a commit is unknown")]
    Unclear,
    /// What was sealed is, or is going to be, elsewhere, under the same keys.
    #[error(
        "the data were moved to another database, or are being moved: their keys are left as they are"
    )]
    Moved,
}
