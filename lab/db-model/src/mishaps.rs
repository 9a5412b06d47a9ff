//! What can go wrong between a node and the modelled server, and who says so.

use std::time::Duration;

use db::Statement;

/// Decides what goes wrong. Asked at each boundary, on the thread that plays the world.
pub trait Mishaps: Send + Sync + 'static {
    /// What happens here. A mishap that does not fit the boundary is none.
    fn at(&self, boundary: Boundary<'_>) -> Mishap;
}

/// Nothing goes wrong.
#[derive(Debug, Clone, Copy)]
pub struct NoMishaps;

impl Mishaps for NoMishaps {
    fn at(&self, _: Boundary<'_>) -> Mishap {
        Mishap::None
    }
}

/// A moment between a node and the server. Statements are those of a whole batch, one change after the other; their texts
/// tell what is done.
#[derive(Debug, Clone, Copy)]
pub enum Boundary<'a> {
    /// A connection is opened: [`Mishap::Slow`], [`Mishap::Lost`], [`Mishap::Death`].
    Connect,
    /// BEGIN and the statements are about to be sent: Slow, Lost (the batch is done again), [`Mishap::Met`], Death.
    Begin(&'a [Statement]),
    /// All counts are met and COMMIT is about to be sent: Slow (it takes so long, with its locks), Lost (the batch is done
    /// again), Met, [`Mishap::Unknown`] (nothing is written), [`Mishap::Late`], Death (nothing is written).
    Commit(&'a [Statement]),
    /// The server has committed and the answer is on its way: Slow, Unknown (all is written), Death.
    Committed(&'a [Statement]),
    /// A claim is about to be sent: Slow, Lost (it is refused), Met, Death.
    Claim(&'a Statement),
    /// A claim is done and its answer on its way: Slow, Lost (the rows are taken and nobody knows), Death.
    Claimed(&'a Statement),
    /// A read is about to be sent: Slow, Lost, Met (both: it is tried again), Death.
    Read(&'a Statement),
}

/// What goes wrong at a boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mishap {
    /// Nothing.
    None,
    /// It takes so long.
    Slow(Duration),
    /// The connection is lost.
    Lost,
    /// It meets another transaction: a deadlock, or a failure of serialisation.
    Met,
    /// The connection is lost while an answer to COMMIT is awaited.
    Unknown,
    /// The same, and the server ends the transaction only later; it keeps its locks until then.
    Late {
        /// How long it takes.
        after: Duration,
        /// Whether it is committed then, or undone.
        effect: bool,
    },
    /// The process has died: what asked goes no further. To be returned after [`world::Node::crash`].
    Death,
}
