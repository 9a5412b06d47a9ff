//! The parameters of the hosted page: the options of a checkout, in the address.

use domain::money::{Currency, Money};
use serde_json::{Map, Value};
use web::sdk::Words;

use super::super::query_text;

/// Options that are texts.
const TEXTS: [&str; 6] = [
    "flowId",
    "orderId",
    "intentId",
    "payButton",
    "customerId",
    "returnUrl",
];
/// Options that are on when they are the literal `true`.
const FLAGS: [&str; 3] = [
    "isSavedCardCvcRequired",
    "allowSaveCard",
    "hideBillingAddress",
];
/// Options that are JSON; what can't be read is as if it were absent.
const LISTS: [&str; 2] = ["countries", "alternativePaymentMethods"];
const NEEDED: [&str; 4] = ["apiKey", "flowId", "amount", "currencyCode"];
/// Options that are JSON and may be long.
const LONG: [&str; 2] = ["theme", "language"];
/// Longest text of an option. Unit: bytes.
const LONGEST: usize = 2_000;

/// What the address of a hosted page asks for. It holds a credential, so it can't be printed.
pub(super) struct Parameters {
    /// The client token.
    pub(super) api_key: String,
    /// What is to be paid.
    pub(super) money: Money,
    /// The intent that it pays.
    pub(super) intent: Option<String>,
    /// The way back to the shop, not checked.
    pub(super) return_url: Option<String>,
    /// The language, where it is a code.
    options: Map<String, Value>,
}

/// What is wrong with an address: the parameters, each with what it must be.
pub(super) type Mistakes = Vec<(String, &'static str)>;

impl Parameters {
    /// Reads the query of an address.
    pub(super) fn read(query: Option<&str>) -> Result<Self, Mistakes> {
        let Some(pairs) = query_text::pairs(query.unwrap_or_default()) else {
            return Err(vec![("address".to_owned(), "has a broken escape")]);
        };
        let mut given = Map::new();
        let mut mistakes = Mistakes::new();
        for (name, value) in pairs {
            let is_long = LONG.iter().chain(&LISTS).any(|one| *one == name);
            let short = TEXTS.iter().chain(&FLAGS).chain(&NEEDED);
            if !is_long && !short.into_iter().any(|one| *one == name) {
                // Anybody can write an address: what is no option is neither read nor shown.
                continue;
            }
            if value.len() > LONGEST && !is_long {
                mistakes.push((name, "is too long"));
            } else if given.contains_key(&name) {
                mistakes.push((name, "is given twice"));
            } else if !value.is_empty() {
                given.insert(name, Value::String(value));
            }
        }
        let text = |name: &str| given.get(name).and_then(Value::as_str);
        for name in NEEDED {
            if text(name).is_none() && !mistakes.iter().any(|(other, _)| other == name) {
                mistakes.push((name.to_owned(), "is missing"));
            }
        }
        let amount = text("amount").and_then(|amount| amount.parse::<i64>().ok());
        if text("amount").is_some() && amount.is_none_or(|amount| amount <= 0) {
            let rule = "must be a whole number of minor units, such as 5099 for 50.99 EUR";
            mistakes.push(("amount".to_owned(), rule));
        }
        let currency = text("currencyCode").and_then(Currency::parse);
        if text("currencyCode").is_some() && currency.is_none() {
            mistakes.push((
                "currencyCode".to_owned(),
                "must be a currency of ISO 4217, such as EUR",
            ));
        }
        let (Some(amount), Some(currency), Some(api_key), true) =
            (amount, currency, text("apiKey"), mistakes.is_empty())
        else {
            return Err(mistakes);
        };
        Ok(Self {
            api_key: api_key.to_owned(),
            money: Money::new(amount, currency),
            intent: text("intentId").map(str::to_owned),
            return_url: text("returnUrl").map(str::to_owned),
            options: options(&given),
        })
    }

    /// An option that is neither the credential nor the amount.
    pub(super) fn option(&self, name: &str) -> Option<&Value> {
        self.options.get(name)
    }

    /// The options as the form's script reads them, with what was checked, and with the language that was chosen.
    pub(super) fn options(&self, words: &Words) -> String {
        let mut options = self.options.clone();
        options.insert("language".to_owned(), words.option());
        options.insert("apiKey".to_owned(), self.api_key.as_str().into());
        options.insert("amount".to_owned(), self.money.minor().into());
        let currency = self.money.currency().code();
        options.insert("currencyCode".to_owned(), currency.into());
        Value::Object(options).to_string()
    }
}

/// The options besides the credential and the amount.
fn options(given: &Map<String, Value>) -> Map<String, Value> {
    let text = |name: &str| given.get(name).and_then(Value::as_str);
    let json = |name: &str| text(name).and_then(|text| serde_json::from_str::<Value>(text).ok());
    let mut options = Map::new();
    for name in TEXTS {
        if let Some(text) = text(name) {
            options.insert(name.to_owned(), text.into());
        }
    }
    for name in FLAGS {
        options.insert(name.to_owned(), (text(name) == Some("true")).into());
    }
    for name in LISTS {
        if let Some(list) = json(name).filter(Value::is_array) {
            options.insert(name.to_owned(), list);
        }
    }
    if let Some(theme) = json("theme").filter(Value::is_object) {
        options.insert("theme".to_owned(), theme);
    }
    let language = match text("language") {
        Some(text) if text.trim_start().starts_with('{') => {
            json("language").filter(Value::is_object)
        }
        Some(code) => Some(code.into()),
        None => None,
    };
    if let Some(language) = language {
        options.insert("language".to_owned(), language);
    }
    options
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const GOOD: &str = "apiKey=ct_test_abcd&flowId=default&amount=5099&currencyCode=EUR";

    fn read(more: &str) -> Value {
        let query = format!("{GOOD}&{more}");
        let Ok(read) = Parameters::read(Some(&query)) else {
            unreachable!("{query}")
        };
        let words = Words::chosen(read.option("language"), web::Language::German);
        serde_json::from_str(&read.options(&words)).unwrap()
    }

    fn mistakes(query: &str) -> Vec<String> {
        let mistakes = Parameters::read(Some(query)).err().unwrap();
        mistakes.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn options_have_the_names_of_drop_ins() {
        let options = read(
            "allowSaveCard=true&hideBillingAddress=yes&orderId=o-1&theme=%7B%22a%22:1%7D&countries=[1]&language=fr",
        );
        assert_eq!(
            options,
            json!({
                "apiKey": "ct_test_abcd", "flowId": "default", "amount": 5099, "currencyCode": "EUR", "orderId": "o-1",
                "allowSaveCard": true, "hideBillingAddress": false, "isSavedCardCvcRequired": false,
                "theme": {"a": 1}, "countries": [1], "language": "fr",
            })
        );
    }

    #[test]
    fn json_that_cant_be_read_is_the_default() {
        let options =
            read("theme=%7B&countries=%7B%7D&language=%7Bx&alternativePaymentMethods=nope");
        for name in ["theme", "countries", "alternativePaymentMethods"] {
            assert_eq!(options.get(name), None, "{name}");
        }
        assert_eq!(options["language"], "de");
        let texts = read("language=%7B%22pay-button%22:%7B%22label%22:%22Go%22%7D%7D");
        assert_eq!(texts["language"]["pay-button"]["label"], "Go");
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        assert_eq!(mistakes(""), NEEDED);
        assert_eq!(mistakes("apiKey=a&flowId=b&currencyCode=EUR"), ["amount"]);
        assert_eq!(mistakes(&format!("{GOOD}&amount=1")), ["amount"]);
        assert_eq!(
            mistakes("apiKey=a&flowId=b&amount=-1&currencyCode=EUR"),
            ["amount"]
        );
        assert_eq!(
            mistakes("apiKey=a&flowId=b&amount=1.5&currencyCode=EURO"),
            ["amount", "currencyCode"]
        );
        assert_eq!(mistakes("apiKey=%zz"), ["address"]);
        let invented = format!("Call+us&Call+us&{}={}", "x".repeat(9), "y".repeat(3_000));
        assert_eq!(mistakes(&invented), NEEDED, "nothing of it is shown");
        assert_eq!(
            mistakes(&format!("{GOOD}&orderId={}", "x".repeat(3_000))),
            ["orderId"]
        );
    }
}
