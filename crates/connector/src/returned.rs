//! What a customer's browser brought back from a processor's page.

/// Parameters that are kept at most.
const MOST: usize = 32;
/// The longest name that is kept. Unit: bytes.
const NAME_MAX: usize = 64;
/// The longest value that is kept: Adyen's `redirectResult` may have so many. Source: docs/processors/adyen.md, "Addresses and requests".
/// Unit: bytes.
const VALUE_MAX: usize = 20_000;

/// The parameters with which the customer's browser came back from the processor's page, of its query or of a POST form. Anybody can have
/// made them up: a connector gives them to the processor, and believes what that answers. Values can't be printed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Returned(Vec<(String, String)>);

impl Returned {
    /// Keeps parameters within bounds. What is longer, and whatever is beyond the first ones, is left out.
    pub fn new(parameters: impl IntoIterator<Item = (String, String)>) -> Self {
        let fits =
            |(name, value): &(String, String)| name.len() <= NAME_MAX && value.len() <= VALUE_MAX;
        Self(parameters.into_iter().filter(fits).take(MOST).collect())
    }

    /// The value of a parameter that came once. `None` also where it came twice: nobody may choose which one counts.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut found = self.0.iter().filter(|(known, _)| known == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The names alone: a value may open a payment.
impl std::fmt::Debug for Returned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|(name, _)| name))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returned(parameters: &[(&str, &str)]) -> Returned {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Returned::new(parameters.iter().map(owned))
    }

    #[test]
    fn a_parameter_that_came_twice_or_is_too_long_is_none() {
        let long = "x".repeat(VALUE_MAX + 1);
        let came = returned(&[("a", "1"), ("b", "1"), ("b", "2"), ("c", &long)]);
        assert_eq!(came.get("a"), Some("1"));
        assert_eq!(came.get("b"), None);
        assert_eq!(came.get("c"), None);
        assert_eq!(came.get("d"), None);
        let many: Vec<_> = (0..100).map(|n| (n.to_string(), String::new())).collect();
        let came = Returned::new(many);
        assert_eq!((came.get("31"), came.get("32")), (Some(""), None));
    }

    #[test]
    fn no_value_is_printed() {
        let printed = format!("{:?}", returned(&[("redirectResult", "secret-1")]));
        assert_eq!(printed, r#"["redirectResult"]"#);
    }
}
