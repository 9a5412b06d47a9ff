//! One attempt to deliver a message.

use domain::{caller::Mode, webhook::Attempt};
use http_client::{BadUrl, Body, HttpError, Method, Reason, Recipient, Request, Sent, Url};

use super::Secrets;
use crate::Engine;

/// So much of an answer is kept. Unit: bytes.
const ANSWER_KEPT: usize = 512;

/// A message to be sent.
pub(crate) struct Letter<'a> {
    /// Where to.
    pub(crate) url: &'a str,
    /// The id under which it is sent, also when it is sent again.
    pub(crate) id: &'a str,
    /// The body, JSON.
    pub(crate) body: &'a str,
    /// What signs it.
    pub(crate) secrets: &'a Secrets,
    /// A key by which the other side recognises a call that is made again, besides the id.
    pub(crate) key: Option<&'a str>,
}

impl Engine {
    /// The address of an endpoint: https alone in live mode.
    ///
    /// # Errors
    /// Why the text is no such address, as a clause about it.
    pub(crate) fn endpoint_url(&self, text: &str) -> Result<Url, BadUrl> {
        match self.inner.settings.mode {
            Mode::Live => Url::https(text),
            Mode::Test => Url::http_or_https(text),
        }
    }

    /// Sends a message once. Redirects are answers like others.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(ResentEventRenamed = crate::bugs::rename_message)
    )]
    pub(crate) async fn post(&self, letter: &Letter<'_>) -> Attempt {
        let at = self.inner.world.now();
        let sent = match self.endpoint_url(letter.url) {
            Ok(url) => {
                let signed = letter.secrets.headers(letter.id, letter.body, at);
                let key = letter.key.map(|key| ("x-idempotency-key", key.to_owned()));
                let headers: Vec<_> = signed.into_iter().chain(key).collect();
                let request = Request {
                    method: Method::POST,
                    url: &url,
                    headers: &headers,
                    body: Body::Json(letter.body.to_owned().into()),
                    timeout: self.inner.settings.webhooks.timeout,
                    most: ANSWER_KEPT,
                };
                let http = &self.inner.http;
                http.send(Recipient::Subscriber, &request)
                    .await
                    .map_err(|error| words(&error))
            }
            Err(why) => Err(format!("its address {why}")),
        };
        let took = self.inner.world.now().since(at);
        let (status, answer, error) = match sent {
            Ok(reply) => (Some(reply.status), Some(shown(&reply.body)), None),
            Err(error) => (None, None, Some(error)),
        };
        let attempt = Attempt {
            at,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            status,
            answer: answer.filter(|answer| !answer.is_empty()),
            error,
        };
        let outcome = if attempt.is_taken() {
            "taken"
        } else {
            "failed"
        };
        metrics::counter!("pointsman_webhook_attempts_total", "outcome" => outcome).increment(1);
        attempt
    }
}

/// The first bytes of an answer as a text that can be shown and stored.
fn shown(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    text.chars()
        .map(plain)
        .collect::<String>()
        .trim()
        .to_owned()
}

/// Why there was no answer, for the merchant: nothing of our network.
fn words(error: &HttpError) -> String {
    match (&error.reason, error.sent) {
        (Reason::Private, _) => "its host leads to private addresses, which are not called here",
        (Reason::HostNotAllowed, _) => "its host may not be called",
        (Reason::Unresolved(_), _) => "its name could not be resolved",
        (Reason::Refused(_), _) => "it refused the connection",
        (Reason::Unreachable(_), _) => "no connection could be made",
        (Reason::Elapsed, Sent::No) => "no connection could be made in time",
        (Reason::Untrusted(_), _) => {
            "its certificate is not trusted, not valid now, or not for its name"
        }
        (Reason::NoTls(_), _) => "TLS could not be agreed on",
        (Reason::Elapsed, Sent::Maybe) => "it did not answer in time",
        (Reason::Broken(_), _) => "the connection broke before an answer came",
        (Reason::ReplyTooLarge | Reason::RequestTooLarge | Reason::Unwritable(_), _) => {
            "the request could not be sent"
        }
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_for_no_answer_stands_in_the_docs() {
        let why = String::new;
        let reasons = [
            Reason::Private,
            Reason::HostNotAllowed,
            Reason::Unresolved(why()),
            Reason::Refused(why()),
            Reason::Unreachable(why()),
            Reason::Untrusted(why()),
            Reason::NoTls(why()),
            Reason::Elapsed,
            Reason::Broken(why()),
            Reason::RequestTooLarge,
        ];
        let docs = include_str!("../../../../docs/webhooks.md");
        let mut seen = std::collections::BTreeSet::new();
        for reason in reasons {
            let text = words(&HttpError::not_sent(reason));
            assert!(docs.contains(&format!("| `{text}` |")), "{text}");
            assert!(seen.insert(text.clone()), "{text}");
        }
        let late = words(&HttpError::maybe_sent(Reason::Elapsed));
        assert!(docs.contains(&format!("| `{late}` |")) && seen.insert(late));
    }

    #[test]
    fn an_answer_is_shown_without_what_steers_a_terminal() {
        assert_eq!(shown(b" ok\n\x1b[31m\x00 "), "ok  [31m");
        assert_eq!(shown(&[0xff, b'a']), "\u{fffd}a");
        assert_eq!(shown(b""), "");
    }
}
