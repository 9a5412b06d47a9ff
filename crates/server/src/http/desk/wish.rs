//! What the desk is asked for.

use domain::{
    Code,
    dispute::{DisputeReason, DisputeStage, DisputeStatus},
    processor_text::processor_text,
};
use serde_json::{Map, Value};

use super::refused;
use crate::http::envelope::Envelope;

/// The members of a wish.
const MEMBERS: &str =
    "paymentId, status, lifecycleStage, reason, amount, currencyCode, responseDate";
/// Longest name of a member that an answer repeats. Unit: characters.
const NAME_MAX: usize = 64;

/// What the desk wants.
#[derive(Debug)]
pub(super) struct Wish {
    /// The payment, to open a dispute of it.
    pub(super) payment_id: Option<String>,
    pub(super) status: Option<DisputeStatus>,
    pub(super) lifecycle_stage: Option<DisputeStage>,
    pub(super) reason: Option<DisputeReason>,
    /// In minor units.
    pub(super) amount: Option<i64>,
    pub(super) currency_code: Option<String>,
    /// RFC 3339.
    pub(super) response_date: Option<String>,
}

impl Wish {
    /// Reads a body. The error names the member and what it may be.
    pub(super) fn read(body: &[u8]) -> Result<Self, Envelope> {
        let Ok(Value::Object(members)) = serde_json::from_slice(body) else {
            let message = format!("The body must be a JSON object with members of {MEMBERS}.");
            return Err(Envelope::malformed(Code::Validation, message));
        };
        let mut members = Members(members);
        let wish = Self {
            payment_id: members.text("paymentId")?,
            status: members.word("status", DisputeStatus::ALL, DisputeStatus::parse)?,
            lifecycle_stage: members.word(
                "lifecycleStage",
                DisputeStage::ALL,
                DisputeStage::parse,
            )?,
            reason: members.word("reason", DisputeReason::ALL, DisputeReason::parse)?,
            amount: members.amount("amount")?,
            currency_code: members.text("currencyCode")?,
            response_date: members.text("responseDate")?,
        };
        match members.0.keys().next() {
            None => Ok(wish),
            Some(unknown) => {
                let rule = format!("is no member of this body, which may have {MEMBERS}");
                Err(refused(&processor_text(unknown, NAME_MAX), &rule))
            }
        }
    }
}

/// The members of a body that are not read yet.
struct Members(Map<String, Value>);

impl Members {
    fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name).filter(|value| !value.is_null())
    }

    fn text(&mut self, name: &str) -> Result<Option<String>, Envelope> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(refused(name, "must be a text")),
        }
    }

    fn amount(&mut self, name: &str) -> Result<Option<i64>, Envelope> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let amount = value.as_i64();
        amount
            .map(Some)
            .ok_or_else(|| refused(name, "must be a whole number of minor units"))
    }

    /// One of the words of an enumeration.
    fn word<T: Copy + std::fmt::Display>(
        &mut self,
        name: &str,
        all: &[T],
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Envelope> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        value.as_str().and_then(parse).map(Some).ok_or_else(|| {
            let words: Vec<String> = all.iter().map(T::to_string).collect();
            refused(name, &format!("must be one of {}", words.join(", ")))
        })
    }
}
