//! Stripe's words for a decline, in ours. Source: docs/processors/stripe.md, "Declines".

use domain::decline::{Decline, DeclineCode, DeclineType};

use super::wire::{Error, Outcome};

/// What Stripe says of a decline.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Said<'a> {
    /// `decline_code`, or the reason of the charge's outcome.
    pub(super) word: Option<&'a str>,
    /// `code` of the error, or `failure_code` of the charge.
    pub(super) code: Option<&'a str>,
    /// Whether another try is advised.
    pub(super) advice: Option<&'a str>,
    /// The network's own code.
    pub(super) network: Option<&'a str>,
    /// `type` of the charge's outcome.
    pub(super) outcome: Option<&'a str>,
}

impl<'a> Said<'a> {
    /// By an error.
    pub(super) fn by_error(error: &'a Error) -> Self {
        Self {
            word: error.decline_code.as_deref(),
            code: error.code.as_deref(),
            advice: error.advice_code.as_deref(),
            network: error.network_decline_code.as_deref(),
            outcome: None,
        }
    }

    /// With what the charge says besides, where it was read.
    #[must_use]
    pub(super) fn with(self, outcome: Option<&'a Outcome>) -> Self {
        let Some(outcome) = outcome else { return self };
        let kind = outcome.kind.as_deref();
        // What Stripe itself refused has its reason there alone.
        let own = outcome.reason.as_deref();
        let blocked = own.filter(|_| kind == Some("blocked"));
        Self {
            word: blocked.or(self.word),
            outcome: kind,
            ..self
        }
    }

    /// The decline in our words. A word that is not in the table is `UNKNOWN`.
    pub(super) fn decline(self) -> Decline {
        let word = self.word.or(self.code);
        let code = self.code_of_ours();
        let mut decline = Decline::of(code);
        decline.kind = self.kind(code);
        decline.processor_code = self.network.or(word).map(Into::into);
        if let (Some(network), Some(word)) = (self.network, word) {
            decline.processor_code = Some(format!("{word} ({network})").into());
        }
        decline.processor_type = self.advice.map(Into::into);
        decline
    }

    fn code_of_ours(self) -> DeclineCode {
        if self.outcome == Some("blocked") {
            return match self.word {
                Some("rule") => DeclineCode::CustomRule,
                Some("highest_risk_level") => DeclineCode::Fraud,
                _ => DeclineCode::PaymentRejected,
            };
        }
        let of = |word: Option<&str>| word.and_then(by_word);
        of(self.word)
            .or_else(|| of(self.code))
            .unwrap_or(DeclineCode::Unknown)
    }

    /// Stripe's advice decides where there is one. To ask for other data of the card is no reason to send the same again.
    fn kind(self, code: DeclineCode) -> DeclineType {
        match self.advice {
            Some("try_again_later") => DeclineType::Soft,
            Some("do_not_try_again" | "confirm_card_data") => DeclineType::Hard,
            _ => code.default_type(),
        }
    }
}

/// One word; `None`: it is not in the table.
fn by_word(word: &str) -> Option<DeclineCode> {
    Some(match word {
        "incorrect_cvc" | "invalid_cvc" => DeclineCode::InvalidCvc,
        "authentication_required" | "authentication_not_handled" => {
            DeclineCode::AuthorizationRequired
        }
        "call_issuer" | "approve_with_id" | "no_action_taken" | "refer_to_customer" => {
            DeclineCode::ContactCardIssuer
        }
        "card_not_supported" | "invalid_card_type" => DeclineCode::UnsupportedCard,
        "insufficient_funds" => DeclineCode::InsufficientFunds,
        "currency_not_supported" => DeclineCode::UnsupportedCurrency,
        "do_not_honor"
        | "do_not_try_again"
        | "revocation_of_all_authorizations"
        | "revocation_of_authorization"
        | "stop_payment_order" => DeclineCode::CardRejected,
        "expired_card" => DeclineCode::ExpiredCard,
        "fraudulent" | "security_violation" => DeclineCode::SuspectedFraud,
        "generic_decline" | "card_declined" => DeclineCode::GeneralDecline,
        "incorrect_number" | "invalid_number" => DeclineCode::IncorrectNumber,
        "incorrect_pin" | "invalid_pin" => DeclineCode::IncorrectPin,
        "pin_try_exceeded" => DeclineCode::PinRetryExceeded,
        "offline_pin_required" | "online_or_offline_pin_required" => {
            DeclineCode::OfflineOrOnlinePinRequired
        }
        "incorrect_zip" | "incorrect_address" | "incorrect_postal_code" => {
            DeclineCode::InvalidAddress
        }
        "invalid_account" | "new_account_information_available" => {
            DeclineCode::InvalidCardOrAccount
        }
        "invalid_amount" => DeclineCode::InvalidAmount,
        "invalid_expiry_month" | "invalid_expiry_year" => DeclineCode::InvalidDate,
        "lost_card" | "stolen_card" | "pickup_card" | "restricted_card" => {
            DeclineCode::LostRestrictedOrStolenCard
        }
        "merchant_blacklist" => DeclineCode::BlockedList,
        "transaction_not_allowed"
        | "service_not_allowed"
        | "not_permitted"
        | "testmode_decline"
        | "test_mode_live_card" => DeclineCode::NotPermitted,
        "withdrawal_count_limit_exceeded" | "card_velocity_exceeded" => {
            DeclineCode::WithdrawalCountLimitExceeded
        }
        "processing_error" | "reenter_transaction" | "try_again_later" => {
            DeclineCode::ProcessingError
        }
        "issuer_not_available" => DeclineCode::InstitutionNotResponding,
        "payment_intent_authentication_failure" | "setup_intent_authentication_failure" => {
            DeclineCode::ThreeDSecure
        }
        "payment_method_customer_decline" => DeclineCode::PaymentCancelled,
        "payment_method_provider_decline" | "duplicate_transaction" => DeclineCode::PaymentRejected,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every word that docs/processors/stripe.md lists.
    const WORDS: &str = "approve_with_id authentication_required call_issuer card_not_supported card_velocity_exceeded \
        currency_not_supported do_not_honor do_not_try_again duplicate_transaction expired_card fraudulent generic_decline \
        incorrect_cvc incorrect_number incorrect_pin incorrect_zip insufficient_funds invalid_account invalid_amount invalid_cvc \
        invalid_expiry_month invalid_expiry_year invalid_number invalid_pin issuer_not_available lost_card merchant_blacklist \
        new_account_information_available no_action_taken not_permitted offline_pin_required online_or_offline_pin_required \
        pickup_card pin_try_exceeded processing_error reenter_transaction restricted_card revocation_of_all_authorizations \
        revocation_of_authorization security_violation service_not_allowed stolen_card stop_payment_order testmode_decline \
        transaction_not_allowed try_again_later withdrawal_count_limit_exceeded";

    fn said(word: &str) -> Said<'_> {
        Said {
            word: Some(word),
            code: Some("card_declined"),
            ..Said::default()
        }
    }

    #[test]
    fn every_published_word_has_a_code() {
        for word in WORDS.split_whitespace() {
            assert!(by_word(word).is_some(), "{word}");
        }
        // The code alone would say no more than that it was declined.
        assert_eq!(
            said("insufficient_funds").decline().code,
            DeclineCode::InsufficientFunds
        );
        assert_eq!(
            said("a_new_word").decline().code,
            DeclineCode::GeneralDecline
        );
        let unknown = Said {
            word: Some("a_new_word"),
            code: Some("a_new_code"),
            ..Said::default()
        };
        assert_eq!(unknown.decline().code, DeclineCode::Unknown);
    }

    #[test]
    fn advice_decides_whether_another_try_is_worthwhile() {
        for (advice, kind) in [
            ("try_again_later", DeclineType::Soft),
            ("do_not_try_again", DeclineType::Hard),
            ("confirm_card_data", DeclineType::Hard),
            ("a_new_advice", DeclineType::Soft),
        ] {
            let advised = Said {
                advice: Some(advice),
                ..said("insufficient_funds")
            };
            assert_eq!(advised.decline().kind, kind, "{advice}");
        }
    }

    #[test]
    fn what_stripe_blocks_itself_is_kept_apart_from_the_issuer() {
        for (reason, code) in [
            ("rule", DeclineCode::CustomRule),
            ("highest_risk_level", DeclineCode::Fraud),
            (
                "low_probability_of_authorization",
                DeclineCode::PaymentRejected,
            ),
        ] {
            let blocked = Said {
                outcome: Some("blocked"),
                ..said(reason)
            };
            assert_eq!(blocked.decline().code, code, "{reason}");
        }
    }
}
