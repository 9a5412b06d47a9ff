//! One operation a file.

pub(crate) mod complete;
mod fields;
pub(crate) mod list;
pub(crate) mod start;
pub(crate) mod update;
