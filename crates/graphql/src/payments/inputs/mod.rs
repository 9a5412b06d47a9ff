//! One operation a file.

pub(crate) mod authorise;
mod browser;
pub(crate) mod cancel;
pub(crate) mod capture;
pub(crate) mod list;
pub(crate) mod refund;
pub(crate) mod resolve;
mod wallet;
