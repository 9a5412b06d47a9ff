//! Blocks of PEM texts (RFC 7468), whatever else stands between them.

use zeroize::Zeroizing;

use crate::{KeyError, field};

/// Largest text that is looked at. Unit: bytes.
const TEXT_MAX: usize = 256 * 1024;

/// The bytes of every block with this label, in order. Errors: `Malformed` for a block that does not end or is no base64.
pub(crate) fn blocks(text: &str, label: &str) -> Result<Vec<Zeroizing<Vec<u8>>>, KeyError> {
    if text.len() > TEXT_MAX {
        return Err(KeyError::Malformed);
    }
    let begin = format!("-----BEGIN {label}-----");
    let end = format!("-----END {label}-----");
    text.split(begin.as_str())
        .skip(1)
        .map(|rest| {
            let (body, _) = rest.split_once(end.as_str()).ok_or(KeyError::Malformed)?;
            let base64: Zeroizing<String> = Zeroizing::new(body.split_ascii_whitespace().collect());
            field::base64(&base64)
                .map(Zeroizing::new)
                .ok_or(KeyError::Malformed)
        })
        .collect()
}

/// The first block with this label, if there is one. Errors: `Malformed`.
pub(crate) fn block(text: &str, label: &str) -> Result<Option<Zeroizing<Vec<u8>>>, KeyError> {
    Ok(blocks(text, label)?.into_iter().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_among_other_text() {
        let text = "Bag\n-----BEGIN A-----\nAAAA\nAAAA\n-----END A-----\n-----BEGIN B-----\nAQ==\n-----END B-----\n\
                    -----BEGIN A-----\r\nAg==\r\n-----END A-----";
        let all: Vec<Vec<u8>> = blocks(text, "A")
            .unwrap()
            .iter()
            .map(|block| block.to_vec())
            .collect();
        assert_eq!(all, [vec![0; 6], vec![2]]);
        assert_eq!(block(text, "B").unwrap().unwrap().as_slice(), [1]);
        assert!(block(text, "C").unwrap().is_none());
        assert_eq!(
            block("-----BEGIN A-----\nAAAA", "A").err(),
            Some(KeyError::Malformed)
        );
        assert_eq!(
            block("-----BEGIN A-----\n?\n-----END A-----", "A").err(),
            Some(KeyError::Malformed)
        );
    }
}
