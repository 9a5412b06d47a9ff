//! Test cards. Sources: docs/processors/adyen.md, "Test values"; the aliases at the end are the simulator's own.

use std::time::Duration;

use super::{calendar::civil, refusal::Refusal, rules::Body};
use crate::luhn::passes_luhn;

/// A card as the machine knows it. The number stays in the books: they are of a simulator, which takes test numbers only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Card {
    pub(super) number: String,
    pub(super) month: u32,
    pub(super) year: i64,
    pub(super) cvc: Option<String>,
}

impl Card {
    /// The card of `paymentMethod`, in the clear or "encrypted" as `test_…`.
    pub(super) fn of(body: &Body) -> Result<Self, Refusal> {
        let field = |clear: &str, encrypted: &str| -> Option<String> {
            let clear = body.text(&format!("paymentMethod/{clear}"));
            let encrypted = body
                .text(&format!("paymentMethod/{encrypted}"))
                .and_then(|text| text.strip_prefix("test_"));
            clear.or(encrypted).map(str::to_owned)
        };
        let number = field("number", "encryptedCardNumber").unwrap_or_default();
        if !passes_luhn(&number) {
            return Err(Refusal::invalid("101", "Invalid card number"));
        }
        let digits = |text: Option<String>, lengths: &[usize]| {
            let text = text.filter(|text| lengths.contains(&text.len()))?;
            text.bytes()
                .all(|byte| byte.is_ascii_digit())
                .then_some(text)
        };
        let month = digits(field("expiryMonth", "encryptedExpiryMonth"), &[1, 2]);
        let month = month
            .and_then(|month| month.parse().ok())
            .filter(|month| (1..=12).contains(month));
        let year = digits(field("expiryYear", "encryptedExpiryYear"), &[4]);
        let (Some(month), Some(year)) = (month, year.and_then(|year| year.parse().ok())) else {
            return Err(Refusal::invalid("129", "Expiry Date Invalid"));
        };
        let cvc = field("cvc", "encryptedSecurityCode");
        let length = if brand(&number) == "amex" { 4 } else { 3 };
        if cvc.is_some() && digits(cvc.clone(), &[length]).is_none() {
            return Err(Refusal::invalid("103", "CVC is not the right length"));
        }
        Ok(Self {
            number,
            month,
            year,
            cvc,
        })
    }

    pub(super) fn last4(&self) -> &str {
        self.number
            .get(self.number.len().saturating_sub(4)..)
            .unwrap_or_default()
    }

    pub(super) fn has_expired(&self, now: Duration) -> bool {
        let (year, month, _) = civil(now);
        (self.year, self.month) < (year, month)
    }
}

/// How a card asks its holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Challenge {
    /// At an address that is opened.
    Get,
    /// By a form that is sent there.
    Post,
}

/// How the card's bank asks, where it always does.
pub(super) fn challenge(number: &str) -> Option<Challenge> {
    match number {
        "4917610000000000" | "5454545454545454" | "4000002500003155" | "4000002760003184"
        | "4000000000003220" | "4000000000003063" => Some(Challenge::Get),
        "4212345678901237" | "5212345678901234" => Some(Challenge::Post),
        _ => None,
    }
}

/// Whether the card's bank asks where the shop wants it; those that always do aside. Source:
/// docs.adyen.com/development-resources/testing/3d-secure-2-authentication. The last is Stripe's.
pub(super) fn is_enrolled(number: &str) -> bool {
    matches!(
        number,
        "371449635398431" | "4871049999999910" | "6703444444444449" | "4000000000003055"
    )
}

/// The holder's name that a number stands for: for those who can't choose names.
pub(super) fn alias(number: &str) -> Option<&'static str> {
    let name = match number {
        "4000000000000002" | "4000000000000341" | "4000008400001629" => "DECLINED",
        "4000000000009995" => "NOT_ENOUGH_BALANCE",
        "4000000000009987" => "BLOCK_CARD",
        "4000000000009979" => "RESTRICTED_CARD",
        "4100000000000019" => "FRAUD",
        "4000000000000069" => "CARD_EXPIRED",
        "4000000000000127" => "CVC_DECLINED",
        "4000000000000119" => "ERROR",
        "4000000000000259" => "Chargeback",
        "4000000000001976" => "Request for information",
        "4000000000007726" => "refund slow",
        "4000000000005126" => "refund failed",
        _ => return None,
    };
    Some(name)
}

/// Whether the number is for tests. Others are refused.
pub(super) fn is_known(number: &str) -> bool {
    NUMBERS.contains(&number)
        || alias(number).is_some()
        || challenge(number).is_some()
        || is_enrolled(number)
}

/// Source: docs.adyen.com/development-resources/test-cards-and-credentials/test-card-numbers, and the numbers that all processors'
/// documents list.
const NUMBERS: &[&str] = &[
    "2222400010000008",
    "2222400030000004",
    "2222400050000009",
    "2222400060000007",
    "2222400070000005",
    "2222410700000002",
    "2222410740360010",
    "2223000048410010",
    "2223003122003222",
    "2223520443560010",
    "345177925488348",
    "3530111333300000",
    "3566002020360505",
    "3569990010095841",
    "36006666333344",
    "370000000000002",
    "370000000100018",
    "371449635398431",
    "378282246310005",
    "4000020000000000",
    "4000056655665556",
    "4000060000000006",
    "4000160000000004",
    "4000180000000002",
    "4000620000000007",
    "4012888888881881",
    "4111111111111111",
    "4111111145551142",
    "4111112014267661",
    "4166676667666746",
    "4199350000000002",
    "4242424242424242",
    "4293189100000008",
    "4400000000000008",
    "4444333322221111",
    "4484600000000004",
    "4571000000000001",
    "4607000000000009",
    "4646464646464644",
    "4871049999999910",
    "4977949494949497",
    "4988080000000000",
    "4988438843884305",
    "5019555544445555",
    "5100060000000002",
    "5100290029002909",
    "5101180000000007",
    "5105105105105100",
    "5136333333333335",
    "5201281505129736",
    "5555341244441115",
    "5555444433331111",
    "5555555555554444",
    "5577000055770004",
    "5585558555855583",
    "6011111111111117",
    "6011601160116611",
    "6243030000000001",
    "6445644564456445",
    "6703444444444449",
    "6731012345678906",
    "6771798021000008",
];

/// The brand of a number, in Adyen's words.
pub(super) fn brand(number: &str) -> &'static str {
    let two = number
        .get(..2)
        .and_then(|two| two.parse::<u8>().ok())
        .unwrap_or(0);
    match two {
        40..=49 => "visa",
        22..=27 | 51..=55 => "mc",
        34 | 37 => "amex",
        60 | 64 | 65 => "discover",
        30 | 36 | 38 => "diners",
        35 => "jcb",
        62 => "cup",
        50 | 56..=59 | 67 => "maestro",
        _ => "card",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_card_has_a_right_number_and_a_brand() {
        for number in NUMBERS {
            assert!(passes_luhn(number), "{number}");
            assert_ne!(brand(number), "card", "{number}");
        }
        for number in ["4000000000000259", "4917610000000000", "5212345678901234"] {
            assert!(passes_luhn(number) && is_known(number), "{number}");
        }
        assert!(!is_known("4012000033330026"));
        assert_eq!(challenge("5212345678901234"), Some(Challenge::Post));
    }

    #[test]
    fn a_card_is_good_to_the_end_of_its_month() {
        let card = Card {
            number: "4111111111111111".to_owned(),
            month: 3,
            year: 2030,
            cvc: None,
        };
        // 31 March 2030, 23:59:59, and a second later.
        let end = Duration::from_secs(1_901_231_999);
        assert!(!card.has_expired(end));
        assert!(card.has_expired(end + Duration::from_secs(1)));
        assert_eq!(card.last4(), "1111");
    }
}
