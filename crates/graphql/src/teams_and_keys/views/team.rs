//! A team with its settings.

use domain::{Fault, team::ReturnHost};
use engine::TeamView;
use serde_json::{Map, Value};

use crate::executor::{Object, Out, unknown_field};

/// `Team`.
pub(crate) struct TeamObject(pub(crate) TeamView);

impl Object for TeamObject {
    fn type_name(&self) -> &'static str {
        "Team"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let (team, settings) = (&self.0, &self.0.settings);
        let hosts = settings.return_hosts.as_ref();
        Ok(match name {
            "id" => team.id.to_string().into(),
            "name" => (&team.name).into(),
            "logo" => settings.logo.as_ref().into(),
            "allowedOrigins" => texts(settings.allowed_origins.as_deref(), String::as_str),
            "returnHosts" => texts(hosts.map(Vec::as_slice), ReturnHost::text),
            "returnSchemes" => texts(Some(&settings.return_schemes), String::as_str),
            "fingerprint" => settings.fingerprint.into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

fn texts<'s, T>(list: Option<&'s [T]>, text: impl Fn(&'s T) -> &'s str) -> Out<'s> {
    list.map_or(Out::Null, |list| {
        Out::List(list.iter().map(|entry| text(entry).into()).collect())
    })
}
