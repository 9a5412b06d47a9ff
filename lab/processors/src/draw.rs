//! Ids and chance of one machine, drawn from its seed.

use sha2::{Digest, Sha256};

const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A source of texts and numbers that depends on the seed and on how often it was asked.
#[derive(Debug, Clone)]
pub(crate) struct Draw {
    seed: u64,
    drawn: u64,
}

impl Draw {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { seed, drawn: 0 }
    }

    /// 32 bytes, such as a key.
    pub(crate) fn bytes(&mut self) -> [u8; 32] {
        self.drawn = self.drawn.wrapping_add(1);
        let mut digest = Sha256::new();
        digest.update(self.seed.to_be_bytes());
        digest.update(self.drawn.to_be_bytes());
        digest.finalize().into()
    }

    /// A text of at most 32 letters and digits behind `prefix`.
    pub(crate) fn id(&mut self, prefix: &str, length: usize) -> String {
        let bytes = self.bytes();
        let letters = bytes.iter().take(length).filter_map(|byte| {
            let index = usize::from(*byte).checked_rem(LETTERS.len())?;
            LETTERS.get(index).map(|letter| char::from(*letter))
        });
        letters.fold(prefix.to_owned(), |mut id, letter| {
            id.push(letter);
            id
        })
    }

    /// True once in `most` times.
    pub(crate) fn one_in(&mut self, most: u64) -> bool {
        let bytes = self.bytes();
        let shift = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        let number = bytes.iter().take(8).fold(0, shift);
        number.checked_rem(most).unwrap_or(0) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_ids_again_and_none_twice() {
        let (mut one, mut two) = (Draw::new(7), Draw::new(7));
        let first = one.id("pi_", 24);
        assert_eq!(first, two.id("pi_", 24));
        assert_eq!(first.len(), 27);
        assert_ne!(first, one.id("pi_", 24));
        assert_ne!(first, Draw::new(8).id("pi_", 24));
    }
}
