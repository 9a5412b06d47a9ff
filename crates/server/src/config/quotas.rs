//! `[quotas]`: what browsers' credentials may do.

use engine::QuotaLimits;

use super::{Bytes, reader::Reader};

const MIB: u64 = 1024 * 1024;

/// Reads the section. Where requests are limited, so are browsers; else only what is given counts. 0 means no limit.
pub(super) fn read(reader: &mut Reader, limited: bool) -> QuotaLimits {
    let mut number = |name: &'static str, default: u64| {
        let given: Option<u64> = reader.take_optional(name);
        given
            .or(limited.then_some(default))
            .filter(|most| *most > 0)
    };
    let counts = QuotaLimits {
        visitor_fields_per_second: number("quotas.visitor_fields_per_second", 100),
        key_fields_per_second: number("quotas.key_fields_per_second", 2_000),
        visitor_declines_per_hour: number("quotas.visitor_declines_per_hour", 10),
        network_declines_per_hour: number("quotas.network_declines_per_hour", 60),
        ..QuotaLimits::default()
    };
    let mut size = |name: &'static str, default: u64| {
        let given: Option<Bytes> = reader.take_optional(name);
        let given = given.map(|Bytes(bytes)| bytes);
        given
            .or(limited.then_some(default))
            .filter(|most| *most > 0)
    };
    QuotaLimits {
        visitor_bytes_per_hour: size("quotas.visitor_bytes_per_hour", 8 * MIB),
        key_bytes_per_hour: size("quotas.key_bytes_per_hour", 512 * MIB),
        ..counts
    }
}
