//! Errors in Stripe's form.

use serde_json::{Value, json};

/// A request that did not do what it asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    /// Whether the endpoint had begun to work: only then the answer is kept under the idempotency key.
    pub(super) has_begun: bool,
    body: Value,
}

impl Refusal {
    fn new(status: u16, error_type: &str, message: &str) -> Self {
        let body = json!({"message": message, "type": error_type});
        Self {
            status,
            has_begun: true,
            body,
        }
    }

    /// 400: the request as a whole, or what it asks for now.
    pub(super) fn invalid(message: &str) -> Self {
        Self::new(400, "invalid_request_error", message)
    }

    /// 400: refused before anything begins.
    pub(super) fn malformed(message: &str) -> Self {
        Self {
            has_begun: false,
            ..Self::invalid(message)
        }
    }

    /// A parameter that is refused before anything begins.
    pub(super) fn parameter(param: &str, code: &str, message: &str) -> Self {
        Self {
            has_begun: false,
            ..Self::invalid(message).code(code).param(param)
        }
    }

    /// The object isn't in a state for this.
    pub(super) fn unexpected(message: &str) -> Self {
        Self::invalid(message).code("payment_intent_unexpected_state")
    }

    /// 404: there is no such object.
    pub(super) fn missing(object: &str, id: &str, param: &str) -> Self {
        let missing = Self::new(
            404,
            "invalid_request_error",
            &format!("No such {object}: '{id}'"),
        );
        Self {
            has_begun: false,
            ..missing.code("resource_missing").param(param)
        }
    }

    /// 404: there is no such address.
    pub(super) fn no_address(method: &str, path: &str) -> Self {
        let message = format!(
            "Unrecognized request URL ({method}: {path}). The simulator knows the addresses of docs/simulators.md only."
        );
        Self {
            has_begun: false,
            ..Self::new(404, "invalid_request_error", &message)
        }
    }

    /// 401: the key is missing or no test key.
    pub(super) fn unauthorised(message: &str) -> Self {
        Self {
            has_begun: false,
            ..Self::new(401, "invalid_request_error", message)
        }
    }

    /// 402: the card was declined.
    pub(super) fn card(code: &str, message: &str) -> Self {
        Self::new(402, "card_error", message).code(code)
    }

    /// 400: the key was used with other parameters.
    pub(super) fn key_reused(key: &str) -> Self {
        let message = format!(
            "Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than \
             '{key}' if you meant to execute a different request."
        );
        Self {
            has_begun: false,
            ..Self::new(400, "idempotency_error", &message)
        }
    }

    /// 409: a request with the key is running.
    pub(super) fn key_in_use(key: &str) -> Self {
        let message = format!(
            "There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the \
             other request is still going through): {key}. Please try again later."
        );
        let refusal = Self::new(409, "idempotency_error", &message).code("idempotency_key_in_use");
        Self {
            has_begun: false,
            ..refusal
        }
    }

    /// 429.
    pub(super) fn rate_limit() -> Self {
        let message = "Request rate limit exceeded.";
        let refusal = Self::new(429, "invalid_request_error", message).code("rate_limit");
        Self {
            has_begun: false,
            ..refusal
        }
    }

    /// 500.
    pub(super) fn internal() -> Self {
        Self::new(500, "api_error", "An unknown error occurred")
    }

    #[must_use]
    pub(super) fn code(self, code: &str) -> Self {
        let address = code.replace('_', "-");
        self.with("code", json!(code)).with(
            "doc_url",
            json!(format!("https://stripe.com/docs/error-codes/{address}")),
        )
    }

    #[must_use]
    pub(super) fn param(self, param: &str) -> Self {
        self.with("param", json!(param))
    }

    /// With a further member of the error.
    #[must_use]
    pub(super) fn with(mut self, member: &str, value: Value) -> Self {
        if let Value::Object(members) = &mut self.body {
            members.insert(member.to_owned(), value);
        }
        self
    }

    /// The error's own members.
    pub(super) const fn error(&self) -> &Value {
        &self.body
    }

    /// The whole document.
    pub(super) fn document(&self) -> Value {
        json!({"error": self.body})
    }
}
