//! What requests have in common.

use connector::Reference;

use super::{
    answers::{CONNECTION, OUR_REFERENCE},
    api::{Api, Form},
};

/// With what tells an object, and what Stripe reports of it, from those of others: our reference and the mark of the connection.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(StripeReferenceNotSent = super::bugs::send_no_reference)
)]
pub(super) fn marked(form: Form, api: Api<'_>, reference: &Reference) -> Form {
    form.with(format!("metadata[{OUR_REFERENCE}]"), reference.as_str())
        .with_some(&format!("metadata[{CONNECTION}]"), api.mark())
}

/// The key under which an intent is made.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(StripeKeyChanges = super::bugs::change_key)
)]
pub(super) fn intent_key(reference: &Reference) -> String {
    format!("{}-intent", reference.as_str())
}

/// Asks for what an answer shows as an id otherwise.
pub(super) fn expanded(form: Form) -> Form {
    form.with("expand[0]", "latest_charge")
        .with("expand[1]", "latest_charge.balance_transaction")
}
