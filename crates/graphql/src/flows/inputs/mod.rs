//! One operation a file.

pub(crate) mod decide;
pub(crate) mod save;
pub(crate) mod try_out;
pub(crate) mod version;
