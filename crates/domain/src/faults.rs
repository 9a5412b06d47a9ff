//! Gathering the mistakes of one input, so that its author mends them in one round.

use serde::{Deserialize, Serialize};

use crate::fault::{Code, Fault};

/// Most mistakes that one fault lists.
pub const FAULTS_MAX: usize = 20;

/// One of several mistakes in an input. Never holds a value from the input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldFault {
    /// Path into the operation's arguments.
    pub field: String,
    /// The rule that it breaks, as a short clause.
    pub reason: String,
}

impl Fault {
    /// Adds the mistakes of another fault to a fault's own, each once and [`FAULTS_MAX`] at most. Only those of the input
    /// join; any other fault stands alone.
    fn join(&mut self, other: &Self) {
        if self.code != Code::Validation || other.code != Code::Validation {
            return;
        }
        let mut all = self.mistakes();
        for mistake in other.mistakes() {
            if all.len() < FAULTS_MAX && !all.contains(&mistake) {
                all.push(mistake);
            }
        }
        if all.len() > 1 {
            self.faults = all;
        }
    }

    /// Its mistakes, be they one or several.
    fn mistakes(&self) -> Vec<FieldFault> {
        match (&self.field, &self.reason) {
            (Some(field), Some(reason)) if self.faults.is_empty() => vec![FieldFault {
                field: field.clone(),
                reason: reason.clone(),
            }],
            _ => self.faults.clone(),
        }
    }
}

/// What was wrong with an input so far. The first fault is the one that is returned; it lists the others.
///
/// Only what does not depend on another mistake may be read after one.
#[derive(Debug, Default)]
pub struct Faults(Option<Fault>);

impl Faults {
    /// Notes a fault.
    pub fn add(&mut self, fault: Fault) {
        match &mut self.0 {
            Some(first) => first.join(&fault),
            None => self.0 = Some(fault),
        }
    }

    /// The value if it is good; else its fault is noted.
    pub fn good<T>(&mut self, read: Result<T, Fault>) -> Option<T> {
        read.map_err(|fault| self.add(fault)).ok()
    }

    /// The same with the type's default in the place of a bad value, which goes nowhere: [`Self::end`] refuses the whole.
    pub fn or_default<T: Default>(&mut self, read: Result<T, Fault>) -> T {
        self.good(read).unwrap_or_default()
    }

    /// Whether no more would be listed.
    pub fn is_full(&self) -> bool {
        let listed = self.0.as_ref().map_or(0, |fault| fault.faults.len());
        listed >= FAULTS_MAX
    }

    /// What was read, if nothing was wrong. Errors: what was noted.
    pub fn end<T>(self, made: impl Into<Option<T>>) -> Result<T, Fault> {
        match (self.0, made.into()) {
            (Some(fault), _) => Err(fault),
            (None, Some(made)) => Ok(made),
            // A parser that makes nothing has noted why.
            (None, None) => Err(Fault::unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathered(faults: impl IntoIterator<Item = Fault>) -> Fault {
        let mut all = Faults::default();
        faults.into_iter().for_each(|fault| all.add(fault));
        all.end(()).unwrap_err()
    }

    fn fields(fault: &Fault) -> Vec<&str> {
        let listed = fault.faults.iter();
        listed.map(|fault| fault.field.as_str()).collect()
    }

    #[test]
    fn one_mistake_is_reported_as_ever_and_stored_as_ever() {
        let one = Fault::invalid("a", "is bad");
        let reported = gathered([one.clone(), one.clone()]);
        assert_eq!(reported, one);
        assert!(!serde_json::to_string(&reported).unwrap().contains("faults"));
    }

    #[test]
    fn the_first_is_reported_and_lists_all_in_their_order() {
        let nested = gathered([
            Fault::invalid("b.c", "is bad"),
            Fault::invalid("b.d", "is worse"),
        ]);
        let reported = gathered([
            Fault::invalid("a", "is bad"),
            nested,
            Fault::invalid("e", "is required"),
        ]);
        assert_eq!(
            (reported.field.as_deref(), reported.reason.as_deref()),
            (Some("a"), Some("is bad"))
        );
        assert_eq!(fields(&reported), ["a", "b.c", "b.d", "e"]);
        let text = serde_json::to_string(&reported).unwrap();
        assert_eq!(serde_json::from_str::<Fault>(&text).unwrap(), reported);
    }

    #[test]
    fn twenty_are_listed_and_what_is_no_mistake_of_the_input_stands_alone() {
        let reported = gathered((0..50).map(|index| Fault::invalid(format!("f{index}"), "is bad")));
        assert_eq!(
            (reported.faults.len(), fields(&reported)[19]),
            (FAULTS_MAX, "f19")
        );
        let missing = Fault::new(Code::CustomerNotFound, "No such customer.");
        let bad = Fault::invalid("a", "is bad");
        assert_eq!(gathered([missing.clone(), bad.clone()]), missing);
        assert_eq!(gathered([bad.clone(), missing]), bad);
    }

    #[test]
    fn what_is_good_is_given_back() {
        let mut faults = Faults::default();
        assert_eq!(faults.or_default(Ok(7)), 7);
        assert!(!faults.is_full());
        assert_eq!(faults.end(3), Ok(3));
        assert!(Faults::default().end::<()>(None).is_err());
    }
}
