//! The document of a flow: what a person writes, as values.

use std::{collections::BTreeMap, time::Duration};

use domain::{decline::DeclineCode, id::ConnectionId, method::Method, payment::ThreeDsWish};

/// A flow as a person writes it, in JSON or YAML of one shape.
///
/// Made by [`Document::parse`] and [`Document::from_value`] alone, so that what is in it is within its bounds. Whether
/// its steps make sense together is judged by [`crate::Program::compile`].
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// What people call it.
    pub name: String,
    /// What starts it.
    pub trigger: Trigger,
    /// What it does, in order.
    pub steps: Vec<Step>,
    /// Where each thing stood in the text.
    pub(crate) lines: Lines,
}

/// The line of each place of a document that was read from a text. Two documents are equal wherever they came from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines(pub(crate) BTreeMap<String, u32>);

impl PartialEq for Lines {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What starts a flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trigger {
    /// A payment that is made with the flow's id, or without one when the flow is the team's default.
    Payment,
    /// A payment that has come to one of these outcomes.
    Outcome(Vec<Outcome>),
    /// One of these moments of a dispute.
    Dispute(Vec<DisputeMoment>),
    /// An intent that became inactive.
    IntentInactive,
    /// A webhook that arrived under this name.
    Webhook {
        /// The last part of its address.
        name: String,
    },
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its word in documents.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Reads the word.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

words!(
    /// What a payment has come to.
    Outcome {
        /// Authorised, not captured yet.
        Authorised = "authorised",
        /// Captured.
        Succeeded = "succeeded",
        /// Refused by the issuer, the processor or a rule.
        Declined = "declined",
        /// A technical failure; nothing was authorised.
        Failed = "failed",
        /// Cancelled before it was captured.
        Cancelled = "cancelled",
        /// All that was captured, or a part, is refunded.
        Refunded = "refunded",
        /// A chargeback is open.
        Disputed = "disputed",
    }
);

words!(
    /// A moment in the life of a dispute.
    DisputeMoment {
        /// It was opened.
        Created = "created",
        /// Anything about it changed.
        Updated = "updated",
        /// The processor waits for a response.
        NeedsResponse = "needs_response",
        /// The response is being judged.
        UnderReview = "under_review",
        /// Decided for the merchant.
        Won = "won",
        /// Decided for the customer.
        Lost = "lost",
        /// Ended without a decision.
        Closed = "closed",
    }
);

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The name that the timeline shows instead of the step's place.
    pub id: Option<String>,
    /// What it does.
    pub action: Action,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Names the methods that the checkout shows.
    Offer(Vec<Method>),
    /// Goes one way or the other.
    If {
        /// A condition in CEL.
        condition: String,
        /// The steps when it holds.
        then: Vec<Step>,
        /// The steps when it does not.
        otherwise: Vec<Step>,
    },
    /// Says whether 3D Secure is wanted.
    ThreeDSecure(ThreeDsWish),
    /// Authorises the payment.
    Authorise(Authorise),
    /// Says when the payment is captured.
    Capture(CaptureWhen),
    /// Gives money back.
    Refund {
        /// How much.
        amount: RefundAmount,
        /// Why, for the refund's record.
        reason: Option<String>,
    },
    /// Gives up an authorisation.
    Cancel {
        /// Why.
        reason: Option<String>,
    },
    /// Declines the payment without asking a processor.
    Decline {
        /// The reason that the merchant gets.
        code: DeclineCode,
        /// A text for it, for the timeline.
        message: Option<String>,
    },
    /// Waits.
    Delay(Duration),
    /// Waits for a person's approval.
    Approval {
        /// What the person reads.
        title: String,
        /// How long to wait; without limit when absent.
        within: Option<Duration>,
    },
    /// Waits for a webhook.
    AwaitWebhook {
        /// The last part of its address.
        name: String,
        /// How long to wait; without limit when absent.
        within: Option<Duration>,
    },
    /// Calls a webhook.
    CallWebhook {
        /// Where.
        url: String,
    },
    /// Writes a line on the timeline.
    Note(String),
}

/// Where a payment is authorised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorise {
    /// The connection, or several with weights.
    pub at: Destination,
    /// What happens when it does not work out there.
    pub fallback: Option<FallbackTo>,
}

/// Where a payment is authorised first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// At one connection.
    Connection(ConnectionId),
    /// At one of these, drawn by weight.
    Split(Vec<Share>),
}

/// One connection of a split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// The connection.
    pub connection: ConnectionId,
    /// Its weight among the others', 1 to 1,000,000.
    pub weight: u32,
}

/// Where to go on, and after what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FallbackTo {
    /// The connections, in order.
    pub to: Vec<ConnectionId>,
    /// After what.
    pub after: Fallback,
}

/// After what the next connection is asked. Never after an unknown outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fallback {
    /// After a decline that is worth another try.
    pub soft_decline: bool,
    /// After a fault that proves that nothing was authorised.
    pub fault: bool,
    /// When the connection can't be reached, or rests after failing repeatedly.
    pub outage: bool,
}

impl Fallback {
    /// Never.
    pub const NEVER: Self = Self {
        soft_decline: false,
        fault: false,
        outage: false,
    };
    /// After each of them.
    pub const ALWAYS: Self = Self {
        soft_decline: true,
        fault: true,
        outage: true,
    };
}

/// When a payment is captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaptureWhen {
    /// At once.
    Now,
    /// After this time.
    After(Duration),
    /// When the merchant calls for it.
    Api,
    /// When a webhook arrives under this name.
    Webhook(String),
}

/// How much is given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefundAmount {
    /// All that is left.
    All,
    /// This much, in minor units of the payment's currency; at least 1.
    Minor(i64),
    /// This part of what was captured, rounded down to whole minor units; 1 to 100.
    Percent(u8),
}
