//! Requests to Adyen, and what its answers mean.

use std::time::Duration;

use connector::{CallError, Cause, Link};
use http_client::{Body, Method, Reply, Request};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    account,
    address::{Address, Service},
    descriptor::{API_KEY, MERCHANT_ACCOUNT},
    keys,
    wire::ServiceError,
};

/// One request of a call. The call as a whole has a bound of its own.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(18);

/// The largest answer that is read. Unit: bytes.
const ANSWER_MAX: usize = 1024 * 1024;

/// Codes of errors that say nothing of the request: the first under the same key is under way, or the store of keys is away.
/// Source: docs/processors/adyen.md, "Idempotency".
const UNDECIDED: [&str; 2] = ["704", "703"];

/// An answer that refuses the request for what is in it (400 or 422). It has the codes alone, since Adyen's message may quote what it
/// was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: Option<String>,
    pub(super) kind: Option<String>,
}

/// What a request brought, where it was carried out or refused for certain.
pub(super) type Outcome<T> = Result<T, Refusal>;

/// Speaks to Adyen for one call.
#[derive(Clone, Copy)]
pub(super) struct Api<'a> {
    link: &'a Link<'a>,
}

impl<'a> Api<'a> {
    pub(super) const fn of(link: &'a Link<'a>) -> Self {
        Self { link }
    }

    /// The merchant account.
    pub(super) fn account(self) -> &'a str {
        self.link.credential(MERCHANT_ACCOUNT).unwrap_or_default()
    }

    /// Whether an authorisation can be captured several times.
    pub(super) fn takes_several_captures(self) -> bool {
        account::takes_several_captures(self.link.settings)
    }

    /// The idempotency key of a request under a reference.
    ///
    /// The same request must have the same key for as long as it may be sent again ([`connector::Certainty::replays_within`]), also after
    /// the API key was rotated: the hash is made with the connection's token for notifications, which never changes.
    pub(super) fn key(self, reference: &str, purpose: &str) -> Result<String, CallError> {
        let token = self
            .link
            .notification_url
            .and_then(|url| url.rsplit('/').next())
            .filter(|token| !token.is_empty());
        let secret = token.ok_or_else(|| {
            CallError::not_sent("the connection has no address for notifications")
        })?;
        keys::key(secret, reference, purpose)
    }

    /// Sends a request.
    pub(super) async fn post<T: DeserializeOwned>(
        self,
        service: Service,
        path: &str,
        key: Option<&str>,
        body: &Value,
    ) -> Result<Outcome<T>, CallError> {
        let body = serde_json::to_vec(body)
            .map_err(|_| CallError::not_sent("the request can't be written"))?;
        // Members are in the order of their names: the same request always has the same bytes.
        judge(
            &self
                .send(
                    Method::POST,
                    Address { service, path },
                    key,
                    Body::Json(body.into()),
                )
                .await?,
        )
    }

    /// Sends a request of another kind, or without a body.
    pub(super) async fn ask<T: DeserializeOwned>(
        self,
        method: Method,
        address: Address<'_>,
    ) -> Result<Outcome<T>, CallError> {
        judge(&self.send(method, address, None, Body::Empty).await?)
    }

    /// Removes something: an answer without content, also where it is not there.
    pub(super) async fn remove(self, address: Address<'_>) -> Result<(), CallError> {
        let reply = self
            .send(Method::DELETE, address, None, Body::Empty)
            .await?;
        match reply.status {
            204 | 404 => Ok(()),
            _ => judge::<Value>(&reply)?.map(drop).map_err(Refusal::rejected),
        }
    }

    async fn send(
        self,
        method: Method,
        address: Address<'_>,
        key: Option<&str>,
        body: Body,
    ) -> Result<Reply, CallError> {
        let url = address.url(self.link)?;
        let api_key = self.link.credential(API_KEY).unwrap_or_default();
        let mut headers = vec![("x-api-key", api_key.to_owned())];
        if let Some(key) = key {
            headers.push(("idempotency-key", key.to_owned()));
        }
        let request = Request {
            method,
            url: &url,
            headers: &headers,
            body,
            timeout: REQUEST_TIMEOUT,
            most: ANSWER_MAX,
        };
        Ok(self.link.http.send(&request).await?)
    }
}

/// What an answer means. What can't be read is unknown: it may have been carried out.
/// Source: docs/processors/adyen.md, "Addresses and requests" and "Idempotency".
fn judge<T: DeserializeOwned>(reply: &Reply) -> Result<Outcome<T>, CallError> {
    if matches!(reply.status, 200 | 201) {
        return serde_json::from_slice(&reply.body)
            .map(Ok)
            .map_err(|_| CallError::unknown("the answer can't be read"));
    }
    let error = serde_json::from_slice::<ServiceError>(&reply.body);
    match (reply.status, error) {
        (_, Ok(error)) if is_undecided(&error) => Err(CallError::unknown(
            "a request under the same key is under way, or Adyen can't tell",
        )),
        (status, Ok(error)) if is_refusal(status) => Ok(Err(Refusal {
            code: error.error_code,
            kind: error.error_type,
        })),
        (401 | 403, error) => Err(CallError::Rejected {
            code: error
                .ok()
                .and_then(|error| error.error_code)
                .map(Into::into),
            reason: format!("status {}", reply.status).into(),
            cause: Cause::Credentials,
        }),
        (status, _) => Err(CallError::unknown(format!("status {status}"))),
    }
}

/// Whether a status says that the request was refused for what is in it.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(AdyenServerErrorIsRefusal = super::bugs::every_error_refuses)
)]
fn is_refusal(status: u16) -> bool {
    matches!(status, 400 | 422)
}

#[cfg_attr(
    feature = "planted",
    planted::alternatives(AdyenRunningIsRefused = super::bugs::everything_is_decided)
)]
fn is_undecided(error: &ServiceError) -> bool {
    let code = error.error_code.as_deref();
    code.is_some_and(|code| UNDECIDED.contains(&code))
}

impl Refusal {
    /// Why: the code and the kind of the error.
    pub(super) fn reason(&self) -> String {
        let code = self.code.as_deref().unwrap_or("no code");
        match &self.kind {
            Some(kind) => format!("{code} ({kind})"),
            None => code.to_owned(),
        }
    }

    /// The refusal as one of the request.
    pub(super) fn rejected(self) -> CallError {
        CallError::Rejected {
            reason: self.reason().into(),
            code: self.code.map(Into::into),
            cause: Cause::Request,
        }
    }
}

/// An id of Adyen's: nothing else gets into a path.
pub(super) fn checked(id: &str) -> Result<&str, CallError> {
    let is_one =
        (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_one {
        Ok(id)
    } else {
        Err(CallError::rejected("the id is none of Adyen's"))
    }
}

#[cfg(test)]
mod tests {
    use connector::Credentials;
    use domain::{Timestamp, caller::Mode, id::ConnectionId};

    use super::*;

    fn judged(status: u16, body: &'static str) -> Result<Outcome<Value>, CallError> {
        judge(&Reply::new(status, body))
    }

    #[test]
    fn only_what_adyen_says_for_certain_is_certain() {
        let invalid = r#"{"status":422,"errorCode":"101","errorType":"validation"}"#;
        let running = r#"{"status":422,"errorCode":"704","errorType":"validation"}"#;
        let away = r#"{"status":422,"errorCode":"703","errorType":"internal"}"#;
        assert!(matches!(judged(200, "{}"), Ok(Ok(_))));
        assert!(matches!(judged(201, "{}"), Ok(Ok(_))));
        assert!(matches!(judged(422, invalid), Ok(Err(_))));
        assert!(matches!(judged(400, invalid), Ok(Err(_))));
        for (status, body) in [
            (200, "{\"resultCode\":"),
            (422, "<html>"),
            (422, running),
            (409, running),
            (400, away),
            (503, away),
            (404, invalid),
            (429, invalid),
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
    fn wrong_keys_are_the_credentials_fault() {
        for (status, body) in [
            (401, "{}"),
            (403, r#"{"errorCode":"010"}"#),
            (401, "<html>"),
        ] {
            let judged = judged(status, body);
            assert!(
                matches!(
                    judged,
                    Err(CallError::Rejected {
                        cause: Cause::Credentials,
                        ..
                    })
                ),
                "{judged:?}"
            );
        }
    }

    #[test]
    fn no_refusal_quotes_a_message() {
        let body = r#"{"status":422,"errorCode":"101","errorType":"validation","message":"4242424242424241 is wrong"}"#;
        let Ok(Err(refusal)) = judged(422, body) else {
            panic!("a refusal");
        };
        assert_eq!(refusal.reason(), "101 (validation)");
    }

    const ADDRESS: &str = "https://pay.example/notifications/team-and-token";

    fn with_link<T>(mode: Mode, credentials: &str, run: impl FnOnce(Api<'_>) -> T) -> T {
        let connection = ConnectionId::parse("adyen").unwrap();
        let credentials = Credentials::read(credentials.as_bytes()).unwrap();
        let settings = Value::Null;
        let link = Link {
            mode,
            credentials: Some(&credentials),
            ..Link::offline(&connection, &settings, Timestamp::from_micros(0))
        };
        run(Api::of(&link))
    }

    #[test]
    fn keys_are_the_same_for_the_same_request_alone_whatever_the_api_key_is() {
        let key = |api_key: &str, address: Option<&str>, reference: &str, purpose: &str| {
            let credentials = format!(r#"{{"apiKey": "{api_key}"}}"#);
            with_link(Mode::Test, &credentials, |api| {
                let link = Link {
                    notification_url: address,
                    ..*api.link
                };
                Api::of(&link).key(reference, purpose)
            })
        };
        let first = key("one", Some(ADDRESS), "p-1", "payments").unwrap();
        assert_eq!(
            Ok(&first),
            key("one", Some(ADDRESS), "p-1", "payments").as_ref()
        );
        assert_eq!(first.len(), keys::KEY_MAX);
        // A change is sent again after the key was rotated, and after the service has moved.
        let moved = "https://elsewhere.example/notifications/team-and-token";
        assert_eq!(
            Ok(&first),
            key("two", Some(moved), "p-1", "payments").as_ref()
        );
        let another = "https://pay.example/notifications/another-token";
        for other in [
            key("one", Some(another), "p-1", "payments"),
            key("one", Some(ADDRESS), "p-2", "payments"),
            key("one", Some(ADDRESS), "p-1", "details"),
        ] {
            assert_ne!(Ok(&first), other.as_ref());
        }
        let without = key("one", None, "p-1", "payments");
        assert!(
            matches!(without, Err(CallError::NotSent { .. })),
            "{without:?}"
        );
    }
}
