//! The facet of notices: what a processor sends by itself.

use domain::{
    answer::{Answer, Approval, LaterAnswer},
    dispute::DisputeReport,
    payment::MadeElsewhere,
};

use crate::{CallError, Called, Link};

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

/// What a processor sends by itself. A delivery is proven once, when it comes; it is read then, and again whenever it is applied.
pub trait Notices: Send + Sync {
    /// What the merchant does with a connection's address: where it is entered at the processor, which kinds of notification are
    /// wanted, where the secret is shown. Whole sentences; the address itself is shown with them.
    fn set_up(&self) -> &'static str {
        "Enter the address at the processor as the recipient of its notifications (webhooks)."
    }

    /// Proves who sent a delivery, on its raw bytes and in constant time. Reaches nobody. While a secret is rotated it is called
    /// with the credentials as they are, and again with the secret before ([`crate::CredentialPurpose::Notifications`]) when it
    /// said [`NotGenuine::Forged`] or [`NotGenuine::NoSecret`]. Only a signature that doesn't fit may be called forged.
    ///
    /// # Errors
    /// [`NotGenuine`]: nothing of it may be believed.
    fn prove(&self, link: &Link<'_>, delivery: &Delivery<'_>) -> Result<(), NotGenuine>;

    /// Reads a delivery that was proven, now or long ago. It gets nothing of the connection, whose secrets may be others by now,
    /// and none of the headers that hold credentials.
    ///
    /// # Errors
    /// [`Unreadable`]: genuine, but not to be understood.
    fn read(&self, delivery: &Delivery<'_>) -> Result<Vec<Notice>, Unreadable>;

    /// Reads a delivery in which [`Notices::read`] found something that is [`NoticeContent::Unresolved`]: asks the processor for what
    /// the delivery does not say. Nothing in what it returns is unresolved. Reads only.
    ///
    /// # Errors
    /// [`CallError::Rejected`] for its content, or [`CallError::Unsupported`]: nothing will ever be made of it, and a person must look.
    /// With any other error it is tried again.
    fn resolve<'a>(
        &'a self,
        _link: &'a Link<'a>,
        _delivery: &'a Delivery<'a>,
    ) -> Called<'a, Vec<Notice>> {
        Box::pin(std::future::ready(Err(CallError::Unsupported)))
    }
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
    /// Its signature fits, but its time is too far from ours.
    #[error("its time is too far from ours")]
    Untimely,
    /// Its signature fits, but it is for the other mode, test or live.
    #[error("it is of the other mode")]
    OtherMode,
}

/// A delivery that is genuine, and can't be understood. Why: a clause for people, without a value of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it can't be read: {0}")]
pub struct Unreadable(pub &'static str);

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
    /// The mark of the connection that sent it ([`Link::mark`]), where the processor keeps it.
    pub sent_by: Option<String>,
}

/// A refund that was not asked for here.
#[derive(Debug, Clone, PartialEq)]
pub struct RefundMade {
    /// The processor's id of the refund.
    pub id: String,
    /// How it stands.
    pub answer: LaterAnswer,
}

/// What a notice says. What is not under the signature is never in it: then the notice is [`NoticeContent::Changed`].
#[derive(Debug, Clone, PartialEq)]
pub enum NoticeContent {
    /// How an authorisation stands. The reference is that of the authorisation.
    Authorisation(Answer),
    /// An authorisation has taken effect as it was asked for: with its capture, where it was a sale. For processors whose news does
    /// not say, under its signature, whether the money is captured. The reference is that of the authorisation.
    Approved(Approval),
    /// How a capture, cancellation or refund stands. The reference is that of the operation; where the processor names the
    /// authorisation's instead, the operation is the one with the processor's id.
    Later(LaterAnswer),
    /// How a payment stands that was made by somebody else, or may have been: it has no reference of ours. With all that is needed
    /// to keep it.
    Made(Box<MadeElsewhere>),
    /// How a refund stands that somebody else made of a payment of ours. The reference is that of the authorisation.
    RefundMade(RefundMade),
    /// How a dispute stands. The reference is that of the authorisation.
    Dispute(DisputeReport),
    /// Something has changed; what, is to be looked up.
    Changed,
    /// The processor has ended an authorisation, or somebody has there: nothing can be captured of it any more.
    Ended,
    /// The processor has released what an authorisation still held, and proves it: there is nothing left to cancel. The reference is that of
    /// the authorisation.
    Released,
    /// The processor has a response to a dispute, which it names by this id of its own. For processors that can't be asked for responses.
    /// The reference is that of the authorisation.
    Responded(String),
    /// The delivery does not say what it is about: [`Notices::resolve`] finds out.
    Unresolved,
    /// Nothing that is of interest here.
    Other,
}
