//! What only the sandbox has: the simulator's durable books.

mod books;

pub use books::DbBooks;
