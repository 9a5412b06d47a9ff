//! Chance that one printed seed repeats; what the processes make of it is their own.

use std::time::{SystemTime, UNIX_EPOCH};

/// xorshift64*: enough to choose moments and actions.
#[derive(Debug, Clone)]
pub struct Chance(u64);

impl Chance {
    /// With a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A seed that nobody used before.
    pub fn fresh_seed() -> u64 {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        (u64::from(now.subsec_nanos()) << 20) | (now.as_secs() & 0xf_ffff)
    }

    /// A number below the bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0
            .wrapping_mul(0x2545_F491_4F6C_DD1D)
            .checked_rem(bound)
            .unwrap_or_default()
    }

    /// An index into something of this length.
    pub fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(u64::try_from(length).unwrap_or(1))).unwrap_or_default()
    }

    /// Whether one of so many falls to us.
    pub fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }

    /// Chance of its own for somebody else.
    #[must_use]
    pub fn another(&mut self) -> Self {
        Self::new(self.below(u64::MAX))
    }
}
