//! Stored payment methods and their tokens.

mod inputs;
mod operations;
pub(crate) mod views;

pub(crate) use self::operations::OPERATIONS;
