//! Adyen's codes for a refusal, in our words. Source: docs/processors/adyen.md, "Refusals".

use domain::decline::{Decline, DeclineCode, DeclineType};

use super::wire::{Additional, Paid};

/// What Adyen says of a refusal.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Said<'a> {
    /// `refusalReasonCode`.
    pub(super) code: Option<&'a str>,
    /// `refusalReason`.
    pub(super) reason: Option<&'a str>,
    /// The issuer's own words, where the account shows them.
    pub(super) raw: Option<&'a str>,
    /// Mastercard's advice, likewise.
    pub(super) advice: Option<&'a str>,
}

impl<'a> Said<'a> {
    pub(super) fn by(paid: &'a Paid) -> Self {
        let more = paid.additional_data.as_ref();
        let text = |name| more.and_then(|more: &Additional| more.text(name));
        Self {
            code: paid.refusal_reason_code.as_deref(),
            reason: paid.refusal_reason.as_deref(),
            raw: text("refusalReasonRaw"),
            advice: text("merchantAdviceCode"),
        }
    }

    /// The decline in our words. A code that is not in the table is `UNKNOWN`.
    pub(super) fn decline(self) -> Decline {
        let code = self.code.and_then(by_code).unwrap_or(DeclineCode::Unknown);
        let mut decline = Decline::of(code);
        if let Some(kind) = self.advice.and_then(by_advice) {
            decline.kind = kind;
        }
        let word = match (self.code, self.raw.or(self.reason)) {
            (Some(code), Some(words)) => Some(format!("{code} ({words})")),
            (code, words) => code.or(words).map(str::to_owned),
        };
        decline.processor_code = word.map(Into::into);
        decline.processor_type = self.advice.map(Into::into);
        decline
    }

    /// Whether it may have been authorised all the same: the way to the issuer failed, and so may the way back have.
    pub(super) fn is_in_doubt(self) -> bool {
        matches!(self.code, None | Some("4" | "9" | "0"))
    }
}

/// One code; `None`: it is not in the table.
fn by_code(code: &str) -> Option<DeclineCode> {
    Some(match code {
        "2" => DeclineCode::GeneralDecline,
        "3" => DeclineCode::ContactCardIssuer,
        "4" | "21" => DeclineCode::ProcessingError,
        "5" | "25" => DeclineCode::LostRestrictedOrStolenCard,
        "6" => DeclineCode::ExpiredCard,
        "7" => DeclineCode::InvalidAmount,
        "8" => DeclineCode::IncorrectNumber,
        "9" => DeclineCode::InstitutionNotResponding,
        "10" => DeclineCode::UnsupportedCard,
        "11" | "39" | "42" => DeclineCode::ThreeDSecure,
        "12" => DeclineCode::InsufficientFunds,
        "14" | "31" => DeclineCode::SuspectedFraud,
        "15" | "16" => DeclineCode::PaymentCancelled,
        "17" => DeclineCode::IncorrectPin,
        "18" => DeclineCode::PinRetryExceeded,
        "19" | "33" | "36" | "41" | "43" => DeclineCode::OfflineOrOnlinePinRequired,
        // Adyen's own rules.
        "20" | "22" => DeclineCode::Fraud,
        "23" => DeclineCode::NotPermitted,
        "24" => DeclineCode::InvalidCvc,
        "26" | "27" | "37" | "40" | "44" | "45" => DeclineCode::CardRejected,
        "28" | "29" => DeclineCode::WithdrawalCountLimitExceeded,
        "32" => DeclineCode::InvalidAddress,
        "34" | "35" => DeclineCode::InvalidCardOrAccount,
        "38" => DeclineCode::AuthorizationRequired,
        // Adyen refuses what the schemes would charge a fee for: too many tries.
        "46" => DeclineCode::PaymentRejected,
        _ => return None,
    })
}

/// Whether Mastercard advises another try. Its code stands before a colon.
fn by_advice(advice: &str) -> Option<DeclineType> {
    let code = advice
        .split(|letter: char| !letter.is_ascii_digit())
        .next()?;
    Some(match code {
        "02" | "24" | "25" | "26" | "27" | "28" | "29" | "30" => DeclineType::Soft,
        "01" | "03" | "04" | "21" => DeclineType::Hard,
        _ => return None,
    })
}

/// The code of a refused request that is about the card's number. Source: docs/processors/adyen.md, "Errors"; what others say of the card
/// is not published by its number.
pub(super) fn by_validation(code: &str) -> Option<Decline> {
    (code == "101").then(|| Decline {
        processor_code: Some(code.into()),
        ..Decline::of(DeclineCode::IncorrectNumber)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_code_is_known_and_no_other() {
        let published = (2..=12).chain(14..=29).chain(31..=46);
        for code in published {
            assert!(by_code(&code.to_string()).is_some(), "{code}");
        }
        for code in ["0", "1", "13", "30", "47", "999", "", "x"] {
            let said = Said {
                code: Some(code),
                ..Said::default()
            };
            assert_eq!(said.decline().code, DeclineCode::Unknown, "{code}");
        }
        assert_eq!(Said::default().decline().code, DeclineCode::Unknown);
    }

    #[test]
    fn advice_decides_whether_another_try_is_worthwhile() {
        for (advice, kind) in [
            ("02 : Try again later", DeclineType::Soft),
            ("24", DeclineType::Soft),
            ("03 : Do not try again", DeclineType::Hard),
            ("21 : Stop recurring payment requests", DeclineType::Hard),
            ("99 : New", DeclineType::Soft),
            ("New", DeclineType::Soft),
        ] {
            let said = Said {
                code: Some("12"),
                advice: Some(advice),
                ..Said::default()
            };
            assert_eq!(said.decline().kind, kind, "{advice}");
            assert_eq!(said.decline().processor_type.as_deref(), Some(advice));
        }
    }

    #[test]
    fn the_issuers_own_words_are_kept_with_the_code() {
        let said = Said {
            code: Some("24"),
            reason: Some("CVC Declined"),
            raw: Some("N7 : CVC declined"),
            advice: None,
        };
        let decline = said.decline();
        assert_eq!(decline.code, DeclineCode::InvalidCvc);
        let word = decline.processor_code;
        assert_eq!(word.as_deref(), Some("24 (N7 : CVC declined)"));
        let without = Said { raw: None, ..said };
        let word = without.decline().processor_code;
        assert_eq!(word.as_deref(), Some("24 (CVC Declined)"));
    }
}
