//! Merchants that choose the processor themselves.

mod tokens;
