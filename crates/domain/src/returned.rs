//! What a customer's browser comes back with from a processor's page.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use crate::card_number::holds_card_number;

/// Longest value of a parameter that is kept: Adyen's `redirectResult` may have so many characters. Unit: bytes. Source:
/// docs/processors/adyen.md, "Addresses and requests".
pub const RETURNED_MAX: usize = 20_000;

/// The parameters with which a customer's browser came back from a processor's page, by query or by form: those that the processor's
/// connector needs to complete the authorisation, and no others. They prove nothing, since everybody who has the address can send any: the
/// processor judges them. Its values are not printed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned(BTreeMap<String, String>);

impl Returned {
    /// The wanted ones among all parameters. `None` unless each is there once, neither empty nor longer than [`RETURNED_MAX`],
    /// without control characters and without a card number (they are kept in clear); and where none is wanted.
    pub fn among(wanted: &[&str], all: &[Parameter]) -> Option<Self> {
        if wanted.is_empty() {
            return None;
        }
        let one = |wanted: &&str| {
            let mut of_name = all.iter().filter(|one| one.name == *wanted);
            let (first, second) = (of_name.next()?, of_name.next());
            let is_fit = second.is_none()
                && (1..=RETURNED_MAX).contains(&first.value.len())
                && !first.value.chars().any(char::is_control)
                && !holds_card_number(&first.value);
            is_fit.then(|| (first.name.clone(), first.value.clone()))
        };
        wanted.iter().map(one).collect::<Option<_>>().map(Self)
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

impl fmt::Debug for Returned {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_set()
            .entries(self.0.keys())
            .finish_non_exhaustive()
    }
}

/// A parameter as a browser sent it. Can't be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(all: &[(&str, &str)]) -> Vec<Parameter> {
        let one = |(name, value): &(&str, &str)| Parameter {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
        };
        all.iter().map(one).collect()
    }

    fn result(all: &[(&str, &str)]) -> Option<String> {
        let returned = Returned::among(&["result"], &parameters(all))?;
        returned.get("result").map(str::to_owned)
    }

    #[test]
    fn the_wanted_ones_are_kept_and_no_others() {
        let all = parameters(&[("result", "abc"), ("other", "1")]);
        let returned = Returned::among(&["result"], &all).unwrap();
        assert_eq!(returned.get("result"), Some("abc"));
        assert_eq!(returned.get("other"), None);
        assert!(Returned::among(&[], &all).is_none());
        assert!(Returned::among(&["result", "missing"], &all).is_none());
        assert!(!format!("{returned:?}").contains("abc"));
    }

    #[test]
    fn what_is_doubled_empty_too_long_or_a_card_number_is_not_taken() {
        assert_eq!(result(&[("result", "abc")]).as_deref(), Some("abc"));
        assert_eq!(result(&[("result", "abc"), ("result", "abc")]), None);
        assert_eq!(result(&[("result", "")]), None);
        assert_eq!(result(&[("result", "a\nb")]), None);
        assert_eq!(result(&[("result", "4111 1111 1111 1111")]), None);
        assert_eq!(
            result(&[("result", &"a".repeat(RETURNED_MAX))]).map(|kept| kept.len()),
            Some(RETURNED_MAX)
        );
        assert_eq!(result(&[("result", &"a".repeat(RETURNED_MAX + 1))]), None);
    }
}
