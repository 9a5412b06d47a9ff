//! What processors sent by themselves.

mod operations;
pub(crate) mod views;

pub(crate) use self::operations::OPERATIONS;
