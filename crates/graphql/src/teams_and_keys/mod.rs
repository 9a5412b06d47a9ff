//! The caller's team and its client tokens.

mod inputs;
mod operations;
pub(crate) mod views;

pub(crate) use self::operations::OPERATIONS;
