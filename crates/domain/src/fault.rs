//! Faults: why an operation was refused, in the words of the contract.
//!
//! A fault is part of the domain and not of the API, since it is kept under an idempotency key and returned again.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::{faults::FieldFault, payment::Status};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// The machine-readable code of a fault (`extensions.code`). Source: behaviour contract, section 2.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Code {
            $($(#[$doc])* #[serde(rename = $text)] $name,)*
        }

        impl Code {
            /// Every code, in the order of the contract.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The code as it is shown.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

codes! {
    /// The credential is missing, malformed, unknown, revoked, expired or of the other mode.
    Unauthorized = "api.key.unauthorized",
    /// The credential is good but has not the right.
    Forbidden = "api.key.forbidden",
    /// The document can't be parsed.
    GraphqlSyntax = "error.graphql.syntax",
    /// The document does not fit the schema.
    GraphqlValidation = "error.graphql.validation",
    /// The document or the request is larger than allowed.
    GraphqlLimit = "error.graphql.limit",
    /// The input breaks a rule; `field` and `reason` say which.
    Validation = "error.validation",
    /// The idempotency key is empty, too long, or sent with several such operations.
    KeyInvalid = "error.idempotency.key-invalid",
    /// The idempotency key was used for another request; `first` says how that one ended.
    KeyReused = "error.idempotency.key-reused",
    /// The first request with this key has not ended yet.
    KeyInProgress = "error.idempotency.in-progress",
    /// The customer must be authenticated by 3D Secure at `url`; `id` names the payment.
    Requires3dSecure = "error.authorize.requires3DSecure",
    /// The customer must approve the payment at `url`; `id` names it.
    RequiresApm = "error.authorize.requiresApmAuthorization",
    /// There is a live or paid payment already; `id` names it.
    AlreadyAuthorised = "error.authorize.payment-already-authorized",
    /// The client token has made as many attempts as it may.
    TooManyAttempts = "error.authorize.too-many-attempts",
    /// No such payment in this team.
    PaymentNotFound = "error.payment.not-found",
    /// No such customer in this team.
    CustomerNotFound = "error.customer.not-found",
    /// No such payment method in this team, or it belongs to another customer.
    MethodNotFound = "error.payment-method.not-found",
    /// No such intent in this team, or one that this credential did not start.
    IntentNotFound = "error.intent.not-found",
    /// No such flow in this team.
    FlowNotFound = "error.flow.not-found",
    /// No such connection in this team.
    ConnectionNotFound = "error.connection.not-found",
    /// No such dispute in this team.
    DisputeNotFound = "error.dispute.not-found",
    /// No such attachment in this team.
    AttachmentNotFound = "error.attachment.not-found",
    /// No attachments are kept here, since there is no place for them.
    AttachmentsOff = "error.attachment.switched-off",
    /// The payment's status does not allow a capture.
    CaptureStatus = "error.capture.invalid-status",
    /// The payment's status does not allow a cancellation.
    CancelStatus = "error.cancel.invalid-status",
    /// The payment's status does not allow a refund.
    RefundStatus = "error.refund.invalid-status",
    /// The payment's status does not allow that a person settles it.
    ResolveStatus = "error.resolve.invalid-status",
    /// The payment waits for nobody, so it can't be given up.
    AbandonStatus = "error.abandon.invalid-status",
    /// The dispute's status, or its time, does not allow a response.
    DisputeStatus = "error.dispute.invalid-status",
    /// The flow's instance does not wait for an approval.
    FlowStatus = "error.flow.invalid-status",
    /// The intent is complete.
    IntentStatus = "error.intent.invalid-status",
    /// More than was authorised.
    CaptureAmount = "error.capture.amount-exceeds-authorised",
    /// More than is left of what was captured.
    RefundAmount = "error.refund.amount-exceeds-captured",
    /// The processor refused the capture.
    CaptureProcessor = "error.capture.processor",
    /// The processor refused the cancellation.
    CancelProcessor = "error.cancel.processor",
    /// The processor refused the refund.
    RefundProcessor = "error.refund.processor",
    /// The processor did not take the response to a dispute.
    DisputeProcessor = "error.dispute.processor",
    /// There is no such wallet, or the operation is not for it.
    WalletType = "error.wallet.unsupported-type",
    /// The wallet's token is not good; `reason` says why.
    WalletToken = "error.wallet.invalid-token",
    /// The wallet could not be set up; `reason` says why.
    WalletSetup = "error.wallet.setup-failed",
    /// The card was declined when the processor was asked for a token; `reason` holds the decline code.
    TokenDeclined = "error.token.declined",
    /// The processor gives no token for the card; `reason` says why.
    TokenProcessor = "error.token.processor",
    /// Another operation that excludes this one is under way.
    OperationInProgress = "error.payment.operation-in-progress",
    /// Too many requests.
    RateLimited = "error.rate-limited",
    /// Not ready, or shutting down.
    Unavailable = "error.unavailable",
    /// A defect of ours.
    Unknown = "error.unknown",
}

/// Why an operation was refused. Never holds a value from the input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The machine-readable code.
    pub code: Code,
    /// Text for the merchant's engineer: plain, no blame, what to do next.
    pub message: String,
    /// Path into the operation's arguments, such as `authorisePayment.paymentMethod.card.number`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What is wrong with the field, or what the processor gave as its reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// All mistakes of the input, where there are several; the first of them is `field` and `reason`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FieldFault>,
    /// The payment (or other thing) that the fault is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its status now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The largest amount allowed now, in minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_amount: Option<i64>,
    /// Where the customer must be sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// After how many seconds it may be tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<NonZeroU32>,
    /// How the first request under the same idempotency key ended: the code of its fault, or the id of what it made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// What follows the message, and is kept nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
    /// It was refused before anything began, whatever its code says. Kept nowhere.
    #[serde(skip)]
    pub is_early: bool,
}

/// What helps and must not be kept with a fault: what looks like a card number never stands in a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hint {
    /// Card numbers that test mode takes.
    #[serde(rename = "test-numbers")]
    TestNumbers,
}

impl Hint {
    /// A sentence.
    pub const fn text(self) -> &'static str {
        match self {
            Self::TestNumbers => crate::test_numbers::HINT,
        }
    }
}

impl Fault {
    /// A fault with a message and nothing else.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            field: None,
            reason: None,
            faults: Vec::new(),
            id: None,
            status: None,
            max_amount: None,
            url: None,
            retry_after: None,
            first: None,
            hint: None,
            is_early: false,
        }
    }

    /// `error.validation` for `field`, with the reason as a short clause (`must be positive`).
    pub fn invalid(field: impl Into<String>, reason: impl Into<String>) -> Self {
        let (field, reason) = (field.into(), reason.into());
        let mut fault = Self::new(Code::Validation, format!("{field}: {reason}."));
        fault.field = Some(field);
        fault.reason = Some(reason);
        fault
    }

    /// A defect of ours; the details are in the log under the request's id.
    pub fn unknown() -> Self {
        Self::new(
            Code::Unknown,
            "Something went wrong on our side. Please quote the request id to support.",
        )
    }

    /// The service can't do it now; the same request may be sent again.
    pub fn unavailable() -> Self {
        Self::new(
            Code::Unavailable,
            "The service is not available at the moment. Please try again shortly.",
        )
    }

    /// Nobody knows whether what was asked for has begun, or how it ended: the database did not confirm it, or the time was
    /// over. `id` names it, whether it is there or not. Unlike [`Self::unavailable`] it never says to try again.
    pub fn unconfirmed(id: impl std::fmt::Display) -> Self {
        let message = "It is not confirmed whether the request took effect. Read it by this id before you repeat it.";
        Self::new(Code::Unavailable, message).about(id)
    }

    /// The same where nothing has an id by which it could be read.
    pub fn unconfirmed_unnamed() -> Self {
        let message = "It is not confirmed whether the request took effect. Look whether it did before you repeat it.";
        Self::new(Code::Unavailable, message)
    }

    /// Adds the id of the thing that the fault is about.
    #[must_use]
    pub fn about(mut self, id: impl std::fmt::Display) -> Self {
        self.id = Some(format!("{id}"));
        self
    }

    /// Adds its status.
    #[must_use]
    pub fn in_status(mut self, status: impl std::fmt::Display) -> Self {
        self.status = Some(format!("{status}"));
        self
    }

    /// Adds the largest amount allowed now, in minor units.
    #[must_use]
    pub fn at_most(mut self, max_amount: i64) -> Self {
        self.max_amount = Some(max_amount);
        self
    }

    /// Adds the address to which the customer must be sent.
    #[must_use]
    pub fn at_url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    /// Adds after which time it may be tried again, in whole seconds, at least one.
    #[must_use]
    pub fn after(mut self, wait: std::time::Duration) -> Self {
        let whole = wait
            .as_secs()
            .saturating_add(u64::from(wait.subsec_nanos() > 0));
        let whole = u32::try_from(whole).unwrap_or(u32::MAX);
        self.retry_after = Some(NonZeroU32::new(whole).unwrap_or(NonZeroU32::MIN));
        self
    }

    /// Adds what helps and must not be kept.
    #[must_use]
    pub const fn hinting(mut self, hint: Hint) -> Self {
        self.hint = Some(hint);
        self
    }

    /// Adds a reason.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Whether the merchant need not report it to support.
    pub fn no_trace(&self) -> bool {
        self.code != Code::Unknown
    }

    /// Whether it tells of a failure of ours, and nothing of what was asked for.
    pub fn is_ours(&self) -> bool {
        matches!(self.code, Code::Unavailable | Code::Unknown)
    }

    /// As one that was refused before anything began.
    #[must_use]
    pub fn early(mut self) -> Self {
        self.is_early = true;
        self
    }

    /// Whether it is the outcome of an operation that was begun: whatever else fails, this is the answer.
    pub fn is_outcome(&self) -> bool {
        let says_so = matches!(
            self.code,
            Code::Requires3dSecure
                | Code::RequiresApm
                | Code::CaptureProcessor
                | Code::CancelProcessor
                | Code::RefundProcessor
                | Code::DisputeProcessor
        );
        says_so && !self.is_early
    }

    /// Whether nothing was done since the payment, or what was asked of it before, has no outcome yet. What is under way may be
    /// the same request, sent twice at the same moment.
    pub fn is_for_now(&self) -> bool {
        let refused = matches!(
            self.code,
            Code::CaptureStatus
                | Code::CancelStatus
                | Code::RefundStatus
                | Code::CaptureAmount
                | Code::RefundAmount
        );
        let status = self.status.as_deref().and_then(Status::parse);
        let is_open = matches!(
            status,
            Some(
                Status::Active
                    | Status::NoAnswerFromPsp
                    | Status::Needs3dSecure
                    | Status::NeedsApmAuthorization
                    | Status::GatewayHold
                    | Status::RefundPending
            )
        );
        self.code == Code::OperationInProgress || (refused && is_open)
    }

    /// Whether the same request must get the same answer again under its idempotency key. Our own failures are not
    /// remembered, nor what was refused before the operation began, nor what a payment refuses only for as long as the outcome
    /// of something else is open.
    pub fn is_remembered(&self) -> bool {
        if self.is_for_now() {
            return false;
        }
        match self.code {
            Code::Unauthorized
            | Code::Forbidden
            | Code::TooManyAttempts
            | Code::GraphqlSyntax
            | Code::GraphqlValidation
            | Code::GraphqlLimit
            | Code::KeyInvalid
            | Code::KeyReused
            | Code::KeyInProgress
            | Code::OperationInProgress
            | Code::RateLimited
            | Code::Unavailable
            | Code::Unknown => false,
            Code::Validation
            | Code::PaymentNotFound
            | Code::CustomerNotFound
            | Code::MethodNotFound
            | Code::FlowNotFound
            | Code::ConnectionNotFound
            | Code::DisputeNotFound
            | Code::AttachmentNotFound
            | Code::AttachmentsOff
            | Code::CaptureStatus
            | Code::CancelStatus
            | Code::RefundStatus
            | Code::ResolveStatus
            | Code::CaptureAmount
            | Code::RefundAmount
            | Code::CaptureProcessor
            | Code::CancelProcessor
            | Code::AlreadyAuthorised
            | Code::Requires3dSecure
            | Code::RequiresApm
            | Code::IntentNotFound
            | Code::AbandonStatus
            | Code::DisputeStatus
            | Code::DisputeProcessor
            | Code::IntentStatus
            | Code::FlowStatus
            | Code::WalletType
            | Code::WalletToken
            | Code::WalletSetup
            | Code::TokenDeclined
            | Code::TokenProcessor
            | Code::RefundProcessor => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_stored_as_they_are_reported() {
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.text());
        }
    }

    #[test]
    fn a_validation_fault_names_field_and_reason() {
        let fault = Fault::invalid("amount", "must be positive");
        assert_eq!(fault.message, "amount: must be positive.");
        assert!(fault.is_remembered() && fault.no_trace());
        assert!(!Fault::unknown().is_remembered() && !Fault::unknown().no_trace());
    }

    #[test]
    fn what_is_refused_before_anything_began_is_no_outcome_and_is_kept_as_any_other() {
        let outcome = Fault::new(Code::DisputeProcessor, "no");
        let early = outcome.clone().early();
        assert!(outcome.is_outcome() && !early.is_outcome());
        assert!(early.is_remembered());
        let stored = serde_json::to_string(&early).unwrap();
        assert_eq!(stored, serde_json::to_string(&outcome).unwrap());
    }

    #[test]
    fn what_is_refused_only_while_an_outcome_is_open_is_not_remembered() {
        let refused = |code, status: Status| Fault::new(code, "no").in_status(status);
        for code in [Code::CaptureStatus, Code::CancelStatus, Code::RefundAmount] {
            for status in [
                Status::NoAnswerFromPsp,
                Status::GatewayHold,
                Status::RefundPending,
            ] {
                assert!(!refused(code, status).is_remembered(), "{code:?} {status}");
            }
            assert!(refused(code, Status::Succeeded).is_remembered());
        }
        assert!(refused(Code::CaptureProcessor, Status::RefundPending).is_remembered());
    }
}
