//! Which fields a request takes. What isn't named is refused, and so is `null`.

use serde_json::Value;

use super::refusal::Refusal;

/// A request's document.
#[derive(Debug, Clone)]
pub(super) struct Body(Value);

impl Body {
    /// Reads a document; an empty text is an empty object.
    pub(super) fn read(text: &[u8]) -> Result<Self, Refusal> {
        if text.is_empty() {
            return Ok(Self(Value::Object(serde_json::Map::new())));
        }
        match serde_json::from_slice(text) {
            Ok(document @ Value::Object(_)) => Ok(Self(document)),
            Ok(_) => Err(Refusal::unreadable(
                "Unable to parse message: not an object",
            )),
            Err(error) => Err(Refusal::unreadable(&format!(
                "Unable to parse message: {error}"
            ))),
        }
    }

    /// The value at a path like `amount/value`.
    pub(super) fn at(&self, path: &str) -> Option<&Value> {
        self.0.pointer(&format!("/{path}"))
    }

    /// A text that isn't empty.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.at(path)?.as_str().filter(|text| !text.is_empty())
    }

    pub(super) fn integer(&self, path: &str) -> Option<i64> {
        self.at(path)?.as_i64()
    }

    pub(super) fn flag(&self, path: &str) -> Option<bool> {
        self.at(path)?.as_bool()
    }

    /// The items of a list.
    pub(super) fn items(&self, path: &str) -> impl Iterator<Item = &Value> {
        let items = self.at(path).and_then(Value::as_array);
        items.into_iter().flatten()
    }

    /// The members of an object.
    pub(super) fn members(&self, path: &str) -> impl Iterator<Item = (&str, &Value)> {
        let members = self.at(path).and_then(Value::as_object);
        members
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.as_str(), value))
    }
}

/// How a value must look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// At most so many characters.
    Text(usize),
    Integer,
    Flag,
    OneOf(&'static [&'static str]),
}

/// A field: `*` stands for any name, `#` for an item of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    path: &'static str,
    format: Format,
    is_required: bool,
}

impl Rule {
    const fn new(path: &'static str, format: Format) -> Self {
        Self {
            path,
            format,
            is_required: false,
        }
    }

    pub(super) const fn text(path: &'static str, most: usize) -> Self {
        Self::new(path, Format::Text(most))
    }

    pub(super) const fn integer(path: &'static str) -> Self {
        Self::new(path, Format::Integer)
    }

    pub(super) const fn flag(path: &'static str) -> Self {
        Self::new(path, Format::Flag)
    }

    pub(super) const fn one_of(path: &'static str, words: &'static [&'static str]) -> Self {
        Self::new(path, Format::OneOf(words))
    }

    pub(super) const fn required(self) -> Self {
        Self {
            is_required: true,
            ..self
        }
    }

    fn fits(&self, path: &[String]) -> bool {
        let mut given = path.iter();
        self.path
            .split('/')
            .all(|wanted| match (wanted, given.next()) {
                ("*", Some(_)) => true,
                ("#", Some(index)) => index.bytes().all(|byte| byte.is_ascii_digit()),
                (wanted, Some(given)) => wanted == given,
                (_, None) => false,
            })
            && given.next().is_none()
    }

    fn check(&self, field: &str, value: &Value) -> Result<(), Refusal> {
        let refuse = |rule: &str| Err(Refusal::field(field, rule));
        match (self.format, value) {
            (Format::Text(most), Value::String(text)) if text.chars().count() <= most => Ok(()),
            (Format::Text(most), Value::String(_)) if field.starts_with("metadata.") => {
                let message =
                    format!("Metadata size exceeds limit: values have at most {most} characters");
                Err(Refusal::invalid("177", &message))
            }
            (Format::Text(most), Value::String(_)) => {
                refuse(&format!("has more than {most} characters"))
            }
            (Format::Text(_), _) => refuse("is not a text"),
            (Format::Integer, value) if value.as_i64().is_some() => Ok(()),
            (Format::Integer, _) => refuse("is not an integer"),
            (Format::Flag, Value::Bool(_)) => Ok(()),
            (Format::Flag, _) => refuse("is not true or false"),
            (Format::OneOf(words), Value::String(word)) if words.contains(&word.as_str()) => Ok(()),
            (Format::OneOf(words), _) => refuse(&format!("is not one of {}", words.join(", "))),
        }
    }
}

/// The fields of one request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// The name in Adyen's description.
    pub(super) name: &'static str,
    pub(super) rules: &'static [&'static [Rule]],
}

impl Shape {
    /// Refuses what has no rule, what doesn't follow its rule, and the absence of what is required.
    pub(super) fn check(&self, body: &Body) -> Result<(), Refusal> {
        self.walk(&mut Vec::new(), &body.0)?;
        for rule in self.rules().filter(|rule| rule.is_required) {
            if body
                .at(rule.path)
                .is_none_or(|value| value.as_str() == Some(""))
            {
                return Err(missing(rule.path));
            }
        }
        Ok(())
    }

    fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().flat_map(|rules| rules.iter())
    }

    fn walk(&self, path: &mut Vec<String>, value: &Value) -> Result<(), Refusal> {
        let members: Vec<(String, &Value)> = match value {
            Value::Object(members) => members
                .iter()
                .map(|(name, value)| (name.clone(), value))
                .collect(),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(index, value)| (index.to_string(), value))
                .collect(),
            leaf => {
                let field = path.join(".");
                let rule = self.rules().find(|rule| rule.fits(path));
                let rule = rule.ok_or_else(|| Refusal::unknown_field(self.name, &field))?;
                return rule.check(&field, leaf);
            }
        };
        for (name, value) in members {
            path.push(name);
            self.walk(path, value)?;
            path.pop();
        }
        Ok(())
    }
}

/// 422 for a missing field. 403 for the merchant account: an empty one is none that the key may use.
fn missing(path: &str) -> Refusal {
    match path {
        "merchantAccount" | "merchantAccountCode" => Refusal::account(),
        "reference" => Refusal::invalid("130", "Required field 'reference' is not provided."),
        "amount/value" | "amount/currency" => Refusal::invalid("100", "No amount specified"),
        _ => Refusal::invalid(
            "702",
            &format!(
                "Required field '{}' is not provided.",
                path.replace('/', ".")
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        name: "Request",
        rules: &[&[
            Rule::integer("amount/value").required(),
            Rule::text("metadata/*", 80),
            Rule::text("lines/#/id", 5),
            Rule::flag("store"),
            Rule::one_of("model", &["CardOnFile"]),
        ]],
    };

    fn status(text: &str) -> (u16, String) {
        match Body::read(text.as_bytes()).and_then(|body| SHAPE.check(&body)) {
            Ok(()) => (200, String::new()),
            Err(refusal) => {
                let document = refusal.document("");
                (
                    refusal.status,
                    document["errorCode"].as_str().unwrap().to_owned(),
                )
            }
        }
    }

    #[test]
    fn fields_are_taken_by_their_rules_alone() {
        let fine = r#"{"amount":{"value":5},"metadata":{"a.b":"1"},"lines":[{"id":"1"}],"store":true,"model":"CardOnFile"}"#;
        assert_eq!(status(fine).0, 200);
        for (text, refused) in [
            ("", (422, "100")),
            ("[]", (400, "000")),
            ("{", (400, "000")),
            (r#"{"amount":{"value":5},"more":1}"#, (400, "702")),
            (r#"{"amount":{"value":5,"more":1}}"#, (400, "702")),
            (
                r#"{"amount":{"value":5},"metadata":{"a":{"b":"c"}}}"#,
                (400, "702"),
            ),
            (
                r#"{"amount":{"value":5},"lines":{"x":{"id":"1"}}}"#,
                (400, "702"),
            ),
            (r#"{"amount":{"value":5.0}}"#, (422, "702")),
            (r#"{"amount":{"value":"5"}}"#, (422, "702")),
            (r#"{"amount":{"value":99999999999999999999}}"#, (422, "702")),
            (r#"{"amount":{"value":null}}"#, (422, "702")),
            (r#"{"amount":{"value":5},"store":"true"}"#, (422, "702")),
            (r#"{"amount":{"value":5},"model":"Other"}"#, (422, "702")),
            (
                r#"{"amount":{"value":5},"lines":[{"id":"123456"}]}"#,
                (422, "702"),
            ),
        ] {
            assert_eq!(status(text), (refused.0, refused.1.to_owned()), "{text}");
        }
        let long = format!(
            r#"{{"amount":{{"value":5}},"metadata":{{"a":"{}"}}}}"#,
            "x".repeat(81)
        );
        assert_eq!(status(&long), (422, "177".to_owned()));
    }
}
