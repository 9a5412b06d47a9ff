//! Addresses, companies and customers, as several operations take them.

use domain::{
    Fault, Faults,
    customer::{CustomerDraft, CustomerPatch, Patch},
    person::{Address, Company, ShippingAddress},
};

use super::Reader;

/// An address; one that says nothing is absent.
pub(crate) fn address(reader: &mut Reader, name: &str) -> Result<Option<Address>, Fault> {
    let path = reader.at(name);
    let Some(mut fields) = reader.object(name) else {
        return Ok(None);
    };
    let address = Address {
        line1: fields.raw("line1"),
        line2: fields.raw("line2"),
        city: fields.raw("city"),
        postal_code: fields.raw("postalCode"),
        state: fields.raw("state"),
        country: fields.raw("country"),
    };
    Ok(Some(address.bounded(&path)?).filter(|address| !address.is_empty()))
}

/// A shipping address; one that says nothing is absent.
pub(crate) fn shipping(reader: &mut Reader, name: &str) -> Result<Option<ShippingAddress>, Fault> {
    let path = reader.at(name);
    let Some(mut fields) = reader.object(name) else {
        return Ok(None);
    };
    let mut faults = Faults::default();
    let address = faults.or_default(address(&mut fields, "address"));
    let shipping = ShippingAddress {
        name: fields.raw("name"),
        phone: fields.raw("phone"),
        address,
    };
    let shipping = faults.or_default(shipping.bounded(&path));
    faults.end(Some(
        Some(shipping).filter(|shipping| *shipping != ShippingAddress::default()),
    ))
}

/// A company; one that says nothing is absent.
pub(crate) fn company(reader: &mut Reader, name: &str) -> Result<Option<Company>, Fault> {
    let path = reader.at(name);
    let Some(mut fields) = reader.object(name) else {
        return Ok(None);
    };
    let company = Company {
        name: fields.raw("name"),
        number: fields.raw("number"),
        tax_id: fields.raw("taxId"),
        vat_id: fields.raw("vatId"),
    };
    Ok(Some(company.bounded(&path)?).filter(|company| *company != Company::default()))
}

/// A customer to make. Errors: its name is missing; all mistakes are reported.
pub(crate) fn draft(mut fields: Reader) -> Result<CustomerDraft, Fault> {
    let mut faults = Faults::default();
    let name = fields.name("name");
    let draft = CustomerDraft {
        name: faults.or_default(fields.needed("name", name)),
        email: faults.or_default(email(&mut fields)),
        phone: faults.or_default(fields.text("phone")),
        description: faults.or_default(fields.lines("description")),
        billing: faults.or_default(address(&mut fields, "billingAddress")),
        shipping: faults.or_default(shipping(&mut fields, "shippingAddress")),
        company: faults.or_default(company(&mut fields, "company")),
    };
    faults.end(draft)
}

/// A partial update of a customer. Errors: the name is cleared; all mistakes are reported.
pub(crate) fn patch(mut fields: Reader) -> Result<CustomerPatch, Fault> {
    let mut faults = Faults::default();
    let name = match faults.good(fields.patch("name", |fields| fields.name("name"))) {
        Some(Patch::Set(name)) => Some(name),
        Some(Patch::Clear) => {
            faults.add(fields.invalid("name", "can't be cleared"));
            None
        }
        Some(Patch::Keep) | None => None,
    };
    let mut read = Patches { fields, faults };
    let patch = CustomerPatch {
        name,
        email: read.patch("email", email),
        phone: read.patch("phone", |fields| fields.text("phone")),
        description: read.patch("description", |fields| fields.lines("description")),
        billing: read.patch("billingAddress", |fields| address(fields, "billingAddress")),
        shipping: read.patch("shippingAddress", |fields| {
            shipping(fields, "shippingAddress")
        }),
        company: read.patch("company", |fields| company(fields, "company")),
    };
    read.faults.end(patch)
}

/// The fields of a partial update, and what was wrong with them so far.
struct Patches {
    fields: Reader,
    faults: Faults,
}

impl Patches {
    fn patch<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Reader) -> Result<Option<T>, Fault>,
    ) -> Patch<T> {
        let read = self.fields.patch(name, read);
        self.faults.good(read).unwrap_or(Patch::Keep)
    }
}

pub(crate) fn email(fields: &mut Reader) -> Result<Option<String>, Fault> {
    fields.email("email")
}

#[cfg(test)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments are written where they are used"
)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::shared::Blank;

    fn reader(fields: Value) -> Reader {
        let Value::Object(fields) = json!({"customer": fields}) else {
            unreachable!()
        };
        Reader::new(fields, Blank::Absent)
            .object("customer")
            .unwrap()
    }

    #[test]
    fn a_customer_needs_a_name() {
        for fields in [json!({}), json!({"name": ""}), json!({"name": null})] {
            let fault = draft(reader(fields)).unwrap_err();
            assert_eq!(
                (fault.field.as_deref(), fault.reason.as_deref()),
                (Some("customer.name"), Some("is required"))
            );
        }
    }

    #[test]
    fn what_says_nothing_is_absent_and_the_rest_is_kept() {
        let given = json!({
            "name": "Ada", "email": "", "billingAddress": {"line1": "", "country": "IRL"},
            "shippingAddress": {"address": {"city": ""}}, "company": {},
        });
        let draft = draft(reader(given)).unwrap();
        assert_eq!(draft.email, None);
        assert_eq!(
            draft.billing,
            Some(Address {
                country: Some("IE".to_owned()),
                ..Address::default()
            })
        );
        assert_eq!((draft.shipping, draft.company), (None, None));
    }

    #[test]
    fn faults_name_the_whole_path() {
        let fault = draft(reader(
            json!({"name": "A", "shippingAddress": {"address": {"country": "Ireland"}}}),
        ))
        .unwrap_err();
        assert_eq!(
            fault.field.as_deref(),
            Some("customer.shippingAddress.address.country")
        );
        let fault = draft(reader(json!({"name": "A", "email": "x".repeat(321)}))).unwrap_err();
        assert_eq!(fault.field.as_deref(), Some("customer.email"));
    }

    #[test]
    fn an_update_keeps_clears_and_sets() {
        let patch = patch(reader(
            json!({"email": null, "phone": "1", "company": null}),
        ))
        .unwrap();
        assert_eq!(patch.name, None);
        assert_eq!(patch.email, Patch::Clear);
        assert_eq!(patch.phone, Patch::Set("1".to_owned()));
        assert_eq!(patch.company, Patch::Clear);
        assert_eq!(patch.description, Patch::Keep);
    }

    #[test]
    fn the_name_cant_be_cleared() {
        for name in [json!(null), json!("")] {
            assert_eq!(
                patch(reader(json!({"name": name})))
                    .unwrap_err()
                    .field
                    .as_deref(),
                Some("customer.name")
            );
        }
    }
}
