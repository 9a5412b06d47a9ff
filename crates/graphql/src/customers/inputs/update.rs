//! `updateCustomer`.

use domain::{Fault, Faults, customer::CustomerPatch, id::CustomerId};
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, ids, person};

/// Errors: `error.validation`, `error.customer.not-found`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<(CustomerId, CustomerPatch), Fault> {
    let id = ids::customer(ids::argument(&arguments, "id"))?;
    let mut fields = Reader::new(arguments, Blank::Absent).needed_object("customer")?;
    let mut faults = Faults::default();
    let given = fields.raw("id");
    if given.is_some_and(|given| CustomerId::parse(&given) != Some(id)) {
        faults.add(fields.invalid("id", "must be absent or the same as the argument id"));
    }
    let patch = faults.good(person::patch(fields));
    faults.end(patch.map(|patch| (id, patch)))
}

#[cfg(test)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments are written where they are used"
)]
mod tests {
    use domain::customer::Patch;
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    const ID: &str = "01929f6e-0000-7000-8000-000000000001";

    fn update(customer: Value) -> Result<CustomerPatch, Fault> {
        parse(arguments(json!({"id": ID, "customer": customer}))).map(|(_, patch)| patch)
    }

    #[test]
    fn null_clears_and_absent_keeps() {
        let patch = update(json!({"email": null, "id": ID})).unwrap();
        assert_eq!(
            (patch.email, patch.phone, patch.name),
            (Patch::Clear, Patch::Keep, None)
        );
    }

    #[test]
    fn the_name_stays_and_another_id_is_refused() {
        assert_eq!(
            refusal(update(json!({"name": null})).unwrap_err()).0,
            "customer.name"
        );
        assert_eq!(
            refusal(update(json!({"id": "other"})).unwrap_err()).0,
            "customer.id"
        );
    }
}
