//! What only the sandbox has: the simulator and its durable books.

mod books;
mod sender;

use std::sync::Arc;

use connectors::simulator::{Books, Simulator};
use db::Db;

pub use books::DbBooks;
pub use sender::{local_base, send_notifications};

/// What only test mode has.
pub struct Sandbox {
    /// Where the books are.
    pub db: Db,
    /// The books.
    pub books: Arc<dyn Books>,
    /// The processor that keeps them.
    pub simulator: Arc<Simulator>,
}
