//! What can go wrong at the door. In every case but [`crate::Committed::Unknown`] nothing was written.

/// An error of the database. The text is for the operator and never holds the value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DbError {
    /// The bounded queue is full, or another program holds the database. Nothing was written; it may be tried again.
    #[error("the database has too much work waiting")]
    Busy,
    /// The change was still queued when its time to give up came. Nothing was written.
    #[error("the change waited until nobody needed it any more; it was not written")]
    Expired,
    /// The change's date is too far from the server's clock by now. Nothing was written; it is made again with a new date.
    #[error(
        "the change was to bear a date that is too far from the database's clock; it was not written"
    )]
    Outdated,
    /// The database is closed or closing.
    #[error("the database is closed")]
    Closed,
    /// A statement that is wrong in itself: a defect of this program. Nothing was written.
    #[error("the database refused a statement: {message} in `{sql}`")]
    Sql {
        /// What the database says, without values.
        message: String,
        /// The text of the statement.
        sql: String,
    },
    /// The disk, the memory or the file system failed. Nothing was written.
    #[error("the database's storage failed: {0}")]
    Storage(String),
    /// The database's server is away. Nothing was written, except perhaps by a claim; it may be tried again.
    #[error("the database can't be reached: {0}")]
    Unreachable(String),
    /// The file of an embedded database is damaged.
    #[error(
        "the database is malformed ({0}): restore a backup. Where a file was copied here by hand, the files -wal and -shm next to it \
         were of another one: bring the copy again, with its own -wal or with none"
    )]
    Malformed(String),
    /// Something stored is not what was written there.
    #[error("the database holds something unreadable: {0}")]
    Corrupt(String),
    /// This machine's clock and the database's differ by more than may be.
    #[error(
        "this machine's clock is {seconds} s away from the database's, and leases and time-outs rely on it: set both by NTP"
    )]
    Clock {
        /// By how much. Whole seconds.
        seconds: u64,
    },
    /// The tables are those of an older release, and are not changed by looking.
    #[error("migration {0} is not applied yet; the next start of a server applies it")]
    Pending(u32),
    /// The tables are those of an older release, and neither this role nor this process may change them.
    #[error(
        "migration {0} is not applied yet, and a start may not apply it (its role does not own the tables, or          database.migrate_at_start is off): run `pointsman upgrade --apply` with a role that owns them"
    )]
    Behind(u32),
    /// The schema is empty, and it may not be filled here.
    #[error("there is nothing in the database yet; the first start of a server makes its tables")]
    Unfounded,
    /// The role may not do what this program has to.
    #[error(
        "the database's role lacks a right ({0}): it must own the schema and its tables, or have been granted their use; see \
         docs/postgresql.md, \"Roles and schemas\""
    )]
    Denied(String),
    /// The address of the server can't be used. The text names parameters and files, never a value that may be secret.
    #[error("the database's address can't be used: {0}")]
    Address(String),
    /// The tables do not fit this program.
    #[error("the database's schema does not fit this program: {0}")]
    Schema(String),
}

impl DbError {
    /// Every kind, in one word.
    pub(crate) const KINDS: [&'static str; 8] = [
        "busy",
        "expired",
        "closed",
        "sql",
        "storage",
        "unreachable",
        "corrupt",
        "other",
    ];

    /// The kind in one word, for metrics.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Expired => "expired",
            Self::Closed => "closed",
            Self::Sql { .. } => "sql",
            Self::Storage(_) => "storage",
            Self::Unreachable(_) => "unreachable",
            Self::Corrupt(_) => "corrupt",
            _ => "other",
        }
    }
}
