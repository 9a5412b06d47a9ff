//! Errors in Adyen's form. Source of the codes: docs/processors/adyen.md, "Errors".

use serde_json::{Value, json};

/// A request that was not carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    code: &'static str,
    class: &'static str,
    message: String,
}

impl Refusal {
    fn new(status: u16, code: &'static str, class: &'static str, message: &str) -> Self {
        Self {
            status,
            code,
            class,
            message: message.to_owned(),
        }
    }

    /// 400: the text is no JSON document, or no object.
    pub(super) fn unreadable(message: &str) -> Self {
        Self::new(400, "000", "validation", message)
    }

    /// 400: fields that the request has not.
    pub(super) fn unknown_field(shape: &str, field: &str) -> Self {
        let message =
            format!("Structure of {shape} contains the following unknown fields: [{field}]");
        Self::new(400, "702", "validation", &message)
    }

    /// 422: a field is missing or wrong.
    pub(super) fn invalid(code: &'static str, message: &str) -> Self {
        Self::new(422, code, "validation", message)
    }

    /// 422: a field is wrong, for which no code is known.
    pub(super) fn field(field: &str, rule: &str) -> Self {
        Self::invalid("702", &format!("Field '{field}' {rule}"))
    }

    /// 422: there is no such payment for this merchant account.
    pub(super) fn no_payment() -> Self {
        Self::invalid("167", "Original pspReference required for this operation")
    }

    /// 422: what the simulator decides where Adyen's own answer isn't known.
    pub(super) fn ours(message: &str) -> Self {
        Self::invalid("000", message)
    }

    /// 401: the key is missing or wrong.
    pub(super) fn unauthorised() -> Self {
        let message = "HTTP Status Response - Unauthorized";
        Self::new(401, "000", "security", message)
    }

    /// 403: the key has nothing to do with this merchant account.
    pub(super) fn account() -> Self {
        Self::new(403, "901", "security", "Invalid Merchant Account")
    }

    /// 404: there is no such address.
    pub(super) fn no_address(method: &str, path: &str) -> Self {
        let message = format!(
            "There is no {method} {path}. The simulator has the addresses of docs/simulators.md only."
        );
        Self::new(404, "000", "validation", &message)
    }

    /// 422: a request with the key is running.
    pub(super) fn key_in_use() -> Self {
        let message = "request already processed or in progress";
        Self::new(422, "704", "validation", message)
    }

    /// 429.
    pub(super) fn rate_limit() -> Self {
        Self::new(429, "000", "validation", "Too many requests")
    }

    /// 500.
    pub(super) fn internal() -> Self {
        Self::new(500, "905", "internal", "Internal error")
    }

    /// The whole document.
    pub(super) fn document(&self, psp: &str) -> Value {
        json!({
            "status": self.status,
            "errorCode": self.code,
            "message": self.message,
            "errorType": self.class,
            "pspReference": psp,
        })
    }
}
