//! Customers, under the two names that the specification has for them.

use domain::{Fault, customer::Customer, id::VaultToken};
use serde_json::{Map, Value};

use crate::{
    executor::{Object, Out, optional, unknown_field},
    shared::{
        Node, Sight,
        address::{AddressObject, CompanyObject, ShippingObject},
    },
};

/// `Customer`.
pub(crate) struct CustomerObject(pub(crate) Customer);

/// `VaultCustomerApi`: the customer of a token; for a browser its id alone.
pub(crate) struct TokenCustomer<'a>(pub(crate) &'a Customer, pub(crate) Sight);

impl Object for CustomerObject {
    fn type_name(&self) -> &'static str {
        "Customer"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        field(&self.0, name).ok_or_else(|| unknown_field(self.type_name(), name))
    }
}

impl Node for CustomerObject {
    const PAGE: &'static str = "CustomersPage";
    const EDGE: &'static str = "CustomerEdge";
}

impl Object for TokenCustomer<'_> {
    fn type_name(&self) -> &'static str {
        "VaultCustomerApi"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let value = field(self.0, name).ok_or_else(|| unknown_field(self.type_name(), name))?;
        Ok(if name == "id" || self.1.is_server() {
            value
        } else {
            Out::Null
        })
    }
}

fn field<'a>(customer: &'a Customer, name: &str) -> Option<Out<'a>> {
    Some(match name {
        "id" => customer.id.to_string().into(),
        "name" => (&customer.name).into(),
        "email" => customer.email.as_ref().into(),
        "phone" => customer.phone.as_ref().into(),
        "description" => customer.description.as_ref().into(),
        "billingAddress" => optional(customer.billing.as_ref().map(AddressObject)),
        "shippingAddress" => optional(customer.shipping.as_ref().map(ShippingObject)),
        "company" => optional(customer.company.as_ref().map(CompanyObject)),
        "systemCreated" => customer.created_at.rfc3339_seconds().into(),
        "systemUpdated" => customer.updated_at.rfc3339_seconds().into(),
        "defaultPaymentMethod" => customer
            .default_method
            .as_ref()
            .map(VaultToken::as_str)
            .into(),
        _ => return None,
    })
}
