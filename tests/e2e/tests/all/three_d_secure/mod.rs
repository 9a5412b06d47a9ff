//! 3D Secure: who asks for it, the challenge, and every way back from it.

mod asked;
mod challenge;
mod checkouts;
mod late;
mod replay;
mod returns;
mod secrets;

/// Where the shop of these stories has its customers come back to.
pub(crate) const BACK: &str = "https://shop.example/back";
