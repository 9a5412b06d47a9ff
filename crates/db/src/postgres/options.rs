//! How a PostgreSQL database is opened.

use std::{fmt, time::Duration};

use crate::{DbError, Survives, Tables};

/// Which connections there are besides those that commit and those that read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lanes {
    /// Two: one for prompt claims, and one for all that sweeps write.
    Both,
    /// One: for all that sweeps write, and for claims of any kind. Where nothing prompt claims, or nothing sweeps.
    SweepsClaim,
}

/// How a PostgreSQL database is opened.
#[derive(Clone)]
pub struct PostgresOptions {
    /// `postgres://user:password@host:port/database?sslmode=verify-full&sslrootcert=/path`. Several hosts may be named,
    /// separated by commas; the one that takes writes is used. A pooler in between must give each client a session. `sslmode` is one of disable, prefer, require, verify-ca
    /// and verify-full, as libpq defines them; without `sslrootcert` the system's certificates are trusted.
    pub url: String,
    /// The schema that holds the tables: lower-case letters, digits and `_`. It is created when it is not there.
    pub schema: String,
    /// Connections that commit. At least 1. Each commits in groups of its own, so that few make large groups; a change that
    /// waits for a lock holds up those that share its connection.
    pub writers: usize,
    /// Connections for point reads, each shared by many readers. At least 1.
    pub readers: usize,
    /// Connections for what may take long, one scan at a time on each. At least 1.
    pub scanners: usize,
    /// The connections for claims and sweeps.
    pub lanes: Lanes,
    /// How many changes may wait; one more is [`crate::DbError::Busy`].
    pub queue: usize,
    /// How many changes share one commit at most.
    pub batch: usize,
    /// How long opening a connection may take.
    pub connect_timeout: Duration,
    /// How long a statement may take on the server; a connection that gives no sign for twice as long is cut.
    pub statement_timeout: Duration,
    /// How long work waits for a server that is away before it is refused with [`crate::DbError::Unreachable`].
    pub patience: Duration,
    /// How far this machine's clock may be from the server's when it is opened; beyond it is [`crate::DbError::Clock`].
    pub max_clock_skew: Duration,
    /// Whether statements of a kind that wait at the same moment are sent as one.
    pub bundles: bool,
    /// What may be done to the schema's tables.
    pub tables: Tables,
    /// Whether they may be made and brought up to date; where not, older ones are [`crate::DbError::Behind`].
    pub migrates: bool,
    /// Whether it is opened to move its data, not to serve them: its connections don't look like a node's.
    pub moves: bool,
    /// What a commit survives; [`Survives::TheProcess`] is that of ours: the server's crash may lose the last of it.
    pub survives: Survives,
}

impl PostgresOptions {
    /// The settings that suit a service with one database of payments.
    pub fn new(url: impl Into<String>, schema: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            schema: schema.into(),
            writers: 2,
            readers: 4,
            scanners: 2,
            lanes: Lanes::Both,
            queue: 4096,
            batch: 128,
            connect_timeout: Duration::from_secs(5),
            statement_timeout: Duration::from_secs(15),
            patience: Duration::from_secs(10),
            max_clock_skew: Duration::from_secs(5),
            bundles: true,
            tables: Tables::Made,
            migrates: true,
            moves: false,
            survives: Survives::TheMachine,
        }
    }

    /// The schema's name, which stands in texts that take no parameters.
    pub(crate) fn checked_schema(&self) -> Result<&str, DbError> {
        let name = self.schema.as_str();
        let fits = name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
            && name.starts_with(|first: char| !first.is_ascii_digit())
            && !name.starts_with("pg_")
            && name != "information_schema"
            && name.len() <= 63;
        if fits {
            Ok(name)
        } else {
            Err(DbError::Schema(
                "the name of its schema does not fit".to_owned(),
            ))
        }
    }
}

/// The address may hold a password.
impl fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresOptions")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_a_plain_name_and_the_password_is_not_shown() {
        let options = |schema: &str| PostgresOptions::new("postgres://me:secret@db/x", schema);
        assert_eq!(options("pointsman_2").checked_schema(), Ok("pointsman_2"));
        for wrong in [
            "",
            "2nd",
            "Upper",
            "a\"b",
            "a b",
            "pg_own",
            "information_schema",
            &"x".repeat(64),
        ] {
            assert!(options(wrong).checked_schema().is_err(), "{wrong}");
        }
        assert!(!format!("{:?}", options("a")).contains("secret"));
    }
}
