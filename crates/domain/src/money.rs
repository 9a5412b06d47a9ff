//! Amounts of money in minor units, and the currencies that they are in.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use thiserror::Error;

/// A currency of ISO 4217 that has minor units.
///
/// Funds (`CLF`, `UYW`) count, since ISO lists them as current; codes without minor units (metals, units of account,
/// `XTS`, `XXX`) and withdrawn currencies don't.
///
/// Source: ISO 4217 list one, as the crate `iso_currency` holds it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency(iso_currency::Currency);

impl Currency {
    /// Reads an alphabetic code in capitals; `None` when no payment can be in it.
    pub fn parse(code: &str) -> Option<Self> {
        let exact = code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase());
        let currency = exact
            .then(|| iso_currency::Currency::from_code(code))
            .flatten()?;
        (currency.exponent().is_some() && !is_withdrawn(currency)).then_some(Self(currency))
    }

    /// The alphabetic code, for instance `EUR`.
    pub fn code(self) -> &'static str {
        self.0.code()
    }

    /// How many decimals the minor unit has: 0 for JPY, 2 for EUR, 3 for KWD, 4 for UYW.
    pub fn exponent(self) -> u16 {
        // `parse` lets no currency without an exponent in.
        self.0.exponent().unwrap_or(0)
    }

    pub(crate) fn iso(self) -> iso_currency::Currency {
        self.0
    }
}

/// Currencies that the crate still lists although ISO has moved them to list three. `VES` is flagged there too, but
/// ISO keeps it as current besides `VED`.
fn is_withdrawn(currency: iso_currency::Currency) -> bool {
    use iso_currency::Currency::{CUC, HRK, SLL, ZWL};
    matches!(currency, CUC | HRK | SLL | ZWL)
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Currency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&code)
            .ok_or_else(|| D::Error::custom("not a current ISO 4217 currency with minor units"))
    }
}

/// An amount in a currency. Unit: minor units of that currency (5099 in EUR is 50.99). May be zero or negative;
/// [`Money::positive`] makes one that is neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Money {
    minor: i64,
    currency: Currency,
}

/// Why an amount can't be, as a clause about its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum MoneyError {
    /// Zero or less, where only more than zero makes sense.
    #[error("must be greater than zero")]
    NotPositive,
    /// Amounts of two currencies don't add up.
    #[error("must be in the same currency")]
    CurrencyMismatch,
    /// The result does not fit in 64 bits.
    #[error("must fit in 64 bits")]
    Overflow,
}

impl Money {
    /// Any amount: positive, zero or negative.
    pub const fn new(minor: i64, currency: Currency) -> Self {
        Self { minor, currency }
    }

    /// An amount greater than zero. Errors: `NotPositive`.
    pub const fn positive(minor: i64, currency: Currency) -> Result<Self, MoneyError> {
        if minor > 0 {
            Ok(Self { minor, currency })
        } else {
            Err(MoneyError::NotPositive)
        }
    }

    /// Nothing, in a currency.
    pub const fn zero(currency: Currency) -> Self {
        Self { minor: 0, currency }
    }

    /// The amount. Unit: minor units of the currency.
    pub const fn minor(self) -> i64 {
        self.minor
    }

    /// The currency.
    pub const fn currency(self) -> Currency {
        self.currency
    }

    /// Whether it is zero.
    pub const fn is_zero(self) -> bool {
        self.minor == 0
    }

    /// The sum. Errors: `CurrencyMismatch`, `Overflow`.
    pub fn checked_add(self, other: Self) -> Result<Self, MoneyError> {
        self.combined(other, i64::checked_add)
    }

    /// The difference, which may be negative. Errors: `CurrencyMismatch`, `Overflow`.
    pub fn checked_sub(self, other: Self) -> Result<Self, MoneyError> {
        self.combined(other, i64::checked_sub)
    }

    /// Whether this is at most `limit`. Errors: `CurrencyMismatch`.
    pub fn at_most(self, limit: Self) -> Result<bool, MoneyError> {
        self.same_currency(limit)?;
        Ok(self.minor <= limit.minor)
    }

    fn combined(
        self,
        other: Self,
        operation: fn(i64, i64) -> Option<i64>,
    ) -> Result<Self, MoneyError> {
        self.same_currency(other)?;
        let minor = operation(self.minor, other.minor).ok_or(MoneyError::Overflow)?;
        Ok(Self {
            minor,
            currency: self.currency,
        })
    }

    fn same_currency(self, other: Self) -> Result<(), MoneyError> {
        if self.currency == other.currency {
            Ok(())
        } else {
            Err(MoneyError::CurrencyMismatch)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn currency(code: &str) -> Currency {
        Currency::parse(code).unwrap()
    }

    /// Every text of three capital letters.
    fn all_codes() -> impl Iterator<Item = String> {
        let letters = || (b'A'..=b'Z').map(char::from);
        letters().flat_map(move |a| {
            letters().flat_map(move |b| letters().map(move |c| [a, b, c].iter().collect()))
        })
    }

    #[test]
    fn decimals_are_those_of_iso_4217() {
        let cases = [
            ("JPY", 0),
            ("KWD", 3),
            ("HUF", 2),
            ("UYW", 4),
            ("EUR", 2),
            ("CLF", 4),
            ("UGX", 0),
            ("IQD", 3),
        ];
        for (code, exponent) in cases {
            assert_eq!(currency(code).exponent(), exponent, "{code}");
            assert_eq!(currency(code).code(), code);
        }
    }

    #[test]
    fn only_current_currencies_in_capitals_are_read() {
        for code in [
            "eur", "Eur", "", "EU", "EURO", "978", "ABC", "XXX", "XTS", "XAU", "XDR", "HRK", "DEM",
            "ЕUR",
        ] {
            assert_eq!(Currency::parse(code), None, "{code}");
        }
    }

    #[test]
    fn withdrawn_currencies_are_refused_but_both_bolivars_are_current() {
        let withdrawn = |currency: iso_currency::Currency| {
            currency
                .flags()
                .iter()
                .any(|flag| matches!(flag, iso_currency::Flag::Superseded(_)))
        };
        let listed = all_codes().filter_map(|code| iso_currency::Currency::from_code(&code));
        for iso in listed.filter(|iso| withdrawn(*iso)) {
            assert_eq!(
                Currency::parse(iso.code()).is_some(),
                iso.code() == "VES",
                "{}",
                iso.code()
            );
        }
        assert!(Currency::parse("VED").is_some());
    }

    #[test]
    fn every_currency_that_is_read_has_an_exponent() {
        let read: Vec<Currency> = all_codes()
            .filter_map(|code| Currency::parse(&code))
            .collect();
        assert!(read.len() > 150);
        assert!(
            read.iter()
                .all(|currency| currency.iso().exponent().is_some())
        );
    }

    #[test]
    fn positive_amounts_exclude_zero_and_less() {
        let eur = currency("EUR");
        assert_eq!(Money::positive(1, eur), Ok(Money::new(1, eur)));
        assert_eq!(Money::positive(0, eur), Err(MoneyError::NotPositive));
        assert_eq!(Money::positive(i64::MIN, eur), Err(MoneyError::NotPositive));
    }

    #[test]
    fn sums_are_checked() {
        let (eur, usd) = (currency("EUR"), currency("USD"));
        assert_eq!(
            Money::new(5, eur).checked_add(Money::new(7, eur)),
            Ok(Money::new(12, eur))
        );
        assert_eq!(
            Money::new(5, eur).checked_sub(Money::new(7, eur)),
            Ok(Money::new(-2, eur))
        );
        assert_eq!(
            Money::new(5, eur).checked_add(Money::new(7, usd)),
            Err(MoneyError::CurrencyMismatch)
        );
        assert_eq!(
            Money::new(i64::MAX, eur).checked_add(Money::new(1, eur)),
            Err(MoneyError::Overflow)
        );
        assert_eq!(
            Money::new(i64::MIN, eur).checked_sub(Money::new(1, eur)),
            Err(MoneyError::Overflow)
        );
        assert_eq!(Money::new(5, eur).at_most(Money::new(5, eur)), Ok(true));
        assert_eq!(Money::new(6, eur).at_most(Money::new(5, eur)), Ok(false));
        assert_eq!(
            Money::new(5, eur).at_most(Money::new(7, usd)),
            Err(MoneyError::CurrencyMismatch)
        );
    }

    #[test]
    fn amounts_are_kept_as_minor_units_and_code() {
        let money = Money::new(5099, currency("EUR"));
        let json = serde_json::to_string(&money).unwrap();
        assert_eq!(json, r#"{"minor":5099,"currency":"EUR"}"#);
        assert_eq!(serde_json::from_str::<Money>(&json).unwrap(), money);
        assert!(serde_json::from_str::<Money>(r#"{"minor":1,"currency":"XXX"}"#).is_err());
    }
}
