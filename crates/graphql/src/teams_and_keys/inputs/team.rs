//! `updateTeam`, `listClientTokens`.

use domain::{Fault, page::Page};
use engine::UpdateTeam;
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, page};

/// Errors: `error.validation`.
pub(crate) fn update(arguments: Map<String, Value>) -> Result<UpdateTeam, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent).needed_object("settings")?;
    Ok(UpdateTeam {
        name: reader.raw("name"),
        logo: reader.patch("logo", |reader| Ok(reader.raw("logo")))?,
        allowed_origins: reader.patch("allowedOrigins", |reader| {
            Ok(reader.texts("allowedOrigins"))
        })?,
        return_hosts: reader.patch("returnHosts", |reader| Ok(reader.texts("returnHosts")))?,
        return_schemes: reader
            .patch("returnSchemes", |reader| Ok(reader.texts("returnSchemes")))?,
        fingerprint: reader.patch("fingerprint", |reader| reader.flag_if_given("fingerprint"))?,
    })
}

/// Errors: `error.validation`.
pub(crate) fn tokens(arguments: Map<String, Value>) -> Result<Page, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    page(&mut reader)
}

#[cfg(test)]
mod tests {
    use domain::customer::Patch;
    use serde_json::json;

    use super::*;
    use crate::shared::sample::arguments;

    #[test]
    fn what_is_not_mentioned_stays_and_null_clears() {
        let given = json!({"settings": {"name": "Shop", "returnHosts": ["shop.example"], "allowedOrigins": [], "logo": null}});
        let update = update(arguments(given)).unwrap();
        assert_eq!(update.name.as_deref(), Some("Shop"));
        assert_eq!(
            update.return_hosts,
            Patch::Set(vec!["shop.example".to_owned()])
        );
        assert_eq!(update.allowed_origins, Patch::Set(Vec::new()));
        assert_eq!(update.logo, Patch::Clear);
        assert_eq!(update.fingerprint, Patch::Keep);
    }
}
