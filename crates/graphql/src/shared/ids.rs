//! Ids: a text that can't be one names nothing, so it is not found; the message says what an id looks like.

use domain::{
    Fault,
    id::{
        AttachmentId, ConnectionId, CustomerId, DisputeId, FlowId, IntentId, PaymentId, VaultToken,
    },
};
use engine::faults;
use serde_json::{Map, Value};
use uuid::Uuid;

/// What a payment's id looks like.
const PAYMENT: &str = "payments:0192c1d4-7a3b-7c4e-9f21-6b8d5e0a1c34";
/// What an id without a prefix looks like.
const UUID: &str = "0192c1d4-7a3b-7c4e-9f21-6b8d5e0a1c34";

/// The fault of a text that can't be an id: most likely it is a number of the merchant's own.
fn no_id(fault: Fault, example: &str) -> Fault {
    let message = format!(
        "{} An id looks like {example}; a number of your own, such as an order's, is not one.",
        fault.message
    );
    Fault { message, ..fault }
}

/// A payment's id, with or without its prefix. Errors: `error.payment.not-found`.
pub(crate) fn payment(text: &str) -> Result<PaymentId, Fault> {
    PaymentId::parse(text).ok_or_else(|| no_id(faults::payment_not_found(), PAYMENT))
}

/// A customer's id. Errors: `error.customer.not-found`.
pub(crate) fn customer(text: &str) -> Result<CustomerId, Fault> {
    CustomerId::parse(text).ok_or_else(|| no_id(faults::customer_not_found(), UUID))
}

/// A vault token. Errors: `error.payment-method.not-found`.
pub(crate) fn token(text: &str) -> Result<VaultToken, Fault> {
    VaultToken::parse(text).ok_or_else(faults::method_not_found)
}

/// An intent's id. Errors: `error.intent.not-found`.
pub(crate) fn intent(text: &str) -> Result<IntentId, Fault> {
    IntentId::parse(text).ok_or_else(|| no_id(faults::intent_not_found(), UUID))
}

/// A dispute's id. Errors: `error.dispute.not-found`.
pub(crate) fn dispute(text: &str) -> Result<DisputeId, Fault> {
    DisputeId::parse(text).ok_or_else(|| no_id(faults::dispute_not_found(), UUID))
}

/// A flow's id. Errors: `error.flow.not-found`.
pub(crate) fn flow(text: &str) -> Result<FlowId, Fault> {
    FlowId::parse(text).ok_or_else(faults::flow_not_found)
}

/// The id of a flow's instance. Errors: `error.flow.not-found`.
pub(crate) fn instance(text: &str) -> Result<Uuid, Fault> {
    Uuid::parse_str(text).map_err(|_| faults::flow_not_found())
}

/// A connection's id. Errors: `error.connection.not-found`.
pub(crate) fn connection(text: &str) -> Result<ConnectionId, Fault> {
    ConnectionId::parse(text).ok_or_else(faults::connection_not_found)
}

/// An attachment's id. Errors: `error.attachment.not-found`.
pub(crate) fn attachment(text: &str) -> Result<AttachmentId, Fault> {
    AttachmentId::parse(text).ok_or_else(|| no_id(faults::attachment_not_found(), UUID))
}

/// A text argument that the schema requires; the empty text when it is not there.
pub(crate) fn argument<'a>(arguments: &'a Map<String, Value>, name: &str) -> &'a str {
    arguments
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use domain::Code;

    use super::*;

    #[test]
    fn what_cant_be_an_id_is_not_found() {
        assert_eq!(payment("x").unwrap_err().code, Code::PaymentNotFound);
        assert_eq!(customer("").unwrap_err().code, Code::CustomerNotFound);
        assert_eq!(
            token("4242424242424242 ").unwrap_err().code,
            Code::MethodNotFound
        );
        assert_eq!(
            intent("payments:01929f6e-0000-7000-8000-000000000001")
                .unwrap_err()
                .code,
            Code::IntentNotFound
        );
        assert_eq!(flow("a b").unwrap_err().code, Code::FlowNotFound);
        assert_eq!(
            connection("a b").unwrap_err().code,
            Code::ConnectionNotFound
        );
        let message = payment("1001").unwrap_err().message;
        assert!(message.contains("looks like payments:0192"), "{message}");
        assert!(!message.contains("1001"), "{message}");
        assert!(payment("payments:01929f6e-0000-7000-8000-000000000001").is_ok());
    }
}
