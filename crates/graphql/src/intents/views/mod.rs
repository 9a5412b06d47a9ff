//! Intents and what they consist of.

mod intent;
mod parts;

pub(crate) use self::intent::{IntentObject, OF_PAYMENTS};
pub(crate) use self::parts::Linked;
