//! `saveGuardedPage`, `authorisePageScript`, and ids of pages.

use domain::{
    Fault, Faults,
    id::PageId,
    page_guard::{GuardedPage, ScriptGiven},
};
use engine::SavePage;
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader};

/// Errors: `error.validation`.
pub(crate) fn save(arguments: Map<String, Value>) -> Result<SavePage, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let id = reader.raw("id").map(|id| page(&id, "id")).transpose();
    let id = faults.or_default(id);
    let (name, url) = (reader.raw("name"), reader.raw("url"));
    let page = GuardedPage::new(&name.unwrap_or_default(), &url.unwrap_or_default());
    let page = faults.good(page);
    faults.end(page.map(|page| SavePage { id, page }))
}

/// Errors: `error.validation`.
pub(crate) fn authorise(arguments: Map<String, Value>) -> Result<(PageId, ScriptGiven), Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let id = faults.good(page(&reader.raw("pageId").unwrap_or_default(), "pageId"));
    let mut script = reader.needed_object("script")?;
    let given = ScriptGiven {
        address: script.raw("address"),
        hash: script.raw("hash"),
        purpose: script.raw("purpose").unwrap_or_default(),
        authorised_by: script.raw("authorisedBy").unwrap_or_default(),
    };
    let given = faults.good(given.checked());
    faults.end(id.zip(given))
}

/// A page's id. Errors: `error.validation`.
pub(crate) fn page(text: &str, field: &str) -> Result<PageId, Fault> {
    PageId::parse(text).ok_or_else(|| engine::no_such_page(field))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    #[test]
    fn what_is_no_page_is_named() {
        let saved = save(arguments(
            json!({"id": "x", "name": "n", "url": "https://shop.example/"}),
        ));
        assert_eq!(refusal(saved.map(|_| ()).unwrap_err()).0, "id");
        let given = json!({"pageId": "x", "script": {"address": "https://a.example/a.js", "purpose": "p", "authorisedBy": "a"}});
        let refused = authorise(arguments(given)).map(|_| ()).unwrap_err();
        assert_eq!(refusal(refused).0, "pageId");
    }
}
