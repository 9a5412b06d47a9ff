//! `saveConnection` and `rotateConnection`.

use domain::{Fault, Faults, id::ConnectionId, payment::ImportMode};
use engine::{RotateConnection, SaveConnection};
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, SLUG, ids};

/// Errors: `error.validation`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<SaveConnection, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let id = reader.raw("id");
    let mut faults = Faults::default();
    let id = id
        .map(|id| ConnectionId::parse(&id).ok_or_else(|| reader.invalid("id", SLUG)))
        .transpose();
    let id = faults.or_default(id);
    let credentials = faults.or_default(reader.json_object("credentials"));
    let credentials = credentials.map(|object| object.to_string().into());
    let processor = reader.text("processor");
    let processor = faults.or_default(reader.needed("processor", processor));
    let name = reader.name("name");
    let name = faults.or_default(reader.needed("name", name));
    let settings = reader.json_object("settings");
    let settings = faults.or_default(reader.needed("settings", settings));
    let imports = faults.or_default(reader.choice("imports", ImportMode::parse));
    let skips_probe = faults.or_default(reader.flag("skipProbe"));
    faults.end(SaveConnection {
        id,
        processor,
        name,
        settings,
        credentials,
        imports,
        skips_probe,
    })
}

/// Errors: `error.validation`, `error.connection.not-found`.
pub(crate) fn rotation(arguments: Map<String, Value>) -> Result<RotateConnection, Fault> {
    let id = ids::connection(ids::argument(&arguments, "id"))?;
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let credentials = reader.json_object("credentials");
    let credentials = faults.or_default(reader.needed("credentials", credentials));
    let ends_earlier = faults.or_default(reader.flag("endPrevious"));
    let skips_probe = faults.or_default(reader.flag("skipProbe"));
    faults.end(RotateConnection {
        id,
        credentials: credentials.to_string().into(),
        ends_earlier,
        skips_probe,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    fn save(name: &str, value: Value) -> Result<SaveConnection, Fault> {
        let mut given = json!({ "processor": "bank", "name": "Bank", "settings": {}, "credentials": { "key": "k" } });
        given[name] = value;
        parse(arguments(given))
    }

    #[test]
    fn settings_and_credentials_are_objects() {
        let saved = save("id", json!("bank-a")).unwrap();
        assert_eq!(saved.credentials.unwrap().as_str(), r#"{"key":"k"}"#);
        assert!(
            save("credentials", Value::Null)
                .unwrap()
                .credentials
                .is_none()
        );
        for (name, bad) in [
            ("settings", json!("x")),
            ("settings", json!([])),
            ("credentials", json!("secret")),
        ] {
            assert_eq!(refusal(save(name, bad).map(|_| ()).unwrap_err()).0, name);
        }
    }

    #[test]
    fn what_is_needed_is_reported() {
        for name in ["processor", "name"] {
            assert_eq!(
                refusal(save(name, json!("")).map(|_| ()).unwrap_err()).0,
                name
            );
        }
        assert_eq!(
            refusal(save("id", json!("a b")).map(|_| ()).unwrap_err()).0,
            "id"
        );
    }
}
