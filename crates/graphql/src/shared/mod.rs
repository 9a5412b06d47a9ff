//! What several areas use.
//!
//! Inputs: coerced arguments become commands of the engine. Parse, don't validate: a command that came out of here holds
//! no impossible combination, and every fault names the path of what is wrong.

pub(crate) mod address;
pub(crate) mod card;
mod connection;
pub(crate) mod ids;
mod number;
mod page;
pub(crate) mod person;
mod reader;
mod sight;
mod values;

pub(crate) use self::{
    connection::{Connection, Node, PageFacts, Wanted},
    number::note_number,
    page::{page, sort},
    reader::{Blank, Reader},
    sight::{Sight, check_zone, zoned},
    values::{SLUG, currency, order, redirect},
};

#[cfg(test)]
pub(crate) mod sample;
