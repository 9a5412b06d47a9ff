//! `[attachments]`: the files that merchants keep with their payments.

use std::path::PathBuf;

use domain::{attachment::Limits, caller::Mode};
use objects::{BadPlace, BucketPlace, Credentials};

use super::{Bytes, Hidden, reader::Reader};

/// What a file may be at most, whatever is configured. Unit: bytes.
const LARGEST: u64 = 64 * 1024 * 1024;
/// What the files of one payment may be at most. Unit: bytes.
const LARGEST_TOTAL: u64 = 4 * 1024 * 1024 * 1024;

/// What stays free on the disk of the data directory, for payments. Unit: bytes.
const KEEP_FREE: u64 = 1024 * 1024 * 1024;

/// `[attachments]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachments {
    /// How much is kept.
    pub limits: Limits,
    /// So much stays free on the disk of the data directory. Unit: bytes.
    pub keep_free: u64,
    /// The object store; absent: the data directory where the databases are embedded, nowhere where they are on a server.
    pub bucket: Option<Bucket>,
}

/// A bucket of an object store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Where it is.
    pub place: BucketPlace,
    region: String,
    access_key: String,
    secret_key: Option<Hidden>,
    secret_key_file: Option<PathBuf>,
}

impl Attachments {
    pub(super) fn read(reader: &mut Reader, mode: Mode) -> Self {
        let default = Limits::default();
        let size = |reader: &mut Reader, name, default, most| {
            reader
                .within(name, Bytes(default), &(Bytes(1024)..=Bytes(most)))
                .0
        };
        let limits = Limits {
            file_bytes: size(reader, "attachments.max_file", default.file_bytes, LARGEST),
            total_bytes: size(
                reader,
                "attachments.max_total",
                default.total_bytes,
                LARGEST_TOTAL,
            ),
            files: count(reader.within(
                "attachments.max_files",
                u64::from(default.files),
                &(1..=1000),
            )),
        };
        if limits.total_bytes < limits.file_bytes {
            reader.refuse(
                "attachments.max_total",
                "must not be less than attachments.max_file",
            );
        }
        let free = reader.take("attachments.keep_free", Bytes(KEEP_FREE));
        Self {
            limits,
            keep_free: free.0,
            bucket: Bucket::read(reader, mode),
        }
    }
}

impl Bucket {
    fn read(reader: &mut Reader, mode: Mode) -> Option<Self> {
        let endpoint: Option<String> = reader.take_optional("attachments.endpoint");
        let bucket: Option<String> = reader.take_optional("attachments.bucket");
        let prefix: Option<String> = reader.take_optional("attachments.prefix");
        let region = reader.take("attachments.region", "us-east-1".to_owned());
        let access_key: Option<String> = reader.take_optional("attachments.access_key");
        let secret_key = reader.take_optional("attachments.secret_key");
        let secret_key_file = reader.path("attachments.secret_key_file");
        let (Some(endpoint), Some(bucket)) = (&endpoint, &bucket) else {
            let missing = match (&endpoint, &bucket) {
                (None, Some(_)) => "attachments.endpoint",
                (Some(_), None) => "attachments.bucket",
                _ if access_key.is_some() || secret_key.is_some() || secret_key_file.is_some() => {
                    "attachments.bucket"
                }
                _ => return None,
            };
            reader.refuse(
                missing,
                "is needed where another setting of the object store is given",
            );
            return None;
        };
        if secret_key.is_some() == secret_key_file.is_some() {
            reader.refuse(
                "attachments.secret_key_file",
                "is needed, or attachments.secret_key, and not both",
            );
        }
        if region.is_empty() || !region.bytes().all(|byte| byte.is_ascii_graphic()) {
            reader.refuse(
                "attachments.region",
                "must be a region such as `eu-central-1`",
            );
        }
        let Some(access_key) = access_key else {
            reader.refuse("attachments.access_key", "is needed for an object store");
            return None;
        };
        if mode == Mode::Live && !is_protected(endpoint) {
            reader.refuse(
                "attachments.endpoint",
                "must begin with https:// in live mode, except on this machine",
            );
        }
        let place = BucketPlace::new(endpoint, bucket, prefix.as_deref().unwrap_or_default())
            .map_err(|why| {
                let name = match why {
                    BadPlace::Endpoint => "attachments.endpoint",
                    BadPlace::Bucket => "attachments.bucket",
                    BadPlace::Prefix => "attachments.prefix",
                };
                reader.refuse(name, &why.to_string());
            })
            .ok()?;
        Some(Self {
            place,
            region,
            access_key,
            secret_key,
            secret_key_file,
        })
    }

    /// What requests are signed with.
    ///
    /// # Errors
    /// The file of the secret key can't be read.
    pub fn credentials(&self) -> Result<Credentials, String> {
        let secret = match (&self.secret_key, &self.secret_key_file) {
            (Some(secret), _) => secret.expose().to_owned(),
            (None, Some(file)) => std::fs::read_to_string(file)
                .map_err(|error| format!("{}: can't be read: {error}", file.display()))?
                .trim()
                .to_owned(),
            (None, None) => return Err("attachments.secret_key_file: is needed".to_owned()),
        };
        Ok(Credentials {
            access_key: self.access_key.clone(),
            secret_key: secret.into(),
            region: self.region.clone(),
        })
    }
}

fn count(files: u64) -> u32 {
    u32::try_from(files).unwrap_or(u32::MAX)
}

/// Whether nobody on the way can read what is sent there.
fn is_protected(endpoint: &str) -> bool {
    let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
    let is_local = |begin: &&str| {
        let rest = endpoint.strip_prefix(*begin);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
    };
    endpoint.starts_with("https://") || local.iter().any(is_local)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_travel_protected_or_not_at_all() {
        for good in [
            "https://s3.example",
            "http://127.0.0.1:9000",
            "http://[::1]:9000",
            "http://localhost",
        ] {
            assert!(is_protected(good), "{good}");
        }
        for bad in [
            "http://s3.example",
            "http://127.0.0.1.example",
            "http://localhost.example:80",
        ] {
            assert!(!is_protected(bad), "{bad}");
        }
    }
}
