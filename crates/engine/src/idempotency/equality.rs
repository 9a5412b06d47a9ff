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

/// The same text for equal arguments: keys in order, nothing of the document's layout, a payment's id without prefix,
/// numbers as exact decimals.
pub(super) fn canonical(arguments: &serde_json::Value, blanks: Blanks) -> String {
    let mut arguments = arguments.clone();
    let text = canonical_text(&mut arguments, blanks);
    domain::wipe::wipe(&mut arguments);
    text
}

fn canonical_text(arguments: &mut serde_json::Value, blanks: Blanks) -> String {
    if let Some(id) = arguments.get_mut("id")
        && let Some(payment) = id.as_str().and_then(PaymentId::parse)
    {
        *id = payment.key().into();
    }
    sorted(
        arguments,
        Rules {
            nulls: Nulls::Absent,
            blanks,
        },
    )
}

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

fn sorted(value: &serde_json::Value, rules: Rules) -> String {
    use serde_json::Value;
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .filter(|(_, value)| rules.is_given(value))
                .collect();
            fields.sort_by_key(|(name, _)| name.as_str());
            let texts = fields.into_iter().map(|(name, value)| {
                let is_own = matches!(name.as_str(), "metadata" | "fraud" | "walletToken");
                let rules = if is_own { Rules::OWN } else { rules };
                format!("{}:{}", Value::from(name.as_str()), sorted(value, rules))
            });
            format!("{{{}}}", texts.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| sorted(item, rules)).collect();
            format!("[{}]", items.join(","))
        }
        Value::Number(number) => decimal(number),
        Value::Null | Value::Bool(_) | Value::String(_) => value.to_string(),
    }
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
        canonical(arguments, Blanks::Values)
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
