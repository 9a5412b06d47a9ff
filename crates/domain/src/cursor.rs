//! Opaque cursors of lists.
//!
//! A cursor holds the sort keys and the id of the row that it stands for, so that it stays valid while rows are added,
//! and even when its own row has gone. It carries no rights: every query is bound to its team independently of it, so it need
//! not be signed. What it is checked for is that it belongs to the same list in the same order, with keys of the types
//! that a query expects.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::Fault;
use crate::filter::{Sort, SortField};

/// Goes up when the form changes; cursors of another version are refused.
const VERSION: u64 = 1;
/// Longest cursor that is looked at. Unit: characters.
const LENGTH_MAX: usize = 4096;

/// The type of a sort key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// Integers, and times as microseconds.
    Int,
    /// Texts.
    Text,
}

/// The value of a sort key in a row. Each row has one: lists sort what is absent as an empty text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyValue {
    /// An integer, or a time as microseconds.
    Int(i64),
    /// A text.
    Text(String),
}

/// What all cursors of one list in one order have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CursorShape {
    name: String,
    kinds: Vec<KeyKind>,
}

impl CursorShape {
    /// The shape of the cursors of `list` sorted by keys of these types; `order` tells orders of one list apart.
    pub fn new(list: &str, order: &str, kinds: Vec<KeyKind>) -> Self {
        Self {
            name: format!("{list}:{order}"),
            kinds,
        }
    }

    /// The shape of the cursors of a list of payments.
    pub fn of_payments(sort: &Sort) -> Self {
        let order: Vec<String> = sort
            .keys()
            .iter()
            .map(|key| format!("{} {}", key.field, key.order))
            .collect();
        let kinds = sort.keys().iter().map(|key| kind(key.field)).collect();
        Self::new("payments", &order.join(","), kinds)
    }

    fn fits(&self, keys: &[KeyValue]) -> bool {
        self.kinds.len() == keys.len()
            && self.kinds.iter().zip(keys).all(|pair| match pair {
                (KeyKind::Int, KeyValue::Int(_)) => true,
                // NUL can't have come from a row, and PostgreSQL takes none as a parameter.
                (KeyKind::Text, KeyValue::Text(text)) => !text.contains('\0'),
                (KeyKind::Int, KeyValue::Text(_)) | (KeyKind::Text, KeyValue::Int(_)) => false,
            })
    }
}

const fn kind(field: SortField) -> KeyKind {
    match field {
        SortField::Date | SortField::Amount => KeyKind::Int,
        SortField::Status
        | SortField::Currency
        | SortField::Country
        | SortField::Gateway
        | SortField::Method
        | SortField::Type => KeyKind::Text,
    }
}

/// A place in a list: that of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The row's sort keys, in the order of the sort.
    pub keys: Vec<KeyValue>,
    /// The row's id.
    pub id: Uuid,
}

impl Cursor {
    /// The opaque text: letters, digits, `-` and `_`.
    pub fn encode(&self, shape: &CursorShape) -> String {
        let keys: Vec<Value> = self.keys.iter().map(KeyValue::json).collect();
        let content = json!([VERSION, shape.name, keys, self.id.hyphenated().to_string()]);
        URL_SAFE_NO_PAD.encode(content.to_string())
    }

    /// Reads a cursor of the shape. Errors: `error.validation` for `field`, when it is no cursor or one of another list
    /// or order.
    pub fn decode(text: &str, shape: &CursorShape, field: &str) -> Result<Self, Fault> {
        let cursor = (text.len() <= LENGTH_MAX)
            .then(|| Self::read(text, shape))
            .flatten();
        cursor.ok_or_else(|| {
            Fault::invalid(
                field,
                "must be a cursor that this list gave out in this order",
            )
        })
    }

    fn read(text: &str, shape: &CursorShape) -> Option<Self> {
        let content = URL_SAFE_NO_PAD.decode(text).ok()?;
        let Value::Array(parts) = serde_json::from_slice(&content).ok()? else {
            return None;
        };
        let [version, name, Value::Array(keys), id] = parts.as_slice() else {
            return None;
        };
        if version.as_u64() != Some(VERSION) || name.as_str() != Some(shape.name.as_str()) {
            return None;
        }
        let keys: Vec<KeyValue> = keys.iter().map(KeyValue::read).collect::<Option<_>>()?;
        let id = Uuid::try_parse(id.as_str()?).ok()?;
        shape.fits(&keys).then_some(Self { keys, id })
    }
}

impl KeyValue {
    fn json(&self) -> Value {
        match self {
            Self::Int(integer) => json!(integer),
            Self::Text(text) => json!(text),
        }
    }

    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_i64().map(Self::Int),
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::SortOrder;

    fn shape(entries: &[(&'static str, SortOrder)]) -> CursorShape {
        let entries = entries
            .iter()
            .map(|(name, order)| (Some(*name), Some(*order)));
        CursorShape::of_payments(&Sort::parse(entries).unwrap())
    }

    fn cursor(keys: Vec<KeyValue>) -> Cursor {
        Cursor {
            keys,
            id: Uuid::from_u128(7),
        }
    }

    fn encoded(content: &Value) -> String {
        URL_SAFE_NO_PAD.encode(content.to_string())
    }

    #[test]
    fn a_cursor_leads_back_to_its_row() {
        let shape = shape(&[
            ("country", SortOrder::Ascending),
            ("amount", SortOrder::Descending),
        ]);
        for keys in [
            vec![KeyValue::Text("IE".to_owned()), KeyValue::Int(i64::MIN)],
            vec![KeyValue::Text(String::new()), KeyValue::Int(i64::MAX)],
        ] {
            let cursor = cursor(keys);
            let text = cursor.encode(&shape);
            assert!(
                text.bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            );
            assert_eq!(Cursor::decode(&text, &shape, "after").unwrap(), cursor);
        }
    }

    #[test]
    fn a_cursor_of_another_list_or_order_is_refused() {
        let newest_first = shape(&[("date", SortOrder::Descending)]);
        let text = cursor(vec![KeyValue::Int(1)]).encode(&newest_first);
        assert!(Cursor::decode(&text, &newest_first, "after").is_ok());
        let others = [
            shape(&[("date", SortOrder::Ascending)]),
            shape(&[("amount", SortOrder::Descending)]),
            shape(&[
                ("date", SortOrder::Descending),
                ("amount", SortOrder::Descending),
            ]),
            CursorShape::new("customers", "date DESC", vec![KeyKind::Int]),
        ];
        for other in others {
            let fault = Cursor::decode(&text, &other, "after").unwrap_err();
            assert_eq!(fault.field.as_deref(), Some("after"));
        }
    }

    #[test]
    fn what_is_no_cursor_is_refused_without_being_repeated() {
        let shape = CursorShape::new("l", "o", vec![KeyKind::Text]);
        let id = Uuid::from_u128(7).to_string();
        let forged = [
            json!([2, "l:o", ["a"], id]),
            json!([1, "l:o", [1], id]),
            json!([1, "l:o", [], id]),
            json!([1, "l:o", ["a", "b"], id]),
            json!([1, "l:o", ["a\0"], id]),
            json!([1, "l:o", [["a"]], id]),
            json!([1, "l:o", [null], id]),
            json!([1, "l:o", ["a"], "x"]),
            json!([1, "l:o", ["a"]]),
            json!({ "a": 1 }),
        ];
        let mut texts: Vec<String> = forged.iter().map(encoded).collect();
        texts.extend(["", "e30", "not a cursor", "====", "\u{1f600}"].map(str::to_owned));
        texts.push("A".repeat(5_000));
        for text in texts {
            let fault = Cursor::decode(&text, &shape, "before").unwrap_err();
            assert_eq!(fault.field.as_deref(), Some("before"));
            assert!(text.is_empty() || !fault.message.contains(&text));
        }
        let good = encoded(&json!([1, "l:o", ["a"], id]));
        assert!(Cursor::decode(&good, &shape, "before").is_ok());
    }
}
