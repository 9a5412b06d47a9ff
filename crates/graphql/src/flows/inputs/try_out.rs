//! `tryFlow`.

use domain::Fault;
use serde_json::{Map, Value};

use super::version::{self, Wanted};
use crate::shared::{Blank, Reader};

/// Errors: `error.validation`, `error.flow.not-found`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<(Wanted, Value), Fault> {
    let mut reader = Reader::new(arguments, Blank::Refused);
    let wanted = version::read(&mut reader)?;
    let facts = reader
        .json_object("facts")?
        .ok_or_else(|| reader.missing("facts"))?;
    Ok((wanted, facts))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    #[test]
    fn facts_are_an_object() {
        assert!(parse(arguments(json!({ "id": "default", "facts": {} }))).is_ok());
        for facts in [json!("x"), json!([]), json!(1), Value::Null] {
            let fault = parse(arguments(json!({ "id": "default", "facts": facts }))).unwrap_err();
            assert_eq!(refusal(fault).0, "facts");
        }
    }
}
