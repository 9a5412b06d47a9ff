//! Signatures of deliveries. Source: Standard Webhooks 1.0.0, "Signature scheme" (symmetric).

use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::Timestamp;
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use world::World;

/// What a secret begins with.
const PREFIX: &str = "whsec_";

/// Secrets that sign besides the one in use: one who has lost the answer to a rotation asks for another.
const PREVIOUS_MAX: usize = 4;

/// Random bytes of a secret. The specification asks for 24 to 64.
const SECRET_BYTES: usize = 32;

/// The most signatures of a message that are looked at.
const SIGNATURES_MAX: usize = 8;

/// A message that an endpoint's server has signed, or says so.
pub(crate) struct Signed<'a> {
    /// `webhook-id`.
    pub(crate) id: &'a str,
    /// `webhook-timestamp`, in seconds since the epoch.
    pub(crate) seconds: i64,
    /// `webhook-signature`.
    pub(crate) signatures: &'a str,
    /// The body, byte for byte.
    pub(crate) body: &'a [u8],
}

/// The signing secrets of an endpoint, as they are sealed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Secrets {
    /// The one that is in use.
    current: String,
    /// Those before, each of which signs as well for some time, the newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    previous: Vec<Previous>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Previous {
    secret: String,
    until: Timestamp,
}

/// A secret for deliveries that are sent by somebody else than the service: by a command that forwards them.
pub struct SigningSecret(Secrets);

impl SigningSecret {
    /// A new secret.
    pub fn new(world: &World) -> Self {
        Self(Secrets::new(world))
    }

    /// A secret in its usual form, `whsec_` and 24 to 64 bytes in base64. Source: Standard Webhooks, "Signature scheme".
    pub fn parse(text: &str) -> Option<Self> {
        let key = STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?;
        (24..=64).contains(&key.len()).then(|| {
            Self(Secrets {
                current: text.to_owned(),
                previous: Vec::new(),
            })
        })
    }

    /// The secret, `whsec_…`, for the person who is to verify with it.
    pub fn reveal(&self) -> &str {
        self.0.current()
    }

    /// The headers of a message with this id and body, sent at `now`.
    pub fn headers(&self, id: &str, body: &str, now: Timestamp) -> [(&'static str, String); 3] {
        self.0.headers(id, body, now)
    }
}

impl Secrets {
    /// A new secret.
    pub(crate) fn new(world: &World) -> Self {
        let mut bytes = [0; SECRET_BYTES];
        world.fill(&mut bytes);
        Self {
            current: format!("{PREFIX}{}", STANDARD.encode(bytes)),
            previous: Vec::new(),
        }
    }

    /// A new secret besides this one, which signs until `until`, as older ones do until their end. `None` while too many sign.
    pub(crate) fn rotated(mut self, world: &World, until: Timestamp) -> Option<Self> {
        let now = world.now();
        self.previous.retain(|previous| previous.until > now);
        if self.previous.len() >= PREVIOUS_MAX {
            return None;
        }
        let last = Previous {
            secret: self.current,
            until,
        };
        Some(Self {
            previous: std::iter::once(last).chain(self.previous).collect(),
            ..Self::new(world)
        })
    }

    /// The secret in use, to be shown once.
    pub(crate) fn current(&self) -> &str {
        &self.current
    }

    /// The secret with which the endpoint's server signs what it sends here. Another one than that of events, so that nothing that was
    /// sent there can be sent back.
    pub(crate) fn incoming(&self) -> Option<String> {
        let key = incoming_key(&self.current)?;
        Some(format!("{PREFIX}{}", STANDARD.encode(key)))
    }

    /// Whether the endpoint's server signed a message, with any secret that holds. In constant time.
    pub(crate) fn verify(&self, message: &Signed<'_>, now: Timestamp) -> bool {
        let previous = self.previous.iter().filter(|one| one.until > now);
        let secrets = std::iter::once(&self.current).chain(previous.map(|one| &one.secret));
        let keys: Vec<_> = secrets.filter_map(|secret| incoming_key(secret)).collect();
        let texts = message.signatures.split(' ').take(SIGNATURES_MAX);
        let codes = texts.filter_map(|text| STANDARD.decode(text.strip_prefix("v1,")?).ok());
        codes.into_iter().any(|code| {
            keys.iter().any(|key| {
                let mac = Hmac::<Sha256>::new_from_slice(key).ok().map(|mut mac| {
                    mac.update(format!("{}.{}.", message.id, message.seconds).as_bytes());
                    mac.update(message.body);
                    mac
                });
                mac.is_some_and(|mac| mac.verify_slice(&code).is_ok())
            })
        })
    }

    /// As they are sealed.
    pub(crate) fn document(&self) -> String {
        // Texts and a number can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The headers of a message with this id and body, sent at `now`.
    pub(crate) fn headers(
        &self,
        id: &str,
        body: &str,
        now: Timestamp,
    ) -> [(&'static str, String); 3] {
        let seconds = now.micros().div_euclid(1_000_000);
        let message = format!("{id}.{seconds}.{body}");
        let previous = self.previous.iter().filter(|one| one.until > now);
        let secrets = std::iter::once(&self.current).chain(previous.map(|one| &one.secret));
        let signatures: Vec<String> = secrets
            .filter_map(|secret| signature(secret, &message))
            .collect();
        [
            ("webhook-id", id.to_owned()),
            ("webhook-timestamp", seconds.to_string()),
            ("webhook-signature", signatures.join(" ")),
        ]
    }
}

/// The key of what an endpoint's server sends, made of the secret of what is sent there.
fn incoming_key(secret: &str) -> Option<Vec<u8>> {
    let key = STANDARD.decode(secret.strip_prefix(PREFIX)?).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    mac.update(b"pointsman incoming webhooks");
    Some(mac.finalize().into_bytes().to_vec())
}

/// `v1,` and the base64 of the HMAC-SHA256 of the message.
fn signature(secret: &str, message: &str) -> Option<String> {
    let key = STANDARD.decode(secret.strip_prefix(PREFIX)?).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    mac.update(message.as_bytes());
    let code = STANDARD.encode(mac.finalize().into_bytes());
    Some(format!("v1,{code}"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_message_is_signed_as_the_specification_says() {
        // Source: the test vector of the libraries of Standard Webhooks.
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let message = "msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{\"test\": 2432232314}";
        let signed = signature(secret, message).unwrap();
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_secret_signs_to_its_end_however_often_it_is_rotated() {
        let (world, _sim) = World::simulated(2);
        let (first, now) = (Secrets::new(&world), world.now());
        let old = first.headers("id", "{}", now)[2].1.clone();
        let until = now.after(Duration::from_secs(10));
        let mut last = first;
        for n in 1..=PREVIOUS_MAX {
            last = last.rotated(&world, until).unwrap();
            let signed = &last.headers("id", "{}", now)[2].1;
            assert!(signed.split(' ').count() == n + 1 && signed.ends_with(&old));
        }
        assert!(last.rotated(&world, until).is_none());
    }

    #[test]
    fn what_comes_in_is_verified_with_secrets_of_its_own_while_they_hold() {
        let (world, _sim) = World::simulated(1);
        let first = Secrets::new(&world);
        let now = world.now();
        let until = now.after(Duration::from_secs(10));
        let both = first.clone().rotated(&world, until).unwrap();
        let seconds = now.micros().div_euclid(1_000_000);
        let message = format!("msg_1.{seconds}.{{}}");
        let signed = |secret: &str| signature(secret, &message).unwrap();
        let verified = |secrets: &Secrets, signatures: &str, at| {
            let message = Signed {
                id: "msg_1",
                seconds,
                signatures,
                body: b"{}",
            };
            secrets.verify(&message, at)
        };
        let (old, new) = (first.incoming().unwrap(), both.incoming().unwrap());
        assert!(verified(&both, &signed(&new), now));
        assert!(verified(&both, &format!("v1,AAAA {}", signed(&old)), now));
        assert!(!verified(&both, &signed(&old), until), "its time is over");
        assert!(verified(&both, &signed(&new), until));
        // What was signed for the other way, or altered, is none.
        assert!(!verified(&both, &signed(both.current()), now));
        assert!(!verified(&both, &signed(&new).replace("v1,", "v1a,"), now));
        assert!(!verified(&both, "", now));
        let other = Signed {
            id: "msg_2",
            seconds,
            signatures: &signed(&new),
            body: b"{}",
        };
        assert!(!both.verify(&other, now));
    }

    #[test]
    fn both_secrets_sign_until_the_older_one_ends() {
        let (world, _sim) = World::simulated(1);
        let first = Secrets::new(&world);
        let now = world.now();
        let until = now.after(Duration::from_secs(10));
        let both = first.clone().rotated(&world, until).unwrap();
        assert_ne!(both.current(), first.current());
        let old = &first.headers("id", "{}", now)[2].1;
        let signed = &both.headers("id", "{}", now)[2].1;
        assert!(signed.split(' ').count() == 2 && signed.ends_with(old.as_str()));
        assert_eq!(both.headers("id", "{}", until)[2].1.split(' ').count(), 1);
        let read: Secrets = serde_json::from_str(&both.document()).unwrap();
        assert!(read == both);
        assert_eq!(
            STANDARD.decode(&first.current()[6..]).unwrap().len(),
            SECRET_BYTES
        );
    }
}
