//! Formatted amounts agree with ICU's for every currency of ISO 4217 (see `formatted_amounts/make.mjs`).
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;

use domain::money::{Currency, Money};
use serde::Deserialize;

#[derive(Deserialize)]
struct Expected {
    currencies: Vec<Expectation>,
}

#[derive(Deserialize)]
struct Expectation {
    code: String,
    exponent: u16,
    samples: Vec<(String, String)>,
}

fn expected() -> Vec<Expectation> {
    let file: Expected =
        serde_json::from_str(include_str!("formatted_amounts/expected.json")).unwrap();
    file.currencies
}

#[test]
fn amounts_read_as_icu_writes_them() {
    let mut checked = 0;
    for Expectation {
        code,
        exponent,
        samples,
    } in expected()
    {
        let currency = Currency::parse(&code).unwrap_or_else(|| panic!("{code} is a currency"));
        assert_eq!(currency.exponent(), exponent, "{code}");
        for (minor, text) in samples {
            assert_eq!(
                Money::new(minor.parse().unwrap(), currency).formatted(),
                text,
                "{code} {minor}"
            );
            checked += 1;
        }
    }
    assert!(checked > 1_500);
}

#[test]
fn the_currencies_that_are_read_are_those_of_the_list() {
    let letters = || (b'A'..=b'Z').map(char::from);
    let codes = letters().flat_map(|a| {
        letters().flat_map(move |b| letters().map(move |c| String::from_iter([a, b, c])))
    });
    let read: BTreeSet<String> = codes
        .filter(|code| Currency::parse(code).is_some())
        .collect();
    let listed: BTreeSet<String> = expected()
        .into_iter()
        .map(|expectation| expectation.code)
        .collect();
    assert_eq!(read, listed);
}
