//! How an authorisation ended, and why.

use domain::{
    Fault,
    answer::{Answer, Approval},
    decline::{Decline, DeclineCode},
    payment::Payment,
};
use serde_json::{Map, Value};

use crate::executor::{Object, Out, unknown_field};

/// `PaymentOutcome`: of the latest attempt, or of the flow that declined.
pub(super) struct Outcome<'a> {
    pub(super) payment: &'a Payment,
    pub(super) said: Said<'a>,
}

/// Who said how it ends.
pub(super) enum Said<'a> {
    Answer(&'a Answer),
    Rule(&'a Decline),
    /// Nobody: why no processor was asked, or what proves that nothing happened there.
    Nothing(&'a str),
}

impl Object for Outcome<'_> {
    fn type_name(&self) -> &'static str {
        "PaymentOutcome"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let approval = self.payment.approval();
        let decline = self.payment.decline();
        Ok(match name {
            "networkStatus" => approval
                .and_then(|approval| approval.network_status.as_deref())
                .into(),
            "reason" => self.reason().into(),
            "riskLevel" => approval
                .and_then(|approval| approval.risk_level.as_deref())
                .into(),
            "riskScore" => approval.and_then(risk_score).into(),
            "type" => self.kind().into(),
            "declineCode" => decline.map(|decline| decline.code.code()).into(),
            "declineType" => decline.map(|decline| decline.kind.code()).into(),
            "processorDeclineCode" => decline
                .and_then(|decline| decline.processor_code.as_deref())
                .into(),
            "processorDeclineType" => decline
                .and_then(|decline| decline.processor_type.as_deref())
                .into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

impl Outcome<'_> {
    const fn kind(&self) -> &'static str {
        match self.said {
            Said::Answer(Answer::Approved { .. }) => "AUTHORISED",
            Said::Answer(Answer::Held { .. }) => "MANUAL_REVIEW",
            Said::Answer(Answer::ActionRequired { .. }) => "ACTION_REQUIRED",
            Said::Answer(Answer::Declined { .. }) | Said::Rule(_) => "DECLINED",
            Said::Answer(Answer::Failed { .. }) | Said::Nothing(_) => "FAILED",
        }
    }

    /// The reason in words: of a decline its code (`Insufficient funds`), of a failure what failed.
    fn reason(&self) -> Option<String> {
        match self.said {
            Said::Answer(Answer::Declined { decline, .. }) | Said::Rule(decline) => {
                Some(words(decline.code.code()))
            }
            Said::Answer(Answer::Failed { reason }) => Some(capitalised(reason)),
            Said::Nothing(reason) => Some(capitalised(reason)),
            Said::Answer(
                Answer::Approved { .. } | Answer::Held { .. } | Answer::ActionRequired { .. },
            ) => None,
        }
    }
}

/// `INSUFFICIENT_FUNDS` as `Insufficient funds`, `INVALID_CVC` as `Invalid CVC`.
fn words(code: &str) -> String {
    if code == DeclineCode::ThreeDSecure.code() {
        return "3D Secure".to_owned();
    }
    let words: Vec<String> = code
        .split('_')
        .map(|word| match word {
            "CVC" | "PIN" => word.to_owned(),
            other => other.to_ascii_lowercase(),
        })
        .collect();
    capitalised(&words.join(" "))
}

/// The text with a capital at its beginning.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_ascii_uppercase())
        .into_iter()
        .chain(letters)
        .collect()
}

/// Hundredths as a number with two decimals, without arithmetic in floats.
fn risk_score(approval: &Approval) -> Option<Value> {
    let hundredths = approval.risk_score_hundredths?;
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, rest) = (
        hundredths.unsigned_abs() / 100,
        hundredths.unsigned_abs() % 100,
    );
    serde_json::from_str(&format!("{sign}{whole}.{rest:02}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_words_with_a_capital() {
        for (code, reason) in [
            (DeclineCode::InsufficientFunds, "Insufficient funds"),
            (DeclineCode::InvalidCvc, "Invalid CVC"),
            (
                DeclineCode::OfflineOrOnlinePinRequired,
                "Offline or online PIN required",
            ),
            (DeclineCode::ThreeDSecure, "3D Secure"),
        ] {
            assert_eq!(words(code.code()), reason);
        }
        assert_eq!(
            capitalised("the processor had a technical failure"),
            "The processor had a technical failure"
        );
        assert_eq!(capitalised(""), "");
    }
}
