//! What a table's rows add up to, the same on every kind of database.

use db::{Row, Value};
use sha2::{Digest, Sha256};

/// The rows of a table in the order of its key, every column of each, digested.
#[derive(Default)]
pub(super) struct Checksum {
    rows: u64,
    digest: Sha256,
}

impl Checksum {
    /// Takes the next row. What is written is unambiguous: kind and length come before each value, and all rows of a table
    /// have the same columns.
    pub(super) fn add(&mut self, row: &Row) {
        self.rows = self.rows.saturating_add(1);
        for value in row.values() {
            match value {
                Value::Null => self.digest.update([0]),
                Value::Int(number) => {
                    self.digest.update([1]);
                    self.digest.update(number.to_be_bytes());
                }
                Value::Text(text) => {
                    self.digest.update([2]);
                    self.digest
                        .update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
                    self.digest.update(text);
                }
            }
        }
    }

    /// How many rows it has taken.
    pub(super) const fn rows(&self) -> u64 {
        self.rows
    }

    /// The first 16 digits: enough to compare by eye.
    pub(super) fn finish(self) -> String {
        let digest = self.digest.finalize();
        format!(
            "{:016x}",
            digest
                .first_chunk()
                .map_or(0, |first| u64::from_be_bytes(*first))
        )
    }
}
