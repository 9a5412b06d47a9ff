//! `[audit]`: the audit trail.

use std::time::Duration;

use super::reader::Reader;

/// `[audit]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audit {
    /// How long entries are kept. Unit: days.
    pub keep_days: u64,
}

impl Audit {
    pub(super) fn read(reader: &mut Reader) -> Self {
        Self {
            // PCI DSS 4.0.1, item 10.5.1, asks for a year; a month more leaves time to look at what is a year old.
            keep_days: reader.within("audit.keep_days", 400, &(1..=36_500)),
        }
    }

    /// How long entries are kept.
    pub fn retention(&self) -> Duration {
        Duration::from_hours(self.keep_days.saturating_mul(24))
    }
}
