//! Blocks of PEM texts (RFC 7468), whatever else stands between them.

use rustls_pki_types::pem::{PemObject, SectionKind};
use zeroize::Zeroizing;

use crate::KeyError;

/// Largest text that is looked at. Unit: bytes.
const TEXT_MAX: usize = 256 * 1024;

/// The bytes of every block of this kind, in order. Errors: `Malformed` for a block that does not end or is no base64.
pub(crate) fn blocks(text: &str, kind: SectionKind) -> Result<Vec<Zeroizing<Vec<u8>>>, KeyError> {
    if text.len() > TEXT_MAX {
        return Err(KeyError::Malformed);
    }
    let mut found = Vec::new();
    for block in <(SectionKind, Vec<u8>)>::pem_slice_iter(text.as_bytes()) {
        let (of, bytes) = block.map_err(|_| KeyError::Malformed)?;
        // Another kind's bytes may be a key too.
        let bytes = Zeroizing::new(bytes);
        if of == kind {
            found.push(bytes);
        }
    }
    Ok(found)
}

/// The first block of this kind, if there is one. Errors: `Malformed`.
pub(crate) fn block(text: &str, kind: SectionKind) -> Result<Option<Zeroizing<Vec<u8>>>, KeyError> {
    Ok(blocks(text, kind)?.into_iter().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_among_other_text() {
        let text = "Bag\n-----BEGIN CERTIFICATE-----\nAAAA\nAAAA\n-----END CERTIFICATE-----\n\
                    -----BEGIN PRIVATE KEY-----\nAQ==\n-----END PRIVATE KEY-----\n\
                    -----BEGIN EC PARAMETERS-----\nAQ==\n-----END EC PARAMETERS-----\n\
                    -----BEGIN CERTIFICATE-----\r\nAg==\r\n-----END CERTIFICATE-----";
        let all: Vec<Vec<u8>> = blocks(text, SectionKind::Certificate)
            .unwrap()
            .iter()
            .map(|block| block.to_vec())
            .collect();
        assert_eq!(all, [vec![0; 6], vec![2]]);
        let key = block(text, SectionKind::PrivateKey).unwrap().unwrap();
        assert_eq!(key.as_slice(), [1]);
        assert!(block(text, SectionKind::EcPrivateKey).unwrap().is_none());
        for broken in [
            "-----BEGIN CERTIFICATE-----\nAAAA",
            "-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----",
        ] {
            let found = block(broken, SectionKind::Certificate);
            assert_eq!(found.err(), Some(KeyError::Malformed));
        }
    }

    #[test]
    fn the_base64_may_stand_on_one_line() {
        let text = format!(
            "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----",
            "AAAA".repeat(500)
        );
        let found = block(&text, SectionKind::Certificate).unwrap().unwrap();
        assert_eq!(found.len(), 1_500);
    }
}
