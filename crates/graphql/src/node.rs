//! Anything by its identifier.

use domain::{Code, Fault, id, rights};

use crate::{
    customers::views::CustomerObject,
    disputes,
    executor::{Arguments, Out, object},
    intents,
    operations::{Call, Operation, plain},
    payments,
    shared::ids,
    webhooks::views::EndpointObject,
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[Operation::plain("node", |call, given| {
    plain(node(call, given))
})];

/// A payment, a customer, an intent, a dispute or a webhook endpoint; null for anything else, and for what the credential may not read.
async fn node(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let Call { engine, caller, .. } = call;
    let given = arguments.coerced?;
    let text = ids::argument(&given, "id");
    let may = |operation: &str| rights::permit(caller, operation).is_ok();
    if let Some(id) = id::PaymentId::parse(text).filter(|_| may("getPayment"))
        && let Some(view) = there(engine.payment(caller, id).await)?
    {
        return Ok(payments::shown(call, view).await);
    }
    if let Some(id) = id::CustomerId::parse(text).filter(|_| may("getCustomer"))
        && let Some(customer) = there(engine.customer(caller, id).await)?
    {
        return Ok(object(CustomerObject(customer)));
    }
    if let Some(id) = id::IntentId::parse(text).filter(|_| may("getIntent"))
        && let Some(view) = there(engine.intent(caller, id).await)?
    {
        return intents::shown(call, view).await;
    }
    if let Some(id) = id::DisputeId::parse(text).filter(|_| may("getDispute"))
        && let Some(view) = there(engine.dispute(caller, id).await)?
    {
        return disputes::shown(call, view).await;
    }
    if let Some(id) = id::EndpointId::parse(text).filter(|_| may("listWebhookEndpoints"))
        && let Some(view) = engine.webhook_endpoint(caller, id).await?
    {
        return Ok(object(EndpointObject(view)));
    }
    Ok(Out::Null)
}

/// What was found; nothing where the credential may not read it or there is none.
fn there<T>(found: Result<T, Fault>) -> Result<Option<T>, Fault> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(fault)
            if matches!(
                fault.code,
                Code::PaymentNotFound
                    | Code::CustomerNotFound
                    | Code::IntentNotFound
                    | Code::DisputeNotFound
            ) =>
        {
            Ok(None)
        }
        Err(fault) => Err(fault),
    }
}
