//! The detached CMS signature of a payment token (RFC 5652), and the chain of certificates behind it.

use std::time::Duration;

use cms::{
    cert::CertificateChoices,
    content_info::{CmsVersion, ContentInfo},
    signed_data::{SignedAttributes, SignedData, SignerIdentifier, SignerInfo},
};
use der::{
    Decode, Encode as _,
    asn1::{ObjectIdentifier as Oid, OctetString},
};
use domain::Timestamp;
use sha2::{Digest as _, Sha256};
use x509_cert::{Certificate, spki::AlgorithmIdentifierOwned, time::Time};

use super::{RootCertificates, ber, certificate};
use crate::WalletError;

const SIGNED_DATA: Oid = Oid::new_unwrap("1.2.840.113549.1.7.2");
const DATA: Oid = Oid::new_unwrap("1.2.840.113549.1.7.1");
const SHA256: Oid = Oid::new_unwrap("2.16.840.1.101.3.4.2.1");
const CONTENT_TYPE: Oid = Oid::new_unwrap("1.2.840.113549.1.9.3");
const MESSAGE_DIGEST: Oid = Oid::new_unwrap("1.2.840.113549.1.9.4");
const SIGNING_TIME: Oid = Oid::new_unwrap("1.2.840.113549.1.9.5");

/// Most certificates that a signature may carry.
const CERTIFICATES_MAX: usize = 6;

const MALFORMED: WalletError = WalletError::Field("signature");

/// How old a signature may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureAge {
    /// Signed at most this long before now, and at most this long after it, since clocks differ.
    AtMost(Duration),
    /// Not looked at.
    Unchecked,
}

impl SignatureAge {
    /// From the setting, where zero switches the check off.
    pub const fn from_setting(max: Duration) -> Self {
        if max.is_zero() {
            Self::Unchecked
        } else {
            Self::AtMost(max)
        }
    }

    fn allows(self, signed_at: Timestamp, now: Timestamp) -> bool {
        match self {
            Self::AtMost(max) => now.since(signed_at) <= max && signed_at.since(now) <= max,
            Self::Unchecked => true,
        }
    }
}

/// Checks that `signature` is one over `content`, made within `age` of `now` by a certificate for payment tokens whose
/// chain leads to one of the `roots`.
///
/// Errors: `Field`, `Chain`, `CertificatePurpose`, `CertificateExpired`, `Signature`, `SigningTime`.
pub(super) fn verify(
    signature: &[u8],
    content: &[u8],
    roots: &RootCertificates,
    age: SignatureAge,
    now: Timestamp,
) -> Result<(), WalletError> {
    let envelope = parse(signature).ok_or(MALFORMED)?;
    let signer = the_signer(&envelope).ok_or(MALFORMED)?;
    let carried = carried(&envelope).ok_or(MALFORMED)?;
    let leaf = verify_chain(&carried, signer, roots, now)?;
    let attributes = signer.signed_attrs.as_ref().ok_or(MALFORMED)?;
    verify_attributes(attributes, signer, leaf, content)?;
    let signed_at = only::<Time>(attributes, SIGNING_TIME)
        .and_then(certificate::time)
        .ok_or(MALFORMED)?;
    if age.allows(signed_at, now) {
        Ok(())
    } else {
        Err(WalletError::SigningTime)
    }
}

fn parse(signature: &[u8]) -> Option<SignedData> {
    let info = ContentInfo::from_der(&ber::to_der(signature)?).ok()?;
    if info.content_type != SIGNED_DATA {
        return None;
    }
    let envelope: SignedData = info.content.decode_as().ok()?;
    let content = &envelope.encap_content_info;
    let detached = content.econtent_type == DATA && content.econtent.is_none();
    let digests = envelope.digest_algorithms.as_slice();
    let plain = envelope.version == CmsVersion::V1 && envelope.crls.is_none();
    (detached && plain && digests.len() == 1 && digests.iter().all(is_sha256)).then_some(envelope)
}

fn is_sha256(algorithm: &AlgorithmIdentifierOwned) -> bool {
    algorithm.oid == SHA256 && (algorithm.parameters.is_none() || certificate::has_null(algorithm))
}

fn the_signer(envelope: &SignedData) -> Option<&SignerInfo> {
    let [signer] = envelope.signer_infos.0.as_slice() else {
        return None;
    };
    (signer.version == CmsVersion::V1 && is_sha256(&signer.digest_alg)).then_some(signer)
}

fn carried(envelope: &SignedData) -> Option<Vec<&Certificate>> {
    let choices = envelope.certificates.as_ref()?.0.as_slice();
    if choices.len() > CERTIFICATES_MAX {
        return None;
    }
    choices
        .iter()
        .map(|choice| match choice {
            CertificateChoices::Certificate(certificate) => Some(certificate),
            CertificateChoices::Other(_) => None,
        })
        .collect()
}

/// The signer's certificate, when its chain holds: signer, authority, root. Where the token has them in its set does not
/// matter; who issued whom does.
fn verify_chain<'a>(
    carried: &[&'a Certificate],
    signer: &SignerInfo,
    roots: &RootCertificates,
    now: Timestamp,
) -> Result<&'a Certificate, WalletError> {
    let SignerIdentifier::IssuerAndSerialNumber(named) = &signer.sid else {
        return Err(MALFORMED);
    };
    let is_named = |one: &&&Certificate| {
        one.tbs_certificate.issuer == named.issuer
            && one.tbs_certificate.serial_number == named.serial_number
    };
    let leaf = *carried.iter().find(is_named).ok_or(WalletError::Chain)?;
    let intermediate = *carried
        .iter()
        .find(|one| certificate::issued_by(leaf, one))
        .ok_or(WalletError::Chain)?;
    let root = roots
        .iter()
        .find(|root| certificate::issued_by(intermediate, root))
        .ok_or(WalletError::Chain)?;
    let marked = certificate::has(leaf, certificate::LEAF_MARK)
        && certificate::has(intermediate, certificate::INTERMEDIATE_MARK);
    let understood = certificate::is_understood(leaf) && certificate::is_understood(intermediate);
    if !marked || !understood || !certificate::may_sign(leaf) {
        return Err(WalletError::CertificatePurpose);
    }
    if [leaf, intermediate, root]
        .iter()
        .all(|one| certificate::valid_at(one, now))
    {
        Ok(leaf)
    } else {
        Err(WalletError::CertificateExpired)
    }
}

/// The signature is over the attributes, and one of them is the digest of the content.
fn verify_attributes(
    attributes: &SignedAttributes,
    signer: &SignerInfo,
    leaf: &Certificate,
    content: &[u8],
) -> Result<(), WalletError> {
    let content_type: Oid = only(attributes, CONTENT_TYPE).ok_or(MALFORMED)?;
    let digest: OctetString = only(attributes, MESSAGE_DIGEST).ok_or(MALFORMED)?;
    // They are signed as a SET, not with the tag that they have in the signer's record (RFC 5652, section 5.4).
    let message = attributes.to_der().map_err(|_| MALFORMED)?;
    let key = &leaf.tbs_certificate.subject_public_key_info;
    let holds = content_type == DATA
        && digest.as_bytes() == Sha256::digest(content).as_slice()
        && certificate::signed_by(
            key,
            &signer.signature_algorithm,
            &message,
            signer.signature.as_bytes(),
        );
    if holds {
        Ok(())
    } else {
        Err(WalletError::Signature)
    }
}

/// The one value of the one attribute with this id.
fn only<T: for<'a> Decode<'a>>(attributes: &SignedAttributes, id: Oid) -> Option<T> {
    let mut with_id = attributes.iter().filter(|attribute| attribute.oid == id);
    let (Some(attribute), None) = (with_id.next(), with_id.next()) else {
        return None;
    };
    let [value] = attribute.values.as_slice() else {
        return None;
    };
    T::from_der(&value.to_der().ok()?).ok()
}
