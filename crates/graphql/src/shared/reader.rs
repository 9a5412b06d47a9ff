//! Reads coerced arguments out of their object, one by one, each by its name; what is read is moved out, so that a card
//! number has no second copy here.

use domain::{
    Fault,
    bounded::{JsonBlob, NAME_MAX, TEXT_MAX, bounded, bounded_lines, reference},
    customer::Patch,
};
use serde_json::{Map, Value};

/// What an empty text means in an optional place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blank {
    /// Nothing was given.
    Absent,
    /// As null: where a number or an enum value stands, a fault.
    Refused,
}

/// One object of an operation's arguments, being read.
pub(crate) struct Reader {
    fields: Map<String, Value>,
    path: String,
    blank: Blank,
}

impl Reader {
    /// Reads the arguments themselves.
    pub(crate) fn new(arguments: Map<String, Value>, blank: Blank) -> Self {
        Self {
            fields: arguments,
            path: String::new(),
            blank,
        }
    }

    /// The path of a field, as faults name it.
    pub(crate) fn at(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    /// A fault of a field.
    pub(crate) fn invalid(&self, name: &str, reason: impl Into<String>) -> Fault {
        Fault::invalid(self.at(name), reason)
    }

    /// The fault of a field that is needed and was not given.
    pub(crate) fn missing(&self, name: &str) -> Fault {
        self.invalid(name, "is required")
    }

    /// What must be given, once it is read.
    pub(crate) fn needed<T>(&self, name: &str, read: Result<Option<T>, Fault>) -> Result<T, Fault> {
        read?.ok_or_else(|| self.missing(name))
    }

    /// Whether every field is null, empty or absent.
    pub(crate) fn says_nothing(&self) -> bool {
        self.fields
            .values()
            .all(|value| value.is_null() || value.as_str() == Some(""))
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.fields.remove(name).filter(|value| !value.is_null())
    }

    /// A value that is no text. Errors: it is an empty text where that does not mean absence.
    fn take_other(&mut self, name: &str) -> Result<Option<Value>, Fault> {
        match self.take(name) {
            Some(Value::String(text)) if text.is_empty() => match self.blank {
                Blank::Absent => Ok(None),
                Blank::Refused => Err(self.invalid(name, "must not be empty")),
            },
            value => Ok(value),
        }
    }

    /// A text as it is, without bounds; an empty one is absent. For what the domain checks, and for secrets.
    pub(crate) fn raw(&mut self, name: &str) -> Option<String> {
        match self.take(name) {
            Some(Value::String(text)) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// A text of one line and at most 500 characters; an empty one is absent.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Fault> {
        self.short(name, TEXT_MAX)
    }

    /// A name of a person or a business.
    pub(crate) fn name(&mut self, name: &str) -> Result<Option<String>, Fault> {
        self.short(name, NAME_MAX)
    }

    /// A text of one line; an empty one is absent.
    pub(crate) fn short(&mut self, name: &str, max: usize) -> Result<Option<String>, Fault> {
        match self.raw(name) {
            Some(text) => bounded(text, &self.at(name), max).map(Some),
            None => Ok(None),
        }
    }

    /// An e-mail address; an empty one is absent.
    pub(crate) fn email(&mut self, name: &str) -> Result<Option<String>, Fault> {
        match self.raw(name) {
            Some(text) => domain::bounded::email(text, &self.at(name)).map(Some),
            None => Ok(None),
        }
    }

    /// The merchant's own name of something; an empty one is absent. Whether it is a card's number is judged together with the card.
    pub(crate) fn reference(&mut self, name: &str) -> Result<Option<String>, Fault> {
        match self.raw(name) {
            Some(text) => reference(text, &self.at(name), TEXT_MAX).map(Some),
            None => Ok(None),
        }
    }

    /// A text that may have several lines; an empty one is absent.
    pub(crate) fn lines(&mut self, name: &str) -> Result<Option<String>, Fault> {
        match self.raw(name) {
            Some(text) => bounded_lines(text, &self.at(name), TEXT_MAX).map(Some),
            None => Ok(None),
        }
    }

    /// A whole number of 64 bits.
    pub(crate) fn long(&mut self, name: &str) -> Result<Option<i64>, Fault> {
        Ok(self.take_other(name)?.and_then(|value| value.as_i64()))
    }

    /// A positive amount in minor units.
    pub(crate) fn amount(&mut self, name: &str) -> Result<Option<i64>, Fault> {
        match self.long(name)? {
            Some(amount) if amount <= 0 => Err(self.invalid(name, "must be greater than zero")),
            amount => Ok(amount),
        }
    }

    /// A whole number of 32 bits.
    pub(crate) fn int(&mut self, name: &str) -> Result<Option<i32>, Fault> {
        Ok(self.long(name)?.and_then(|value| i32::try_from(value).ok()))
    }

    /// Yes or no; absent is no.
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, Fault> {
        Ok(self
            .take_other(name)?
            .is_some_and(|value| value == Value::Bool(true)))
    }

    /// Yes, no, or nothing said.
    pub(crate) fn flag_if_given(&mut self, name: &str) -> Result<Option<bool>, Fault> {
        Ok(self.take_other(name)?.and_then(|value| value.as_bool()))
    }

    /// A whole number of 32 bits, zero or more.
    pub(crate) fn count(&mut self, name: &str) -> Result<Option<i32>, Fault> {
        match self.int(name)? {
            Some(count) if count < 0 => Err(self.invalid(name, "must not be negative")),
            count => Ok(count),
        }
    }

    /// A value of an enum of the domain. Coercion has checked it against the schema, which may know more values.
    pub(crate) fn choice<T>(
        &mut self,
        name: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        match self.take_other(name)? {
            Some(value) => match value.as_str().and_then(parse) {
                Some(choice) => Ok(Some(choice)),
                None => Err(self.invalid(name, "is not available")),
            },
            None => Ok(None),
        }
    }

    /// Any JSON as it is; an empty text is absent. For what the domain checks.
    pub(crate) fn any(&mut self, name: &str) -> Option<Value> {
        self.take(name).filter(|value| value.as_str() != Some(""))
    }

    /// Any JSON, at most 16 KiB. An empty text counts like everywhere.
    pub(crate) fn json(&mut self, name: &str) -> Result<Option<Value>, Fault> {
        match self.take(name) {
            Some(Value::String(text)) if text.is_empty() && self.blank == Blank::Absent => Ok(None),
            Some(value) => JsonBlob::parse(value, &self.at(name))
                .map(JsonBlob::into_value)
                .map(Some),
            None => Ok(None),
        }
    }

    /// A JSON object, at most 16 KiB.
    pub(crate) fn json_object(&mut self, name: &str) -> Result<Option<Value>, Fault> {
        match self.take_other(name)? {
            Some(value) => JsonBlob::parse_object(value, &self.at(name))
                .map(JsonBlob::into_value)
                .map(Some),
            None => Ok(None),
        }
    }

    /// An object of the schema.
    pub(crate) fn object(&mut self, name: &str) -> Option<Self> {
        match self.take(name) {
            Some(Value::Object(fields)) => Some(Self {
                fields,
                path: self.at(name),
                blank: self.blank,
            }),
            _ => None,
        }
    }

    /// An object of the schema that must be there.
    pub(crate) fn needed_object(&mut self, name: &str) -> Result<Self, Fault> {
        self.object(name).ok_or_else(|| self.missing(name))
    }

    /// A list; nulls in it are left out.
    pub(crate) fn list(&mut self, name: &str) -> Vec<Value> {
        match self.take(name) {
            Some(Value::Array(items)) => items.into_iter().filter(|item| !item.is_null()).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether a list is given, an empty one too.
    pub(crate) fn has_list(&self, name: &str) -> bool {
        self.fields.get(name).is_some_and(Value::is_array)
    }

    /// A list of texts; `None` when no list is given.
    pub(crate) fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        if !self.has_list(name) {
            return None;
        }
        let texts = self.list(name).into_iter();
        Some(
            texts
                .filter_map(|value| value.as_str().map(str::to_owned))
                .collect(),
        )
    }

    /// A list of objects of the schema.
    pub(crate) fn objects(&mut self, name: &str) -> Vec<Self> {
        let path = self.at(name);
        let items = self.list(name).into_iter().enumerate();
        items
            .filter_map(|(index, item)| match item {
                Value::Object(fields) => Some(Self {
                    fields,
                    path: format!("{path}.{index}"),
                    blank: self.blank,
                }),
                _ => None,
            })
            .collect()
    }

    /// A list of objects of the schema, at most `most`; `None` when it is not given.
    pub(crate) fn objects_if_given(
        &mut self,
        name: &str,
        most: usize,
    ) -> Result<Option<Vec<Self>>, Fault> {
        if !self.fields.get(name).is_some_and(Value::is_array) {
            return Ok(None);
        }
        let objects = self.objects(name);
        if objects.len() > most {
            return Err(self.invalid(name, format!("must have at most {most} entries")));
        }
        Ok(Some(objects))
    }

    /// A field of a partial update: not mentioned, cleared (null or empty), or set to what `read` reads.
    pub(crate) fn patch<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Self) -> Result<Option<T>, Fault>,
    ) -> Result<Patch<T>, Fault> {
        if !self.fields.contains_key(name) {
            return Ok(Patch::Keep);
        }
        Ok(read(self)?.map_or(Patch::Clear, Patch::Set))
    }
}

#[cfg(test)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments are written where they are used"
)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reader(fields: Value, blank: Blank) -> Reader {
        let Value::Object(fields) = json!({"in": fields}) else {
            unreachable!()
        };
        Reader::new(fields, blank).object("in").unwrap()
    }

    #[test]
    fn an_empty_text_is_absent_or_refused_as_the_operation_says() {
        let mut lenient = reader(
            json!({"amount": "", "text": "", "json": "", "mode": ""}),
            Blank::Absent,
        );
        assert_eq!(lenient.amount("amount"), Ok(None));
        assert_eq!(lenient.text("text"), Ok(None));
        assert_eq!(lenient.json("json"), Ok(None));
        assert_eq!(lenient.choice("mode", |_| Some(())), Ok(None));
        let mut strict = reader(
            json!({"amount": "", "text": "", "json": ""}),
            Blank::Refused,
        );
        assert_eq!(
            strict.amount("amount").unwrap_err().field.as_deref(),
            Some("in.amount")
        );
        assert_eq!(strict.text("text"), Ok(None));
        assert_eq!(strict.json("json"), Ok(Some(json!(""))));
    }

    #[test]
    fn null_is_absent() {
        let mut reader = reader(
            json!({"amount": null, "text": null, "object": null, "list": null}),
            Blank::Refused,
        );
        assert_eq!(reader.amount("amount"), Ok(None));
        assert_eq!(reader.text("text"), Ok(None));
        assert!(reader.object("object").is_none());
        assert!(reader.list("list").is_empty());
        assert_eq!(reader.flag("flag"), Ok(false));
    }

    #[test]
    fn amounts_are_positive() {
        for amount in [0, -1, i64::MIN] {
            let fault = reader(json!({"amount": amount}), Blank::Absent)
                .amount("amount")
                .unwrap_err();
            assert_eq!(fault.reason.as_deref(), Some("must be greater than zero"));
        }
        assert_eq!(
            reader(json!({"amount": i64::MAX}), Blank::Absent).amount("amount"),
            Ok(Some(i64::MAX))
        );
    }

    #[test]
    fn long_texts_and_control_characters_are_refused_by_path() {
        for (value, name) in [
            (json!("x".repeat(501)), "long"),
            (json!("a\u{0}b"), "nul"),
            (json!("a\nb"), "break"),
        ] {
            let fault = reader(json!({(name): value}), Blank::Absent)
                .text(name)
                .unwrap_err();
            assert_eq!(fault.field, Some(format!("in.{name}")));
        }
        assert_eq!(
            reader(json!({"l": "a\nb"}), Blank::Absent).lines("l"),
            Ok(Some("a\nb".to_owned()))
        );
    }

    #[test]
    fn a_patch_tells_absent_null_and_value_apart() {
        let mut reader = reader(json!({"a": null, "b": "", "c": "x"}), Blank::Absent);
        assert_eq!(reader.patch("a", |r| r.text("a")), Ok(Patch::Clear));
        assert_eq!(reader.patch("b", |r| r.text("b")), Ok(Patch::Clear));
        assert_eq!(
            reader.patch("c", |r| r.text("c")),
            Ok(Patch::Set("x".to_owned()))
        );
        assert_eq!(reader.patch("d", |r| r.text("d")), Ok(Patch::Keep));
    }

    #[test]
    fn paths_count_the_items_of_lists() {
        let mut outer = reader(json!({"sort": [{"x": "a\u{0}"}]}), Blank::Absent);
        let fault = outer.objects("sort").remove(0).text("x").unwrap_err();
        assert_eq!(fault.field.as_deref(), Some("in.sort.0.x"));
    }
}
