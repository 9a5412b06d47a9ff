//! `decideApproval`.

use domain::{Fault, Faults};
use engine::Decide;
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, ids};

/// Errors: `error.validation`, `error.flow.not-found`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<Decide, Fault> {
    let instance = ids::instance(ids::argument(&arguments, "instanceId"))?;
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let approve = reader.flag_if_given("approve");
    let approve = faults.or_default(reader.needed("approve", approve));
    let note = faults.or_default(reader.lines("note"));
    faults.end(Decide {
        instance,
        approve,
        note,
    })
}

#[cfg(test)]
mod tests {
    use domain::Code;
    use serde_json::json;

    use super::*;
    use crate::shared::sample::arguments;

    #[test]
    fn a_note_may_be_absent_and_an_instance_is_an_id() {
        let id = "01929f6e-0000-7000-8000-000000000001";
        let decide = parse(arguments(
            json!({"instanceId": id, "approve": false, "note": ""}),
        ))
        .unwrap();
        assert_eq!(
            (
                decide.instance.to_string().as_str(),
                decide.approve,
                decide.note
            ),
            (id, false, None)
        );
        let fault = parse(arguments(json!({"instanceId": "x", "approve": true}))).unwrap_err();
        assert_eq!(fault.code, Code::FlowNotFound);
        let fault = parse(arguments(
            json!({"instanceId": id, "approve": true, "note": "4242 4242 4242 4242"}),
        ))
        .unwrap_err();
        assert_eq!(fault.field.as_deref(), Some("note"));
    }
}
