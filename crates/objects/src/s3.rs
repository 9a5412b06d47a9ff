//! Content in a store that speaks the protocol of S3: Amazon's, Ceph, Cloudflare R2 and others.
//!
//! Three verbs are used: writing, reading and removing one object. Addresses have the bucket in their path, which each of them knows.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::future::{BoxFuture, ready};
use http_client::{
    Body, HostPattern, Http, HttpError, Method, Reason, Recipient, Reply, Request, Url,
};
use world::World;

use crate::{Credentials, ObjectError, Objects, is_key, signature::Signed};

/// How long one request may take.
const TIMEOUT: Duration = Duration::from_secs(7);
/// A request that failed is sent so many times in all: each verb may be repeated.
const TRIES: u32 = 3;
/// How long before it is sent again the first time; then twice as long.
const PAUSE: Duration = Duration::from_millis(200);
/// What is read of an answer without content. Unit: bytes.
const ANSWER_MAX: usize = 64 * 1024;
/// The type of what is stored; what it is stands in the service's database.
const CONTENT_TYPE: &str = "application/octet-stream";

/// Where the objects lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketPlace {
    endpoint: Url,
    bucket: String,
    /// Empty, or with a slash at its end.
    prefix: String,
}

/// Why objects can't lie there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadPlace {
    /// The endpoint is no address.
    #[error("must be an address such as https://s3.eu-central-1.amazonaws.com, without a path")]
    Endpoint,
    /// That can't be a bucket's name.
    #[error("must be the name of a bucket: 3 to 63 lower-case letters, digits, points and hyphens")]
    Bucket,
    /// That can't begin a key.
    #[error("must be letters, digits, `-`, `_`, `.` and `/`, without a slash at its ends")]
    Prefix,
}

impl BucketPlace {
    /// A bucket at an endpoint. Every key begins with `prefix`, which may be empty.
    ///
    /// # Errors
    /// Which of the three is wrong.
    pub fn new(endpoint: &str, bucket: &str, prefix: &str) -> Result<Self, BadPlace> {
        let endpoint = endpoint.trim_end_matches('/');
        let url = Url::http_or_https(endpoint).map_err(|_| BadPlace::Endpoint)?;
        let has_path = endpoint
            .split_once("://")
            .is_none_or(|(_, rest)| rest.contains(['/', '?', '#']));
        if has_path {
            return Err(BadPlace::Endpoint);
        }
        let is_letter = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
        };
        if !(3..=63).contains(&bucket.len())
            || !bucket.bytes().all(is_letter)
            || bucket.starts_with('.')
        {
            return Err(BadPlace::Bucket);
        }
        if !prefix.is_empty() && !is_key(prefix) {
            return Err(BadPlace::Prefix);
        }
        let prefix = if prefix.is_empty() {
            String::new()
        } else {
            format!("{prefix}/")
        };
        Ok(Self {
            endpoint: url,
            bucket: bucket.to_owned(),
            prefix,
        })
    }
}

/// The client of one bucket.
pub struct S3 {
    place: BucketPlace,
    hosts: Vec<HostPattern>,
    credentials: Credentials,
    http: Arc<dyn Http>,
    world: World,
}

impl S3 {
    /// A client that signs with these credentials.
    pub fn new(
        place: BucketPlace,
        credentials: Credentials,
        http: Arc<dyn Http>,
        world: World,
    ) -> Self {
        Self {
            hosts: place.endpoint.own_host().into_iter().collect(),
            place,
            credentials,
            http,
            world,
        }
    }

    /// Sends a request until it has an answer that counts.
    async fn send(&self, verb: Verb<'_>) -> Result<Reply, ObjectError> {
        if !is_key(verb.key) {
            return Err(ObjectError::Key);
        }
        let BucketPlace { bucket, prefix, .. } = &self.place;
        let path = format!("/{bucket}/{prefix}{}", verb.key);
        let url = self
            .place
            .endpoint
            .at(&path)
            .map_err(|_| ObjectError::Key)?;
        let mut pause = PAUSE;
        for again in (0..TRIES).rev() {
            let sent = self.send_once(&verb, &path, &url).await;
            if again == 0 || !may_pass(&sent) {
                return sent.map_err(|error| ObjectError::Away(error.to_string()));
            }
            self.world.sleep(pause).await;
            pause = pause.saturating_mul(2);
        }
        Err(ObjectError::Away("nothing was sent".to_owned()))
    }

    async fn send_once(&self, verb: &Verb<'_>, path: &str, url: &Url) -> Result<Reply, HttpError> {
        let host = [("host", url.authority().to_owned())];
        let signature = self.credentials.sign(&Signed {
            method: verb.method.as_str(),
            path,
            headers: &host,
            content: verb.content,
            at: self.world.now(),
        });
        let [host] = host;
        let headers = [
            host,
            ("authorization", signature.authorization),
            ("x-amz-content-sha256", signature.content_hash),
            ("x-amz-date", signature.date),
        ];
        let body = if verb.method == Method::PUT {
            Body::File {
                content_type: CONTENT_TYPE,
                content: verb.content.clone(),
            }
        } else {
            Body::Empty
        };
        let request = Request {
            method: verb.method.clone(),
            url,
            headers: &headers,
            body,
            timeout: TIMEOUT,
            most: verb.most,
        };
        let hosts = &self.hosts;
        self.http
            .send(Recipient::Processor { hosts }, &request)
            .await
    }
}

struct Verb<'a> {
    method: Method,
    key: &'a str,
    content: &'a Bytes,
    most: usize,
}

/// Whether the same request may succeed in a moment.
fn may_pass(sent: &Result<Reply, HttpError>) -> bool {
    match sent {
        Ok(reply) => reply.status >= 500 || reply.status == 429,
        Err(error) => matches!(
            error.reason,
            Reason::Unresolved(_)
                | Reason::Refused(_)
                | Reason::Unreachable(_)
                | Reason::NoTls(_)
                | Reason::Elapsed
                | Reason::Broken(_)
        ),
    }
}

/// An answer that is not what was asked for. Its body may name the bucket and the key, never the secret.
fn refused(reply: &Reply) -> ObjectError {
    let text = String::from_utf8_lossy(&reply.body);
    let code = text
        .split_once("<Code>")
        .and_then(|(_, rest)| rest.split_once("</Code>"))
        .map_or("", |(code, _)| code);
    let code: String = code
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(60)
        .collect();
    ObjectError::Away(format!("the object store answers {} {code}", reply.status))
}

impl Objects for S3 {
    fn put<'a>(&'a self, key: &'a str, content: Bytes) -> BoxFuture<'a, Result<(), ObjectError>> {
        Box::pin(async move {
            let reply = self
                .send(Verb {
                    method: Method::PUT,
                    key,
                    content: &content,
                    most: ANSWER_MAX,
                })
                .await?;
            match reply.status {
                200 | 201 | 204 => Ok(()),
                _ => Err(refused(&reply)),
            }
        })
    }

    fn get<'a>(
        &'a self,
        key: &'a str,
        most: usize,
    ) -> BoxFuture<'a, Result<Option<Bytes>, ObjectError>> {
        Box::pin(async move {
            let reply = self
                .send(Verb {
                    method: Method::GET,
                    key,
                    content: &Bytes::new(),
                    most: most.max(ANSWER_MAX),
                })
                .await?;
            match reply.status {
                200 if reply.body.len() <= most => Ok(Some(reply.body)),
                200 => Err(ObjectError::Away(
                    "the object is larger than it may be".to_owned(),
                )),
                // The bucket itself is there: it answers otherwise when it is not.
                404 if !holds(&reply, "NoSuchBucket") => Ok(None),
                _ => Err(refused(&reply)),
            }
        })
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), ObjectError>> {
        Box::pin(async move {
            let reply = self
                .send(Verb {
                    method: Method::DELETE,
                    key,
                    content: &Bytes::new(),
                    most: ANSWER_MAX,
                })
                .await?;
            match reply.status {
                200 | 204 => Ok(()),
                404 if !holds(&reply, "NoSuchBucket") => Ok(()),
                _ => Err(refused(&reply)),
            }
        })
    }

    fn has_room(&self, _: u64) -> BoxFuture<'_, bool> {
        Box::pin(ready(true))
    }

    fn place(&self) -> String {
        let BucketPlace {
            endpoint,
            bucket,
            prefix,
        } = &self.place;
        format!("the bucket {bucket} at {} ({prefix})", endpoint.host())
    }
}

fn holds(reply: &Reply, text: &str) -> bool {
    String::from_utf8_lossy(&reply.body).contains(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_an_endpoint_a_bucket_and_a_prefix() {
        let place =
            |endpoint, bucket, prefix| BucketPlace::new(endpoint, bucket, prefix).map(|_| ());
        let good = "https://s3.eu-central-1.amazonaws.com";
        assert_eq!(place(good, "my-bucket", ""), Ok(()));
        assert_eq!(place("http://127.0.0.1:9000/", "my-bucket", "a/b"), Ok(()));
        for bad in [
            "",
            "s3.amazonaws.com",
            "ftp://a",
            "https://a/b",
            "https://u@a",
        ] {
            assert_eq!(
                place(bad, "my-bucket", ""),
                Err(BadPlace::Endpoint),
                "{bad}"
            );
        }
        for bad in ["", "ab", "My-Bucket", "a/b", "..a"] {
            assert_eq!(place(good, bad, ""), Err(BadPlace::Bucket), "{bad}");
        }
        for bad in ["/a", "a/", "../a", "a b"] {
            assert_eq!(
                place(good, "my-bucket", bad),
                Err(BadPlace::Prefix),
                "{bad}"
            );
        }
    }

    #[test]
    fn of_a_refusal_the_code_is_shown() {
        let reply = Reply::new(
            403,
            "<Error><Code>AccessDenied</Code><Key>secret</Key></Error>",
        );
        let ObjectError::Away(text) = refused(&reply) else {
            panic!("a refusal")
        };
        assert_eq!(text, "the object store answers 403 AccessDenied");
    }
}
