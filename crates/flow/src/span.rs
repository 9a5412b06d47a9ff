//! Durations in documents: a whole number and a unit, such as `2s`, `15m`, `36h` or `7d`.

use std::time::Duration;

const DAY: u64 = 24 * 60 * 60;
const UNITS: [(char, u64); 4] = [('d', DAY), ('h', 60 * 60), ('m', 60), ('s', 1)];

/// Longest duration: a year. No authorisation lives as long.
const MAX: Duration = Duration::from_secs(365 * DAY);

/// Reads a duration of one second to 365 days; `None` for anything else.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let unit = text.chars().last()?;
    let digits = text.strip_suffix(unit)?;
    // Digits alone, no leading zero: one duration has one spelling per unit.
    if digits.is_empty()
        || digits.len() > 9
        || digits.starts_with('0')
        || !digits.bytes().all(|b| b.is_ascii_digit())
    {
        return None;
    }
    let (_, seconds) = UNITS.into_iter().find(|(known, _)| *known == unit)?;
    let span = Duration::from_secs(digits.parse::<u64>().ok()?.checked_mul(seconds)?);
    (span <= MAX).then_some(span)
}

/// Writes a duration in the largest unit that leaves no rest.
pub(crate) fn write(span: Duration) -> String {
    let seconds = span.as_secs();
    let (unit, size) = UNITS
        .into_iter()
        .find(|(_, size)| seconds.is_multiple_of(*size))
        .unwrap_or(('s', 1));
    format!("{}{unit}", seconds / size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_written() {
        for (text, seconds) in [
            ("2s", 2),
            ("15m", 900),
            ("36h", 129_600),
            ("7d", 604_800),
            ("365d", 31_536_000),
        ] {
            assert_eq!(parse(text), Some(Duration::from_secs(seconds)));
            assert_eq!(write(Duration::from_secs(seconds)), text);
        }
        assert_eq!(write(parse("120s").unwrap()), "2m");
        for text in [
            "",
            "s",
            "0s",
            "01s",
            "-1s",
            "1.5h",
            "1w",
            "366d",
            "99999999999s",
            "1 s",
            "+1s",
            "é",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }
}
