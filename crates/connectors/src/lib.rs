//! The adapters: one processor is one folder.
//!
//! A connector knows the port (`connector`) and the values (`domain`) alone; only the server names one.

pub mod adyen;
pub mod simulator;
pub mod stripe;
