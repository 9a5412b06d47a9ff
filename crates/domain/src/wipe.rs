//! Wiping what may hold a card number.

use serde_json::Value;
use zeroize::Zeroize;

/// Wipes every text in a JSON value. Names of fields stay: they are the schema's, not card data.
pub fn wipe(value: &mut Value) {
    match value {
        Value::String(text) => text.zeroize(),
        Value::Array(items) => items.iter_mut().for_each(wipe),
        Value::Object(fields) => fields.values_mut().for_each(wipe),
        // A card number that came as a number was refused, and is still one.
        number @ Value::Number(_) => *number = Value::Null,
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_wiped() {
        let mut value = serde_json::json!({"a": ["4242", {"b": "737"}], "c": 1, "d": null});
        wipe(&mut value);
        let wiped = serde_json::json!({"a": ["", {"b": ""}], "c": null, "d": null});
        assert_eq!(value, wiped);
    }
}
