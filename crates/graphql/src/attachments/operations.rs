//! Attachments.

use domain::{Fault, attachment::Subject};
use engine::CreateAttachment;
use serde_json::{Map, Value};

use super::views::{AttachmentObject, UploadObject};
use crate::{
    executor::{Arguments, Out, object},
    operations::{Call, Operation, done, plain},
    shared::ids,
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::plain("listAttachments", |call, given| plain(list(call, given))),
    Operation::plain("createAttachment", |call, given| plain(create(call, given))),
    Operation::plain("deleteAttachment", |call, given| plain(delete(call, given))),
];

async fn list(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let subject = subject(&arguments.coerced?)?;
    let found = call.engine.attachments_of_one(call.caller, subject).await?;
    Ok(Out::List(
        found
            .into_iter()
            .map(|view| object(AttachmentObject(view)))
            .collect(),
    ))
}

/// The payment or the dispute that is named.
///
/// Errors: `error.validation` where neither or both are; `error.payment.not-found`, `error.dispute.not-found`.
fn subject(given: &Map<String, Value>) -> Result<Subject, Fault> {
    let named = |name: &str| Some(ids::argument(given, name)).filter(|id| !id.is_empty());
    match (named("paymentId"), named("disputeId")) {
        (Some(payment), None) => ids::payment(payment).map(Subject::Payment),
        (None, Some(dispute)) => ids::dispute(dispute).map(Subject::Dispute),
        (None, None) => Err(Fault::invalid(
            "paymentId",
            "is required, or a disputeId in its place",
        )),
        (Some(_), Some(_)) => Err(Fault::invalid(
            "disputeId",
            "must not be given together with a paymentId",
        )),
    }
}

async fn create(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let given = arguments.coerced?;
    let command = CreateAttachment {
        subject: subject(&given)?,
        name: ids::argument(&given, "name").to_owned(),
        kind: ids::argument(&given, "type").to_owned(),
    };
    let address = call.engine.create_attachment(call.caller, command).await?;
    Ok(object(UploadObject(address)))
}

async fn delete(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::attachment(ids::argument(&arguments.coerced?, "id"))?;
    done(call.engine.delete_attachment(call.caller, id).await)
}
