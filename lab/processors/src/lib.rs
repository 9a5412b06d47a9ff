//! Processors' wire formats, simulated: each a pure state machine of books, request and clock.
//!
//! # How it works
//! A machine owns its books. [`Machine::answer`] takes one request and gives one answer, at the time that it is given;
//! [`Machine::due`] makes what must happen by a time happen, and gives the webhooks to be sent. Nothing in here reads a clock, draws
//! from the operating system or opens a connection: the HTTP shell is `pointsman-lab processor`, and a seeded simulation calls the
//! same machine directly.
//!
//! # What is promised
//! The same seed, requests and times give the same answers, ids and webhooks. What a machine refuses, its original refuses; where that
//! isn't known, the machine is the stricter one, and `docs/simulators.md` says so.

pub mod adyen;
mod conduct;
mod delivery;
mod draw;
mod faults;
mod form;
mod keys;
mod luhn;
mod page;
mod played;
pub mod stripe;

use std::{collections::BTreeMap, time::Duration};

pub use faults::{Armed, BadFault, Fault};
pub use played::Played;

/// A request as it came over the wire.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// In capitals.
    pub method: String,
    /// The path alone.
    pub path: String,
    /// The query, without its question mark.
    pub query: String,
    /// By their names in small letters.
    pub headers: BTreeMap<String, String>,
    /// The raw body.
    pub body: Vec<u8>,
}

/// What is answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// By their names.
    pub headers: BTreeMap<String, String>,
    /// The raw body.
    pub body: Vec<u8>,
}

/// How the answer reaches the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conduct {
    /// Whole, at once.
    Whole,
    /// Not at all: the connection is closed.
    Lost,
    /// The connection is closed after so many bytes of the body.
    CutAt(usize),
    /// Whole, after this time.
    After(Duration),
}

/// An answer and how it arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What is answered.
    pub reply: Reply,
    /// How it arrives.
    pub conduct: Conduct,
}

/// A webhook to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    /// Names this try in [`Machine::delivered`].
    pub id: u64,
    /// Where to.
    pub url: String,
    /// By their names.
    pub headers: BTreeMap<&'static str, String>,
    /// The raw body.
    pub body: Vec<u8>,
}

/// A processor as a state machine. Times are since the beginning of 1970.
pub trait Machine: Send {
    /// The answer to one request.
    fn answer(&mut self, request: &Request, now: Duration) -> Answer;

    /// Makes happen what is due, and gives the webhooks to be sent now. Each is given once; without [`Self::delivered`] it isn't sent
    /// again.
    fn due(&mut self, now: Duration) -> Vec<Post>;

    /// The status that the receiver answered; `None` when it did not.
    fn delivered(&mut self, id: u64, status: Option<u16>, now: Duration);

    /// Sends at once what waits for its next try, as who presses "Resend" in a dashboard. Whether anything is not delivered yet.
    fn hurry(&mut self, now: Duration) -> bool;
}
