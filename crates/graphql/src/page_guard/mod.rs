//! Guarded pages: merchants' pages on which customers pay.

mod inputs;
mod operations;
pub(crate) mod views;

pub(crate) use self::operations::OPERATIONS;
