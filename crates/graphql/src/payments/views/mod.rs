//! Payments and what they consist of.

mod outcome;
mod page;
mod parts;
mod payment;

pub(crate) use self::{
    page::{FilterFacts, PaymentsPageObject},
    parts::OVERVIEW,
    payment::{AmountObject, DISPUTES, PaymentObject},
};
