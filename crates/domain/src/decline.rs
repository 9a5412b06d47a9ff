//! Why a payment was declined.

use serde::{Deserialize, Serialize};

use crate::{processor_text::ProcessorText, text_enum::text_enum};

text_enum!(
    /// The reason of a decline, the same for every processor.
    DeclineCode {
        InvalidCvc = "INVALID_CVC",
        AuthorizationRequired = "AUTHORIZATION_REQUIRED",
        ContactCardIssuer = "CONTACT_CARD_ISSUER",
        UnsupportedCard = "UNSUPPORTED_CARD",
        InsufficientFunds = "INSUFFICIENT_FUNDS",
        UnsupportedCurrency = "UNSUPPORTED_CURRENCY",
        CardRejected = "CARD_REJECTED",
        ExpiredCard = "EXPIRED_CARD",
        SuspectedFraud = "SUSPECTED_FRAUD",
        GeneralDecline = "GENERAL_DECLINE",
        IncorrectNumber = "INCORRECT_NUMBER",
        IncorrectPin = "INCORRECT_PIN",
        InvalidAddress = "INVALID_ADDRESS",
        InvalidCardOrAccount = "INVALID_CARD_OR_ACCOUNT",
        InvalidAmount = "INVALID_AMOUNT",
        InvalidDate = "INVALID_DATE",
        LostRestrictedOrStolenCard = "LOST_RESTRICTED_OR_STOLEN_CARD",
        BlockedList = "BLOCKED_LIST",
        NotPermitted = "NOT_PERMITTED",
        OfflineOrOnlinePinRequired = "OFFLINE_OR_ONLINE_PIN_REQUIRED",
        PinRetryExceeded = "PIN_RETRY_EXCEEDED",
        ProcessingError = "PROCESSING_ERROR",
        WithdrawalCountLimitExceeded = "WITHDRAWAL_COUNT_LIMIT_EXCEEDED",
        Unknown = "UNKNOWN",
        Fraud = "FRAUD",
        ThreeDSecure = "THREE_D_SECURE",
        CustomRule = "CUSTOM_RULE",
        PaymentCancelled = "PAYMENT_CANCELLED",
        PaymentRejected = "PAYMENT_REJECTED",
        InternalServerError = "INTERNAL_SERVER_ERROR",
        InstitutionNotResponding = "INSTITUTION_NOT_RESPONDING",
    }
);

impl DeclineCode {
    /// How worthwhile another try is when the processor does not say.
    ///
    /// Soft is only what can change by itself, by asking the cardholder to be authenticated, or at another processor.
    /// What the same data would meet again everywhere is hard, and so is a decline without a stated reason: the schemes
    /// charge for blind retries.
    #[expect(clippy::match_same_arms, reason = "one arm per reason")]
    pub const fn default_type(self) -> DeclineType {
        match self {
            // The account's balance or its counters move on.
            Self::InsufficientFunds | Self::WithdrawalCountLimitExceeded => DeclineType::Soft,
            // Authentication of the cardholder makes the issuer accept.
            Self::AuthorizationRequired | Self::OfflineOrOnlinePinRequired => DeclineType::Soft,
            // The way to the issuer failed, not the issuer's judgement.
            Self::ProcessingError | Self::InternalServerError | Self::InstitutionNotResponding => {
                DeclineType::Soft
            }
            // This processor can't; another may.
            Self::UnsupportedCard | Self::UnsupportedCurrency => DeclineType::Soft,
            // The issuer wants to talk to its customer first, then lets the card pass.
            Self::ContactCardIssuer => DeclineType::Soft,
            // The data given is wrong and stays wrong until somebody enters other data.
            Self::InvalidCvc
            | Self::ExpiredCard
            | Self::IncorrectNumber
            | Self::IncorrectPin
            | Self::InvalidAddress
            | Self::InvalidCardOrAccount
            | Self::InvalidAmount
            | Self::InvalidDate => DeclineType::Hard,
            // The issuer or a rule has barred the card or this kind of payment.
            Self::CardRejected
            | Self::LostRestrictedOrStolenCard
            | Self::BlockedList
            | Self::NotPermitted
            | Self::PinRetryExceeded
            | Self::CustomRule
            | Self::PaymentRejected => DeclineType::Hard,
            // Trying again what looks like fraud makes it look more so.
            Self::SuspectedFraud | Self::Fraud => DeclineType::Hard,
            // The customer failed or ended it: only the customer can begin again.
            Self::ThreeDSecure | Self::PaymentCancelled => DeclineType::Hard,
            // No reason given.
            Self::GeneralDecline | Self::Unknown => DeclineType::Hard,
        }
    }
}

text_enum!(
    /// Whether a declined payment is worth another try.
    DeclineType {
        /// Worth another try.
        Soft = "SOFT",
        /// Not worth one with the same data.
        Hard = "HARD",
    }
);

/// A decline as a payment keeps it: ours, and the processor's own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decline {
    /// The reason.
    pub code: DeclineCode,
    /// Whether another try is worthwhile.
    pub kind: DeclineType,
    /// The processor's own code.
    pub processor_code: Option<ProcessorText>,
    /// The processor's own word for soft or hard.
    pub processor_type: Option<ProcessorText>,
}

impl Decline {
    /// A decline of the code's default type, without words of a processor.
    pub const fn of(code: DeclineCode) -> Self {
        Self {
            code,
            kind: code.default_type(),
            processor_code: None,
            processor_type: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_the_contract_is_there() {
        let contract = "INVALID_CVC AUTHORIZATION_REQUIRED CONTACT_CARD_ISSUER UNSUPPORTED_CARD INSUFFICIENT_FUNDS \
            UNSUPPORTED_CURRENCY CARD_REJECTED EXPIRED_CARD SUSPECTED_FRAUD GENERAL_DECLINE INCORRECT_NUMBER INCORRECT_PIN \
            INVALID_ADDRESS INVALID_CARD_OR_ACCOUNT INVALID_AMOUNT INVALID_DATE LOST_RESTRICTED_OR_STOLEN_CARD BLOCKED_LIST \
            NOT_PERMITTED OFFLINE_OR_ONLINE_PIN_REQUIRED PIN_RETRY_EXCEEDED PROCESSING_ERROR WITHDRAWAL_COUNT_LIMIT_EXCEEDED \
            UNKNOWN FRAUD THREE_D_SECURE CUSTOM_RULE PAYMENT_CANCELLED PAYMENT_REJECTED INTERNAL_SERVER_ERROR \
            INSTITUTION_NOT_RESPONDING";
        let ours: Vec<&str> = DeclineCode::ALL.iter().map(|code| code.code()).collect();
        assert_eq!(ours, contract.split_whitespace().collect::<Vec<_>>());
    }

    #[test]
    fn the_types_that_the_contract_names_hold() {
        for (code, kind) in [
            (DeclineCode::AuthorizationRequired, DeclineType::Soft),
            (DeclineCode::InsufficientFunds, DeclineType::Soft),
            (DeclineCode::GeneralDecline, DeclineType::Hard),
            (DeclineCode::ExpiredCard, DeclineType::Hard),
            (DeclineCode::LostRestrictedOrStolenCard, DeclineType::Hard),
            (DeclineCode::SuspectedFraud, DeclineType::Hard),
            (DeclineCode::InvalidCvc, DeclineType::Hard),
        ] {
            assert_eq!(Decline::of(code).kind, kind, "{code}");
        }
    }
}
