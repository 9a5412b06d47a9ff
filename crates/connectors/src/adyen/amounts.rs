//! Amounts as Adyen counts them. Source: docs/processors/adyen.md, "Amounts".

use domain::money::{Currency, Money};

/// Currencies that are sent without decimals. CVE and IDR differ from ISO 4217.
const WITHOUT_DECIMALS: &[&str] = &[
    "CVE", "DJF", "GNF", "IDR", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF",
    "XOF", "XPF",
];

/// Currencies that are sent with two decimals and have none by ISO 4217.
const WITH_TWO: &[&str] = &["CLP", "ISK"];

/// Currencies that are sent with three decimals.
const WITH_THREE: &[&str] = &["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"];

/// Decimals on the wire; `None`: of this currency nothing is known.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(AdyenWrongExponent = super::bugs::count_as_iso_4217)
)]
fn exponent(currency: Currency) -> Option<u32> {
    let code = currency.code();
    if WITHOUT_DECIMALS.contains(&code) {
        return Some(0);
    }
    if WITH_THREE.contains(&code) {
        return Some(3);
    }
    (WITH_TWO.contains(&code) || currency.exponent() == 2).then_some(2)
}

/// The amount on the wire. Nothing is rounded.
///
/// # Errors
/// Why Adyen can't be asked for it: a clause for the merchant about the amount.
pub(super) fn to_wire(money: Money) -> Result<i64, &'static str> {
    const UNKNOWN: &str = "is in a currency whose decimals at Adyen are not known";
    let wire = exponent(money.currency()).ok_or(UNKNOWN)?;
    let ours = u32::from(money.currency().exponent());
    let factor = 10_i64.checked_pow(wire.abs_diff(ours)).ok_or(UNKNOWN)?;
    if wire >= ours {
        return money
            .minor()
            .checked_mul(factor)
            .ok_or("is too large for Adyen");
    }
    if money.minor().checked_rem(factor) != Some(0) {
        return Err("has decimals that Adyen does not take in this currency");
    }
    Ok(money.minor().checked_div(factor).unwrap_or_default())
}

/// An amount of an answer; `None` where it is in a currency that we know nothing of, or that has no such amount.
pub(super) fn from_wire(amount: i64, currency: &str) -> Option<Money> {
    let currency = Currency::parse(currency)?;
    let wire = exponent(currency)?;
    let ours = u32::from(currency.exponent());
    let factor = 10_i64.checked_pow(wire.abs_diff(ours))?;
    let minor = if wire > ours {
        if amount.checked_rem(factor)? != 0 {
            return None;
        }
        amount.checked_div(factor)?
    } else {
        amount.checked_mul(factor)?
    };
    Some(Money::new(minor, currency))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(minor: i64, code: &str) -> Money {
        Money::new(minor, Currency::parse(code).unwrap())
    }

    #[test]
    fn each_currency_is_sent_with_the_decimals_of_adyen() {
        for (minor, code, wire) in [
            (1000, "EUR", 1000),
            (500, "JPY", 500),
            (50_000, "HUF", 50_000),
            (50_000, "TWD", 50_000),
            (5, "ISK", 500),
            (5_000, "CLP", 500_000),
            (5_000, "CVE", 50),
            (50_000, "IDR", 500),
            (5_124, "KWD", 5_124),
            (500, "UGX", 500),
            (i64::MAX, "EUR", i64::MAX),
        ] {
            assert_eq!(to_wire(money(minor, code)), Ok(wire), "{code}");
            assert_eq!(from_wire(wire, code), Some(money(minor, code)), "{code}");
        }
    }

    #[test]
    fn what_adyen_can_not_express_is_refused() {
        for (minor, code, part) in [
            (5_001, "CVE", "decimals"),
            (50_050, "IDR", "decimals"),
            (5_000, "CLF", "not known"),
            (i64::MAX, "ISK", "too large"),
            (i64::MAX, "CLP", "too large"),
        ] {
            let why = to_wire(money(minor, code)).unwrap_err();
            assert!(why.contains(part), "{code}: {why}");
        }
        assert_eq!(from_wire(501, "ISK"), None);
        assert_eq!(from_wire(i64::MAX, "IDR"), None);
        assert_eq!(from_wire(5, "eur"), None);
        assert_eq!(from_wire(5, "XXX"), None);
    }
}
