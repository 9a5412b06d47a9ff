//! Test cards. Source of each: docs/processors/stripe.md, section "Test values".

/// What the issuer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Issuer {
    Approves,
    Declines(Decline),
}

/// A refusal in Stripe's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decline {
    pub(super) code: &'static str,
    pub(super) word: &'static str,
    pub(super) advice: Option<&'static str>,
    pub(super) message: &'static str,
}

/// What becomes of refunds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refunding {
    AtOnce,
    /// Pending first.
    Later,
    /// Succeeded first, failed later.
    FailsLater,
}

/// What the cardholder does after the payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    Content,
    Disputes,
    Inquires,
}

/// When the issuer wants the shopper to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Challenging {
    /// The card isn't enrolled, or knows no 3D Secure.
    Never,
    /// Where the shop asks for it.
    WhenAsked,
    /// Always but in off-session payments of a card that was set up for them.
    UnlessSetUp,
    Always,
}

/// How a number behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Behaviour {
    pub(super) issuer: Issuer,
    pub(super) challenging: Challenging,
    pub(super) refunding: Refunding,
    pub(super) holder: Holder,
    pub(super) cvc_check: &'static str,
}

const APPROVED: Behaviour = Behaviour {
    issuer: Issuer::Approves,
    challenging: Challenging::Never,
    refunding: Refunding::AtOnce,
    holder: Holder::Content,
    cvc_check: "pass",
};

const fn declined(code: &'static str, word: &'static str, message: &'static str) -> Behaviour {
    let decline = Decline {
        code,
        word,
        advice: advice(word.as_bytes()),
        message,
    };
    Behaviour {
        issuer: Issuer::Declines(decline),
        ..APPROVED
    }
}

/// Advice for the words whose first letter says enough among those of the table.
const fn advice(word: &[u8]) -> Option<&'static str> {
    match word.first() {
        // insufficient_funds, incorrect_cvc, generic_decline, processing_error
        Some(b'i' | b'g' | b'p') => Some("try_again_later"),
        // expired_card
        Some(b'e') => Some("confirm_card_data"),
        // lost_card, stolen_card, fraudulent
        Some(b'l' | b's' | b'f') => Some("do_not_try_again"),
        _ => None,
    }
}

const DECLINED: &str = "Your card was declined.";

/// The behaviour of a number. As in test mode, a number that is no test card is declined.
pub(super) fn behaviour(number: &str) -> Behaviour {
    match number {
        "4242424242424242" | "4000056655665556" | "5555555555554444" | "2223003122003222"
        | "5200828282828210" | "5105105105105100" | "378282246310005" | "371449635398431"
        | "6011111111111117" | "3056930009020004" | "3566002020360505" | "6200000000000005" => {
            APPROVED
        }
        "4000000000000002" | "4000000000000341" => {
            declined("card_declined", "generic_decline", DECLINED)
        }
        "4000000000009995" => declined(
            "card_declined",
            "insufficient_funds",
            "Your card has insufficient funds.",
        ),
        "4000000000009987" => declined("card_declined", "lost_card", DECLINED),
        "4000000000009979" => declined("card_declined", "stolen_card", DECLINED),
        "4100000000000019" => declined("card_declined", "fraudulent", DECLINED),
        "4000000000000069" => declined("expired_card", "expired_card", "Your card has expired."),
        "4000000000000127" => Behaviour {
            cvc_check: "fail",
            ..declined(
                "incorrect_cvc",
                "incorrect_cvc",
                "Your card's security code is incorrect.",
            )
        },
        "4000000000000119" => declined(
            "processing_error",
            "processing_error",
            "An error occurred while processing your card. Try again in a little bit.",
        ),
        "4000000000003055" => Behaviour {
            challenging: Challenging::WhenAsked,
            ..APPROVED
        },
        "4000002500003155" => Behaviour {
            challenging: Challenging::UnlessSetUp,
            ..APPROVED
        },
        "4000002760003184" | "4000000000003220" | "4000000000003063" => Behaviour {
            challenging: Challenging::Always,
            ..APPROVED
        },
        "4000008400001629" => Behaviour {
            challenging: Challenging::Always,
            ..declined("card_declined", "generic_decline", DECLINED)
        },
        "4000000000000259" => Behaviour {
            holder: Holder::Disputes,
            ..APPROVED
        },
        "4000000000001976" => Behaviour {
            holder: Holder::Inquires,
            ..APPROVED
        },
        "4000000000007726" => Behaviour {
            refunding: Refunding::Later,
            ..APPROVED
        },
        "4000000000005126" => Behaviour {
            refunding: Refunding::FailsLater,
            ..APPROVED
        },
        _ => declined(
            "card_declined",
            "test_mode_live_card",
            "Your card was declined. Your request was in test mode, but used a non test (live) card.",
        ),
    }
}

/// The number behind a method or token that has a name of its own.
pub(super) fn named(name: &str) -> Option<&'static str> {
    let name = name
        .strip_prefix("pm_card_")
        .or_else(|| name.strip_prefix("tok_"))?;
    let number = match name {
        "visa" => "4242424242424242",
        "mastercard" => "5555555555554444",
        "amex" => "378282246310005",
        "chargeDeclined" | "visa_chargeDeclined" => "4000000000000002",
        "chargeDeclinedInsufficientFunds" | "visa_chargeDeclinedInsufficientFunds" => {
            "4000000000009995"
        }
        "visa_chargeDeclinedLostCard" => "4000000000009987",
        "visa_chargeDeclinedStolenCard" => "4000000000009979",
        "chargeDeclinedExpiredCard" => "4000000000000069",
        "chargeDeclinedIncorrectCvc" => "4000000000000127",
        "chargeDeclinedProcessingError" => "4000000000000119",
        "chargeCustomerFail" => "4000000000000341",
        "threeDSecure2Required" | "authenticationRequired" => "4000002760003184",
        "createDispute" => "4000000000000259",
        "createDisputeInquiry" => "4000000000001976",
        "pendingRefund" => "4000000000007726",
        "refundFail" => "4000000000005126",
        _ => return None,
    };
    Some(number)
}

/// The brand of a number, in Stripe's words.
pub(super) fn brand(number: &str) -> &'static str {
    let two = number
        .get(..2)
        .and_then(|two| two.parse::<u8>().ok())
        .unwrap_or(0);
    match two {
        40..=49 => "visa",
        22..=27 | 51..=55 => "mastercard",
        34 | 37 => "amex",
        60 | 65 => "discover",
        30 | 36 | 38 => "diners",
        35 => "jcb",
        62 => "unionpay",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::luhn::passes_luhn;

    #[test]
    fn every_test_card_is_a_number_and_others_are_declined() {
        for name in [
            "pm_card_visa",
            "tok_visa",
            "pm_card_createDispute",
            "pm_card_refundFail",
            "tok_chargeDeclined",
        ] {
            let number = named(name).unwrap();
            assert!(passes_luhn(number), "{name}");
        }
        assert_eq!(behaviour("4242424242424242"), APPROVED);
        let Issuer::Declines(decline) = behaviour("4111111111111111").issuer else {
            panic!("it is no test card")
        };
        assert_eq!(decline.word, "test_mode_live_card");
        assert_eq!(
            [
                brand("4242424242424242"),
                brand("5555555555554444"),
                brand("378282246310005")
            ],
            ["visa", "mastercard", "amex"]
        );
        assert_eq!(named("pm_card_unknown"), None);
    }
}
