//! Bank accounts: the kinds of numbers, their own check digits, and the mandate to collect from one.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::{Timestamp, card_number::AccountNumber, method::Method};

/// In what form an account's number is, with what names the bank.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum AccountKind {
    /// An IBAN, which names the bank itself.
    Iban,
    /// An account in the United Kingdom.
    Bacs {
        /// Six digits.
        sort_code: String,
    },
    /// An account in the United States.
    Ach {
        /// The routing number of the American Bankers Association: nine digits.
        routing_number: String,
    },
    /// An account in Australia.
    Becs {
        /// The number of bank, state and branch: six digits.
        bsb_number: String,
    },
    /// A number of which nothing else is known.
    #[default]
    Other,
}

/// What names the bank next to the number, as it was sent. At most one of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BankCodes {
    /// United Kingdom.
    pub sort_code: Option<String>,
    /// United States.
    pub routing_number: Option<String>,
    /// Australia.
    pub bsb_number: Option<String>,
}

/// Why an account is refused: the field, and a clause about it. It never holds the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountFault {
    /// The field, as the interface names it.
    pub field: &'static str,
    /// What is wrong with it.
    pub reason: &'static str,
}

/// The customer's consent to collect from the account, as a processor and a bank may ask for it later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mandate {
    /// When the customer accepted it.
    pub accepted_at: Timestamp,
    /// The version of the text that the customer saw.
    pub text_version: String,
    /// From which address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<IpAddr>,
}

impl AccountKind {
    /// Reads the kind of an account's number and checks the number by its digits.
    ///
    /// # Errors
    /// The first field that breaks its rule.
    pub fn read(number: &AccountNumber, codes: BankCodes) -> Result<Self, AccountFault> {
        let fault = |field, reason| Err(AccountFault { field, reason });
        let digits = number.expose();
        match (codes.sort_code, codes.routing_number, codes.bsb_number) {
            (None, None, None) if looks_like_iban(digits) => match iban_fault(digits) {
                Some(reason) => fault("number", reason),
                None => Ok(Self::Iban),
            },
            (None, None, None) => Ok(Self::Other),
            (Some(sort_code), None, None) => {
                let Some(sort_code) = plain_digits(&sort_code, 6) else {
                    return fault("sortCode", "must have 6 digits");
                };
                if !has_digits(digits, 8, 8) {
                    return fault("number", "must have 8 digits together with a sort code");
                }
                Ok(Self::Bacs { sort_code })
            }
            (None, Some(routing), None) => {
                let Some(routing_number) = plain_digits(&routing, 9).filter(|code| aba_holds(code))
                else {
                    let reason =
                        "must be a routing number: 9 digits, the last of which is a check digit";
                    return fault("routingNumber", reason);
                };
                if !has_digits(digits, 4, 17) {
                    let reason = "must have 4 to 17 digits together with a routing number";
                    return fault("number", reason);
                }
                Ok(Self::Ach { routing_number })
            }
            (None, None, Some(bsb)) => {
                let Some(bsb_number) = plain_digits(&bsb, 6) else {
                    return fault("bsbNumber", "must have 6 digits");
                };
                if !has_digits(digits, 4, 9) {
                    let reason = "must have 4 to 9 digits together with a BSB number";
                    return fault("number", reason);
                }
                Ok(Self::Becs { bsb_number })
            }
            (Some(_), _, _) => fault("sortCode", ONE_CODE),
            (None, Some(_), Some(_)) => fault("routingNumber", ONE_CODE),
        }
    }

    /// The direct debits by which such an account is charged; the first is the usual one.
    pub const fn methods(&self) -> &'static [Method] {
        match self {
            Self::Iban => &[
                Method::SepaDirectDebit,
                Method::DirectDebit,
                Method::Account,
            ],
            Self::Bacs { .. } => &[Method::Bacs, Method::DirectDebit, Method::Account],
            Self::Ach { .. } => &[
                Method::AchDebit,
                Method::Ach,
                Method::DirectDebit,
                Method::Account,
            ],
            Self::Becs { .. } => &[Method::Becs, Method::DirectDebit, Method::Account],
            Self::Other => &[Method::DirectDebit, Method::Account],
        }
    }

    /// The usual direct debit for such an account.
    pub const fn usual_method(&self) -> Method {
        match self {
            Self::Iban => Method::SepaDirectDebit,
            Self::Bacs { .. } => Method::Bacs,
            Self::Ach { .. } => Method::AchDebit,
            Self::Becs { .. } => Method::Becs,
            Self::Other => Method::DirectDebit,
        }
    }

    /// What names the bank: the code next to the number, or country and bank in an IBAN. Empty where nothing does.
    pub fn bank(&self, number: &AccountNumber) -> String {
        match self {
            Self::Iban => bank_of_iban(number.expose()),
            Self::Bacs { sort_code } => format!("sort code {sort_code}"),
            Self::Ach { routing_number } => format!("routing number {routing_number}"),
            Self::Becs { bsb_number } => format!("BSB number {bsb_number}"),
            Self::Other => String::new(),
        }
    }

    /// What tells an account from all others, as secret as its number: two banks may have accounts of one number. Letters are
    /// large ones.
    pub fn whole(&self, number: &AccountNumber) -> Zeroizing<String> {
        let mut whole = Zeroizing::new(number.expose().to_ascii_uppercase());
        if !matches!(self, Self::Iban | Self::Other) {
            whole.push_str(" at ");
            whole.push_str(&self.bank(number));
        }
        whole
    }

    /// The kind, for a message: "an account with …".
    pub const fn words(&self) -> &'static str {
        match self {
            Self::Iban => "an IBAN",
            Self::Bacs { .. } => "a sort code",
            Self::Ach { .. } => "a routing number",
            Self::Becs { .. } => "a BSB number",
            Self::Other => "neither IBAN, sort code, routing number nor BSB number",
        }
    }
}

const ONE_CODE: &str =
    "must be absent when another code of the bank is given: an account has one of them";

/// Digits, with the dashes and spaces that people write between them.
fn plain_digits(text: &str, length: usize) -> Option<String> {
    let digits: String = text
        .chars()
        .filter(|letter| !matches!(letter, '-' | ' '))
        .collect();
    has_digits(&digits, length, length).then_some(digits)
}

fn has_digits(text: &str, least: usize, most: usize) -> bool {
    (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The checksum of a routing number: digits weighted by 3, 7 and 1, in turn, add up to a multiple of ten.
///
/// Source: American Bankers Association, routing number policy.
fn aba_holds(digits: &str) -> bool {
    let weighted = digits.bytes().zip([3_u32, 7, 1].into_iter().cycle());
    let sum = weighted.fold(0_u32, |sum, (byte, weight)| {
        sum.saturating_add(u32::from(byte.saturating_sub(b'0')).saturating_mul(weight))
    });
    sum > 0 && sum % 10 == 0
}

/// Two letters and two digits: the beginning that no other number has.
fn looks_like_iban(text: &str) -> bool {
    let mut bytes = text.bytes();
    let mut two = |fits: fn(&u8) -> bool| bytes.by_ref().take(2).filter(fits).count() == 2;
    two(u8::is_ascii_alphabetic) && two(u8::is_ascii_digit)
}

/// Country and bank of an IBAN. Its check digits, and those of its account number, are no part of it.
fn bank_of_iban(text: &str) -> String {
    let country: String = text
        .chars()
        .take(2)
        .collect::<String>()
        .to_ascii_uppercase();
    let (place, length) = place_of_bank(&country);
    let bank: String = text.chars().skip(4 + place).take(length).collect();
    format!("{country} {}", bank.to_ascii_uppercase())
}

/// Where the bank stands behind the check digits of an IBAN, and how many characters name it.
///
/// Source: SWIFT, IBAN Registry, release 99.
fn place_of_bank(country: &str) -> (usize, usize) {
    match country {
        "IT" | "SM" => (1, 5),
        "EE" | "FK" | "GE" | "IS" | "MD" | "SA" | "SD" | "TN" | "XK" => (0, 2),
        "AE" | "AL" | "BA" | "BE" | "CY" | "FI" | "GR" | "HU" | "IL" | "KZ" | "LU" | "LY"
        | "ME" | "MK" | "OM" | "RS" | "SE" | "TL" | "VA" => (0, 3),
        "AT" | "BI" | "CH" | "DJ" | "FR" | "LI" | "LT" | "MC" | "MR" | "SI" | "TR" => (0, 5),
        "MU" | "SC" | "UA" => (0, 6),
        "HR" => (0, 7),
        "BR" | "DE" | "PL" => (0, 8),
        "RU" => (0, 9),
        _ => (0, 4),
    }
}

/// What is wrong with an IBAN. Source: ISO 13616-1, and ISO 7064 (modulus 97-10).
fn iban_fault(text: &str) -> Option<&'static str> {
    let country = text.get(..2).unwrap_or_default().to_ascii_uppercase();
    let Some((_, length)) = IBAN_LENGTHS.iter().find(|(code, _)| *code == country) else {
        return Some("must be an IBAN: no country with these first two letters has IBANs");
    };
    if text.len() != *length {
        return Some("must be an IBAN: it has not as many characters as those of its country");
    }
    let (head, rest) = text.split_at_checked(4)?;
    let remainder = rest.bytes().chain(head.bytes()).fold(0_u32, |sum, byte| {
        let digit = char::from(byte).to_digit(36).unwrap_or(0);
        let shift = if digit > 9 { 100 } else { 10 };
        sum.saturating_mul(shift).saturating_add(digit) % 97
    });
    (remainder != 1).then_some("must be an IBAN: its check digits do not match")
}

/// Countries with IBANs, and the length of each. Source: SWIFT, IBAN Registry, release 99.
const IBAN_LENGTHS: &[(&str, usize)] = &[
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BI", 27),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DJ", 27),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FK", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HN", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("LY", 25),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MN", 20),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NI", 28),
    ("NL", 18),
    ("NO", 15),
    ("OM", 23),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("RU", 33),
    ("SA", 24),
    ("SC", 31),
    ("SD", 18),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("SO", 23),
    ("ST", 25),
    ("SV", 28),
    ("TL", 23),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
    ("VG", 24),
    ("XK", 20),
    ("YE", 30),
];

#[cfg(test)]
mod tests;
