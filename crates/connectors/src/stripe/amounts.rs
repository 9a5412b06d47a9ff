//! Amounts as Stripe counts them. Source: docs/processors/stripe.md, "Amounts".

use domain::money::{Currency, Money};

/// The largest amount of an intent: eight digits. Source: docs/processors/stripe.md, "Calls".
const MOST: i64 = 99_999_999;

/// Currencies that are sent without decimals. UGX is one of them by the list and none by the special cases: it has no row.
const WITHOUT_DECIMALS: &[&str] = &[
    "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF",
    "XOF", "XPF",
];

/// Currencies that are sent with three decimals, the last of which must be 0.
const WITH_THREE: &[&str] = &["BHD", "JOD", "KWD", "OMR", "TND"];

/// How a currency is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sent {
    /// Decimals on the wire.
    pub(super) exponent: u32,
    /// What an amount on the wire must be a multiple of.
    pub(super) step: i64,
}

/// How a currency is sent; `None`: not at all.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(StripeWrongExponent = super::bugs::send_two_decimals)
)]
pub(super) fn sent(currency: Currency) -> Option<Sent> {
    let code = currency.code();
    if code == "UGX" {
        return None;
    }
    if code == "ISK" {
        // Without decimals by its nature, sent with two for compatibility.
        return Some(Sent {
            exponent: 2,
            step: 100,
        });
    }
    if WITHOUT_DECIMALS.contains(&code) {
        return Some(Sent {
            exponent: 0,
            step: 1,
        });
    }
    if WITH_THREE.contains(&code) {
        return Some(Sent {
            exponent: 3,
            step: 10,
        });
    }
    (currency.exponent() == 2).then_some(Sent {
        exponent: 2,
        step: 1,
    })
}

/// The amount on the wire. Nothing is rounded.
///
/// # Errors
/// Why Stripe can't be asked for it: a clause for the merchant about the amount.
pub(super) fn to_wire(money: Money) -> Result<i64, &'static str> {
    const UNKNOWN: &str = "is in a currency that Stripe does not take";
    let sent = sent(money.currency()).ok_or(UNKNOWN)?;
    let ours = u32::from(money.currency().exponent());
    let factor = |decimals: u32| 10_i64.checked_pow(decimals).ok_or(UNKNOWN);
    let wire = if sent.exponent >= ours {
        let scaled = money
            .minor()
            .checked_mul(factor(sent.exponent.abs_diff(ours))?);
        scaled.ok_or("is above what Stripe takes, 99999999 of the currency's smallest unit")?
    } else {
        let factor = factor(ours.abs_diff(sent.exponent))?;
        if money.minor().checked_rem(factor) != Some(0) {
            return Err("has decimals that Stripe does not take in this currency");
        }
        money.minor().checked_div(factor).unwrap_or_default()
    };
    if wire.checked_rem(sent.step) != Some(0) {
        return Err("must end with 0 in this currency at Stripe");
    }
    if wire > MOST {
        return Err("is above what Stripe takes, 99999999 of the currency's smallest unit");
    }
    Ok(wire)
}

/// An amount of an answer; `None` where it is in a currency that we know nothing of, or that has no such amount.
pub(super) fn from_wire(amount: i64, currency: &str) -> Option<Money> {
    let currency = Currency::parse(&currency.to_ascii_uppercase())?;
    let sent = sent(currency)?;
    let ours = u32::from(currency.exponent());
    let factor = 10_i64.checked_pow(sent.exponent.abs_diff(ours))?;
    let minor = if sent.exponent > ours {
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
    fn each_currency_is_sent_with_the_decimals_of_stripe() {
        for (minor, code, wire) in [
            (500, "JPY", 500),
            (50_000, "HUF", 50_000),
            (50_000, "TWD", 50_000),
            (5, "ISK", 500),
            (5_000, "CLP", 5_000),
            (50_000, "IDR", 50_000),
            (5_120, "KWD", 5_120),
            (500, "MGA", 5),
            (99_999_999, "EUR", 99_999_999),
        ] {
            assert_eq!(to_wire(money(minor, code)), Ok(wire), "{code}");
            assert_eq!(
                from_wire(wire, &code.to_ascii_lowercase()),
                Some(money(minor, code))
            );
        }
    }

    #[test]
    fn what_stripe_can_not_express_is_refused() {
        for (minor, code, part) in [
            (500, "UGX", "currency"),
            (5_124, "KWD", "end with 0"),
            (501, "MGA", "decimals"),
            (100_000_000, "EUR", "above"),
            (1_000_000, "ISK", "above"),
            (i64::MAX, "ISK", "above"),
            (5_000, "IQD", "currency"),
            (5_000, "CLF", "currency"),
        ] {
            let why = to_wire(money(minor, code)).unwrap_err();
            assert!(why.contains(part), "{code}: {why}");
        }
        assert_eq!(from_wire(501, "isk"), None);
        assert_eq!(from_wire(5, "ugx"), None);
        assert_eq!(from_wire(5, "xxx"), None);
    }
}
