//! `updateIntent`.

use domain::{Fault, Faults};
use engine::UpdateIntent;
use serde_json::{Map, Value};

use super::fields;
use crate::shared::{Blank, Reader, ids};

/// Errors: `error.intent.not-found`, `error.validation`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<UpdateIntent, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let id = ids::intent(&reader.raw("id").unwrap_or_default())?;
    let mut faults = Faults::default();
    let mut changes = faults.or_default(fields::changes(&mut reader));
    changes.tracking_id = faults.or_default(reader.reference("trackingId"));
    changes.billing = faults.or_default(fields::step(&mut reader, "billing"));
    changes.shipping = faults.or_default(fields::step(&mut reader, "shipping"));
    changes.delivery = faults.or_default(fields::step(&mut reader, "delivery"));
    faults.end(UpdateIntent { id, changes })
}

#[cfg(test)]
mod tests {
    use domain::intent::{Changes, StepStatus};
    use serde_json::json;

    use super::*;
    use crate::shared::sample::arguments;

    const INTENT: &str = "01929f6e-0000-7000-8000-000000000001";

    #[test]
    fn nothing_given_changes_nothing() {
        let given = json!({"id": INTENT, "trackingId": "", "amount": null, "billing": {"status": null}, "shipping": {}});
        assert_eq!(parse(arguments(given)).unwrap().changes, Changes::default());
    }

    #[test]
    fn each_form_has_its_own_step() {
        let given = json!({"id": INTENT, "trackingId": "t", "billing": {"status": "COMPLETE"},
            "shipping": {"status": "IN_PROGRESS"}, "delivery": {"status": "NOT_STARTED"}});
        let expected = Changes {
            tracking_id: Some("t".to_owned()),
            billing: Some(StepStatus::Complete),
            shipping: Some(StepStatus::InProgress),
            delivery: Some(StepStatus::NotStarted),
            ..Changes::default()
        };
        assert_eq!(parse(arguments(given)).unwrap().changes, expected);
    }

    #[test]
    fn what_cant_be_an_id_is_not_found() {
        let fault = parse(arguments(json!({"id": "7"})))
            .map(|_| ())
            .unwrap_err();
        assert_eq!(fault.code, domain::Code::IntentNotFound);
    }
}
