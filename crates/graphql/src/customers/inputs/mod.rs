//! One operation a file.

pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod update;
