//! Numbers that are never shown: card numbers, security codes and bank account numbers.
//!
//! None of the types has `Debug`, `Display`, `Serialize`, `Clone` or equality, and each wipes its memory when dropped.
//! What may be shown is asked for by name (`masked`, `last4`, `bin`), and so is what may not (`expose`).

use std::borrow::Cow;

use thiserror::Error;
use zeroize::Zeroizing;

use crate::brand::Brand;

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

    /// The issuer's number: the first eight digits of a number of 16 or more, else the first six.
    ///
    /// Source: PCI SSC FAQ 1091, "acceptable formats for truncation": eight may be kept beside the last four only when
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
/// one piece or in groups with one space, dash, dot, underscore, slash or the like between them. Digits of other scripts count.
///
/// A number that is glued to other digits is not seen: most long numbers hold one by chance. For texts that are kept or logged in clear. Lengths that telephone numbers have too (Visa's old 13) don't count, and neither
/// do the groups of a UUID: one in some five thousand has a card's number by chance.
pub fn holds_card_number(text: &str) -> bool {
    let text = plain_digits(text);
    let text = without_uuids(&text);
    let mut groups: Vec<&str> = Vec::new();
    let mut rest = text.as_ref();
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (gap, from) = rest.split_at(start);
        let mut between = gap.chars();
        if !(between.next().is_some_and(is_between_groups) && between.next().is_none()) {
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

/// What people and programs write between the groups of a number.
const fn is_between_groups(letter: char) -> bool {
    matches!(
        letter,
        ' ' | '-' | '.' | '_' | '/' | '\\' | '|' | '\u{a0}' | '\u{ad}' | '\u{b7}' | '\u{2009}'
            ..='\u{2015}' | '\u{202f}' | '\u{ff0d}'
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

/// The text with a letter in place of each UUID.
fn without_uuids(text: &str) -> Cow<'_, str> {
    if text.len() < UUID_LENGTH || !text.contains('-') {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let bounded = !kept.ends_with(char::is_alphanumeric);
        match rest.split_at_checked(UUID_LENGTH) {
            Some((uuid, behind))
                if bounded && is_uuid(uuid) && !behind.starts_with(char::is_alphanumeric) =>
            {
                kept.push('u');
                rest = behind;
            }
            _ => {
                kept.push(letter);
                rest = rest.strip_prefix(letter).unwrap_or_default();
            }
        }
    }
    Cow::Owned(kept)
}

/// Whether these are the letters of a UUID as RFC 9562 makes them. One of digits alone could hide a number.
fn is_uuid(text: &str) -> bool {
    let fits = |(place, letter): (usize, u8)| match place {
        8 | 13 | 18 | 23 => letter == b'-',
        14 => matches!(letter, b'1'..=b'8'),
        19 => matches!(letter, b'8' | b'9' | b'a' | b'b' | b'A' | b'B'),
        _ => letter.is_ascii_hexdigit(),
    };
    text.bytes().enumerate().all(fits) && text.bytes().any(|letter| letter.is_ascii_alphabetic())
}

/// Bytes of a UUID as text.
const UUID_LENGTH: usize = 36;

/// Whether the last of the groups make a card's number together.
fn ends_with_card(groups: &[&str]) -> bool {
    let mut digits = String::new();
    for group in groups.iter().rev() {
        digits.insert_str(0, group);
        if digits.len() > MAX_DIGITS {
            return false;
        }
        if has_length_of(Brand::of(&digits), digits.len()) && luhn_holds(&digits) {
            return true;
        }
    }
    false
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

#[cfg(test)]
mod tests {
    use super::*;

    fn card(text: &str) -> CardNumber {
        CardNumber::parse(text.to_owned()).unwrap_or_else(|error| panic!("{error}"))
    }

    fn refused(text: &str) -> Option<CardError> {
        CardNumber::parse(text.to_owned()).err()
    }

    #[test]
    fn card_numbers_are_seen_in_texts() {
        for text in [
            "4242424242424242",
            "order 4242 4242 4242 4242 paid",
            "o_4242-4242-4242-4242-01",
            "01 4242424242424242",
            "378282246310005.",
            "x36227206271667",
            "4242/4242/4242/4242",
            "4242\\4242|4242\u{2013}4242",
            "4242\u{a0}4242\u{202f}4242\u{2011}4242",
            "４２４２４２４２４２４２４２４２",
            "zahl ٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢",
            // Shaped like a UUID, of digits alone or of no version, or part of something longer.
            "42424242-4242-4242-8000-000000000000",
            "42424242-4242-4242-0000-00000000000a",
            "5c383244-2317-4101-818b-acb120ffe2fe 4242 4242 4242 4242",
            "5c383244-2317-4101-818b-acb120ffe2fe1",
        ] {
            assert!(holds_card_number(text), "{text}");
        }
        for text in [
            "4242424242424241",
            "4242 4242  4242 4242",
            "2026/11/21 10/04/2026 12/31/2027",
            "01929f6e-0000-7000-8000-000000000001",
            "5c383244-2317-4101-818b-acb120ffe2fe",
            "order:34904EC4-3E86-4501-9800-33423681B50F.",
            "5c383244-2317-4101-818b-acb120ffe2fe-1 für 5c383244-2317-4101-818b-acb120ffe2fe",
            "+49 151 12345678",
            "2026112106220001",
            "1795239621489",
            "42424242424242420",
            "",
        ] {
            assert!(!holds_card_number(text), "{text}");
        }
    }

    #[test]
    fn a_number_is_found_in_a_text_by_its_digits() {
        let number = card("4242424242424242");
        for text in [
            "4242424242424242",
            "o-4242 4242-4242/4242",
            "４２４２424242424242",
        ] {
            assert!(number.stands_in(text), "{text}");
        }
        for text in ["", "order", "5555555555554444", "424242424242424"] {
            assert!(!number.stands_in(text), "{text}");
        }
    }

    #[test]
    fn numbers_with_a_valid_checksum_are_read() {
        for number in [
            "4242424242424242",
            "4012888888881881",
            "5555555555554444",
            "378282246310005",
            "36227206271667",
            "6799990100000000019",
            "4000000000000259",
            "100000000008",
        ] {
            assert_eq!(card(number).expose(), number);
        }
    }

    #[test]
    fn other_texts_are_refused_with_their_reason() {
        assert_eq!(refused(""), Some(CardError::Length));
        assert_eq!(refused("4242424242424241"), Some(CardError::Checksum));
        assert_eq!(refused("4242 4242 4242 4242"), Some(CardError::NotDigits));
        assert_eq!(refused("4242-4242-4242-4242"), Some(CardError::NotDigits));
        assert_eq!(
            refused("４２４２４２４２４２４２４２４２"),
            Some(CardError::NotDigits)
        );
        assert_eq!(refused("4242424242424242\n"), Some(CardError::NotDigits));
        assert_eq!(refused("00000000000"), Some(CardError::Length));
        assert_eq!(refused("00000000000000000000"), Some(CardError::Length));
    }

    #[test]
    fn any_single_wrong_digit_breaks_the_checksum() {
        let number = "4242424242424242";
        for position in 0..number.len() {
            for digit in '0'..='9' {
                let mut changed: Vec<char> = number.chars().collect();
                let original = std::mem::replace(&mut changed[position], digit);
                let expected = (digit != original).then_some(CardError::Checksum);
                assert_eq!(refused(&changed.iter().collect::<String>()), expected);
            }
        }
    }

    #[test]
    fn only_the_last_four_digits_are_shown() {
        let number = card("4242424242424242");
        assert_eq!(number.masked(), "************4242");
        assert_eq!(number.last4(), "4242");
        assert_eq!(number.bin(), "424242");
        assert_eq!(number.iin(), "42424242");
        assert_eq!(number.brand(), Brand::Visa);
        let amex = card("378282246310005");
        assert_eq!(amex.masked(), "***********0005");
        assert_eq!(amex.iin(), "378282");
        assert_eq!(amex.duplicate().expose(), amex.expose());
    }

    #[test]
    fn security_codes_have_three_or_four_digits_as_the_brand_has_it() {
        let code = |text: &str| SecurityCode::parse(text.to_owned());
        for text in ["", "12", "12345", "12a", " 123", "１２３"] {
            assert_eq!(code(text).err(), Some(CardError::SecurityCode), "{text}");
        }
        let (Ok(three), Ok(four)) = (code("123"), code("0123")) else {
            panic!("both are codes")
        };
        assert_eq!(four.duplicate().expose(), "0123");
        for brand in Brand::ALL {
            let any = *brand == Brand::Unknown;
            assert_eq!(three.fits(*brand), any || *brand != Brand::Amex, "{brand}");
            assert_eq!(four.fits(*brand), any || *brand == Brand::Amex, "{brand}");
        }
    }

    #[test]
    fn account_numbers_are_masked_and_never_shown_whole() {
        let account = |text: &str| AccountNumber::parse(text.to_owned());
        for text in [
            "",
            "123",
            "IE29 AIBK 9311 5212 3456 78",
            "12-34",
            "ÄÖÜ1",
            &"1".repeat(35),
        ] {
            assert_eq!(account(text).err(), Some(CardError::Account), "{text}");
        }
        for (text, mask) in [
            ("IE29AIBK93115212345678", "******************5678"),
            ("12345678", "****5678"),
            ("123456", "****56"),
            ("1234", "****"),
        ] {
            let Ok(number) = account(text) else {
                panic!("{text} is an account number")
            };
            assert_eq!(number.masked(), mask);
            assert!(mask.ends_with(&number.last4()));
            assert_eq!(number.duplicate().expose(), text);
        }
    }

    /// Does not compile when the type has the trait: the call is then ambiguous.
    macro_rules! has_not {
        ($type:ty, $($bound:tt)+) => {{
            trait Ambiguous<A> {
                fn check() {}
            }
            impl<T: ?Sized> Ambiguous<()> for T {}
            impl<T: ?Sized + $($bound)+> Ambiguous<u8> for T {}
            <$type as Ambiguous<_>>::check();
        }};
    }

    #[test]
    fn secrets_can_neither_be_printed_nor_written_nor_copied_by_accident() {
        macro_rules! is_secret {
            ($type:ty) => {
                has_not!($type, std::fmt::Debug);
                has_not!($type, std::fmt::Display);
                has_not!($type, serde::Serialize);
                has_not!($type, Clone);
                has_not!($type, PartialEq);
                has_not!($type, std::hash::Hash);
            };
        }
        is_secret!(CardNumber);
        is_secret!(SecurityCode);
        is_secret!(AccountNumber);
    }
}
