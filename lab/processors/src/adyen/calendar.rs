//! Dates as Adyen writes them.

use std::time::Duration;

const DAY: u64 = 24 * 3600;
/// Adyen writes times with the offset of Amsterdam; the simulator knows no summer.
const OFFSET: u64 = 3600;

/// Year, month and day of a time since the beginning of 1970, in UTC.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`, for days since 1970.
pub(super) fn civil(time: Duration) -> (i64, u32, u32) {
    let days = i64::try_from(time.as_secs() / DAY)
        .unwrap_or(0)
        .saturating_add(719_468);
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let small = |number: i64| u32::try_from(number).unwrap_or(1);
    (year, small(month), small(day))
}

/// A time with an offset, as in `eventDate`.
pub(super) fn written(time: Duration) -> String {
    let local = time.saturating_add(Duration::from_secs(OFFSET));
    let (year, month, day) = civil(local);
    let seconds = local.as_secs() % DAY;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}+01:00")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_with_their_offset() {
        for (seconds, text) in [
            (0, "1970-01-01T01:00:00+01:00"),
            (951_782_399, "2000-02-29T00:59:59+01:00"),
            (1_795_000_000, "2026-11-18T12:06:40+01:00"),
            (4_102_444_799, "2100-01-01T00:59:59+01:00"),
        ] {
            assert_eq!(written(Duration::from_secs(seconds)), text);
        }
        assert_eq!(civil(Duration::from_secs(951_782_399)), (2000, 2, 28));
    }
}
