//! Attachments.

use domain::Fault;
use engine::CreateAttachment;

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
    let payment = ids::payment(ids::argument(&arguments.coerced?, "paymentId"))?;
    let found = call
        .engine
        .attachments_of_payment(call.caller, payment)
        .await?;
    Ok(Out::List(
        found
            .into_iter()
            .map(|view| object(AttachmentObject(view)))
            .collect(),
    ))
}

async fn create(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let given = arguments.coerced?;
    let command = CreateAttachment {
        payment: ids::payment(ids::argument(&given, "paymentId"))?,
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
