//! Addresses and companies.

use domain::{
    Fault,
    person::{Address, Company, ShippingAddress},
};
use serde_json::{Map, Value};

use crate::executor::{Object, Out, optional, unknown_field};

/// `BillingAddressApi`.
pub(crate) struct AddressObject<'a>(pub(crate) &'a Address);

/// `ShippingAddressApi`.
pub(crate) struct ShippingObject<'a>(pub(crate) &'a ShippingAddress);

/// `CompanyApi`.
pub(crate) struct CompanyObject<'a>(pub(crate) &'a Company);

impl Object for AddressObject<'_> {
    fn type_name(&self) -> &'static str {
        "BillingAddressApi"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "line1" => self.0.line1.as_ref().into(),
            "line2" => self.0.line2.as_ref().into(),
            "city" => self.0.city.as_ref().into(),
            "postalCode" => self.0.postal_code.as_ref().into(),
            "state" => self.0.state.as_ref().into(),
            "country" => self.0.country.as_ref().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

impl Object for ShippingObject<'_> {
    fn type_name(&self) -> &'static str {
        "ShippingAddressApi"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "name" => self.0.name.as_ref().into(),
            "phone" => self.0.phone.as_ref().into(),
            "address" => optional(self.0.address.as_ref().map(AddressObject)),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

impl Object for CompanyObject<'_> {
    fn type_name(&self) -> &'static str {
        "CompanyApi"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "name" => self.0.name.as_ref().into(),
            "number" => self.0.number.as_ref().into(),
            "taxId" => self.0.tax_id.as_ref().into(),
            "vatId" => self.0.vat_id.as_ref().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
