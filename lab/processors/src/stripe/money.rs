//! Amounts on the wire. Source: docs/processors/stripe.md, section "Amounts".

use super::refusal::Refusal;
use crate::page::amount;

/// The largest amount: eight digits.
const LARGEST: i64 = 99_999_999;

const WITHOUT_DECIMALS: &[&str] = &[
    "bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "vnd", "vuv", "xaf",
    "xof", "xpf",
];
/// Sent with three decimals, of which the last is 0.
const WITH_THREE: &[&str] = &["bhd", "jod", "kwd", "omr", "tnd"];
/// Sent with two decimals that are 0.
const WHOLE_WITH_TWO: &[&str] = &["isk", "ugx"];
const WITH_TWO: &[&str] = &[
    "aed", "all", "amd", "ars", "aud", "azn", "bam", "bdt", "bgn", "brl", "cad", "chf", "cny",
    "cop", "crc", "czk", "dkk", "dop", "egp", "eur", "gbp", "gel", "hkd", "huf", "idr", "ils",
    "inr", "kes", "lkr", "mad", "mxn", "myr", "ngn", "nok", "nzd", "pen", "php", "pkr", "pln",
    "qar", "ron", "rsd", "sar", "sek", "sgd", "thb", "try", "twd", "uah", "usd", "uyu", "zar",
];

/// An amount as people read it.
pub(super) fn written(value: i64, currency: &str) -> String {
    let decimals = if WITHOUT_DECIMALS.contains(&currency) {
        0
    } else if WITH_THREE.contains(&currency) {
        3
    } else {
        2
    };
    amount(value, decimals, &currency.to_uppercase())
}

/// Refuses a currency that isn't known, and an amount that it can't have.
pub(super) fn check(amount: i64, currency: &str) -> Result<(), Refusal> {
    let refuse = |code: &str, message: &str| Err(Refusal::parameter("amount", code, message));
    let smallest = if WITHOUT_DECIMALS.contains(&currency) {
        50
    } else if WITH_THREE.contains(&currency) {
        if amount % 10 != 0 {
            return refuse(
                "parameter_invalid_integer",
                "Amounts of this currency must have 0 as their last digit",
            );
        }
        100
    } else if WHOLE_WITH_TWO.contains(&currency) {
        if amount % 100 != 0 {
            return refuse(
                "parameter_invalid_integer",
                "Amounts of this currency must end in 00",
            );
        }
        100
    } else if WITH_TWO.contains(&currency) {
        50
    } else {
        let message = format!("Invalid currency: {currency}.");
        return Err(Refusal::malformed(&message).param("currency"));
    };
    if amount < 1 {
        return refuse(
            "parameter_invalid_integer",
            "This value must be greater than or equal to 1.",
        );
    }
    if amount < smallest {
        return refuse(
            "amount_too_small",
            "Amount must convert to at least 50 cents.",
        );
    }
    if amount > LARGEST {
        return refuse("amount_too_large", "Amount must be no more than 999,999.99");
    }
    Ok(())
}

/// Stripe's share of a payment: 2.9 % and 30 of the smallest unit, rounded half up. A model: the true price is an agreement's.
pub(super) const fn fee(amount: i64) -> i64 {
    amount
        .saturating_mul(29)
        .saturating_add(500)
        .wrapping_div(1000)
        .saturating_add(30)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_taken_as_the_currency_has_them() {
        for (amount, currency, fine) in [
            (50, "usd", true),
            (49, "usd", false),
            (99_999_999, "eur", true),
            (100_000_000, "eur", false),
            (500, "jpy", true),
            (5120, "kwd", true),
            (5124, "kwd", false),
            (500, "isk", true),
            (550, "isk", false),
            (1050, "huf", true),
            (1050, "twd", true),
            (1050, "idr", true),
            (-5, "usd", false),
            (500, "USD", false),
            (500, "xxx", false),
        ] {
            assert_eq!(check(amount, currency).is_ok(), fine, "{amount} {currency}");
        }
        assert_eq!(fee(1000), 59);
    }

    #[test]
    fn people_read_an_amount_with_its_decimals() {
        let read = [(1200, "eur"), (5, "eur"), (500, "jpy"), (5120, "kwd")];
        let read = read.map(|(value, currency)| written(value, currency));
        assert_eq!(read, ["12.00 EUR", "0.05 EUR", "500 JPY", "5.120 KWD"]);
    }
}
