//! Wallets.

mod inputs;
mod operations;

pub(crate) use self::operations::OPERATIONS;
