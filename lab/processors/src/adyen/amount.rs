//! Amounts in minor units, by Adyen's own decimals.

use serde_json::{Value, json};

use super::{refusal::Refusal, rules::Body};
use crate::page::amount;

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Amount {
    /// Unit: Adyen's minor unit of the currency.
    pub(super) value: i64,
    pub(super) currency: String,
}

impl Amount {
    /// The amount of a request. Zero only checks a card.
    pub(super) fn of(body: &Body) -> Result<Self, Refusal> {
        let currency = body.text("amount/currency").unwrap_or_default();
        if decimals(currency).is_none() {
            let message = "Unsupported currency specified";
            return Err(Refusal::invalid("138", message));
        }
        let value = body.integer("amount/value").unwrap_or(-1);
        if value < 0 {
            return Err(Refusal::invalid("137", "Invalid amount specified"));
        }
        Ok(Self {
            value,
            currency: currency.to_owned(),
        })
    }

    /// The same currency, another value.
    pub(super) fn of_value(&self, value: i64) -> Self {
        Self {
            value,
            currency: self.currency.clone(),
        }
    }

    pub(super) fn view(&self) -> Value {
        json!({"currency": self.currency, "value": self.value})
    }

    /// As people read it.
    pub(super) fn written(&self) -> String {
        let digits = decimals(&self.currency).unwrap_or(2);
        amount(self.value, digits, &self.currency)
    }
}

/// How many decimals Adyen's minor unit of a currency has. Source: docs/processors/adyen.md, "Amounts".
fn decimals(currency: &str) -> Option<u8> {
    match currency {
        "CVE" | "DJF" | "IDR" | "JPY" | "KRW" | "UGX" | "VND" | "XAF" | "XOF" | "XPF" => Some(0),
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => Some(3),
        "AED" | "ARS" | "AUD" | "BGN" | "BRL" | "CAD" | "CHF" | "CLP" | "CNY" | "COP" | "CZK"
        | "DKK" | "EGP" | "EUR" | "GBP" | "HKD" | "HUF" | "ILS" | "INR" | "ISK" | "KES" | "MAD"
        | "MXN" | "MYR" | "NGN" | "NOK" | "NZD" | "PEN" | "PHP" | "PLN" | "QAR" | "RON" | "RSD"
        | "SAR" | "SEK" | "SGD" | "THB" | "TRY" | "TWD" | "UAH" | "USD" | "UYU" | "ZAR" => Some(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adyens_own_decimals_count() {
        for (value, currency, written) in [
            (1000, "EUR", "10.00 EUR"),
            (5, "EUR", "0.05 EUR"),
            (1000, "JPY", "1000 JPY"),
            (1000, "CLP", "10.00 CLP"),
            (1000, "CVE", "1000 CVE"),
            (1000, "IDR", "1000 IDR"),
            (1000, "ISK", "10.00 ISK"),
            (1000, "HUF", "10.00 HUF"),
            (1000, "TWD", "10.00 TWD"),
            (1000, "UGX", "1000 UGX"),
            (1000, "KWD", "1.000 KWD"),
        ] {
            let amount = Amount {
                value,
                currency: currency.to_owned(),
            };
            assert_eq!(amount.written(), written);
        }
        assert_eq!(decimals("XXX"), None);
        assert_eq!(decimals("eur"), None);
    }
}
