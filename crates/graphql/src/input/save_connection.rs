//! `saveConnection`.

use domain::{Fault, id::ConnectionId};
use engine::SaveConnection;
use serde_json::{Map, Value};

use super::{Blank, Reader, save_flow::SLUG};

/// Errors: `error.validation`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<SaveConnection, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let id = reader.raw("id");
    let id = id
        .map(|id| ConnectionId::parse(&id).ok_or_else(|| reader.invalid("id", SLUG)))
        .transpose()?;
    let credentials = match reader.any("credentials") {
        Some(object @ Value::Object(_)) => Some(object.to_string().into()),
        Some(_) => return Err(reader.invalid("credentials", "must be an object")),
        None => None,
    };
    Ok(SaveConnection {
        id,
        processor: reader
            .text("processor")?
            .ok_or_else(|| reader.missing("processor"))?,
        name: reader.name("name")?.ok_or_else(|| reader.missing("name"))?,
        settings: reader
            .json_object("settings")?
            .ok_or_else(|| reader.missing("settings"))?,
        credentials,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::input::sample::{arguments, told};

    fn save(changed: (&str, Value)) -> Result<SaveConnection, Fault> {
        let mut given = json!({ "processor": "bank", "name": "Bank", "settings": {}, "credentials": { "key": "k" } });
        given[changed.0] = changed.1;
        parse(arguments(given))
    }

    #[test]
    fn settings_and_credentials_are_objects() {
        let saved = save(("id", json!("bank-a"))).unwrap();
        assert_eq!(saved.credentials.unwrap().as_str(), r#"{"key":"k"}"#);
        assert!(
            save(("credentials", Value::Null))
                .unwrap()
                .credentials
                .is_none()
        );
        for (name, bad) in [
            ("settings", json!("x")),
            ("settings", json!([])),
            ("credentials", json!("secret")),
        ] {
            assert_eq!(told(save((name, bad)).map(|_| ()).unwrap_err()).0, name);
        }
    }

    #[test]
    fn what_is_needed_is_told() {
        for name in ["processor", "name"] {
            assert_eq!(
                told(save((name, json!(""))).map(|_| ()).unwrap_err()).0,
                name
            );
        }
        assert_eq!(
            told(save(("id", json!("a b"))).map(|_| ()).unwrap_err()).0,
            "id"
        );
    }
}
