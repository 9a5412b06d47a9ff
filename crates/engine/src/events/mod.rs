//! Events for merchants: the catch-up query, and all that is sent to webhook endpoints.

mod cursor;
mod follow;
mod list;

pub(crate) use cursor::EventCursor;
pub(crate) use follow::Followers;
pub use follow::{After, Followed, FollowedEvents, FollowedPayment};
pub use list::{EventPage, ListEvents};
