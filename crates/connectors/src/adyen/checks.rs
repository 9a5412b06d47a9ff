//! What the issuer compared, in our words. Source: docs/processors/adyen.md, "Checks".

use connector::{Check, Checks};

use super::wire::Additional;

/// What both results say. A result that is not in the tables says nothing.
pub(super) fn checks(said: &Additional) -> Checks {
    let (street, postal_code) = match said.text("avsResult").and_then(number) {
        Some(number) => avs(number),
        None => (None, None),
    };
    Checks {
        security_code: said.text("cvcResult").and_then(number).and_then(cvc),
        street,
        postal_code,
    }
}

/// The number with which a result begins, as in `1 Matches`.
fn number(result: &str) -> Option<u8> {
    let digits = result.split(|letter: char| !letter.is_ascii_digit());
    digits.take(1).find_map(|digits| digits.parse().ok())
}

/// Street and postal code.
fn avs(number: u8) -> (Option<Check>, Option<Check>) {
    use Check::{Failed, Passed, Unchecked};
    let (street, postal_code) = match number {
        0 | 3 | 4 | 5 | 8 | 11 | 18 => (Unchecked, Unchecked),
        1 => (Passed, Failed),
        2 | 26 => (Failed, Failed),
        6 => (Failed, Passed),
        7 | 20 | 24 => (Passed, Passed),
        9 | 12 | 21 | 25 => (Passed, Unchecked),
        10 | 13 => (Failed, Unchecked),
        14 | 15 | 19 | 23 => (Unchecked, Passed),
        16 | 17 => (Unchecked, Failed),
        _ => return (None, None),
    };
    (Some(street), Some(postal_code))
}

fn cvc(number: u8) -> Option<Check> {
    Some(match number {
        1 => Check::Passed,
        2 => Check::Failed,
        0 | 3..=6 => Check::Unchecked,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(avs: &str, cvc: &str) -> Checks {
        let said = json!({"avsResult": avs, "cvcResult": cvc});
        checks(&serde_json::from_value(said).unwrap())
    }

    #[test]
    fn results_are_read_by_their_numbers() {
        let both = checked("7 Both postal code and address match", "1 Matches");
        assert_eq!(
            both,
            Checks {
                security_code: Some(Check::Passed),
                street: Some(Check::Passed),
                postal_code: Some(Check::Passed),
            }
        );
        let none = checked("2 Neither postal code nor address match", "2 Doesn't match");
        assert_eq!(
            none,
            Checks {
                security_code: Some(Check::Failed),
                street: Some(Check::Failed),
                postal_code: Some(Check::Failed),
            }
        );
        let one = checked(
            "16 Postal code doesn't match, address unknown",
            "3 Not checked",
        );
        assert_eq!(one.street, Some(Check::Unchecked));
        assert_eq!(one.postal_code, Some(Check::Failed));
        assert_eq!(one.security_code, Some(Check::Unchecked));
    }

    #[test]
    fn an_unknown_result_says_nothing() {
        assert!(checked("99 New", "New").is_empty());
        assert!(checked("", " ").is_empty());
        assert!(checked("999999 New", "7 New").is_empty());
    }

    #[test]
    fn every_published_number_is_known() {
        for number in (0..=21).chain(23..=26) {
            assert!(avs(number).0.is_some(), "{number}");
        }
        for number in 0..=6 {
            assert!(cvc(number).is_some(), "{number}");
        }
    }
}
