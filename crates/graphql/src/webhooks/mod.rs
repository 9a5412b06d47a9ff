//! Webhook endpoints and what is sent to them.

mod inputs;
mod operations;
pub(crate) mod views;

pub(crate) use self::operations::OPERATIONS;
