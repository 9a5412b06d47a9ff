//! Requests to Stripe, and what its answers mean.

use std::{fmt::Write as _, time::Duration};

use connector::{CallError, Cause, Link};
use domain::Timestamp;
use http_client::{Body, Method, Reply, Request, Url};
use serde::de::DeserializeOwned;

use super::{
    account::PERMISSION,
    descriptor::{API, SECRET_KEY, VERSION},
    stored,
    wire::{Error, Failed},
};

/// One request of a call. The call as a whole has a bound of its own.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

/// The largest answer that is read: a list of a hundred intents with their charges. Unit: bytes.
const ANSWER_MAX: usize = 4 * 1024 * 1024;

/// The parameters of a request, in the order in which they are sent: the same call always sends the same bytes.
#[derive(Default)]
pub(super) struct Form(Vec<(String, String)>);

impl Form {
    /// With a parameter more.
    #[must_use]
    pub(super) fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.push((name.into(), value.into()));
        self
    }

    /// With a parameter more, where it has a value. Stripe refuses empty ones.
    #[must_use]
    pub(super) fn with_some(self, name: &str, value: Option<&str>) -> Self {
        match value.filter(|value| !value.trim().is_empty()) {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    fn body(&self) -> Body {
        Body::form(
            self.0
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str())),
        )
    }

    fn query(&self) -> String {
        let mut query = String::new();
        if let Body::Form(bytes) = self.body() {
            let _infallible = write!(query, "{}", String::from_utf8_lossy(&bytes));
        }
        query
    }
}

/// An answer that is an error which says something about what was asked.
#[derive(Debug)]
pub(super) enum Refusal {
    /// 402: the card or the method was declined.
    Declined(Error),
    /// 400 or 404: the request is not possible (now).
    Impossible(Error),
    /// 409: a request under the same key is under way, no matter who sent it. It may charge.
    Running,
}

/// What a request brought, where it was carried out or refused for certain.
pub(super) type Outcome<T> = Result<T, Refusal>;

/// Speaks to Stripe for one call.
#[derive(Clone, Copy)]
pub(super) struct Api<'a> {
    link: &'a Link<'a>,
}

impl<'a> Api<'a> {
    pub(super) const fn of(link: &'a Link<'a>) -> Self {
        Self { link }
    }

    /// The mark of the connection.
    pub(super) const fn mark(self) -> Option<&'a str> {
        self.link.mark
    }

    /// A yes-or-no setting of the connection; absent is no.
    pub(super) fn setting(self, name: &str) -> bool {
        self.link.settings.get(name) == Some(&serde_json::Value::Bool(true))
    }

    /// When the call began.
    pub(super) const fn now(self) -> Timestamp {
        self.link.now
    }

    /// Sends a change under an idempotency key.
    pub(super) async fn post<T: DeserializeOwned>(
        self,
        path: &str,
        key: &str,
        form: &Form,
    ) -> Result<Outcome<T>, CallError> {
        judge(&self.posted(path, key, form).await?)
    }

    /// The same for what moves no money: an internal error is a refusal, since Stripe keeps it under the key and gives it again for a
    /// day. Who asks again does it under another key.
    pub(super) async fn post_moneyless<T: DeserializeOwned>(
        self,
        path: &str,
        key: &str,
        form: &Form,
    ) -> Result<Outcome<T>, CallError> {
        let reply = self.posted(path, key, form).await?;
        if reply.status == 500 {
            return Err(CallError::rejected("Stripe had an internal error"));
        }
        judge(&reply)
    }

    async fn posted(self, path: &str, key: &str, form: &Form) -> Result<Reply, CallError> {
        let request = Sent {
            method: Method::POST,
            url: self.url(API, path)?,
            key: Some(key),
            body: form.body(),
        };
        self.exchange(request).await
    }

    /// Reads something.
    pub(super) async fn get<T: DeserializeOwned>(
        self,
        path: &str,
        query: &Form,
    ) -> Result<Outcome<T>, CallError> {
        let query = query.query();
        let mark = if query.is_empty() { "" } else { "?" };
        let path = format!("{path}{mark}{query}");
        self.bodiless(Method::GET, &path).await
    }

    /// Removes something.
    pub(super) async fn delete<T: DeserializeOwned>(
        self,
        path: &str,
    ) -> Result<Outcome<T>, CallError> {
        self.bodiless(Method::DELETE, path).await
    }

    async fn bodiless<T: DeserializeOwned>(
        self,
        method: Method,
        path: &str,
    ) -> Result<Outcome<T>, CallError> {
        let request = Sent {
            method,
            url: self.url(API, path)?,
            key: None,
            body: Body::Empty,
        };
        judge(&self.exchange(request).await?)
    }

    /// Sends a body of another kind to another host.
    pub(super) async fn upload<T: DeserializeOwned>(
        self,
        host: &str,
        path: &str,
        key: &str,
        body: Body,
    ) -> Result<Outcome<T>, CallError> {
        let request = Sent {
            method: Method::POST,
            url: self.url(host, path)?,
            key: Some(key),
            body,
        };
        judge(&self.exchange(request).await?)
    }

    /// The address of a path at Stripe, or where the connection leads its calls in test mode.
    fn url(self, host: &str, path: &str) -> Result<Url, CallError> {
        let bad = |_| CallError::rejected("the address can't be made");
        match self.link.base {
            Some(base) => base.at(path).map_err(bad),
            None => Url::https(host).and_then(|host| host.at(path)).map_err(bad),
        }
    }

    async fn exchange(self, sent: Sent<'_>) -> Result<Reply, CallError> {
        let key = self.link.credential(SECRET_KEY).unwrap_or_default();
        let mut headers = vec![
            ("authorization", format!("Bearer {key}")),
            ("stripe-version", VERSION.to_owned()),
        ];
        if let Some(key) = sent.key {
            headers.push(("idempotency-key", key.to_owned()));
        }
        let request = Request {
            method: sent.method,
            url: &sent.url,
            headers: &headers,
            body: sent.body,
            timeout: REQUEST_TIMEOUT,
            most: ANSWER_MAX,
        };
        Ok(self.link.http.send(&request).await?)
    }
}

/// One request.
struct Sent<'a> {
    method: Method,
    url: Url,
    key: Option<&'a str>,
    body: Body,
}

/// What an answer means. What can't be read is unknown: it may have been carried out.
/// Source: docs/processors/stripe.md, "Addresses and requests" and "Idempotency".
fn judge<T: DeserializeOwned>(reply: &Reply) -> Result<Outcome<T>, CallError> {
    if reply.status == 200 {
        return serde_json::from_slice(&reply.body)
            .map(Ok)
            .map_err(|_| CallError::unknown("the answer can't be read"));
    }
    let failed = serde_json::from_slice::<Failed>(&reply.body);
    let error = failed.map(|failed| failed.error);
    match (reply.status, error) {
        (400 | 402, Ok(error)) if error.is_decline() => Ok(Err(Refusal::Declined(error))),
        // Not the customer's bank: the account may not do this.
        (402, Ok(error)) => Err(rejected(&error, Cause::Request)),
        (400, Ok(error)) if error.kind.as_deref() == Some("idempotency_error") => {
            Err(rejected(&error, Cause::KeyReused))
        }
        (400, Ok(error)) if error.code.as_deref() == Some("rate_limit") => Err(busy(reply)),
        (400 | 404, Ok(error)) => Ok(Err(Refusal::Impossible(error))),
        (401, Ok(error)) => Err(rejected(&error, Cause::Credentials)),
        (403, Ok(error)) => Err(forbidden(&error)),
        // Another request has the object at the moment, and that one may charge.
        (429, Ok(error)) if error.code.as_deref() == Some("lock_timeout") => {
            Ok(Err(Refusal::Running))
        }
        (429, Ok(_)) => Err(busy(reply)),
        (409, _) => Ok(Err(Refusal::Running)),
        (status, _) => Err(CallError::unknown(format!("status {status}"))),
    }
}

/// Stripe did not carry the request out, and asks for a pause.
fn busy(reply: &Reply) -> CallError {
    CallError::NotSent {
        reason: "Stripe limits the rate of requests".into(),
        again_after: reply.retry_after(),
    }
}

/// The key is right, and may not do this.
fn forbidden(error: &Error) -> CallError {
    CallError::Rejected {
        code: Some(PERMISSION.into()),
        reason: reason(error).into(),
        cause: Cause::Credentials,
    }
}

/// The code alone: a message may quote what it was sent.
pub(super) fn rejected(error: &Error, cause: Cause) -> CallError {
    let code = error.code.as_deref().or(error.kind.as_deref());
    CallError::Rejected {
        code: code.map(Into::into),
        reason: reason(error).into(),
        cause,
    }
}

/// Why a request was refused: code and parameter. Stripe's message may quote what it was sent.
pub(super) fn reason(error: &Error) -> String {
    let code = error.code.as_deref().or(error.kind.as_deref());
    let code = code.unwrap_or("no reason");
    match &error.param {
        Some(param) => format!("{code} ({param})"),
        None => code.to_owned(),
    }
}

impl Refusal {
    /// Whether what is named is not there. Source: docs/processors/stripe.md, "Errors".
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Impossible(error) if error.code.as_deref() == Some("resource_missing"))
    }

    /// The refusal of a request that no decline can answer.
    pub(super) fn rejected(self) -> CallError {
        match self {
            Self::Running => CallError::unknown("a request under the same key is under way"),
            Self::Declined(error) | Self::Impossible(error) => {
                rejected(&error, stored::cause(&error))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn judged(status: u16, body: &'static str) -> Result<Outcome<Value>, CallError> {
        judge(&Reply::new(status, body))
    }

    #[test]
    fn only_what_stripe_says_for_certain_is_certain() {
        let invalid = r#"{"error":{"type":"invalid_request_error","code":"resource_missing"}}"#;
        let card = r#"{"error":{"type":"card_error","code":"card_declined"}}"#;
        assert!(matches!(judged(200, "{}"), Ok(Ok(_))));
        assert!(matches!(judged(402, card), Ok(Err(Refusal::Declined(_)))));
        assert!(matches!(
            judged(404, invalid),
            Ok(Err(Refusal::Impossible(_)))
        ));
        assert!(matches!(judged(409, invalid), Ok(Err(Refusal::Running))));
        for (status, body) in [
            (200, "{\"id\":"),
            (402, "<html>"),
            (400, "<html>"),
            (404, ""),
            (500, invalid),
            (502, "<html>"),
            (302, ""),
            (204, ""),
        ] {
            let judged = judged(status, body);
            assert!(
                matches!(judged, Err(CallError::Unknown { .. })),
                "{status} {body}: {judged:?}"
            );
        }
    }

    #[test]
    fn another_request_under_the_key_and_wrong_keys_are_kept_apart() {
        let reused = r#"{"error":{"type":"idempotency_error","message":"Keys …"}}"#;
        let wrong = r#"{"error":{"type":"invalid_request_error"}}"#;
        let cause = |judged| match judged {
            Err(CallError::Rejected { cause, .. }) => Some(cause),
            _ => None,
        };
        assert_eq!(cause(judged(400, reused)), Some(Cause::KeyReused));
        assert_eq!(cause(judged(401, wrong)), Some(Cause::Credentials));
        assert_eq!(cause(judged(403, wrong)), Some(Cause::Credentials));
    }

    #[test]
    fn a_limit_of_rate_is_no_effect_and_a_pause() {
        let limited = r#"{"error":{"type":"invalid_request_error","code":"rate_limit"}}"#;
        for status in [400, 429] {
            let judged = judged(status, limited);
            assert!(
                matches!(judged, Err(CallError::NotSent { .. })),
                "{judged:?}"
            );
        }
    }

    #[test]
    fn an_object_that_another_request_has_is_no_limit_of_rate() {
        let locked = r#"{"error":{"type":"invalid_request_error","code":"lock_timeout"}}"#;
        assert!(matches!(judged(429, locked), Ok(Err(Refusal::Running))));
    }

    #[test]
    fn no_reason_quotes_a_message() {
        let error = Error {
            code: Some("incorrect_number".to_owned()),
            param: Some("number".to_owned()),
            message: Some("4242424242424241".to_owned()),
            ..Error::default()
        };
        assert_eq!(reason(&error), "incorrect_number (number)");
    }
}
