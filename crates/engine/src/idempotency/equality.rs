//! Which requests are the same: a text that is equal for equal arguments.

use domain::id::PaymentId;

/// How arguments are written before they are hashed. To be raised with every change of that, so that a node of another
/// version does not take the same request for another one.
pub(super) const CANONICAL_VERSION: u32 = 1;

/// Whether two fingerprints are of one request. Those of different versions can't be compared; then the key alone counts,
/// since a repeated request that is refused would be sent again under a new key.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(AnswerOfAnotherRequest = crate::bugs::any_request)
)]
pub(super) fn is_same_request(one: &str, other: &str) -> bool {
    let version = |text: &str| text.split(':').next().map(str::to_owned);
    one == other || version(one) != version(other)
}

/// The same bytes for equal arguments: keys in order, nothing of the document's layout, a payment's id without prefix,
/// numbers as exact decimals. They may hold a card number: wipe them.
pub(super) fn canonical(arguments: &serde_json::Value, blanks: Blanks) -> Vec<u8> {
    let rules = Rules {
        nulls: Nulls::Absent,
        blanks,
    };
    let mut written = Vec::with_capacity(USUAL);
    let id = arguments.get("id").and_then(serde_json::Value::as_str);
    match id.and_then(PaymentId::parse) {
        Some(payment) => {
            let mut arguments = arguments.clone();
            if let Some(id) = arguments.get_mut("id") {
                *id = payment.key().into();
            }
            write(&arguments, rules, &mut written);
            domain::wipe::wipe(&mut arguments);
        }
        None => write(arguments, rules, &mut written),
    }
    written
}

/// Longer than the arguments of most requests are written. Unit: bytes.
const USUAL: usize = 512;

/// What counts as nothing given.
#[derive(Clone, Copy)]
struct Rules {
    nulls: Nulls,
    blanks: Blanks,
}

/// What an explicit null means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    /// The same as nothing given.
    Absent,
    /// A value like others: in the merchant's own JSON.
    Values,
}

/// What an empty text means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Blanks {
    /// The same as nothing given.
    Absent,
    /// A value like others.
    Values,
}

impl Rules {
    /// The merchant's own JSON: every value counts.
    const OWN: Self = Self {
        nulls: Nulls::Values,
        blanks: Blanks::Values,
    };

    fn is_given(self, value: &serde_json::Value) -> bool {
        let is_null = self.nulls == Nulls::Absent && value.is_null();
        let is_blank = self.blanks == Blanks::Absent && value.as_str() == Some("");
        !is_null && !is_blank
    }
}

fn write(value: &serde_json::Value, rules: Rules, out: &mut Vec<u8>) {
    use serde_json::Value;
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .filter(|(_, value)| rules.is_given(value))
                .collect();
            fields.sort_unstable_by_key(|(name, _)| name.as_str());
            out.push(b'{');
            for (index, (name, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                let is_own = matches!(name.as_str(), "metadata" | "fraud" | "walletToken");
                write_json(name, out);
                out.push(b':');
                write(value, if is_own { Rules::OWN } else { rules }, out);
            }
            out.push(b'}');
        }
        Value::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write(item, rules, out);
            }
            out.push(b']');
        }
        Value::Number(number) => out.extend_from_slice(decimal(number).as_bytes()),
        Value::Null | Value::Bool(_) | Value::String(_) => write_json(value, out),
    }
}

fn write_json(value: &impl serde::Serialize, out: &mut Vec<u8>) {
    // Texts, truth values and null can always be written into memory.
    serde_json::to_writer(out, value).unwrap_or_default();
}

/// A number as a decimal without exponent or needless zeros: `1`, `1.0` and `1e0` are one.
fn decimal(number: &serde_json::Number) -> String {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(0.0) => "0".to_owned(),
        Some(float) => format!("{float}"),
        None => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scope;

    fn text(arguments: &serde_json::Value) -> String {
        String::from_utf8(canonical(arguments, Blanks::Values)).unwrap()
    }

    #[test]
    fn the_form_is_the_same_in_every_release() {
        let arguments = serde_json::json!({
            "payment": {"b": [1, 2.50, {"d": "é\"\n"}], "a": true, "n": null, "e": "", "metadata": {"z": null, "a": ""}},
            "id": "payments:01929F6E-0000-7000-8000-000000000001"
        });
        assert_eq!(
            text(&arguments),
            r#"{"id":"01929f6e-0000-7000-8000-000000000001","payment":{"a":true,"b":[1,2.5,{"d":"é\"\n"}],"e":"","metadata":{"a":"","z":null}}}"#
        );
    }

    #[test]
    fn numbers_are_compared_as_decimals_and_empty_texts_count_as_absent_where_they_are() {
        let of = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        for (one, other) in [
            (r#"{"metadata": {"a": 1}}"#, r#"{"metadata": {"a": 1.0}}"#),
            (r#"{"metadata": [100, 0]}"#, r#"{"metadata": [1e2, -0.0]}"#),
            (r#"{"fraud": {"a": 0.5}}"#, r#"{"fraud": {"a": 0.50}}"#),
        ] {
            assert_eq!(text(&of(one)), text(&of(other)));
        }
        let (blank, absent) = (of(r#"{"o": {"d": "", "e": 1}}"#), of(r#"{"o": {"e": 1}}"#));
        assert_eq!(
            canonical(&blank, Blanks::Absent),
            canonical(&absent, Blanks::Absent)
        );
        assert_ne!(text(&blank), text(&absent));
        let own = of(r#"{"metadata": {"a": ""}}"#);
        assert_ne!(
            canonical(&own, Blanks::Absent),
            canonical(&of(r#"{"metadata": {}}"#), Blanks::Absent)
        );
        assert_ne!(
            text(&of(r#"{"metadata": 1}"#)),
            text(&of(r#"{"metadata": "1"}"#))
        );
    }

    #[test]
    fn fingerprints_of_another_version_are_not_compared() {
        assert!(is_same_request("1:a", "1:a") && !is_same_request("1:a", "1:b"));
        assert!(is_same_request("1:a", "2:b"));
    }

    #[test]
    fn equal_arguments_have_one_canonical_text() {
        let one = serde_json::json!({"b": [1, {"y": null, "x": "é\""}], "a": true});
        let two: serde_json::Value =
            serde_json::from_str(r#"{"a":true,"b":[1,{"x":"\u00e9\"","y":null}]}"#).unwrap();
        assert_eq!(text(&one), text(&two));
        assert_ne!(
            text(&one),
            text(&serde_json::json!({"a": true, "b": [{"x": "é\"", "y": null}, 1]}))
        );
        let with_null = serde_json::json!({"amount": null, "reason": "r"});
        assert_eq!(text(&with_null), text(&serde_json::json!({"reason": "r"})));
        let own = serde_json::json!({"metadata": {"a": null}});
        assert_ne!(text(&own), text(&serde_json::json!({"metadata": {}})));
        let (bare, prefixed) = (
            "01929f6e-0000-7000-8000-000000000001",
            "payments:01929F6E-0000-7000-8000-000000000001",
        );
        assert_eq!(
            text(&serde_json::json!({"id": bare})),
            text(&serde_json::json!({"id": prefixed}))
        );
    }

    #[test]
    fn scopes_of_one_payment_are_one_however_its_id_is_written() {
        let bare = Scope::Refund("01929F6E-0000-7000-8000-000000000001".to_owned());
        let prefixed = Scope::Refund("payments:01929f6e-0000-7000-8000-000000000001".to_owned());
        assert_eq!(bare.text(), prefixed.text());
    }
}
