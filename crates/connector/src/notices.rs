//! The facet of notices: what a processor sends by itself.

use domain::{
    answer::{Answer, LaterAnswer},
    dispute::DisputeReport,
    payment::MadeElsewhere,
};

use crate::Link;

/// What came to the address of a connection.
#[derive(Clone, Copy)]
pub struct Delivery<'a> {
    /// The body, byte for byte.
    pub body: &'a [u8],
    /// The headers, their names in small letters. A name may come twice.
    pub headers: &'a [(String, String)],
}

impl<'a> Delivery<'a> {
    /// The value of a header that came once. `None` also where it came twice: nobody may choose which one counts.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }
}

/// What a processor sends by itself.
pub trait Notices: Send + Sync {
    /// Proves who sent a delivery, on its raw bytes and in constant time, and reads it. Reaches nobody.
    ///
    /// # Errors
    /// [`NotGenuine`]: nothing of it may be believed.
    fn open(&self, link: &Link<'_>, delivery: &Delivery<'_>) -> Result<Vec<Notice>, NotGenuine>;
}

/// Why a delivery is not believed: a clause for the operator, without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotGenuine {
    /// The connection has no secret to check signatures with.
    #[error("the connection has no secret for notifications")]
    NoSecret,
    /// No signature, or none of the right form.
    #[error("it has no signature")]
    Unsigned,
    /// No signature fits.
    #[error("its signature does not fit")]
    Forged,
    /// Its time is too far from ours.
    #[error("its time is too far from ours")]
    Untimely,
    /// It is for the other mode, test or live.
    #[error("it is of the other mode")]
    OtherMode,
    /// Genuine, but not to be understood.
    #[error("it can't be read")]
    Unreadable,
}

/// One piece of news in a delivery.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// The processor's id of it, or one that is made of its signed fields: the same for every copy.
    pub id: String,
    /// The processor's own word for it, such as `refund.failed`.
    pub word: String,
    /// What it is about.
    pub subject: Subject,
    /// What it says.
    pub content: NoticeContent,
}

/// What a notice is about: our reference, and the processor's id. Either may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subject {
    /// The reference under which the operation was sent, as the processor has it.
    pub reference: Option<String>,
    /// The processor's id.
    pub processor_id: Option<String>,
}

/// What a notice says. What is not under the signature is never in it: then the notice is [`NoticeContent::Changed`].
#[derive(Debug, Clone, PartialEq)]
pub enum NoticeContent {
    /// How an authorisation stands. The reference is that of the authorisation.
    Authorisation(Answer),
    /// How a capture, cancellation or refund stands. The reference is that of the operation.
    Later(LaterAnswer),
    /// How a payment stands that was made by somebody else, or may have been: it has no reference of ours. With all that is needed
    /// to keep it.
    Made(Box<MadeElsewhere>),
    /// How a dispute stands. The reference is that of the authorisation.
    Dispute(DisputeReport),
    /// Something has changed; what, is to be looked up.
    Changed,
    /// Nothing that is of interest here.
    Other,
}
