//! One operation a file.

pub(crate) mod processor_token;
pub(crate) mod security_code;
pub(crate) mod tokenise;
