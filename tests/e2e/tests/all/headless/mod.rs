//! Merchants that choose the processor themselves.

mod payments;
mod refused;
mod tokens;
