//! Which wallet a token looks like, before anything of it is verified.

use serde_json::Value;

use crate::field;

/// The outward form of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Has `protocolVersion`: to be opened by [`crate::google_pay`].
    GooglePay,
    /// Has `paymentData` or `version`: to be opened by [`crate::apple_pay`].
    ApplePay,
}

/// Tells the form of a token, given as an object or as its text; `None` when it looks like neither wallet's.
pub fn form(token: &Value) -> Option<Form> {
    let object = field::object(token).ok()?;
    if object.contains_key("protocolVersion") {
        return Some(Form::GooglePay);
    }
    let apple = ["paymentData", "version"]
        .iter()
        .any(|name| object.contains_key(*name))
        || object
            .get("token")
            .is_some_and(|token| token.get("paymentData").is_some());
    apple.then_some(Form::ApplePay)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_form_shows_in_the_names_of_the_fields() {
        assert_eq!(
            form(&json!({ "protocolVersion": "ECv2" })),
            Some(Form::GooglePay)
        );
        assert_eq!(
            form(&json!(r#"{"protocolVersion":"ECv9"}"#)),
            Some(Form::GooglePay)
        );
        assert_eq!(form(&json!({ "version": "EC_v1" })), Some(Form::ApplePay));
        assert_eq!(form(&json!({ "paymentData": {} })), Some(Form::ApplePay));
        assert_eq!(
            form(&json!({ "token": { "paymentData": {} } })),
            Some(Form::ApplePay)
        );
        for other in [
            json!({}),
            json!("x"),
            json!(["version"]),
            json!(null),
            json!({ "sandbox": {} }),
        ] {
            assert_eq!(form(&other), None);
        }
    }
}
