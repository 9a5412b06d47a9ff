//! What happens to a payment, by the name of its holder. Sources: docs/processors/adyen.md, "Test values".

/// Why a payment is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reason {
    /// The holder's name that asks for it.
    name: &'static str,
    pub(super) code: &'static str,
    pub(super) text: &'static str,
    /// `resultCode`.
    pub(super) result: &'static str,
}

const fn refused(name: &'static str, code: &'static str, text: &'static str) -> Reason {
    Reason {
        name,
        code,
        text,
        result: "Refused",
    }
}

const fn error(name: &'static str, code: &'static str, text: &'static str) -> Reason {
    Reason {
        result: "Error",
        ..refused(name, code, text)
    }
}

/// In the order of their codes.
pub(super) const REASONS: &[Reason] = &[
    error("UNKNOWN", "0", "Unknown"),
    refused("DECLINED", "2", "Refused"),
    refused("REFERRAL", "3", "Referral"),
    error("ERROR", "4", "Acquirer Error"),
    refused("BLOCK_CARD", "5", "Blocked Card"),
    refused("CARD_EXPIRED", "6", "Expired Card"),
    refused("INVALID_AMOUNT", "7", "Invalid Amount"),
    refused("INVALID_CARD_NUMBER", "8", "Invalid Card Number"),
    refused("INVALID_CARD", "8", "Invalid Card Number"),
    refused("ISSUER_UNAVAILABLE", "9", "Issuer Unavailable"),
    refused("NOT_SUPPORTED", "10", "Not supported"),
    refused("NOT_3D_AUTHENTICATED", "11", "3D Not Authenticated"),
    refused("NOT_ENOUGH_BALANCE", "12", "Not enough balance"),
    refused("ACQUIRER_FRAUD", "14", "Acquirer Fraud"),
    refused("CANCELLED", "15", "Cancelled"),
    refused("SHOPPER_CANCELLED", "16", "Shopper Cancelled"),
    refused("INVALID_PIN", "17", "Invalid Pin"),
    refused("PIN_TRIES_EXCEEDED", "18", "Pin tries exceeded"),
    refused(
        "PIN_VALIDATION_NOT_POSSIBLE",
        "19",
        "Pin validation not possible",
    ),
    refused("FRAUD", "20", "FRAUD"),
    refused("NOT_SUBMITTED", "21", "Not Submitted"),
    Reason {
        result: "Cancelled",
        ..refused("FRAUD_CANCELLED", "22", "FRAUD-CANCELLED")
    },
    refused(
        "TRANSACTION_NOT_PERMITTED",
        "23",
        "Transaction Not Permitted",
    ),
    refused("CVC_DECLINED", "24", "CVC Declined"),
    refused("RESTRICTED_CARD", "25", "Restricted Card"),
    refused("REVOCATION_OF_AUTH", "26", "Revocation Of Auth"),
    refused("DECLINED_NON_GENERIC", "27", "Declined Non Generic"),
    refused(
        "WITHDRAWAL_AMOUNT_EXCEEDED",
        "28",
        "Withdrawal amount exceeded",
    ),
    refused(
        "WITHDRAWAL_COUNT_EXCEEDED",
        "29",
        "Withdrawal count exceeded",
    ),
    refused("ISSUER_SUSPECTED_FRAUD", "31", "Issuer Suspected Fraud"),
    refused("AVS_DECLINED", "32", "AVS Declined"),
    refused("PIN_REQUIRED", "33", "Card requires online pin"),
    refused(
        "NO_CHECKING_ACCOUNT",
        "34",
        "No checking account available on Card",
    ),
    refused(
        "NO_SAVINGS_ACCOUNT",
        "35",
        "No savings account available on Card",
    ),
    refused("MOBILE_PIN_REQUIRED", "36", "Mobile PIN required"),
    refused("CONTACTLESS_FALLBACK", "37", "Contactless fallback"),
    refused("AUTHENTICATION_REQUIRED", "38", "Authentication required"),
    refused("RREQ_NOT_RECEIVED", "39", "RReq not received from DS"),
    refused("BAN_CURRENT_AID", "40", "Current AID is in Penalty Box."),
    refused("CVM_REQUIRED", "41", "CVM Required Restart Payment"),
    refused("THREED_SECURE_ERROR", "42", "3DS Authentication Error"),
    refused("ONLINE_PIN_REQUIRED", "43", "Online PIN required"),
    refused("TRY_ANOTHER_INTERFACE", "44", "Try another interface"),
    refused("CHIP_DOWNGRADE_MODE", "45", "Chip downgrade mode"),
    refused(
        "ERPS_BLOCK",
        "46",
        "Transaction blocked by Adyen to prevent excessive retry fees",
    ),
];

/// The reason of a code that the table has.
pub(super) fn reason(code: &str) -> Reason {
    let found = REASONS.iter().find(|reason| reason.code == code);
    found
        .copied()
        .unwrap_or(refused("DECLINED", "2", "Refused"))
}

/// How the authorisation ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    Approved,
    /// For half of the amount.
    Partly,
    Refused(Reason),
    /// Not yet known; later approved, or refused.
    Later(Option<Reason>),
    /// `Error` first, and authorised after all.
    Contradicted,
}

/// What becomes of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Capturing {
    Sure,
    Refused,
    /// `CAPTURE`, then `CAPTURE_FAILED`.
    FailsLater,
}

/// What becomes of a refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refunding {
    Sure,
    Slow,
    Refused,
    /// `REFUND`, then `REFUND_FAILED`.
    FailsLater,
    /// `REFUND`, then `REFUNDED_REVERSED`.
    ReversedLater,
}

/// How far a dispute goes by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    /// `REQUEST_FOR_INFORMATION`.
    Inquiry,
    /// To `CHARGEBACK`.
    Chargeback,
    /// To `CHARGEBACK_REVERSED`.
    Reversed,
    /// To `SECOND_CHARGEBACK`.
    Second,
}

/// What happens to a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) ending: Ending,
    /// The issuer's own words.
    pub(super) raw: Option<String>,
    pub(super) capturing: Capturing,
    pub(super) refunding: Refunding,
    /// The dispute after the first capture, with its reason code.
    pub(super) dispute: Option<(Course, String)>,
}

impl Plan {
    const fn new(ending: Ending) -> Self {
        Self {
            ending,
            raw: None,
            capturing: Capturing::Sure,
            refunding: Refunding::Sure,
            dispute: None,
        }
    }

    /// The plan that a holder's name asks for.
    pub(super) fn of_name(name: &str) -> Self {
        let (word, raw) = match name.split_once(':') {
            Some((word, raw)) => (word.trim(), Some(raw.trim().to_owned())),
            None => (name.trim(), None),
        };
        let approved = Self::new(Ending::Approved);
        let disputed = |course| Self {
            dispute: Some((course, raw.clone().unwrap_or_else(|| "10.4".to_owned()))),
            ..Self::new(Ending::Approved)
        };
        match word.to_ascii_lowercase().as_str() {
            "chargeback" => return disputed(Course::Chargeback),
            "chargeback reversed" => return disputed(Course::Reversed),
            "second chargeback" => return disputed(Course::Second),
            "request for information" => return disputed(Course::Inquiry),
            _ => {}
        }
        let plan = match word {
            "capture failed" => Self {
                capturing: Capturing::FailsLater,
                ..approved
            },
            "capture refused" => Self {
                capturing: Capturing::Refused,
                ..approved
            },
            "refund failed" => Self {
                refunding: Refunding::FailsLater,
                ..approved
            },
            "refund refused" => Self {
                refunding: Refunding::Refused,
                ..approved
            },
            "refund slow" => Self {
                refunding: Refunding::Slow,
                ..approved
            },
            "refunded reversed" => Self {
                refunding: Refunding::ReversedLater,
                ..approved
            },
            "PARTIALLY_APPROVED" => Self::new(Ending::Partly),
            "PENDING" => Self::new(Ending::Later(None)),
            "PENDING_DECLINED" => Self::new(Ending::Later(Some(reason("2")))),
            "ERROR_APPROVED" => Self::new(Ending::Contradicted),
            word => match REASONS.iter().find(|reason| reason.name == word) {
                Some(reason) => Self::new(Ending::Refused(*reason)),
                None => approved,
            },
        };
        Self { raw, ..plan }
    }

    /// The plan that `additionalData.RequestedTestAcquirerResponseCode` asks for.
    pub(super) fn of_code(code: &str) -> Self {
        match code {
            "1" => Self::new(Ending::Approved),
            "13" => Self::new(Ending::Later(None)),
            code => Self::new(Ending::Refused(reason(code))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ask_for_what_adyen_documents() {
        let refused = Plan::of_name("DECLINED : 06 : ERROR");
        assert_eq!(refused.ending, Ending::Refused(reason("2")));
        assert_eq!(refused.raw.as_deref(), Some("06 : ERROR"));
        assert_eq!(Plan::of_name("J. Smith").ending, Ending::Approved);
        assert_eq!(Plan::of_name("APPROVED").ending, Ending::Approved);
        let disputed = Plan::of_name("chargeback:4853").dispute;
        assert_eq!(disputed, Some((Course::Chargeback, "4853".to_owned())));
        assert_eq!(Plan::of_code("12"), Plan::of_name("NOT_ENOUGH_BALANCE"));
        assert_eq!(Plan::of_code("13").ending, Ending::Later(None));
        let error = Plan::of_name("ERROR").ending;
        assert!(matches!(error, Ending::Refused(reason) if reason.result == "Error"));
    }
}
