//! A row that a query returned.

use domain::Timestamp;

use crate::{DbError, Value};

/// A row. Columns are counted from 0, in the order of the `select` or `returning` list.
///
/// Errors: [`DbError::Corrupt`] for a column that is not there or of another kind than asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row(Vec<Value>);

impl Row {
    /// A row of these values.
    pub fn new(values: Vec<Value>) -> Self {
        Self(values)
    }

    /// Every column's value, in order.
    pub fn values(&self) -> &[Value] {
        &self.0
    }

    /// Every column's value, moved out of the row.
    pub fn into_values(self) -> Vec<Value> {
        self.0
    }

    /// A whole number.
    pub fn int(&self, index: usize) -> Result<i64, DbError> {
        self.opt_int(index)?.ok_or_else(|| unfit(index, "is null"))
    }

    /// A whole number or nothing.
    pub fn opt_int(&self, index: usize) -> Result<Option<i64>, DbError> {
        match self.0.get(index) {
            Some(Value::Null) => Ok(None),
            Some(Value::Int(number)) => Ok(Some(*number)),
            Some(Value::Text(_)) => Err(unfit(index, "is not a number")),
            None => Err(unfit(index, "is missing")),
        }
    }

    /// Yes or no, stored as 1 or 0.
    pub fn flag(&self, index: usize) -> Result<bool, DbError> {
        match self.int(index)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(unfit(index, "is neither 0 nor 1")),
        }
    }

    /// A point in time, stored in microseconds UTC.
    pub fn time(&self, index: usize) -> Result<Timestamp, DbError> {
        self.int(index).map(Timestamp::from_micros)
    }

    /// A point in time or nothing.
    pub fn opt_time(&self, index: usize) -> Result<Option<Timestamp>, DbError> {
        Ok(self.opt_int(index)?.map(Timestamp::from_micros))
    }

    /// A text.
    pub fn text(&self, index: usize) -> Result<&str, DbError> {
        self.opt_text(index)?.ok_or_else(|| unfit(index, "is null"))
    }

    /// A text or nothing.
    pub fn opt_text(&self, index: usize) -> Result<Option<&str>, DbError> {
        match self.0.get(index) {
            Some(Value::Null) => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Int(_)) => Err(unfit(index, "is not a text")),
            None => Err(unfit(index, "is missing")),
        }
    }

    /// A text, moved out of the row: the column is null afterwards.
    pub fn take_text(&mut self, index: usize) -> Result<String, DbError> {
        self.take_opt_text(index)?
            .ok_or_else(|| unfit(index, "is null"))
    }

    /// A text or nothing, moved out of the row: the column is null afterwards.
    pub fn take_opt_text(&mut self, index: usize) -> Result<Option<String>, DbError> {
        match self
            .0
            .get_mut(index)
            .map(|value| std::mem::replace(value, Value::Null))
        {
            Some(Value::Null) => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Int(_)) => Err(unfit(index, "is not a text")),
            None => Err(unfit(index, "is missing")),
        }
    }
}

/// The error for a column that is not what it should be.
pub(crate) fn unfit(index: usize, what: &str) -> DbError {
    DbError::Corrupt(format!("column {index} {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params;

    #[test]
    fn columns_are_read_by_kind() {
        let mut row = Row::new(params![5, "five", None::<i64>, 1]);
        assert_eq!(row.int(0), Ok(5));
        assert_eq!(row.time(0), Ok(Timestamp::from_micros(5)));
        assert_eq!(row.text(1), Ok("five"));
        assert_eq!(row.opt_int(2), Ok(None));
        assert_eq!(row.opt_text(2), Ok(None));
        assert_eq!(row.opt_time(2), Ok(None));
        assert_eq!(row.flag(3), Ok(true));
        assert_eq!(row.take_text(1), Ok("five".to_owned()));
        assert_eq!(row.opt_text(1), Ok(None));
    }

    #[test]
    fn a_column_of_another_kind_is_an_error_that_names_it() {
        let row = Row::new(params![5, "five", None::<i64>]);
        assert_eq!(
            row.int(1),
            Err(DbError::Corrupt("column 1 is not a number".into()))
        );
        assert_eq!(
            row.text(0),
            Err(DbError::Corrupt("column 0 is not a text".into()))
        );
        assert_eq!(row.int(2), Err(DbError::Corrupt("column 2 is null".into())));
        assert_eq!(
            row.text(3),
            Err(DbError::Corrupt("column 3 is missing".into()))
        );
        assert_eq!(
            row.flag(0),
            Err(DbError::Corrupt("column 0 is neither 0 nor 1".into()))
        );
    }
}
