//! The facet of probes: what the processor says of the account behind a connection.

use domain::processor_text::ProcessorText;

use crate::{Called, Link};

/// Asks a processor what an account is and can do, without an effect there: when a connection is saved, and whenever somebody
/// wants to know.
///
/// How the answers count: [`crate::Cause::Credentials`] means that the processor refuses the credentials, which are then not
/// saved. Every other error (not sent, unknown, refused for another reason) means that the processor can't be asked now: the
/// connection is saved, with a warning. A key that may do too little for this question but enough for payments is no error: the
/// connector returns what it knows, with a warning.
pub trait Probe: Send + Sync {
    /// Asks. Reads only. The engine bounds it by [`crate::Descriptor::call_timeout`].
    fn account<'a>(&'a self, link: &'a Link<'a>) -> Called<'a, AccountFacts>;
}

/// What a processor says of an account. The texts are shown to the merchant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccountFacts {
    /// The processor's id of the account.
    pub id: Option<ProcessorText>,
    /// The name of the business.
    pub name: Option<ProcessorText>,
    /// Its country, ISO 3166 with two letters where the processor gives it so.
    pub country: Option<ProcessorText>,
    /// Whether real money moves. `None`: the processor doesn't say. An account of the other mode is refused.
    pub is_live: Option<bool>,
    /// What it can do, in the processor's own words or as codes of methods, such as `card_payments`.
    pub capabilities: Vec<ProcessorText>,
    /// What the merchant should do about it: whole sentences.
    pub warnings: Vec<ProcessorText>,
}
