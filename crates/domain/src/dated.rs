//! Ids that are made of a date: their order is that of time.

use uuid::Uuid;

use crate::Timestamp;

/// Twelve bits of an id hold which part of its millisecond it is of. Source: RFC 9562, section 6.2, method 3.
const PARTS: i64 = 4096;

/// The milliseconds of a date since the epoch, and the part of the last one. Different microseconds are different parts.
fn split(at: Timestamp) -> (u64, u16) {
    let micros = at.micros().max(0);
    let part = micros
        .rem_euclid(1000)
        .saturating_mul(PARTS)
        .div_euclid(1000);
    let millis = micros.div_euclid(1000);
    (
        u64::try_from(millis).unwrap_or(0),
        u16::try_from(part).unwrap_or(0),
    )
}

/// The id of something that is dated `at`: a UUID of version 7 whose order is that of dates, to the microsecond.
pub fn id_at(at: Timestamp, mut random: [u8; 10]) -> Uuid {
    let (millis, part) = split(at);
    let [first, second, ..] = &mut random;
    [*first, *second] = part.to_be_bytes();
    uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
}

/// What the ids of everything dated `at` or later are greater than, and all earlier ones are not: the beginning of a hyphenated id.
pub fn id_floor(at: Timestamp) -> String {
    let mut text = id_at(at, [0; 10]).hyphenated().to_string();
    text.truncate("00000000-0000-7000".len());
    text
}

/// The date of an id in whole milliseconds, as lists tell it; `None` for an id without a date.
pub fn date_of(id: Uuid) -> Option<Timestamp> {
    let (seconds, nanos) = id.get_timestamp()?.to_unix();
    let micros = i64::try_from(seconds).ok()?.checked_mul(1_000_000)?;
    Some(Timestamp::from_micros(
        micros.checked_add(i64::from(nanos).div_euclid(1000))?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_ordered_as_their_dates_are_to_the_microsecond() {
        let at = |micros: i64| Timestamp::from_micros(1_767_225_600_000_000 + micros);
        let mut ids: Vec<Uuid> = (0..3000)
            .map(|n| id_at(at(n), [if n % 2 == 0 { 255 } else { 0 }; 10]))
            .collect();
        assert!(ids.is_sorted());
        ids.dedup();
        assert_eq!(ids.len(), 3000);
        for n in [0, 1, 999, 1000, 1001] {
            let (floor, id) = (id_floor(at(n)), id_at(at(n), [0; 10]).to_string());
            let before = id_at(at(n - 1), [255; 10]).to_string();
            assert!(before < floor && floor < id, "{before} {floor} {id}");
        }
        assert_eq!(ids[0].get_version_num(), 7);
        assert_eq!(date_of(ids[1999]), Some(at(1000)));
        assert_eq!(date_of(Uuid::nil()), None);
    }
}
