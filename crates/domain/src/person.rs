//! Addresses and companies of customers.

use serde::{Deserialize, Serialize};

use crate::bounded::{NAME_MAX, TEXT_MAX, bounded_option};
use crate::country::Country;
use crate::{Fault, Faults};

/// A postal address, of billing or of shipping.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Address {
    /// Street and number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line1: Option<String>,
    /// Flat, floor, care of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line2: Option<String>,
    /// Town.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// Postal code, as the country has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<String>,
    /// State, province or county.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Country; alpha-2 after [`Address::bounded`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

impl Address {
    /// The address with empty texts absent and the country as alpha-2.
    /// Errors: `error.validation` for the text under `field` that is too long, holds control characters or is no country.
    pub fn bounded(self, field: &str) -> Result<Self, Fault> {
        let mut faults = Faults::default();
        let mut text = |value, name: &str| {
            faults.or_default(bounded_option(value, &format!("{field}.{name}"), TEXT_MAX))
        };
        let address = Self {
            line1: text(self.line1, "line1"),
            line2: text(self.line2, "line2"),
            city: text(self.city, "city"),
            postal_code: text(self.postal_code, "postalCode"),
            state: text(self.state, "state"),
            country: faults.or_default(country(self.country, &format!("{field}.country"))),
        };
        faults.end(address)
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn country(code: Option<String>, field: &str) -> Result<Option<String>, Fault> {
    let Some(code) = code.filter(|code| !code.is_empty()) else {
        return Ok(None);
    };
    match Country::parse(&code) {
        Some(country) => Ok(Some(country.alpha2().to_owned())),
        None => Err(Fault::invalid(
            field,
            "must be a country code of ISO 3166-1 with two or three letters",
        )),
    }
}

/// Where and to whom goods go.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ShippingAddress {
    /// Who receives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The receiver's telephone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// Where to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
}

impl ShippingAddress {
    /// The same with empty texts absent and the country as alpha-2.
    /// Errors: `error.validation` for the text under `field` that breaks its bound.
    pub fn bounded(self, field: &str) -> Result<Self, Fault> {
        let mut faults = Faults::default();
        let name = bounded_option(self.name, &format!("{field}.name"), NAME_MAX);
        let phone = bounded_option(self.phone, &format!("{field}.phone"), TEXT_MAX);
        let address = self
            .address
            .map(|address| address.bounded(&format!("{field}.address")));
        let shipping = Self {
            name: faults.or_default(name),
            phone: faults.or_default(phone),
            address: faults.or_default(address.transpose()),
        };
        faults.end(shipping)
    }
}

/// The business that a customer belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Company {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its number in the register.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// Its tax number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tax_id: Option<String>,
    /// Its VAT number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vat_id: Option<String>,
}

impl Company {
    /// The same with empty texts absent. Errors: `error.validation` for the text under `field` that breaks its bound.
    pub fn bounded(self, field: &str) -> Result<Self, Fault> {
        let mut faults = Faults::default();
        let mut text = |value, name: &str, max| {
            faults.or_default(bounded_option(value, &format!("{field}.{name}"), max))
        };
        let company = Self {
            name: text(self.name, "name", NAME_MAX),
            number: text(self.number, "number", TEXT_MAX),
            tax_id: text(self.tax_id, "taxId", TEXT_MAX),
            vat_id: text(self.vat_id, "vatId", TEXT_MAX),
        };
        faults.end(company)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "every field is optional")]
    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn empty_texts_are_absent_and_countries_have_two_letters() {
        let address = Address {
            line1: some("1 Main St"),
            line2: some(""),
            country: some("IRL"),
            ..Address::default()
        };
        let bounded = address.bounded("customer.billingAddress").unwrap();
        assert_eq!(
            bounded,
            Address {
                line1: some("1 Main St"),
                country: some("IE"),
                ..Address::default()
            }
        );
        assert!(!bounded.is_empty());
        let nothing = Address {
            city: some(""),
            country: some(""),
            ..Address::default()
        };
        assert!(nothing.bounded("a").unwrap().is_empty());
    }

    #[test]
    fn a_fault_names_the_path_and_not_the_value() {
        let cases = [
            (
                Address {
                    postal_code: some(&"x".repeat(501)),
                    ..Address::default()
                },
                "address.postalCode",
            ),
            (
                Address {
                    state: some("a\0"),
                    ..Address::default()
                },
                "address.state",
            ),
            (
                Address {
                    country: some("Ireland"),
                    ..Address::default()
                },
                "address.country",
            ),
        ];
        for (address, path) in cases {
            let shipping = ShippingAddress {
                address: Some(address),
                ..ShippingAddress::default()
            };
            let fault = shipping
                .bounded("data.customer.shippingAddress")
                .unwrap_err();
            assert_eq!(
                fault.field,
                Some(format!("data.customer.shippingAddress.{path}"))
            );
            assert!(!fault.message.contains("Ireland") && !fault.message.contains("xx"));
        }
    }

    #[test]
    fn names_are_shorter_than_other_texts() {
        let company = |name: usize, number: usize| Company {
            name: Some("n".repeat(name)),
            number: Some("1".repeat(number)),
            ..Company::default()
        };
        assert!(company(300, 500).bounded("company").is_ok());
        assert_eq!(
            company(301, 500)
                .bounded("company")
                .unwrap_err()
                .field
                .as_deref(),
            Some("company.name")
        );
        assert_eq!(
            company(300, 501)
                .bounded("company")
                .unwrap_err()
                .field
                .as_deref(),
            Some("company.number")
        );
        let shipping = ShippingAddress {
            name: Some("n".repeat(301)),
            ..ShippingAddress::default()
        };
        assert_eq!(
            shipping.bounded("s").unwrap_err().field.as_deref(),
            Some("s.name")
        );
    }

    #[test]
    fn absent_texts_are_not_stored() {
        let shipping = ShippingAddress {
            address: Some(Address {
                city: some("Cork"),
                ..Address::default()
            }),
            ..ShippingAddress::default()
        };
        let json = serde_json::to_string(&shipping).unwrap();
        assert_eq!(json, r#"{"address":{"city":"Cork"}}"#);
        assert_eq!(
            serde_json::from_str::<ShippingAddress>(&json).unwrap(),
            shipping
        );
        assert_eq!(
            serde_json::from_str::<Company>("{}").unwrap(),
            Company::default()
        );
    }
}
