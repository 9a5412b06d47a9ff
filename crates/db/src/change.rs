//! A write as a value: statements that are applied all or nothing.

use std::{
    borrow::Cow,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use domain::Timestamp;

use crate::{Value, dates::Open, parts::Parts, stamp};

/// How many rows a statement must touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Exactly so many; another count is a [`Committed::Conflict`].
    Rows(u64),
    /// Any number, also none.
    Any,
}

impl Expect {
    /// A count that meets it.
    pub fn wanted(self) -> u64 {
        match self {
            Self::Rows(wanted) => wanted,
            Self::Any => 0,
        }
    }

    /// Whether a statement that touched so many rows did what was expected of it.
    pub fn is_met_by(self, count: u64) -> bool {
        match self {
            Self::Rows(wanted) => count == wanted,
            Self::Any => true,
        }
    }
}

/// One statement with its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The text in the portable subset, with `$1…$n` for the parameters.
    pub sql: Cow<'static, str>,
    /// The parameters: `$1` is the first.
    pub params: Vec<Value>,
    /// How many rows it must touch.
    pub expect: Expect,
    /// What it is made of, so that several of a kind can become one.
    pub(crate) parts: Parts,
}

impl Statement {
    /// A statement that must touch exactly one row.
    pub fn one(sql: impl Into<Cow<'static, str>>, params: Vec<Value>) -> Self {
        Self {
            sql: sql.into(),
            params,
            expect: Expect::Rows(1),
            parts: Parts::Text,
        }
    }

    /// A statement that may touch any number of rows.
    pub fn any(sql: impl Into<Cow<'static, str>>, params: Vec<Value>) -> Self {
        Self {
            sql: sql.into(),
            params,
            expect: Expect::Any,
            parts: Parts::Text,
        }
    }

    /// The same that may touch any number of rows.
    #[must_use]
    pub fn or_none(mut self) -> Self {
        self.expect = Expect::Any;
        self
    }

    /// Whether its rows get the stamp of the commit.
    pub(crate) fn is_stamped(&self) -> bool {
        match self.parts {
            Parts::Insert(insert) => insert.stamp.is_some(),
            Parts::Text => stamp::stamps(&self.sql),
            Parts::Update(_) | Parts::Select(_) | Parts::DateGuard => false,
        }
    }

    /// Another text with the same parameters.
    #[must_use]
    pub fn reworded(self, sql: impl Into<Cow<'static, str>>) -> Self {
        Self {
            sql: sql.into(),
            parts: Parts::Text,
            ..self
        }
    }
}

/// The identity of a change, chosen by its maker, so that a change whose outcome is unknown can be submitted again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChangeId(pub u128);

/// For whom something is written. What one lane waits for does not delay the other where each has connections of its own
/// ([`crate::Lanes`]). An embedded database has one writer for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lane {
    /// Requests, and the jobs that payments wait for.
    #[default]
    Prompt,
    /// Sweeps: nobody waits for them.
    Sweep,
}

/// Statements that are applied all or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its identity.
    pub id: ChangeId,
    /// A hash of the key of the aggregate that it changes. Changes of one aggregate are never in one batch.
    pub aggregate: u64,
    /// The statements, in order; the guarded one first. Shared, so that a change can be kept to be submitted again.
    pub statements: Arc<Vec<Statement>>,
    /// When nobody waits for it any more: still queued then, it is dropped with [`crate::DbError::Expired`].
    pub give_up_at: Option<Timestamp>,
    /// For whom it is made.
    pub lane: Lane,
    /// Keeps the date of what it makes open until it has ended.
    pub(crate) open: Option<Open>,
}

impl Change {
    /// An empty change of the aggregate with this key.
    pub fn new(id: ChangeId, aggregate_key: &str) -> Self {
        // The hash lives in memory only, so that it need not be the same in the next release.
        let mut hasher = DefaultHasher::new();
        aggregate_key.hash(&mut hasher);
        Self {
            id,
            aggregate: hasher.finish(),
            statements: Arc::default(),
            give_up_at: None,
            lane: Lane::Prompt,
            open: None,
        }
    }

    /// Adds a statement at the end.
    pub fn push(&mut self, statement: Statement) {
        Arc::make_mut(&mut self.statements).push(statement);
    }

    /// Adds a statement at the end.
    #[must_use]
    pub fn with(mut self, statement: Statement) -> Self {
        self.push(statement);
        self
    }

    /// Sets the time at which nobody waits for it any more.
    #[must_use]
    pub fn until(mut self, give_up_at: Timestamp) -> Self {
        self.give_up_at = Some(give_up_at);
        self
    }

    /// Sets for whom it is made.
    #[must_use]
    pub fn in_lane(mut self, lane: Lane) -> Self {
        self.lane = lane;
        self
    }
}

/// How a commit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// All of it is on stable storage.
    Done,
    /// Nothing of it was written: a count was not met, or a unique key was taken.
    Conflict {
        /// The index of the statement in the change.
        statement: usize,
    },
    /// It may have been written: the answer was lost. SQLite never says so: there a commit that fails ends the process.
    Unknown,
}
