//! Customers, under the two names that the specification has for them.

use domain::{Fault, customer::Customer, id::VaultToken};
use serde_json::{Map, Value};

use super::{
    Sight,
    address::{AddressObject, CompanyObject, ShippingObject},
};
use crate::execute::{Object, Out, optional, unknown_field};

/// `Customer` or `VaultCustomerApi`.
pub(super) struct CustomerObject<'a> {
    type_name: &'static str,
    customer: &'a Customer,
    sight: Sight,
}

/// `Customer`, owning what it shows.
pub(crate) struct OwnCustomer(pub(crate) Customer);

impl<'a> CustomerObject<'a> {
    /// `Customer`.
    pub(super) const fn customer(customer: &'a Customer) -> Self {
        Self {
            type_name: "Customer",
            customer,
            sight: Sight::Whole,
        }
    }

    /// `VaultCustomerApi`; for a browser its id alone.
    pub(super) const fn of_token(customer: &'a Customer, sight: Sight) -> Self {
        Self {
            type_name: "VaultCustomerApi",
            customer,
            sight,
        }
    }
}

impl Object for OwnCustomer {
    fn type_name(&self) -> &'static str {
        "Customer"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        field(&self.0, name).ok_or_else(|| unknown_field(self.type_name(), name))
    }
}

impl Object for CustomerObject<'_> {
    fn type_name(&self) -> &'static str {
        self.type_name
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let value =
            field(self.customer, name).ok_or_else(|| unknown_field(self.type_name, name))?;
        Ok(if name == "id" || self.sight.is_server() {
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
