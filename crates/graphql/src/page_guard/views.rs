//! Guarded pages, their scripts, and what browsers report of them.

use domain::{Fault, page_guard::PageScript};
use engine::{GuardedPageView, PageViolationView};
use serde_json::{Map, Value};

use crate::{
    executor::{Object, Out, object, unknown_field},
    shared::zoned,
};

/// `GuardedPage`.
pub(crate) struct PageObject(pub(crate) GuardedPageView);

impl Object for PageObject {
    fn type_name(&self) -> &'static str {
        "GuardedPage"
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let page = &self.0;
        Ok(match name {
            "id" => page.id.to_string().into(),
            "name" => (&page.name).into(),
            "url" => (&page.url).into(),
            "scripts" => {
                let scripts = page.scripts.iter();
                Out::List(scripts.map(|one| object(ScriptObject(one))).collect())
            }
            "reportUrl" => (&page.report_url).into(),
            "contentSecurityPolicy" => (&page.snippets.policy).into(),
            "reportingEndpoints" => (&page.snippets.reporting).into(),
            "scriptTags" => Out::List(page.snippets.tags.iter().map(Into::into).collect()),
            "date" => zoned(page.created_at, arguments)?,
            "accepted" => match page.accepted_at {
                Some(at) => zoned(at, arguments)?,
                None => Out::Null,
            },
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `PageScript`.
struct ScriptObject<'a>(&'a PageScript);

impl Object for ScriptObject<'_> {
    fn type_name(&self) -> &'static str {
        "PageScript"
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let script = self.0;
        Ok(match name {
            "address" => script.address.as_ref().into(),
            "hash" => script.hash.as_ref().into(),
            "purpose" => (&script.purpose).into(),
            "authorisedBy" => (&script.authorised_by).into(),
            "date" => zoned(script.authorised_at, arguments)?,
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `PageViolation`.
pub(crate) struct ViolationObject(pub(crate) PageViolationView);

impl Object for ViolationObject {
    fn type_name(&self) -> &'static str {
        "PageViolation"
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let counted = &self.0;
        Ok(match name {
            "directive" => (&counted.violation.directive).into(),
            "blocked" => (&counted.violation.blocked).into(),
            "enforced" => counted.violation.is_enforced.into(),
            "reports" => counted.reports.into(),
            "firstDate" => zoned(counted.first_at, arguments)?,
            "lastDate" => zoned(counted.last_at, arguments)?,
            "authorised" => counted.is_authorised.into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
