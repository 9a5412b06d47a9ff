//! The status of a payment.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! statuses {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// The status of a payment. Source: specification 3.1, behaviour contract, section 7 "States".
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Status {
            $($(#[$doc])* #[serde(rename = $text)] $name,)*
        }

        impl Status {
            /// Every status.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The status as it is shown.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Reads a status.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$name),)* _ => None }
            }
        }
    };
}

statuses! {
    /// Committed here; the processor's answer is not known yet.
    Active = "ACTIVE",
    /// Kept for records from elsewhere.
    Inactive = "INACTIVE",
    /// Authorised, ready to be captured.
    Authorised = "AUTHORISED",
    /// Captured.
    Succeeded = "SUCCEEDED",
    /// All that was captured is refunded.
    Refunded = "REFUNDED",
    /// A part of what was captured is refunded.
    PartialRefunded = "PARTIAL_REFUNDED",
    /// Cancelled before capture.
    Cancelled = "CANCELLED",
    /// A technical failure; nothing was authorised.
    Failed = "FAILED",
    /// Refused by the issuer or the processor.
    Declined = "DECLINED",
    /// A chargeback is open or lost.
    Disputed = "DISPUTED",
    /// Kept for records from elsewhere.
    Removed = "REMOVED",
    /// Waits for the customer's 3D Secure authentication.
    Needs3dSecure = "NEEDS_3D_SECURE",
    /// Waits for the customer's approval of an alternative payment method.
    NeedsApmAuthorization = "NEEDS_APM_AUTHORIZATION",
    /// The processor reviews it.
    GatewayHold = "GATEWAY_HOLD",
    /// A refund will settle later.
    RefundPending = "REFUND_PENDING",
    /// A refund that was to settle later did not.
    RefundFailed = "REFUND_FAILED",
    /// The outcome is unknown until a look-up or a person settles it.
    NoAnswerFromPsp = "NO_ANSWER_FROM_PSP",
    /// Kept for records from elsewhere.
    Draft = "DRAFT",
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
