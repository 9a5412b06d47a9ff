//! One operation a file.

pub(crate) mod client_token;
pub(crate) mod team;
