//! From `{value, selectedVerb}` to a condition.

use serde_json::Value;
use std::time::Duration;

use super::condition::{Condition, Operand};
use super::{Arity, FieldKind, FieldName, FilterField, Verb};
use crate::bounded::bounded;
use crate::country::Country;
use crate::id::CustomerId;
use crate::long::parse_long;
use crate::method::Method;
use crate::money::Currency;
use crate::payment::Status;
use crate::{Fault, Timestamp};

/// Most values of a list.
const LIST_MAX: usize = 100;
/// Longest text. Unit: characters.
const TEXT_MAX: usize = 255;
/// From the first microsecond of a day to its last.
const DAY: Duration = Duration::from_micros(86_399_999_999);

/// Reads a filter; `None` when it filters nothing (absent, or `ALL`).
///
/// Without a verb, a list means `IN_LIST` and anything else `EQUALS`. Text is compared in its one spelling: countries
/// may be given as alpha-2 or alpha-3, wallets under either of their names.
///
/// Errors: `error.validation` for the filter's `value` or `selectedVerb`.
pub fn parse<F: FilterField>(
    field: F,
    value: Option<&Value>,
    verb: Option<&str>,
) -> Result<Option<Condition<F>>, Fault> {
    let value = value.filter(|value| !value.is_null());
    let verb = match (verb, value) {
        (Some(text), _) => allowed(field, text)?,
        (None, None) => return Ok(None),
        (None, Some(Value::Array(_))) => Verb::InList,
        (None, Some(_)) => Verb::Equals,
    };
    let reader = Reader { field, verb };
    let operands = reader.operands(value)?;
    if verb == Verb::All {
        return Ok(None);
    }
    Ok(Some(Condition::new(field, verb, operands, value.cloned())))
}

fn allowed(field: impl FilterField, text: &str) -> Result<Verb, Fault> {
    let allowed = field.kind().verbs();
    let known = Verb::parse(text).filter(|verb| allowed.contains(verb));
    known.ok_or_else(|| {
        let verbs: Vec<&str> = allowed.iter().map(|verb| verb.code()).collect();
        Fault::invalid(
            format!("{}.selectedVerb", field.path()),
            format!("must be one of {}", verbs.join(", ")),
        )
    })
}

/// Reads the values of one filter.
struct Reader<F> {
    field: F,
    verb: Verb,
}

impl<F: FilterField> Reader<F> {
    fn operands(&self, value: Option<&Value>) -> Result<Vec<Operand>, Fault> {
        match (self.verb.arity(), value) {
            (Arity::Nothing, None) => Ok(Vec::new()),
            (Arity::Nothing, Some(_)) => Err(self.misfit("must be absent with this verb")),
            (Arity::Scalar, None | Some(Value::Array(_))) => {
                Err(self.misfit("must be one value with this verb"))
            }
            (Arity::Scalar, Some(one)) => Ok(vec![self.operand(one)?]),
            (Arity::Pair, Some(Value::Array(values))) => self.pair(values),
            (Arity::Pair, _) => Err(self.misfit("must be a list of two values with this verb")),
            (Arity::List, Some(Value::Array(values))) => self.list(values),
            (Arity::List, _) => Err(self.misfit("must be a list of values with this verb")),
        }
    }

    fn pair(&self, values: &[Value]) -> Result<Vec<Operand>, Fault> {
        let [from, to] = values else {
            return Err(self.misfit("must be a list of two values with this verb"));
        };
        let (from, to) = (self.operand(from)?, self.operand(to)?);
        let reversed = match (&from, &to) {
            (Operand::Int(from), Operand::Int(to)) => from > to,
            (Operand::Time { first, .. }, Operand::Time { last, .. }) => first > last,
            _ => false,
        };
        if reversed {
            return Err(self.misfit("must have its lesser value first"));
        }
        Ok(vec![from, to])
    }

    fn list(&self, values: &[Value]) -> Result<Vec<Operand>, Fault> {
        if values.is_empty() || values.len() > LIST_MAX {
            return Err(self.misfit(&format!("must have from 1 to {LIST_MAX} values")));
        }
        values.iter().map(|value| self.operand(value)).collect()
    }

    fn operand(&self, value: &Value) -> Result<Operand, Fault> {
        match self.field.kind() {
            FieldKind::Int => parse_long(value)
                .map(Operand::Int)
                .ok_or_else(|| self.misfit("must be an integer in minor units")),
            FieldKind::Time => {
                let time = value.as_str().and_then(time);
                time.ok_or_else(|| {
                    self.misfit("must be a time as RFC 3339 has it, or a day as YYYY-MM-DD")
                })
            }
            FieldKind::Text => {
                let text = value
                    .as_str()
                    .ok_or_else(|| self.misfit("must be a text"))?;
                self.text(text).map(Operand::Text)
            }
        }
    }

    fn text(&self, text: &str) -> Result<String, Fault> {
        let text = bounded(text.to_owned(), &self.path(), TEXT_MAX)?;
        if text.is_empty() {
            return Err(self.misfit("must not be empty"));
        }
        if self.verb == Verb::Contains {
            return Ok(text);
        }
        self.field
            .spelling(text)
            .map_err(|reason| self.misfit(&reason))
    }

    fn path(&self) -> String {
        self.field.value_path()
    }

    fn misfit(&self, reason: &str) -> Fault {
        Fault::invalid(self.path(), reason)
    }
}

fn time(text: &str) -> Option<Operand> {
    match Timestamp::day_start(text) {
        Some(first) => Some(Operand::Time {
            first,
            last: first.after(DAY),
        }),
        None => Timestamp::parse(text).map(|time| Operand::Time {
            first: time,
            last: time,
        }),
    }
}

/// The one spelling of a field's value, or why it can't be one.
fn spelling(field: FieldName, text: String) -> Result<String, String> {
    let owned = str::to_owned;
    match field {
        FieldName::Currency => Currency::parse(&text)
            .map(|currency| owned(currency.code()))
            .ok_or_else(|| owned("must be a currency of ISO 4217 in capitals")),
        FieldName::Country => Country::parse(&text)
            .map(|country| owned(country.alpha2()))
            .ok_or_else(|| owned("must be a country of ISO 3166-1")),
        FieldName::Method => Method::parse(&text)
            .map(|method| owned(method.canonical().code()))
            .ok_or_else(|| one_of_these(Method::ALL.iter().map(|method| method.code()))),
        FieldName::Status => Status::parse(&text)
            .map(|status| owned(status.text()))
            .ok_or_else(|| one_of_these(Status::ALL.iter().map(|status| status.text()))),
        FieldName::CustomerId => CustomerId::parse(&text)
            .map(CustomerId::key)
            .ok_or_else(|| owned("must be a customer's id")),
        FieldName::Type => one_of(text, &["PAYMENT", "PAYOUT", "TRANSFER"]),
        FieldName::IntentStatus => one_of(text, &["ACTIVE", "INACTIVE", "COMPLETE"]),
        FieldName::Date
        | FieldName::DateRange
        | FieldName::Amount
        | FieldName::Gateway
        | FieldName::ConnectionId
        | FieldName::FlowId
        | FieldName::Category
        | FieldName::OrderId => Ok(text),
    }
}

impl FilterField for FieldName {
    fn kind(self) -> FieldKind {
        Self::kind(self)
    }

    fn path(self) -> String {
        Self::path(self)
    }

    fn value_path(self) -> String {
        // Not a filter of the form {value, selectedVerb}, but an argument of its own.
        if self == Self::CustomerId {
            return Self::path(self);
        }
        format!("{}.value", Self::path(self))
    }

    fn spelling(self, text: String) -> Result<String, String> {
        spelling(self, text)
    }
}

fn one_of(text: String, values: &[&str]) -> Result<String, String> {
    if values.contains(&text.as_str()) {
        Ok(text)
    } else {
        Err(one_of_these(values.iter().copied()))
    }
}

/// The rule of a field with few values.
fn one_of_these<'a>(values: impl Iterator<Item = &'a str>) -> String {
    let values: Vec<&str> = values.collect();
    format!("must be one of {}", values.join(", "))
}
