//! The parts of Adyen's answers that are read. Source: docs/processors/adyen.md, "Results"; unknown members are passed over, since Adyen
//! adds members within a version.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// `Amount`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Amount {
    pub(super) value: i64,
    pub(super) currency: String,
}

/// What an account shows besides: texts by their names.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub(super) struct Additional(BTreeMap<String, Value>);

impl Additional {
    /// A member that is a text with something in it.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let text = self.0.get(name)?.as_str()?.trim();
        (!text.is_empty()).then_some(text)
    }
}

/// `PaymentResponse` and `PaymentDetailsResponse`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Paid {
    pub(super) result_code: String,
    pub(super) psp_reference: Option<String>,
    pub(super) merchant_reference: Option<String>,
    pub(super) amount: Option<Amount>,
    pub(super) refusal_reason: Option<String>,
    pub(super) refusal_reason_code: Option<String>,
    #[serde(default)]
    pub(super) additional_data: Option<Additional>,
    pub(super) fraud_result: Option<FraudResult>,
    pub(super) action: Option<Action>,
}

/// `StoredPaymentMethodResource`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Kept {
    pub(super) id: String,
    pub(super) shopper_reference: Option<String>,
}

/// `FraudResult`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FraudResult {
    pub(super) account_score: Option<i64>,
}

/// What the customer must do.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Action {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) method: Option<String>,
    pub(super) payment_method_type: Option<String>,
    pub(super) url: Option<String>,
}

/// The answer to a capture, a cancellation or a refund.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Received {
    pub(super) status: String,
    pub(super) psp_reference: String,
    pub(super) payment_psp_reference: Option<String>,
    pub(super) payment_reference: Option<String>,
    pub(super) reference: Option<String>,
    pub(super) amount: Option<Amount>,
}

/// `ServiceError`. Its message may quote what was sent, and is not read.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ServiceError {
    pub(super) error_code: Option<String>,
    pub(super) error_type: Option<String>,
}
