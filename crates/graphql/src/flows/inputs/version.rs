//! A version of a flow, as `getFlow`, `exportFlow`, `tryFlow` and `publishFlow` name it.

use domain::{Code, Fault, id::FlowId};
use engine::FlowFormat;
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, ids};

/// Which version of which flow.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// The flow.
    pub(crate) id: FlowId,
    /// The version.
    pub(crate) version: Option<u32>,
    /// How it is to be written out.
    pub(crate) format: FlowFormat,
}

/// Errors: `error.flow.not-found`, also for a version that none can have.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<Wanted, Fault> {
    read(&mut Reader::new(arguments, Blank::Refused))
}

/// The same among other arguments.
pub(crate) fn read(reader: &mut Reader) -> Result<Wanted, Fault> {
    let id = ids::flow(&reader.raw("id").unwrap_or_default())?;
    let version = reader.int("version")?.map(u32::try_from).transpose();
    let version =
        version.map_err(|_| Fault::new(Code::FlowNotFound, "The flow has no such version."))?;
    let format = reader.choice("format", format)?.unwrap_or(FlowFormat::Yaml);
    Ok(Wanted {
        id,
        version,
        format,
    })
}

fn format(text: &str) -> Option<FlowFormat> {
    match text {
        "JSON" => Some(FlowFormat::Json),
        "YAML" => Some(FlowFormat::Yaml),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::arguments;

    #[test]
    fn version_and_format_may_be_absent() {
        let wanted = parse(arguments(json!({ "id": "default" }))).unwrap();
        assert_eq!((wanted.version, wanted.format), (None, FlowFormat::Yaml));
        let wanted = parse(arguments(
            json!({ "id": "default", "version": 3, "format": "JSON" }),
        ))
        .unwrap();
        assert_eq!((wanted.version, wanted.format), (Some(3), FlowFormat::Json));
    }

    #[test]
    fn every_format_of_the_schema_is_read() {
        let schema = crate::schema().schema;
        for value in schema.get_enum("FlowFormat").unwrap().values.keys() {
            assert!(format(value).is_some(), "{value}");
        }
    }

    #[test]
    fn what_names_no_version_is_not_found() {
        for bad in [
            json!({ "id": "a b" }),
            json!({ "id": "" }),
            json!({ "id": "default", "version": -1 }),
        ] {
            assert_eq!(parse(arguments(bad)).unwrap_err().code, Code::FlowNotFound);
        }
    }
}
