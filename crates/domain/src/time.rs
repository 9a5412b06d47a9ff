//! Points in time as microseconds since the Unix epoch, in UTC.

use std::time::Duration;

use jiff::{civil::Date, fmt::temporal::DateTimePrinter, tz::TimeZone};
use serde::{Deserialize, Serialize};

const MILLIS: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
const SECONDS: DateTimePrinter = DateTimePrinter::new().precision(Some(0));

/// A point in time. Unit: microseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From microseconds since the epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since the epoch.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// The time `span` later; the end of time when that can't be represented.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(micros_of(span)))
    }

    /// The time `span` earlier; the beginning of time when that can't be represented.
    #[must_use]
    pub fn before(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(micros_of(span)))
    }

    /// The same time without its part of a millisecond.
    #[must_use]
    pub const fn whole_millis(self) -> Self {
        Self(self.0.saturating_sub(self.0.rem_euclid(1000)))
    }

    /// How long after `earlier` this is; zero when it is not after it.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// RFC 3339 in UTC with `Z`, exactly: with a fraction when there is one.
    pub fn rfc3339(self) -> String {
        self.instant().to_string()
    }

    /// RFC 3339 in UTC with `Z`, cut to milliseconds: always of one length, so that texts sort as times do.
    pub fn rfc3339_millis(self) -> String {
        MILLIS.timestamp_to_string(&self.instant())
    }

    /// RFC 3339 in UTC with `Z`, cut to whole seconds.
    pub fn rfc3339_seconds(self) -> String {
        SECONDS.timestamp_to_string(&self.instant())
    }

    /// RFC 3339 with the offset of `zone`: `Z`, `+hh:mm` or an IANA name. `None` for an unknown zone.
    pub fn in_zone(self, zone: &str) -> Option<String> {
        if zone.eq_ignore_ascii_case("z") || zone.eq_ignore_ascii_case("utc") {
            return Some(self.rfc3339_millis());
        }
        let zone = match offset(zone) {
            Some(fixed) => fixed,
            None => TimeZone::get(zone).ok()?,
        };
        let offset = zone.to_offset(self.instant());
        Some(MILLIS.timestamp_with_offset_to_string(&self.instant(), offset))
    }

    /// Reads RFC 3339.
    pub fn parse(text: &str) -> Option<Self> {
        let instant: jiff::Timestamp = text.parse().ok()?;
        Some(Self(instant.as_microsecond()))
    }

    /// The start, in UTC, of the day written as `YYYY-MM-DD`.
    pub fn day_start(text: &str) -> Option<Self> {
        if text.len() != 10 {
            return None;
        }
        let date: Date = text.parse().ok()?;
        let start = date.to_zoned(TimeZone::UTC).ok()?;
        Some(Self(start.timestamp().as_microsecond()))
    }

    /// Whether it is one that people write: from 1970 to the end of the year 9999, or two days before.
    pub fn is_printable(self) -> bool {
        self.0 >= 0 && jiff::Timestamp::from_microsecond(self.0).is_ok()
    }

    fn instant(self) -> jiff::Timestamp {
        jiff::Timestamp::from_microsecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }
}

fn micros_of(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

/// Reads `+hh:mm` or `-hh:mm`.
fn offset(zone: &str) -> Option<TimeZone> {
    let (sign, rest) = match zone.as_bytes().first()? {
        b'+' => (1, zone.get(1..)?),
        b'-' => (-1, zone.get(1..)?),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    if hours.len() != 2 || minutes.len() != 2 {
        return None;
    }
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    if hours > 18 || minutes > 59 {
        return None;
    }
    let seconds = hours
        .checked_mul(3600)?
        .checked_add(minutes.checked_mul(60)?)?;
    let offset = jiff::tz::Offset::from_seconds(seconds.checked_mul(sign)?).ok()?;
    Some(TimeZone::fixed(offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_and_read_as_rfc_3339() {
        let at = Timestamp::from_micros(1_769_851_800_000_000);
        assert_eq!(at.rfc3339(), "2026-01-31T09:30:00Z");
        assert_eq!(at.rfc3339_millis(), "2026-01-31T09:30:00.000Z");
        let with_fraction = at.after(Duration::from_millis(250));
        assert_eq!(with_fraction.rfc3339(), "2026-01-31T09:30:00.25Z");
        assert_eq!(with_fraction.rfc3339_millis(), "2026-01-31T09:30:00.250Z");
        assert_eq!(with_fraction.rfc3339_seconds(), "2026-01-31T09:30:00Z");
        assert_eq!(Timestamp::parse("2026-01-31T10:30:00+01:00"), Some(at));
        assert_eq!(Timestamp::parse("2026-01-31"), None);
    }

    #[test]
    fn zones_are_z_offsets_and_names() {
        let at = Timestamp::from_micros(1_769_851_800_000_000);
        assert_eq!(at.in_zone("Z").unwrap(), "2026-01-31T09:30:00.000Z");
        assert_eq!(
            at.in_zone("+05:30").unwrap(),
            "2026-01-31T15:00:00.000+05:30"
        );
        assert_eq!(
            at.in_zone("Europe/Dublin").unwrap(),
            "2026-01-31T09:30:00.000+00:00"
        );
        assert_eq!(at.in_zone("Mars/Base"), None);
        assert_eq!(at.in_zone("+99:00"), None);
    }

    #[test]
    fn a_day_starts_at_midnight_utc() {
        assert_eq!(
            Timestamp::day_start("2026-01-31").unwrap().rfc3339(),
            "2026-01-31T00:00:00Z"
        );
        assert_eq!(Timestamp::day_start("2026-02-30"), None);
        assert_eq!(Timestamp::day_start("2026-1-3"), None);
    }
}
