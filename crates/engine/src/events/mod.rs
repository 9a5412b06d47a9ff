//! Events for merchants: the catch-up query, and all that is sent to webhook endpoints.

mod cursor;
mod list;

pub use list::{EventPage, ListEvents};
