//! What a GraphQL request came back with.

use serde_json::Value;

use crate::http::Reply;

/// An answer of the GraphQL endpoint: the HTTP reply and its JSON.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The reply as it came, with headers and exact bytes.
    pub reply: Reply,
    json: Value,
}

impl Answer {
    /// Reads the reply's body as JSON; fails the test when it is none.
    #[track_caller]
    pub fn of(reply: Reply) -> Self {
        let json = serde_json::from_slice(&reply.body).unwrap_or_else(|error| {
            panic!(
                "status {}, not JSON ({error}): {}",
                reply.status,
                reply.text()
            )
        });
        Self { reply, json }
    }

    /// The whole JSON.
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.reply.status
    }

    /// `data` of an answer without errors; fails the test when there are some.
    #[track_caller]
    pub fn data(&self) -> &Value {
        assert!(
            self.errors().is_empty(),
            "errors where none were expected: {}",
            self.json
        );
        assert_eq!(self.status(), 200, "{}", self.json);
        &self.json["data"]
    }

    /// The value of the first root field of an answer without errors.
    #[track_caller]
    pub fn root(&self) -> &Value {
        self.data()
            .as_object()
            .and_then(|fields| fields.values().next())
            .unwrap_or_else(|| panic!("no data: {}", self.json))
    }

    /// The errors, if any.
    pub fn errors(&self) -> &[Value] {
        self.json["errors"].as_array().map_or(&[], Vec::as_slice)
    }

    /// `extensions.code` of the first error.
    pub fn error_code(&self) -> Option<&str> {
        self.extension("code").as_str()
    }

    /// `extensions.field` of the first error.
    pub fn field(&self) -> Option<&str> {
        self.extension("field").as_str()
    }

    /// One of the extensions of the first error; null when it is not there.
    pub fn extension(&self, name: &str) -> &Value {
        &self.json["errors"][0]["extensions"][name]
    }

    /// The first error's message.
    pub fn message(&self) -> &str {
        self.json["errors"][0]["message"]
            .as_str()
            .unwrap_or_default()
    }

    /// Was it answered from memory?
    pub fn replayed(&self) -> bool {
        self.reply.header("idempotency-replayed") == Some("true")
    }

    /// The operation failed with this code: status 200, its root field null, exactly one error with a path.
    #[track_caller]
    pub fn assert_error(&self, code: &str) -> &Self {
        assert_eq!(self.error_code(), Some(code), "{}", self.json);
        assert_eq!(self.status(), 200, "{}", self.json);
        assert_eq!(self.errors().len(), 1, "{}", self.json);
        assert!(
            !self.message().is_empty(),
            "an error says what is wrong: {}",
            self.json
        );
        assert!(
            self.json["errors"][0]["path"].is_array(),
            "an operation's error names its path: {}",
            self.json
        );
        let data = self.json["data"].as_object();
        assert!(
            data.is_some_and(|fields| fields.values().all(Value::is_null)),
            "the failed operation is null: {}",
            self.json
        );
        self
    }

    /// The input was refused, and the error names the field that ends in `field`, with a reason.
    #[track_caller]
    pub fn assert_invalid(&self, field: &str) -> &Self {
        self.assert_error("error.validation");
        assert!(
            self.field()
                .is_some_and(|path| path == field || path.ends_with(&format!(".{field}"))),
            "the error names another field than {field}: {}",
            self.json
        );
        assert!(
            self.extension("reason")
                .as_str()
                .is_some_and(|reason| !reason.is_empty()),
            "no reason: {}",
            self.json
        );
        self
    }

    /// The name of the root field that failed alone; fails the test when there is data.
    #[track_caller]
    pub fn root_of_failure(&self) -> &str {
        let fields = self.json["data"]
            .as_object()
            .unwrap_or_else(|| panic!("no operation failed: {}", self.json));
        assert!(
            fields.len() == 1 && fields.values().all(Value::is_null),
            "{}",
            self.json
        );
        assert!(!self.errors().is_empty(), "{}", self.json);
        fields.keys().next().map_or("", String::as_str)
    }

    /// The arguments could not be read: refused with the document, or as the operation's own error, and nothing was done.
    #[track_caller]
    pub fn assert_badly_asked(&self) -> &Self {
        let code = self.error_code().unwrap_or_default();
        assert!(
            matches!(code, "error.validation" | "error.graphql.validation"),
            "{}",
            self.json
        );
        let nothing = self.json["data"]
            .as_object()
            .is_none_or(|fields| fields.values().all(Value::is_null));
        assert!(nothing, "{}", self.json);
        self
    }

    /// The document was refused before anything was executed: errors alone, no data.
    #[track_caller]
    pub fn assert_refused(&self, status: u16) -> &Self {
        assert_eq!(self.status(), status, "{}", self.json);
        assert!(!self.errors().is_empty(), "{}", self.json);
        assert!(self.json["data"].is_null(), "{}", self.json);
        self
    }
}
