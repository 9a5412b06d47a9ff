//! The parameters of a GraphQL request, from a body or from an address.

use domain::Code;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{envelope::Envelope, query_text, strict::Strict};

/// The parameters of a GraphQL request. They may hold card data, so they can't be printed.
pub(super) struct Parameters {
    pub(super) query: String,
    pub(super) operation_name: Option<String>,
    pub(super) variables: Map<String, Value>,
}

/// Parameters of which nothing is known yet. Others than these are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Unchecked {
    query: Option<Strict>,
    operation_name: Option<Strict>,
    variables: Option<Strict>,
    extensions: Option<Strict>,
}

impl Parameters {
    /// From the body of a `POST`.
    pub(super) fn from_body(body: &[u8]) -> Result<Self, Envelope> {
        let Ok(text) = std::str::from_utf8(body) else {
            return Err(Envelope::malformed(
                Code::GraphqlSyntax,
                "The body is not valid UTF-8.",
            ));
        };
        if text.trim_start().starts_with('[') {
            return Err(Envelope::malformed(
                Code::GraphqlSyntax,
                "The body is a list; requests are sent one at a time.".to_owned(),
            ));
        }
        match serde_json::from_str::<Unchecked>(text) {
            Ok(unchecked) => unchecked.check(),
            Err(error) => Err(Envelope::malformed(
                Code::GraphqlSyntax,
                why_no_object(text, &error),
            )),
        }
    }

    /// From the query part of the address of a `GET`.
    pub(super) fn from_address(query: &str) -> Result<Self, Envelope> {
        let Some(pairs) = query_text::pairs(query) else {
            return Err(malformed(
                "The address has a broken escape or text that is not UTF-8.",
            ));
        };
        let mut unchecked = Unchecked {
            query: None,
            operation_name: None,
            variables: None,
            extensions: None,
        };
        for (name, value) in pairs {
            let (slot, read) = match name.as_str() {
                "query" => (&mut unchecked.query, Some(Strict(Value::String(value)))),
                "operationName" => (&mut unchecked.operation_name, named(value)),
                "variables" => (&mut unchecked.variables, Some(json(&value, "variables")?)),
                "extensions" => (&mut unchecked.extensions, Some(json(&value, "extensions")?)),
                _ => continue,
            };
            if slot.is_some() {
                return Err(malformed("A parameter is given twice."));
            }
            *slot = read;
        }
        unchecked.check()
    }
}

impl Unchecked {
    fn check(self) -> Result<Parameters, Envelope> {
        let is_absent =
            |value: &Option<Strict>| value.as_ref().is_none_or(|value| value.0.is_null());
        if is_absent(&self.query) && self.extensions.as_ref().is_some_and(names_persisted) {
            return Err(Envelope::persisted_query());
        }
        let query = match self.query.map(|query| query.0) {
            Some(Value::String(query)) => query,
            None | Some(Value::Null) => return Err(malformed("The parameter `query` is missing.")),
            Some(_) => return Err(malformed("The parameter `query` must be a string.")),
        };
        let operation_name = match self.operation_name.map(|name| name.0) {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) => Some(name),
            Some(_) => return Err(malformed("The parameter `operationName` must be a string.")),
        };
        object(self.extensions, "extensions")?;
        Ok(Parameters {
            query,
            operation_name,
            variables: object(self.variables, "variables")?,
        })
    }
}

/// Whether a client asks for a document by its hash.
fn names_persisted(extensions: &Strict) -> bool {
    extensions
        .0
        .get("persistedQuery")
        .is_some_and(Value::is_object)
}

/// An empty name in an address is none.
fn named(value: String) -> Option<Strict> {
    (!value.is_empty()).then_some(Strict(Value::String(value)))
}

fn json(text: &str, name: &str) -> Result<Strict, Envelope> {
    if text.is_empty() {
        return Ok(Strict(Value::Null));
    }
    serde_json::from_str(text)
        .map_err(|_| malformed(&format!("The parameter `{name}` is not valid JSON.")))
}

fn object(value: Option<Strict>, name: &str) -> Result<Map<String, Value>, Envelope> {
    match value.map(|value| value.0) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(object)) => Ok(object),
        Some(_) => Err(malformed(&format!(
            "The parameter `{name}` must be a JSON object."
        ))),
    }
}

fn malformed(message: &str) -> Envelope {
    Envelope::malformed(Code::GraphqlValidation, message)
}

/// Says what is wrong with a body, by place alone: the parser's own words may quote it.
fn why_no_object(text: &str, error: &serde_json::Error) -> String {
    if text.trim_start().is_empty() {
        return "The body is empty; it must be a JSON object with the parameter `query`."
            .to_owned();
    }
    if error.is_data() {
        return "The body must be a JSON object in which each name is given once.".to_owned();
    }
    format!(
        "The body is not valid JSON at line {}, column {}.",
        error.line(),
        error.column()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &[u8]) -> String {
        let Err(envelope) = Parameters::from_body(body) else {
            panic!("accepted")
        };
        format!("{envelope:?}")
    }

    #[test]
    fn a_request_has_a_query_and_perhaps_the_rest() {
        let body =
            br#"{"query": "{ a }", "operationName": null, "variables": {"b": 1}, "extensions": null, "more": 1}"#;
        let read = Parameters::from_body(body).unwrap_or_else(|_| panic!("refused"));
        assert_eq!(
            (
                read.query.as_str(),
                read.operation_name,
                read.variables.len()
            ),
            ("{ a }", None, 1)
        );
    }

    #[test]
    fn parameters_of_another_type_are_named() {
        for wrong in ["0", "false", "[\"array\"]", "{\"obj\": \"ect\"}"] {
            assert!(
                refused(format!("{{\"query\": {wrong}}}").as_bytes())
                    .contains("`query` must be a string")
            );
            let body = format!("{{\"query\": \"{{a}}\", \"operationName\": {wrong}}}");
            assert!(refused(body.as_bytes()).contains("`operationName` must be a string"));
        }
        for name in ["variables", "extensions"] {
            for wrong in ["0", "false", "[\"array\"]", "\"string\""] {
                let body = format!("{{\"query\": \"{{a}}\", \"{name}\": {wrong}}}");
                assert!(
                    refused(body.as_bytes()).contains(&format!("`{name}` must be a JSON object"))
                );
            }
        }
        assert!(refused(b"{\"qeury\": \"{a}\"}").contains("`query` is missing"));
    }

    #[test]
    fn a_broken_body_is_reported_by_place_and_never_quoted() {
        assert!(refused(b"").contains("empty"));
        assert!(refused(b"{ \"not a JSON").contains("not valid JSON at line 1"));
        assert!(refused(b"[{\"query\": \"{a}\"}]").contains("one at a time"));
        assert!(refused(b"\"4242424242424242\"").contains("must be a JSON object"));
        assert!(refused(b"{\"query\": \"\xff\"}").contains("UTF-8"));
        assert!(refused(b"{\"query\": \"a\", \"query\": \"b\"}").contains("once"));
        assert!(!refused(b"{\"query\": \"4242424242424242\", 4242}").contains("4242"));
    }

    #[test]
    fn an_address_holds_the_same_parameters() {
        let read =
            Parameters::from_address("query=%7Ba%7D&variables=%7B%22b%22%3A1%7D&operationName=")
                .ok()
                .unwrap();
        assert_eq!(
            (
                read.query.as_str(),
                read.operation_name,
                read.variables.len()
            ),
            ("{a}", None, 1)
        );
        for wrong in [
            "",
            "query=a&query=b",
            "query=%ff",
            "query=a&variables=x",
            "query=a&variables=%5B%5D",
        ] {
            assert!(Parameters::from_address(wrong).is_err(), "{wrong}");
        }
    }
}
