//! Numbers that are never shown: card numbers, security codes and bank account numbers.
//!
//! None of the types has `Debug`, `Display`, `Serialize`, `Clone` or equality, and each wipes its memory when dropped.
//! What may be shown is asked for by name (`masked`, `last4`, `bin`), and so is what may not (`expose`).

use std::borrow::Cow;

use thiserror::Error;
use zeroize::Zeroizing;

use crate::{brand::Brand, card_ranges::IIN_DIGITS};

use by_chance::{without_hex_keys, without_uuids};

pub use masking::{mask_card_numbers, mask_cards_where, without_escapes};

/// How many digits a mask leaves readable.
const SHOWN: usize = 4;

/// A card's number: 12 to 19 digits with a valid Luhn checksum.
pub struct CardNumber(Zeroizing<String>);

/// Why a text is no number of a card or an account, as a clause about its field. It never holds the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CardError {
    /// Something else than digits; spaces and dashes count.
    #[error("must consist of digits, without spaces or dashes")]
    NotDigits,
    /// Too short or too long.
    #[error("must have 12 to 19 digits")]
    Length,
    /// The checksum.
    #[error("must be a card number: its checksum does not match")]
    Checksum,
    /// No security code.
    #[error("must have 3 or 4 digits")]
    SecurityCode,
    /// No account number.
    #[error("must have 4 to 34 letters and digits, without spaces")]
    Account,
}

impl CardNumber {
    /// Reads a number and wipes the text when it is none. Errors: `NotDigits`, `Length`, `Checksum`.
    pub fn parse(text: String) -> Result<Self, CardError> {
        let digits = Zeroizing::new(text);
        if digits.is_empty() {
            return Err(CardError::Length);
        }
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(CardError::NotDigits);
        }
        if !(12..=19).contains(&digits.len()) {
            return Err(CardError::Length);
        }
        if !luhn_holds(&digits) {
            return Err(CardError::Checksum);
        }
        Ok(Self(digits))
    }

    /// The clear digits. Only the vault's sealing and the call to a processor have a use for them.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// A second copy of the number, as secret as the first.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self(self.0.clone())
    }

    /// Whether the number stands in a text, whatever is between its digits.
    pub fn stands_in(&self, text: &str) -> bool {
        let digits: Zeroizing<String> =
            Zeroizing::new(text.chars().filter_map(plain_digit).collect());
        digits.contains(self.0.as_str())
    }

    /// The brand, by the first digits.
    pub fn brand(&self) -> Brand {
        Brand::of(&self.0)
    }

    /// The first six digits, which may be shown.
    pub fn bin(&self) -> String {
        first(&self.0, 6)
    }

    /// The first eight digits, to look a card up by. They are wiped, and not to be kept: of a short number together with the last four
    /// they would be too many.
    pub fn leading(&self) -> Zeroizing<String> {
        Zeroizing::new(first(&self.0, IIN_DIGITS))
    }

    /// The issuer's number: the first eight digits of a number of 16 or more, else the first six.
    ///
    /// Source: PCI SSC FAQ 1091, "acceptable formats for truncation": eight may be kept together with the last four only when
    /// the number has at least 16 digits.
    pub fn iin(&self) -> String {
        first(&self.0, if self.0.len() >= 16 { 8 } else { 6 })
    }

    /// The last four digits, which may be shown.
    pub fn last4(&self) -> String {
        last(&self.0, SHOWN)
    }

    /// The number with `*` for all but the last four digits.
    pub fn masked(&self) -> String {
        masked(&self.0, SHOWN)
    }
}

/// A card's security code (cvc): 3 or 4 digits.
pub struct SecurityCode(Zeroizing<String>);

impl SecurityCode {
    /// Reads a code and wipes the text when it is none. Errors: `SecurityCode`.
    pub fn parse(text: String) -> Result<Self, CardError> {
        let digits = Zeroizing::new(text);
        let valid =
            (3..=4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        if valid {
            Ok(Self(digits))
        } else {
            Err(CardError::SecurityCode)
        }
    }

    /// The clear digits. Only the vault's sealing and the call to a processor have a use for them.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// A second copy of the code, as secret as the first.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self(self.0.clone())
    }

    /// Whether cards of the brand have codes of this length: four digits for American Express, three elsewhere.
    pub fn fits(&self, brand: Brand) -> bool {
        match brand {
            Brand::Amex => self.0.len() == 4,
            Brand::Unknown => true,
            Brand::Visa
            | Brand::Mastercard
            | Brand::Discover
            | Brand::Diners
            | Brand::Jcb
            | Brand::Unionpay
            | Brand::Maestro
            | Brand::Dankort => self.0.len() == 3,
        }
    }
}

/// A bank account's number or IBAN: 4 to 34 letters and digits.
///
/// Source of the upper bound: ISO 13616 (IBAN).
pub struct AccountNumber(Zeroizing<String>);

impl AccountNumber {
    /// Reads a number and wipes the text when it is none. Errors: `Account`.
    pub fn parse(text: String) -> Result<Self, CardError> {
        let number = Zeroizing::new(text);
        let valid = (4..=34).contains(&number.len())
            && number.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if valid {
            Ok(Self(number))
        } else {
            Err(CardError::Account)
        }
    }

    /// The clear number. Only the vault's sealing and the call to a processor have a use for it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// A second copy of the number, as secret as the first.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self(self.0.clone())
    }

    /// The characters that a mask leaves readable: the last four, fewer when less than four others would stay hidden.
    pub fn last4(&self) -> String {
        last(&self.0, self.shown())
    }

    /// The number with `*` for all but its readable end.
    pub fn masked(&self) -> String {
        masked(&self.0, self.shown())
    }

    fn shown(&self) -> usize {
        SHOWN.min(self.0.len().saturating_sub(SHOWN))
    }
}

fn first(text: &str, count: usize) -> String {
    text.chars().take(count).collect()
}

fn last(text: &str, count: usize) -> String {
    text.chars()
        .skip(text.len().saturating_sub(count))
        .collect()
}

fn masked(text: &str, shown: usize) -> String {
    let hidden = text.len().saturating_sub(shown);
    let mut mask = "*".repeat(hidden);
    mask.push_str(&last(text, shown));
    mask
}

/// Whether a text holds what looks like a card's number: digits of a brand's range and length with a right checksum, in
/// one piece or in groups with a dash, dot, underscore, slash or the like, or with up to three spaces or line breaks between them. Digits of other scripts count.
///
/// A number that is glued to other digits is not seen: most long numbers hold one by chance. For texts that are kept or logged in clear. Lengths that telephone numbers have too (Visa's old 13) don't count, and neither
/// do the groups of a UUID or the digits of a hexadecimal key or hash: one in some five thousand, or in some hundred, has a card's number
/// by chance.
pub fn holds_card_number(text: &str) -> bool {
    let text = plain_digits(text);
    let text = without_uuids(&text);
    let text = without_hex_keys(&text);
    let mut groups: Vec<&str> = Vec::new();
    let mut rest = text.as_ref();
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (gap, from) = rest.split_at(start);
        if !separates(gap.chars()) {
            groups.clear();
        }
        let end = from
            .find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(from.len());
        let (group, behind) = from.split_at(end);
        groups.push(group);
        if ends_with_card(&groups) {
            return true;
        }
        rest = behind;
    }
    false
}

/// White space between two groups at most: two spaces, or a line that is broken and indented. Unit: characters.
const MOST_SPACE: usize = 3;

/// Whether this stands between two groups of one number: a mark, white space, or a mark before white space.
fn separates(mut between: impl Iterator<Item = char>) -> bool {
    let Some(first) = between.next() else {
        return false;
    };
    let mut length = 1_usize;
    let is_space = between.all(|letter| {
        length = length.saturating_add(1);
        letter.is_whitespace() && length <= MOST_SPACE
    });
    is_space && (first.is_whitespace() || is_between_groups(first))
}

/// What people and programs write between the groups of a number, besides white space.
const fn is_between_groups(letter: char) -> bool {
    matches!(
        letter,
        '-' | '.' | '_' | '/' | '\\' | '|' | '\u{a0}' | '\u{ad}' | '\u{b7}' | '\u{2009}'
            ..='\u{2015}' | '\u{202a}'..='\u{202f}' | '\u{2060}'..='\u{2069}' | '\u{ff0d}'
    )
}

/// The first digits of scripts whose ten digits follow one another: full width, Arabic, Persian, Devanagari, and the five styles of
/// mathematical ones. Source: Unicode 16, general category Nd.
const ZEROS: [char; 9] = [
    '\u{ff10}',
    '\u{660}',
    '\u{6f0}',
    '\u{966}',
    '\u{1d7ce}',
    '\u{1d7d8}',
    '\u{1d7e2}',
    '\u{1d7ec}',
    '\u{1d7f6}',
];

/// The digit that a letter stands for.
fn plain_digit(letter: char) -> Option<char> {
    if letter.is_ascii() {
        return letter.is_ascii_digit().then_some(letter);
    }
    ZEROS.iter().find_map(|zero| {
        let digit = u32::from(letter).checked_sub(u32::from(*zero))?;
        char::from_digit(digit, 10)
    })
}

/// The text with plain digits in the place of others.
fn plain_digits(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let plain = |letter| plain_digit(letter).unwrap_or(letter);
    Cow::Owned(text.chars().map(plain).collect())
}

/// Whether the last of the groups make a card's number together.
fn ends_with_card(groups: &[&str]) -> bool {
    card_at_end(groups).is_some()
}

/// The card's number that the last of the groups make together.
fn card_at_end(groups: &[&str]) -> Option<CardAtEnd> {
    let mut digits = String::new();
    for (groups, group) in (1..).zip(groups.iter().rev()) {
        digits.insert_str(0, group);
        if digits.len() > MAX_DIGITS {
            return None;
        }
        if has_length_of(Brand::of(&digits), digits.len()) && luhn_holds(&digits) {
            return Some(CardAtEnd { digits, groups });
        }
    }
    None
}

/// What looks like a card's number, made of the last groups of digits.
struct CardAtEnd {
    digits: String,
    /// Of how many groups.
    groups: usize,
}

/// The longest card number.
const MAX_DIGITS: usize = 19;

fn has_length_of(brand: Brand, length: usize) -> bool {
    match brand {
        Brand::Visa | Brand::Maestro => matches!(length, 16 | 19),
        Brand::Mastercard | Brand::Dankort => length == 16,
        Brand::Amex => length == 15,
        Brand::Diners => length == 14,
        Brand::Discover | Brand::Jcb | Brand::Unionpay => (16..=19).contains(&length),
        Brand::Unknown => false,
    }
}

/// The checksum of ISO/IEC 7812-1, annex B: from the right, every second digit counts double, with the digits of the
/// product added up, and the sum ends in 0.
fn luhn_holds(digits: &str) -> bool {
    let sum = digits
        .bytes()
        .rev()
        .enumerate()
        .fold(0_u32, |sum, (position, byte)| {
            let digit = u32::from(byte.saturating_sub(b'0'));
            let weighted = match (position % 2 == 1, digit.saturating_mul(2)) {
                (false, _) => digit,
                (true, double) if double > 9 => double.saturating_sub(9),
                (true, double) => double,
            };
            sum.saturating_add(weighted)
        });
    sum % 10 == 0
}

mod by_chance;
mod masking;

#[cfg(test)]
mod tests;
