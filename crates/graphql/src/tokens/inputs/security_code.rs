//! `attachSecurityCode`.

use domain::{Fault, Faults, card_number::SecurityCode, id::VaultToken};
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, ids};

/// Errors: `error.validation`, `error.payment-method.not-found`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<(VaultToken, SecurityCode), Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let code = reader.raw("cvc").ok_or_else(|| reader.missing("cvc"));
    let code = code.and_then(|code| {
        SecurityCode::parse(code).map_err(|error| reader.invalid("cvc", error.to_string()))
    });
    let code = faults.good(code);
    let token = reader.raw("token").ok_or_else(|| reader.missing("token"));
    let token = faults.good(token.and_then(|token| ids::token(&token)));
    faults.end(token.zip(code))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    fn given(token: &str, cvc: &str) -> Result<(String, String), Fault> {
        let parsed = parse(arguments(json!({"token": token, "cvc": cvc})));
        parsed.map(|(token, code)| (token.as_str().to_owned(), code.expose().to_owned()))
    }

    #[test]
    fn a_code_has_three_or_four_digits_and_no_message_repeats_it() {
        let token = "abcdefgh12345678";
        assert_eq!(
            given(token, "737").unwrap(),
            (token.to_owned(), "737".to_owned())
        );
        assert!(given(token, "7373").is_ok());
        for cvc in ["", "12", "12345", "12a"] {
            let fault = given(token, cvc).unwrap_err();
            assert!(
                cvc.is_empty() || !fault.message.contains(cvc),
                "{}",
                fault.message
            );
            assert_eq!(refusal(fault).0, "cvc");
        }
        assert_eq!(refusal(given("", "737").unwrap_err()).0, "token");
        assert_eq!(
            given("x", "737").unwrap_err().code,
            domain::Code::MethodNotFound
        );
    }
}
