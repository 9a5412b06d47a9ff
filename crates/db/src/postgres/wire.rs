//! What the writers and the pools need of a server and of a connection to it: PostgreSQL's own, or a model's.

use world::World;

use super::{
    PostgresOptions,
    failure::Failure,
    link::{Role, Sealed},
};
use crate::{Row, Statement};

/// A server that one can connect to.
pub trait Endpoint: Send + Sync + 'static {
    /// A connection to it.
    type Wire: Wire;

    /// The node's world.
    fn world(&self) -> &World;

    /// How it is used.
    fn options(&self) -> &PostgresOptions;

    /// Opens a connection. Errors are for the operator.
    fn connect(&self, role: Role) -> impl Future<Output = Result<Self::Wire, String>> + Send;

    /// From now on a new connection on which `look` finds a row is not used. Counts once.
    fn refuse_when_found(&self, look: &'static str);
}

/// How a transaction is begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// On a connection without an open transaction.
    First,
    /// After what was begun before is undone.
    Again,
}

/// A change whose statements are prepared.
pub struct Ready<'a, P> {
    /// What it runs, in order.
    pub statements: &'a [Statement],
    /// In the same order.
    pub prepared: &'a [P],
}

impl<'a, P> Ready<'a, P> {
    /// The statements with what is prepared for them.
    pub fn pairs(&self) -> impl Iterator<Item = (&'a P, &'a Statement)> + Clone + use<'a, P> {
        self.prepared.iter().zip(self.statements)
    }
}

/// An open connection. It ends when this is dropped.
pub trait Wire: Send + Sync + 'static {
    /// A statement that was prepared.
    type Prepared: Send + Sync;

    /// Whether it is of no use any more.
    fn is_closed(&self) -> bool;

    /// Drops the connection at once, whatever is under way on it.
    fn cut(&self);

    /// Prepares a statement, or finds it prepared.
    fn prepare(
        &self,
        statement: &Statement,
    ) -> impl Future<Output = Result<Self::Prepared, Failure>> + Send;

    /// Runs a statement to its end and returns its rows.
    fn rows(&self, statement: &Statement)
    -> impl Future<Output = Result<Vec<Row>, Failure>> + Send;

    /// Begins a transaction and runs the statements of every change: how many rows each touched, in order, or what it had to
    /// when all have met their counts. An error means that none did.
    fn play(
        &self,
        begin: Begin,
        changes: &[Ready<'_, Self::Prepared>],
    ) -> impl Future<Output = Result<Vec<Result<u64, Failure>>, Failure>> + Send;

    /// Sends COMMIT.
    fn seal(&self) -> impl Future<Output = Sealed> + Send;

    /// Leaves no transaction open.
    fn undo(&self) -> impl Future<Output = Result<(), String>> + Send;

    /// Waits for a moment that is longer after more tries, and another for everyone.
    fn pause(&self, tries: u32) -> impl Future<Output = ()> + Send;
}
