//! X.509 certificates: what their keys signed, and what they are marked for.

use der::{
    Encode as _,
    asn1::{Null, ObjectIdentifier as Oid},
    referenced::OwnedToRef as _,
};
use domain::Timestamp;
use p256::ecdsa::signature::hazmat::PrehashVerifier as _;
use rsa::{RsaPublicKey, pkcs1v15, signature::Verifier as _};
use sha2::{Digest as _, Sha256, Sha384};
use x509_cert::{
    Certificate,
    ext::{
        Extension,
        pkix::{BasicConstraints, KeyUsage},
    },
    spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned},
    time::Time,
};

const ECDSA_SHA256: Oid = Oid::new_unwrap("1.2.840.10045.4.3.2");
const ECDSA_SHA384: Oid = Oid::new_unwrap("1.2.840.10045.4.3.3");
const RSA: Oid = Oid::new_unwrap("1.2.840.113549.1.1.1");
const RSA_SHA256: Oid = Oid::new_unwrap("1.2.840.113549.1.1.11");
const RSA_SHA384: Oid = Oid::new_unwrap("1.2.840.113549.1.1.12");
const EC_KEY: Oid = Oid::new_unwrap("1.2.840.10045.2.1");
const P256: Oid = Oid::new_unwrap("1.2.840.10045.3.1.7");
const P384: Oid = Oid::new_unwrap("1.3.132.0.34");

const BASIC_CONSTRAINTS: Oid = Oid::new_unwrap("2.5.29.19");
const KEY_USAGE: Oid = Oid::new_unwrap("2.5.29.15");
const EXTENDED_KEY_USAGE: Oid = Oid::new_unwrap("2.5.29.37");
/// Marks the certificates that sign payment tokens.
pub(super) const LEAF_MARK: Oid = Oid::new_unwrap("1.2.840.113635.100.6.29");
/// Marks the authority that issues them.
pub(super) const INTERMEDIATE_MARK: Oid = Oid::new_unwrap("1.2.840.113635.100.6.2.14");
/// Names the merchant in a processing certificate.
pub(super) const MERCHANT_MARK: Oid = Oid::new_unwrap("1.2.840.113635.100.6.32");
/// What a critical extension may be without the certificate being refused (RFC 5280, section 4.2).
const UNDERSTOOD: [Oid; 5] = [
    BASIC_CONSTRAINTS,
    KEY_USAGE,
    EXTENDED_KEY_USAGE,
    LEAF_MARK,
    INTERMEDIATE_MARK,
];

/// Whether the holder of `key` signed `message`, by the algorithm that the signature names.
pub(super) fn signed_by(
    key: &SubjectPublicKeyInfoOwned,
    algorithm: &AlgorithmIdentifierOwned,
    message: &[u8],
    signature: &[u8],
) -> bool {
    verify(key, algorithm, message, signature).is_some()
}

fn verify(
    key: &SubjectPublicKeyInfoOwned,
    algorithm: &AlgorithmIdentifierOwned,
    message: &[u8],
    signature: &[u8],
) -> Option<()> {
    let no_parameters = algorithm.parameters.is_none();
    match (algorithm.oid, key.algorithm.oid) {
        (ECDSA_SHA256, EC_KEY) if no_parameters => {
            elliptic(key, &Sha256::digest(message), signature)
        }
        (ECDSA_SHA384, EC_KEY) if no_parameters => {
            elliptic(key, &Sha384::digest(message), signature)
        }
        // In CMS the algorithm may be the key's alone, besides the digest's; callers let SHA-256 alone be that.
        (RSA | RSA_SHA256, RSA) if no_parameters || has_null(algorithm) => {
            let signature = pkcs1v15::Signature::try_from(signature).ok()?;
            pkcs1v15::VerifyingKey::<Sha256>::new(rsa_key(key)?)
                .verify(message, &signature)
                .ok()
        }
        (RSA_SHA384, RSA) if no_parameters || has_null(algorithm) => {
            let signature = pkcs1v15::Signature::try_from(signature).ok()?;
            pkcs1v15::VerifyingKey::<Sha384>::new(rsa_key(key)?)
                .verify(message, &signature)
                .ok()
        }
        _ => None,
    }
}

/// Whether the parameters are an explicit NULL, which counts as none.
pub(super) fn has_null(algorithm: &AlgorithmIdentifierOwned) -> bool {
    algorithm
        .parameters
        .as_ref()
        .is_some_and(|parameters| parameters.decode_as::<Null>().is_ok())
}

fn elliptic(key: &SubjectPublicKeyInfoOwned, digest: &[u8], signature: &[u8]) -> Option<()> {
    let curve: Oid = key.algorithm.parameters.as_ref()?.decode_as().ok()?;
    match curve {
        P256 => {
            let verifying = p256::ecdsa::VerifyingKey::try_from(key.owned_to_ref()).ok()?;
            verifying
                .verify_prehash(digest, &p256::ecdsa::Signature::from_der(signature).ok()?)
                .ok()
        }
        P384 => {
            let verifying = p384::ecdsa::VerifyingKey::try_from(key.owned_to_ref()).ok()?;
            verifying
                .verify_prehash(digest, &p384::ecdsa::Signature::from_der(signature).ok()?)
                .ok()
        }
        _ => None,
    }
}

/// An RSA key of 2048 to 4096 bits: larger ones would only cost time.
fn rsa_key(key: &SubjectPublicKeyInfoOwned) -> Option<RsaPublicKey> {
    RsaPublicKey::try_from(key.owned_to_ref())
        .ok()
        .filter(rsa_size_fits)
}

/// Whether an RSA key has 2048 to 4096 bits.
pub(super) fn rsa_size_fits(key: &impl rsa::traits::PublicKeyParts) -> bool {
    (2048..=4096).contains(&key.n().bits())
}

/// Whether `issuer` issued `certificate`: the names match, the signature holds, and the issuer may issue.
pub(super) fn issued_by(certificate: &Certificate, issuer: &Certificate) -> bool {
    let (tbs, by) = (&certificate.tbs_certificate, &issuer.tbs_certificate);
    let Ok(signed) = tbs.to_der() else {
        return false;
    };
    tbs.issuer == by.subject
        && tbs.signature == certificate.signature_algorithm
        // A certificate must name its digest.
        && certificate.signature_algorithm.oid != RSA
        && may_issue(issuer)
        && certificate.signature.as_bytes().is_some_and(|signature| {
            signed_by(&by.subject_public_key_info, &certificate.signature_algorithm, &signed, signature)
        })
}

fn may_issue(certificate: &Certificate) -> bool {
    let authority =
        decoded::<BasicConstraints>(certificate, BASIC_CONSTRAINTS).is_some_and(|basic| basic.ca);
    let usage = decoded::<KeyUsage>(certificate, KEY_USAGE);
    authority
        && (extension(certificate, KEY_USAGE).is_none()
            || usage.is_some_and(|usage| usage.key_cert_sign()))
}

/// Whether the certificate's key may sign contents: its usage, where it says one, includes signatures.
pub(super) fn may_sign(certificate: &Certificate) -> bool {
    let usage = decoded::<KeyUsage>(certificate, KEY_USAGE);
    extension(certificate, KEY_USAGE).is_none()
        || usage.is_some_and(|usage| usage.digital_signature())
}

/// Whether the certificate holds at a time.
pub(super) fn valid_at(certificate: &Certificate, now: Timestamp) -> bool {
    let validity = &certificate.tbs_certificate.validity;
    time(validity.not_before).is_some_and(|from| from <= now)
        && time(validity.not_after).is_some_and(|to| now <= to)
}

/// Whether every critical extension is one that is looked at here, and none is there twice.
pub(super) fn is_understood(certificate: &Certificate) -> bool {
    let all = extensions(certificate);
    all.iter().enumerate().all(|(place, one)| {
        let first = all.iter().position(|other| other.extn_id == one.extn_id) == Some(place);
        first && (!one.critical || UNDERSTOOD.contains(&one.extn_id))
    })
}

/// Whether it has an extension.
pub(super) fn has(certificate: &Certificate, id: Oid) -> bool {
    extension(certificate, id).is_some()
}

/// The content of an extension.
pub(super) fn extension(certificate: &Certificate, id: Oid) -> Option<&[u8]> {
    extensions(certificate)
        .iter()
        .find(|one| one.extn_id == id)
        .map(|one| one.extn_value.as_bytes())
}

fn extensions(certificate: &Certificate) -> &[Extension] {
    certificate
        .tbs_certificate
        .extensions
        .as_deref()
        .unwrap_or_default()
}

fn decoded<'a, T: der::Decode<'a>>(certificate: &'a Certificate, id: Oid) -> Option<T> {
    T::from_der(extension(certificate, id)?).ok()
}

/// The point in time that X.509 or CMS writes.
pub(super) fn time(time: Time) -> Option<Timestamp> {
    let micros = i64::try_from(time.to_unix_duration().as_micros()).ok()?;
    Some(Timestamp::from_micros(micros))
}
