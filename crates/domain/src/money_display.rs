//! Amounts as people read them: the decimals of ISO 4217 in the layout of CLDR's locales.

use iso_currency::Currency as Iso;

use crate::money::{Currency, Money};

/// What CLDR puts between a symbol that ends in a letter and the number.
const NO_BREAK_SPACE: char = '\u{a0}';

impl Money {
    /// The amount with symbol, grouping and decimals, for instance `€1,234.56`, `¥500`, `KWD 5.099`, `-$1.00`.
    ///
    /// The decimals are those of ISO 4217 even where CLDR has others (HUF 2, not 0). Letters and the number are kept
    /// apart by U+00A0.
    ///
    /// Source: CLDR 48, locale `en`: `currencies` (symbols), `currencyFormats-numberSystem-latn` (`¤#,##0.00`,
    /// `currencySpacing`).
    pub fn formatted(self) -> String {
        let mut text = String::new();
        if self.minor() < 0 {
            text.push('-');
        }
        let symbol = symbol(self.currency());
        text.push_str(symbol);
        // CLDR's rule: a space unless the symbol's last character is of the class of symbols (`$`, `€`).
        if symbol.ends_with(|last: char| last.is_alphabetic() || last == '.') {
            text.push(NO_BREAK_SPACE);
        }
        push_number(&mut text, self, ENGLISH);
        text
    }

    /// The amount for readers of a language (`en`, `fr`, `de`, `es`, `nl`, `pt`; any other reads English), for instance
    /// `1.234,56 €` in German. Outside English the euro alone has its sign and the others have their codes, since one
    /// sign stands for many currencies. The decimals are those of ISO 4217.
    ///
    /// Source: CLDR 48, the locales' `symbols-numberSystem-latn`, `currencyFormats-numberSystem-latn`,
    /// `minimumGroupingDigits`.
    pub fn formatted_in(self, language: &str) -> String {
        let layout = match language {
            "fr" => FRENCH,
            "de" => GERMAN,
            "es" => SPANISH,
            "nl" | "pt" => SIGN_FIRST,
            _ => return self.formatted(),
        };
        let sign = match self.currency().code() {
            "EUR" => "€",
            code => code,
        };
        let mut number = String::new();
        if self.minor() < 0 {
            number.push('-');
        }
        push_number(&mut number, self, layout);
        if layout.sign_is_first {
            format!("{sign}{NO_BREAK_SPACE}{number}")
        } else {
            format!("{number}{NO_BREAK_SPACE}{sign}")
        }
    }
}

/// How a language writes amounts.
#[derive(Clone, Copy)]
struct Layout {
    /// Before the decimals.
    point: char,
    /// Between groups of three digits.
    group: char,
    /// Whole parts with fewer digits have no groups.
    groups_from: usize,
    /// Whether the currency stands before the number.
    sign_is_first: bool,
}

const ENGLISH: Layout = Layout {
    point: '.',
    group: ',',
    groups_from: 4,
    sign_is_first: true,
};
/// Dutch, and Portuguese as it is written in Brazil.
const SIGN_FIRST: Layout = Layout {
    point: ',',
    group: '.',
    ..ENGLISH
};
const GERMAN: Layout = Layout {
    sign_is_first: false,
    ..SIGN_FIRST
};
const SPANISH: Layout = Layout {
    groups_from: 5,
    ..GERMAN
};
const FRENCH: Layout = Layout {
    group: '\u{202f}',
    ..GERMAN
};

/// CLDR's symbol in `en`; the code where it has none.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "CLDR has symbols for a few of the currencies only"
)]
fn symbol(currency: Currency) -> &'static str {
    match currency.iso() {
        Iso::AUD => "A$",
        Iso::BRL => "R$",
        Iso::CAD => "CA$",
        Iso::CNY => "CN¥",
        Iso::EUR => "€",
        Iso::GBP => "£",
        Iso::HKD => "HK$",
        Iso::ILS => "₪",
        Iso::INR => "₹",
        Iso::JPY => "¥",
        Iso::KRW => "₩",
        Iso::MXN => "MX$",
        Iso::NZD => "NZ$",
        Iso::PHP => "₱",
        Iso::TWD => "NT$",
        Iso::USD => "$",
        Iso::VND => "₫",
        Iso::XAF => "FCFA",
        Iso::XCD => "EC$",
        Iso::XCG => "Cg.",
        Iso::XOF => "F\u{202f}CFA",
        Iso::XPF => "CFPF",
        _ => currency.code(),
    }
}

/// Writes the digits of an amount, without its sign.
fn push_number(text: &mut String, money: Money, layout: Layout) {
    let minor = money.minor().unsigned_abs();
    let decimals = usize::from(money.currency().exponent());
    // At least one digit before the point.
    let digits = format!("{minor:0>width$}", width = decimals.saturating_add(1));
    let (whole, fraction) = digits.split_at(digits.len().saturating_sub(decimals));
    let has_groups = whole.len() >= layout.groups_from;
    for (position, digit) in whole.chars().enumerate() {
        let remaining = whole.len().saturating_sub(position);
        if has_groups && position > 0 && remaining.is_multiple_of(3) {
            text.push(layout.group);
        }
        text.push(digit);
    }
    if !fraction.is_empty() {
        text.push(layout.point);
        text.push_str(fraction);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(minor: i64, code: &str) -> String {
        Money::new(minor, Currency::parse(code).unwrap()).formatted()
    }

    #[test]
    fn the_examples_of_the_contract_hold() {
        assert_eq!(formatted(5099, "EUR"), "€50.99");
        assert_eq!(formatted(500, "JPY"), "¥500");
        assert_eq!(formatted(5099, "KWD"), "KWD\u{a0}5.099");
        assert_eq!(formatted(123_456, "EUR"), "€1,234.56");
        assert_eq!(formatted(123_456_789, "USD"), "$1,234,567.89");
    }

    #[test]
    fn small_and_extreme_amounts_keep_all_their_digits() {
        assert_eq!(formatted(0, "EUR"), "€0.00");
        assert_eq!(formatted(-1, "USD"), "-$0.01");
        assert_eq!(formatted(1, "UYW"), "UYW\u{a0}0.0001");
        assert_eq!(formatted(100_000, "JPY"), "¥100,000");
        assert_eq!(formatted(i64::MIN, "USD"), "-$92,233,720,368,547,758.08");
        assert_eq!(formatted(i64::MAX, "JPY"), "¥9,223,372,036,854,775,807");
    }

    #[test]
    fn each_language_has_its_own_layout() {
        let amount = |minor, code: &str, language: &str| {
            Money::new(minor, Currency::parse(code).unwrap()).formatted_in(language)
        };
        for (language, expected) in [
            ("en", "€1,234.56"),
            ("fr", "1\u{202f}234,56\u{a0}€"),
            ("de", "1.234,56\u{a0}€"),
            ("es", "1234,56\u{a0}€"),
            ("nl", "€\u{a0}1.234,56"),
            ("pt", "€\u{a0}1.234,56"),
            ("ar", "€1,234.56"),
        ] {
            assert_eq!(amount(123_456, "EUR", language), expected, "{language}");
        }
        assert_eq!(amount(1_234_567, "EUR", "es"), "12.345,67\u{a0}€");
        assert_eq!(amount(500, "JPY", "fr"), "500\u{a0}JPY");
        assert_eq!(amount(-5099, "KWD", "nl"), "KWD\u{a0}-5,099");
        assert_eq!(amount(5, "USD", "de"), "0,05\u{a0}USD");
    }
}
