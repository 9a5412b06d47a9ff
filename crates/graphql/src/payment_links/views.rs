//! Payment links.

use domain::Fault;
use engine::PaymentLinkView;
use serde_json::{Map, Value};

use crate::{
    executor::{FieldOf, Object, Out, object, unknown_field},
    intents::views::Linked,
    shared::{Node, zoned},
};

/// The field for which the link's payments are read.
pub(crate) const PAYMENTS: FieldOf = FieldOf::new("PaymentLink", "payments");

/// `PaymentLink`.
pub(crate) struct PaymentLinkObject(pub(crate) PaymentLinkView);

impl Node for PaymentLinkObject {
    const PAGE: &'static str = "PaymentLinksPage";
    const EDGE: &'static str = "PaymentLinkEdge";
}

impl Object for PaymentLinkObject {
    fn type_name(&self) -> &'static str {
        "PaymentLink"
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let (view, link) = (&self.0, &self.0.link);
        Ok(match name {
            "id" => link.id.to_string().into(),
            "url" => (&view.url).into(),
            "status" => view.status.code().into(),
            "amount" => link.money.minor().into(),
            "currencyCode" => link.money.currency().code().into(),
            "flowId" => link.flow.as_str().into(),
            "orderId" => link.order_id.as_ref().into(),
            "description" => link.description.as_ref().into(),
            "intentId" => link.intent.map(|id| id.to_string()).into(),
            "singleUse" => link.is_single_use().into(),
            "returnUrl" => link
                .return_url
                .as_ref()
                .map(domain::redirect::RedirectUrl::as_str)
                .into(),
            "date" => zoned(link.created_at, arguments)?,
            "expires" => match link.expires_at {
                Some(at) => zoned(at, arguments)?,
                None => Out::Null,
            },
            "ended" => match link.ended_at {
                Some(at) => zoned(at, arguments)?,
                None => Out::Null,
            },
            "payments" => match &view.payments {
                Some(payments) => {
                    let shown = payments.iter().map(|payment| object(Linked(payment)));
                    Out::List(shown.collect())
                }
                None => Out::Null,
            },
            "paymentId" => view.payment.map(|id| id.to_string()).into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
