//! Anything by its identifier.

use domain::{Code, Fault, id, rights};

use crate::{
    customers::views::CustomerObject,
    executor::{Arguments, Out, object},
    intents,
    operations::{Call, Operation, plain},
    payments,
    shared::ids,
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[Operation::plain("node", |call, given| {
    plain(node(call, given))
})];

/// A payment, a customer or an intent; null for anything else, and for what the credential may not read.
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
    Ok(Out::Null)
}

/// What was found; nothing where the credential may not read it or there is none.
fn there<T>(found: Result<T, Fault>) -> Result<Option<T>, Fault> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(fault)
            if matches!(
                fault.code,
                Code::PaymentNotFound | Code::CustomerNotFound | Code::IntentNotFound
            ) =>
        {
            Ok(None)
        }
        Err(fault) => Err(fault),
    }
}
