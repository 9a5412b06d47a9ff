//! What the desk is asked for.

use domain::dispute::{DisputeReason, DisputeStage, DisputeStatus};

use super::members::Members;
use crate::http::envelope::Envelope;

/// The members of a wish.
const MEMBERS: &str =
    "paymentId, status, lifecycleStage, reason, amount, currencyCode, responseDate";

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
        let mut members = Members::of(body, MEMBERS)?;
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
        members.end()?;
        Ok(wish)
    }
}
