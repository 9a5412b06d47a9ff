//! The month in which a card expires.

use std::time::Duration;

use jiff::{civil::Date, tz::TimeZone};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Timestamp;

/// How far the latest time zone (UTC−12, Baker Island) is behind UTC.
const LATEST_ZONE: Duration = Duration::from_hours(12);

/// A card's last month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct Expiry {
    // The order of the fields makes the order of values that of time.
    year: i16,
    month: i8,
}

/// The stored form, read through [`Expiry::parse`] so that no impossible month comes in by that way either.
#[derive(Serialize, Deserialize)]
struct Parts {
    month: i32,
    year: i32,
}

/// Why a month and a year are no expiry, as a clause about the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ExpiryError {
    /// The month.
    #[error("must be from 1 to 12")]
    Month,
    /// The year.
    #[error("must have four digits")]
    Year,
}

impl Expiry {
    /// Reads a month from 1 to 12 and a year of four digits. Errors: `Month`, `Year`.
    pub fn parse(month: i32, year: i32) -> Result<Self, ExpiryError> {
        let month = i8::try_from(month)
            .ok()
            .filter(|month| (1..=12).contains(month))
            .ok_or(ExpiryError::Month)?;
        let year = i16::try_from(year)
            .ok()
            .filter(|year| (1000..=9999).contains(year))
            .ok_or(ExpiryError::Year)?;
        Ok(Self { year, month })
    }

    /// The month, 1 to 12.
    pub fn month(self) -> i32 {
        i32::from(self.month)
    }

    /// The year, four digits.
    pub fn year(self) -> i32 {
        i32::from(self.year)
    }

    /// Whether the card has expired: its month has ended everywhere on Earth.
    pub fn expired_at(self, now: Timestamp) -> bool {
        // The month after December 9999 can't be represented: such a card never expires.
        self.end().is_some_and(|end| now >= end)
    }

    /// Months from that of `now`, in UTC, to the card's last one; negative once that is over.
    pub fn months_left(self, now: Timestamp) -> i32 {
        let instant = jiff::Timestamp::from_microsecond(now.micros()).unwrap_or_default();
        let today = TimeZone::UTC.to_datetime(instant);
        let years = self.year().saturating_sub(i32::from(today.year()));
        let months = self.month().saturating_sub(i32::from(today.month()));
        years.saturating_mul(12).saturating_add(months)
    }

    /// `MM/YYYY`.
    pub fn display(self) -> String {
        format!("{:02}/{:04}", self.month, self.year)
    }

    /// The end of the month in the latest time zone.
    fn end(self) -> Option<Timestamp> {
        let (year, month) = match self.month {
            12 => (self.year.checked_add(1)?, 1),
            month => (self.year, month.checked_add(1)?),
        };
        let next = Date::new(year, month, 1)
            .ok()?
            .to_zoned(TimeZone::UTC)
            .ok()?;
        Some(Timestamp::from_micros(next.timestamp().as_microsecond()).after(LATEST_ZONE))
    }
}

impl TryFrom<Parts> for Expiry {
    type Error = ExpiryError;

    fn try_from(parts: Parts) -> Result<Self, ExpiryError> {
        Self::parse(parts.month, parts.year)
    }
}

impl From<Expiry> for Parts {
    fn from(expiry: Expiry) -> Self {
        Self {
            month: expiry.month(),
            year: expiry.year(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    #[test]
    fn months_and_years_are_checked() {
        assert_eq!(Expiry::parse(11, 2033).unwrap().display(), "11/2033");
        assert_eq!(Expiry::parse(1, 2033).unwrap().display(), "01/2033");
        for month in [0, 13, -1, i32::MAX] {
            assert_eq!(Expiry::parse(month, 2033), Err(ExpiryError::Month));
        }
        for year in [0, 33, 999, 10000, -2033, i32::MIN] {
            assert_eq!(Expiry::parse(11, year), Err(ExpiryError::Year));
        }
    }

    #[test]
    fn months_are_counted_to_the_last_one() {
        let expiry = Expiry::parse(2, 2027).unwrap();
        for (now, left) in [
            ("2027-02-28T23:59:59Z", 0),
            ("2027-03-01T00:00:00Z", -1),
            ("2026-12-01T00:00:00Z", 2),
            ("2017-02-01T00:00:00Z", 120),
        ] {
            assert_eq!(expiry.months_left(at(now)), left, "{now}");
        }
    }

    #[test]
    fn a_card_is_valid_to_the_end_of_its_month_in_the_latest_time_zone() {
        let expiry = Expiry::parse(1, 2026).unwrap();
        assert!(!expiry.expired_at(at("2026-01-31T23:59:59Z")));
        assert!(!expiry.expired_at(at("2026-02-01T11:59:59.999999Z")));
        assert!(expiry.expired_at(at("2026-02-01T12:00:00Z")));
        let december = Expiry::parse(12, 2025).unwrap();
        assert!(!december.expired_at(at("2026-01-01T11:59:59Z")));
        assert!(december.expired_at(at("2026-01-01T12:00:00Z")));
    }

    #[test]
    fn the_last_month_that_can_be_written_never_ends() {
        assert!(
            !Expiry::parse(12, 9999)
                .unwrap()
                .expired_at(Timestamp::from_micros(i64::MAX))
        );
    }

    #[test]
    fn order_is_that_of_time() {
        assert!(Expiry::parse(12, 2025).unwrap() < Expiry::parse(1, 2026).unwrap());
    }

    #[test]
    fn the_stored_form_is_checked_too() {
        let expiry = Expiry::parse(11, 2033).unwrap();
        let json = serde_json::to_string(&expiry).unwrap();
        assert_eq!(json, r#"{"month":11,"year":2033}"#);
        assert_eq!(serde_json::from_str::<Expiry>(&json).unwrap(), expiry);
        assert!(serde_json::from_str::<Expiry>(r#"{"month":13,"year":2033}"#).is_err());
    }
}
