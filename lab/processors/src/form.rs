//! Form-encoded parameters with nested brackets, flat: `card[number]=4242` is the field `card[number]`.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;

/// More fields than these are refused.
const MOST_FIELDS: usize = 1000;

/// The parameters of one request, by their whole names. Items of a list have their index as name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Form(BTreeMap<String, String>);

/// The text isn't a form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadForm {
    #[error("Invalid request: the body is not valid UTF-8 in percent-encoding")]
    Encoding,
    #[error("Invalid request: the brackets of '{0}' don't match")]
    Brackets(String),
    #[error("Invalid request: '{0}' is both a value and a hash")]
    Conflict(String),
    #[error("Invalid request: too many parameters")]
    TooMany,
}

impl Form {
    /// The parameters of a query or body. Where a field comes twice, the last one counts, as with Rack.
    pub(crate) fn parse(text: &str) -> Result<Self, BadForm> {
        let mut form = Self::default();
        form.add(text)?;
        Ok(form)
    }

    /// Adds the parameters of another text.
    pub(crate) fn add(&mut self, text: &str) -> Result<(), BadForm> {
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = self.indexed(&decode(name)?)?;
            self.0.insert(name, decode(value)?);
            if self.0.len() > MOST_FIELDS {
                return Err(BadForm::TooMany);
            }
        }
        self.refuse_conflicts()
    }

    /// The name with the next free index in the place of each empty pair of brackets.
    fn indexed(&self, name: &str) -> Result<String, BadForm> {
        let wrong = || BadForm::Brackets(name.to_owned());
        let mut parts = name.split('[');
        let mut whole = parts.next().unwrap_or_default().to_owned();
        if whole.is_empty() || whole.contains(']') {
            return Err(wrong());
        }
        for part in parts {
            let inner = part.strip_suffix(']').ok_or_else(wrong)?;
            if inner.contains(']') {
                return Err(wrong());
            }
            let next = inner.is_empty().then(|| self.items(&whole).to_string());
            whole = format!("{whole}[{}]", next.as_deref().unwrap_or(inner));
        }
        Ok(whole)
    }

    fn refuse_conflicts(&self) -> Result<(), BadForm> {
        for name in self.0.keys() {
            let mut outer = name.match_indices('[').filter_map(|(at, _)| name.get(..at));
            if let Some(outer) = outer.find(|outer| self.0.contains_key(*outer)) {
                return Err(BadForm::Conflict(outer.to_owned()));
            }
        }
        Ok(())
    }

    /// How many items stand directly in a list.
    fn items(&self, list: &str) -> usize {
        (0..MOST_FIELDS)
            .take_while(|index| self.has(&format!("{list}[{index}]")))
            .count()
    }

    /// Whether there is the field, or one inside it.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
            || self
                .0
                .keys()
                .any(|field| field.starts_with(&format!("{name}[")))
    }

    /// Sets a field that did not come as text.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.0.insert(name.to_owned(), value.to_owned());
    }

    /// The value of a field; an empty one is none.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// A field that was checked to be an integer.
    pub(crate) fn integer(&self, name: &str) -> Option<i64> {
        self.text(name)?.parse().ok()
    }

    /// A field that was checked to be true or false.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.text(name)?.parse().ok()
    }

    /// The items of a list of texts, in order.
    pub(crate) fn list(&self, name: &str) -> Vec<&str> {
        (0..MOST_FIELDS)
            .map_while(|index| self.0.get(&format!("{name}[{index}]")))
            .map(String::as_str)
            .collect()
    }

    /// The fields directly inside a hash, by their own names.
    pub(crate) fn map(&self, name: &str) -> BTreeMap<String, String> {
        let prefix = format!("{name}[");
        let inside = self.0.iter().filter_map(|(field, value)| {
            let inner = field.strip_prefix(&prefix)?.strip_suffix(']')?;
            (!inner.contains('[')).then(|| (inner.to_owned(), value.clone()))
        });
        inside.collect()
    }

    /// The names of all fields.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The raw value, empty ones too.
    pub(crate) fn raw(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// One text for equal parameters, in whatever order they came.
    pub(crate) fn canonical(&self) -> String {
        let fields = self
            .0
            .iter()
            .map(|(name, value)| format!("{name:?}={value:?}"));
        fields.collect::<Vec<_>>().join("&")
    }
}

fn decode(text: &str) -> Result<String, BadForm> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8();
    decoded.map(String::from).map_err(|_| BadForm::Encoding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_plus_signs_and_lists_are_read() {
        let form =
            Form::parse("card%5Bnumber%5D=42&name=A+B%20C&expand[]=a&expand[]=b&at[0]=x&empty=")
                .unwrap();
        assert_eq!(form.text("card[number]"), Some("42"));
        assert_eq!(form.text("name"), Some("A B C"));
        assert_eq!(form.list("expand"), ["a", "b"]);
        assert_eq!(form.list("at"), ["x"]);
        assert_eq!(form.text("empty"), None);
        assert_eq!(form.raw("empty"), Some(""));
        assert!(form.has("card") && !form.has("car"));
    }

    #[test]
    fn what_is_no_form_is_refused() {
        let refused = |text: &str| Form::parse(text).unwrap_err();
        assert_eq!(refused("a[b=1"), BadForm::Brackets("a[b".to_owned()));
        assert_eq!(refused("[a]=1"), BadForm::Brackets("[a]".to_owned()));
        assert_eq!(refused("a[b]]=1"), BadForm::Brackets("a[b]]".to_owned()));
        assert_eq!(refused("a=1&a[b]=2"), BadForm::Conflict("a".to_owned()));
        assert_eq!(refused("a=%ff"), BadForm::Encoding);
    }

    #[test]
    fn the_order_of_parameters_makes_no_difference() {
        let canonical = |text: &str| Form::parse(text).unwrap().canonical();
        assert_eq!(canonical("a=1&b=2"), canonical("b=2&a=1"));
        assert_ne!(canonical("a=1&b=2"), canonical("a=1&b=3"));
        // A value can't look like another field.
        assert_ne!(canonical("a=1%26b%3D2"), canonical("a=1&b=2"));
    }
}
