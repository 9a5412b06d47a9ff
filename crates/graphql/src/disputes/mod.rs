//! Disputes.

pub(crate) mod evidence;
mod inputs;
mod operations;
mod respond;
pub(crate) mod views;

pub(crate) use self::operations::{OPERATIONS, shown, with_attachments};
