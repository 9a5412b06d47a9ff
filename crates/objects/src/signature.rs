//! The signature of a request to S3. Source: "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)" in the
//! reference of the Amazon S3 API.

use domain::Timestamp;
use hmac::{Hmac, Mac as _};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

/// Who signs, and for which region.
#[derive(Clone)]
pub struct Credentials {
    /// The access key's id.
    pub access_key: String,
    /// The secret access key.
    pub secret_key: Zeroizing<String>,
    /// The region, such as `eu-central-1`.
    pub region: String,
}

/// A request that is to be signed. Its path needs no escapes, and it has no query.
pub(crate) struct Signed<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    /// Headers besides the date and the hash of the content: names in lower case, in the order of their names, the host among them.
    pub(crate) headers: &'a [(&'static str, String)],
    pub(crate) content: &'a [u8],
    pub(crate) at: Timestamp,
}

/// What is sent besides the request's own headers.
pub(crate) struct Signature {
    pub(crate) authorization: String,
    pub(crate) date: String,
    pub(crate) content_hash: String,
}

impl Credentials {
    /// Signs a request.
    pub(crate) fn sign(&self, request: &Signed<'_>) -> Signature {
        let content_hash = hex::encode(Sha256::digest(request.content));
        let date = date_of(request.at);
        let day = date.get(..8).unwrap_or_default();
        let mut headers: Vec<(&str, &str)> = request
            .headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .chain([
                ("x-amz-content-sha256", content_hash.as_str()),
                ("x-amz-date", date.as_str()),
            ])
            .collect();
        headers.sort_unstable();
        let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let lines: String = headers
            .iter()
            .flat_map(|(name, value)| [*name, ":", *value, "\n"])
            .collect();
        let canonical = format!(
            "{}\n{}\n\n{lines}\n{names}\n{content_hash}",
            request.method, request.path
        );
        let scope = format!("{day}/{}/s3/aws4_request", self.region);
        let to_sign = format!(
            "AWS4-HMAC-SHA256\n{date}\n{scope}\n{}",
            hex::encode(Sha256::digest(canonical))
        );
        let key = self.key_of(day);
        let signature = hex::encode(mac(&key, to_sign.as_bytes()).as_slice());
        let authorization = format!(
            "AWS4-HMAC-SHA256 Credential={}/{scope},SignedHeaders={names},Signature={signature}",
            self.access_key
        );
        Signature {
            authorization,
            date,
            content_hash,
        }
    }

    /// The key of a day.
    fn key_of(&self, day: &str) -> Zeroizing<Vec<u8>> {
        let begin = Zeroizing::new(format!("AWS4{}", self.secret_key.as_str()));
        let day = mac(begin.as_bytes(), day.as_bytes());
        let region = mac(&day, self.region.as_bytes());
        mac(&mac(&region, b"s3"), b"aws4_request")
    }
}

/// `20130524T000000Z`
fn date_of(at: Timestamp) -> String {
    jiff::Timestamp::from_microsecond(at.micros())
        .map(|at| at.strftime("%Y%m%dT%H%M%SZ").to_string())
        .unwrap_or_default()
}

fn mac(key: &[u8], message: &[u8]) -> Zeroizing<Vec<u8>> {
    // HMAC takes a key of any length.
    let Ok(mut mac) = <Hmac<Sha256> as hmac::Mac>::new_from_slice(key) else {
        return Zeroizing::new(Vec::new());
    };
    mac.update(message);
    Zeroizing::new(mac.finalize().into_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    // The examples of the reference, "Signature Calculations for the Authorization Header: Transferring Payload in a Single Chunk".
    fn credentials() -> Credentials {
        Credentials {
            access_key: "AKIAIOSFODNN7EXAMPLE".to_owned(),
            secret_key: Zeroizing::new("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned()),
            region: "us-east-1".to_owned(),
        }
    }

    fn at() -> Timestamp {
        // 24 May 2013, 00:00:00 UTC.
        Timestamp::from_micros(1_369_353_600_000_000)
    }

    const HOST: &str = "examplebucket.s3.amazonaws.com";

    #[test]
    fn the_reading_of_the_reference_is_signed_as_there() {
        let headers = [("host", HOST.to_owned()), ("range", "bytes=0-9".to_owned())];
        let signed = credentials().sign(&Signed {
            method: "GET",
            path: "/test.txt",
            headers: &headers,
            content: b"",
            at: at(),
        });
        assert_eq!(signed.date, "20130524T000000Z");
        assert_eq!(
            signed.authorization,
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,\
             SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,\
             Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
    }

    #[test]
    fn the_writing_of_the_reference_is_signed_as_there() {
        let headers = [
            ("date", "Fri, 24 May 2013 00:00:00 GMT".to_owned()),
            ("host", HOST.to_owned()),
            ("x-amz-storage-class", "REDUCED_REDUNDANCY".to_owned()),
        ];
        let signed = credentials().sign(&Signed {
            method: "PUT",
            path: "/test%24file.text",
            headers: &headers,
            content: b"Welcome to Amazon S3.",
            at: at(),
        });
        assert!(
            signed.authorization.ends_with(
                "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
            ),
            "{}",
            signed.authorization
        );
    }
}
