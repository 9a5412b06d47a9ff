//! Chance that is the same in every run.

use std::fmt::Write;

/// A generator of numbers (splitmix64), by its state.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below the limit.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    /// A UUID of version 7 of the millisecond.
    pub(crate) fn id(&mut self, milli: u64) -> String {
        let (one, other) = (self.next(), self.next());
        format!(
            "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
            milli >> 16 & 0xffff_ffff,
            milli & 0xffff,
            one & 0xfff,
            0x8000 | one >> 12 & 0x3fff,
            other & 0xffff_ffff_ffff
        )
    }

    /// 32 hexadecimal digits.
    pub(crate) fn hex(&mut self) -> String {
        let mut text = String::with_capacity(32);
        let _ = write!(text, "{:016x}{:016x}", self.next(), self.next());
        text
    }

    /// An amount in minor units, of seven digits as the example's: small ones are many, large ones few.
    pub(crate) fn amount(&mut self) -> i64 {
        let most = [1_100_000, 1_500_000, 3_000_000, 9_999_999];
        let most = most
            .get(usize::try_from(self.below(4)).unwrap_or_default())
            .copied()
            .unwrap_or(9_999_999);
        let amount = 1_000_000 + self.below(most - 1_000_000);
        // Prices are often round.
        i64::try_from(if self.below(3) == 0 {
            amount - amount % 100 + 99
        } else {
            amount
        })
        .unwrap_or(1_000_000)
    }
}
