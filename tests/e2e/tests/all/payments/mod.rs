//! Payments by card: authorise, capture, cancel, refund, read.

mod amounts;
mod authorise;
mod cancel;
mod capture;
mod captures;
mod direct_debits;
mod fields;
mod instruments;
mod refund;
mod states;
