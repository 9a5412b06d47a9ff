//! Anything by its identifier.

use domain::{Code, Fault, id, rights};

use super::{Operations, payments::TIMELINE};
use crate::{
    execute::{Arguments, LookAhead, Out, object},
    input::ids,
    view::OwnCustomer,
};

impl Operations<'_> {
    /// A payment, a customer or an intent; null for anything else, and for what the credential may not read.
    pub(super) async fn node(
        &self,
        arguments: Arguments<'_>,
        look: LookAhead<'_>,
    ) -> Result<Out<'static>, Fault> {
        let given = arguments.coerced?;
        let text = ids::argument(&given, "id");
        let may = |operation: &str| rights::permit(self.caller, operation).is_ok();
        if let Some(id) = id::PaymentId::parse(text).filter(|_| may("getPayment"))
            && let Some(view) = there(self.engine.payment(self.caller, id).await)?
        {
            let view = if look.selects_on("Payment", TIMELINE) {
                self.engine.with_timeline(view).await?
            } else {
                view
            };
            return Ok(object(self.payment_object(view)));
        }
        if let Some(id) = id::CustomerId::parse(text).filter(|_| may("getCustomer"))
            && let Some(customer) = there(self.engine.customer(self.caller, id).await)?
        {
            return Ok(object(OwnCustomer(customer)));
        }
        if let Some(id) = id::IntentId::parse(text).filter(|_| may("getIntent"))
            && let Some(view) = there(self.engine.intent(self.caller, id).await)?
        {
            return self.shown_intent_node(view, look).await;
        }
        Ok(Out::Null)
    }
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
