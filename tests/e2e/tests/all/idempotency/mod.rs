//! Idempotency keys.

mod credentials;
mod different;
mod keys;
mod later_operations;
mod replay;
mod vault;
mod waiting;
