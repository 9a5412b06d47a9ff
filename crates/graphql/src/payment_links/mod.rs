//! Payment links.

mod inputs;
mod operations;
pub(crate) mod views;

pub(crate) use self::operations::OPERATIONS;
