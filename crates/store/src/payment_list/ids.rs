//! Ranges of dates as ranges of ids.

use domain::{Timestamp, dated::id_floor, filter::Span};

use crate::query::Conditions;

/// The last millisecond that the 48 bits of a UUID of version 7 can hold. Source: RFC 9562, section 5.7.
const LAST_MILLI: i64 = (1 << 48) - 1;

/// After every id of the same beginning, before every greater one: ids have one length and no character less than this.
const AFTER: char = '!';
/// Before every id.
const FIRST: &str = "";
/// After every id, which has digits up to `f`.
const END: &str = "g";

/// A range of ids: from the first text on, until before the second. An id begins with the hexadecimal digits of its
/// millisecond, so a text of these alone stands before every id of that millisecond and after those of the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IdRange {
    from: Option<String>,
    until: Option<String>,
}

impl IdRange {
    /// Every id.
    pub(super) const ALL: Self = Self {
        from: None,
        until: None,
    };

    /// The ids of payments whose date is in the span. `None`: there can be none.
    pub(super) fn of(span: Span) -> Option<Self> {
        // Dates have whole milliseconds.
        let first = span.min.map_or(0, |min| {
            min.div_euclid(1000) + i64::from(min.rem_euclid(1000) > 0)
        });
        let last = span.max.map_or(LAST_MILLI, |max| max.div_euclid(1000));
        if first > last || first > LAST_MILLI || last < 0 {
            return None;
        }
        let from = (first > 0).then(|| prefix(first));
        let until = (last < LAST_MILLI).then(|| prefix(last + 1));
        Some(Self { from, until })
    }

    /// One id.
    pub(super) fn only(id: &str) -> Self {
        Self {
            from: Some(id.to_owned()),
            until: Some(after(id)),
        }
    }

    /// The ids greater than `id`, which is itself among them when it is `included`.
    pub(super) fn above(id: &str, included: bool) -> Self {
        Self {
            from: Some(if included { id.to_owned() } else { after(id) }),
            until: None,
        }
    }

    /// The ids less than `id`, which is itself among them when it is `included`.
    pub(super) fn below(id: &str, included: bool) -> Self {
        Self {
            from: None,
            until: Some(if included { after(id) } else { id.to_owned() }),
        }
    }

    /// The least range that holds all of these.
    pub(super) fn around(ranges: &[Self]) -> Self {
        let from = ranges
            .iter()
            .map(|range| range.from.clone())
            .min()
            .flatten();
        let ends: Option<Vec<&String>> = ranges.iter().map(|range| range.until.as_ref()).collect();
        Self {
            from,
            until: ends.and_then(|ends| ends.into_iter().max().cloned()),
        }
    }

    /// The ids of payments that are dated before this.
    pub(super) fn before(until: Timestamp) -> Self {
        Self {
            from: None,
            until: Some(id_floor(until)),
        }
    }

    /// What is in both.
    pub(super) fn and(self, other: Self) -> Self {
        let until = [self.until, other.until].into_iter().flatten().min();
        Self {
            from: self.from.max(other.from),
            until,
        }
    }

    /// Whether every id is in it.
    pub(super) fn is_all(&self) -> bool {
        *self == Self::ALL
    }

    /// Adds the condition that an id is in the range.
    pub(super) fn hold(&self, conditions: &mut Conditions) {
        if !self.is_all() {
            let text = self.text(conditions);
            conditions.and(&text);
        }
    }

    /// Adds the condition that an id is not in the range.
    pub(super) fn exclude(&self, conditions: &mut Conditions) {
        let text = self.text(conditions);
        conditions.and(&format!("not ({text})"));
    }

    /// Adds the condition that `column` has the value and the id is in the range, as one range of both columns: given
    /// apart, an id's range makes SQLite prefer the primary key to the column's index.
    pub(super) fn hold_with(&self, column: &str, value: &str, conditions: &mut Conditions) {
        let value = conditions.bind(value);
        let from = conditions.bind(self.from.as_deref().unwrap_or(FIRST));
        let until = conditions.bind(self.until.as_deref().unwrap_or(END));
        // The index has no rows without a value, and a database must see that none is asked for.
        conditions.and(&format!("{column} is not null"));
        conditions.and(&format!("({column}, payment_id) >= ({value}, {from})"));
        conditions.and(&format!("({column}, payment_id) < ({value}, {until})"));
    }

    /// The condition; the range must have an end.
    fn text(&self, conditions: &mut Conditions) -> String {
        let from = self
            .from
            .as_deref()
            .map(|from| format!("payment_id >= {}", conditions.bind(from)));
        let until = self
            .until
            .as_deref()
            .map(|until| format!("payment_id < {}", conditions.bind(until)));
        let parts: Vec<String> = from.into_iter().chain(until).collect();
        parts.join(" and ")
    }
}

/// Adds the condition that an id is in one of the ranges. The range around them all is another condition.
pub(super) fn hold_any(ranges: &[IdRange], conditions: &mut Conditions) {
    if ranges.len() > 1 && !ranges.iter().any(IdRange::is_all) {
        let none: Vec<String> = ranges
            .iter()
            .map(|range| format!("not ({})", range.text(conditions)))
            .collect();
        // Not an `or`, for which SQLite would read each range by itself and sort what it found.
        conditions.and(&format!("not ({})", none.join(" and ")));
    }
}

fn after(id: &str) -> String {
    let mut text = id.to_owned();
    text.push(AFTER);
    text
}

#[expect(
    clippy::cast_sign_loss,
    reason = "a millisecond of the range is not negative"
)]
fn prefix(milli: i64) -> String {
    let milli = milli as u64;
    format!("{:08x}-{:04x}", milli >> 16, milli & 0xffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The range as `from..until`.
    fn range(min: Option<i64>, max: Option<i64>) -> Option<String> {
        let range = IdRange::of(Span { min, max })?;
        Some(format!(
            "{}..{}",
            range.from.unwrap_or_default(),
            range.until.unwrap_or_default()
        ))
    }

    #[test]
    fn a_range_of_dates_is_a_range_of_ids_to_the_millisecond() {
        let milli: i64 = 0x0192_0000_0001;
        let micros = milli * 1000;
        assert_eq!(
            range(Some(micros), Some(micros)).as_deref(),
            Some("01920000-0001..01920000-0002")
        );
        assert_eq!(
            range(Some(micros), Some(micros + 999)).as_deref(),
            Some("01920000-0001..01920000-0002")
        );
        assert_eq!(
            range(Some(micros - 999), Some(micros)).as_deref(),
            Some("01920000-0001..01920000-0002")
        );
        assert_eq!(
            range(Some(micros + 1), None).as_deref(),
            Some("01920000-0002..")
        );
        assert_eq!(
            range(Some(micros + 1), Some(micros + 999)),
            None,
            "no date is between two milliseconds"
        );
    }

    #[test]
    fn the_ids_on_either_side_of_one_are_ranges_too() {
        let ids = [
            "01920000-0001-7000-8000-000000000000",
            "01920000-0001-7000-8000-000000000001",
            "ffffffff-ffff-7fff-bfff-ffffffffffff",
        ];
        let held = |range: &IdRange| -> Vec<usize> {
            let in_it = |id: &str| {
                range.from.as_deref().is_none_or(|from| id >= from)
                    && range.until.as_deref().unwrap_or(END) > id
            };
            (0..ids.len()).filter(|n| in_it(ids[*n])).collect()
        };
        assert_eq!(held(&IdRange::ALL), [0, 1, 2]);
        assert_eq!(held(&IdRange::only(ids[1])), [1]);
        assert_eq!(held(&IdRange::above(ids[1], false)), [2]);
        assert_eq!(held(&IdRange::above(ids[1], true)), [1, 2]);
        assert_eq!(held(&IdRange::below(ids[1], false)), [0]);
        assert_eq!(held(&IdRange::below(ids[1], true)), [0, 1]);
        assert_eq!(
            held(&IdRange::above(ids[0], false).and(IdRange::below(ids[2], false))),
            [1]
        );
        assert_eq!(held(&IdRange::above(ids[2], false)), Vec::<usize>::new());
    }

    #[test]
    fn ends_that_no_id_can_reach_are_open_or_leave_nothing() {
        assert_eq!(range(None, None).as_deref(), Some(".."));
        assert_eq!(range(Some(i64::MIN), Some(i64::MAX)).as_deref(), Some(".."));
        assert_eq!(range(Some(-5), Some(0)).as_deref(), Some("..00000000-0001"));
        assert_eq!(range(None, Some(-1)), None);
        assert_eq!(range(Some(i64::MAX), None), None);
        assert_eq!(
            range(Some(LAST_MILLI * 1000), None).as_deref(),
            Some("ffffffff-ffff..")
        );
    }
}
