//! Errors outside of an operation: `{"errors": [{"message", "extensions"}]}` with an HTTP status.

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use domain::{Code, Fault};
use http::{HeaderValue, StatusCode, header};
use serde_json::json;

/// The media type of an answer of the GraphQL endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Media {
    /// `application/json`
    Json,
    /// `application/graphql-response+json`
    GraphqlResponse,
}

impl Media {
    /// The header's value.
    pub(super) fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Json => "application/json; charset=utf-8",
            Self::GraphqlResponse => "application/graphql-response+json; charset=utf-8",
        })
    }
}

/// For metrics: what a response was about. Travels from the handler to the edge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResponseLabels {
    /// The root field or the address.
    pub(crate) operation: &'static str,
    /// `ok`, or the error's code.
    pub(crate) code: &'static str,
}

/// An error outside of an operation.
#[derive(Debug)]
pub(super) struct Envelope {
    status: StatusCode,
    code: Code,
    message: String,
    /// Only `error.unknown` carries it.
    request_id: Option<String>,
    /// In place of the code, where clients know one of another protocol.
    foreign: Option<&'static str>,
    /// Where the mistake is, and the rule, as in answers of operations.
    field: Option<String>,
    reason: Option<String>,
}

impl Envelope {
    /// An error with its status.
    pub(super) fn new(status: StatusCode, code: Code, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            request_id: None,
            foreign: None,
            field: None,
            reason: None,
        }
    }

    /// No documents are kept by their hash. Clients with Apollo's protocol of persisted queries then send the document itself.
    /// Source: Apollo's automatic persisted queries, `PersistedQueryNotSupported`.
    pub(super) fn persisted_query() -> Self {
        let mut envelope = Self::new(
            StatusCode::OK,
            Code::GraphqlValidation,
            "PersistedQueryNotSupported",
        );
        envelope.foreign = Some("PERSISTED_QUERY_NOT_SUPPORTED");
        envelope
    }

    /// A malformed request: 400.
    pub(super) fn malformed(code: Code, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// A fault in place of an answer, with the status that fits its code.
    pub(super) fn of(fault: Fault) -> Self {
        let status = status_of(fault.code).unwrap_or(StatusCode::OK);
        let mut envelope = Self::new(status, fault.code, fault.message);
        envelope.field = fault.field;
        envelope.reason = fault.reason;
        envelope
    }

    /// A defect of ours.
    pub(super) fn defect(request_id: &str) -> Self {
        let mut envelope = Self::of(Fault::unknown());
        envelope.request_id = Some(request_id.to_owned());
        envelope
    }

    /// The same with another status.
    pub(super) fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Its status.
    pub(super) fn status(&self) -> StatusCode {
        self.status
    }

    /// The response.
    pub(super) fn answer(self, media: Media) -> Response {
        let mut extensions = json!({"code": self.foreign.unwrap_or(self.code.text()), "noTrace": self.code != Code::Unknown});
        let more = [
            ("requestId", self.request_id),
            ("field", self.field),
            ("reason", self.reason),
        ];
        if let Some(extensions) = extensions.as_object_mut() {
            for (name, value) in more {
                if let Some(value) = value {
                    extensions.insert(name.to_owned(), value.into());
                }
            }
        }
        let body =
            json!({"errors": [{"message": self.message, "extensions": extensions}]}).to_string();
        let mut response = (self.status, Body::from(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, media.header());
        match self.status {
            StatusCode::UNAUTHORIZED => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response.extensions_mut().insert(ResponseLabels {
            operation: "none",
            code: self.code.text(),
        });
        response
    }
}

/// The HTTP status for codes that have one regardless of media type.
pub(super) fn status_of(code: Code) -> Option<StatusCode> {
    match code {
        Code::Unauthorized => Some(StatusCode::UNAUTHORIZED),
        Code::RateLimited => Some(StatusCode::TOO_MANY_REQUESTS),
        Code::Unavailable => Some(StatusCode::SERVICE_UNAVAILABLE),
        Code::Unknown => Some(StatusCode::INTERNAL_SERVER_ERROR),
        _ => None,
    }
}

/// A JSON body with a status.
pub(super) fn json_answer(status: StatusCode, operation: &'static str, body: String) -> Response {
    let mut response = (status, Body::from(body)).into_response();
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, Media::Json.header());
    let code = if status.is_success() {
        "ok"
    } else {
        Code::Unavailable.text()
    };
    response
        .extensions_mut()
        .insert(ResponseLabels { operation, code });
    response
}
