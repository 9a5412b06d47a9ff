//! Guarded pages: the merchant's pages on which customers pay, the inventory of their scripts, what browsers report of them, and what
//! a look at them finds.
//!
//! Browsers report without a credential, so what they send is bounded three times: by the size of a body, by quotas of the team and of
//! the network, and by the number of kinds that are kept of a page. Of a kind there is one row with a count.

mod check;
mod kinds;
mod markup;
mod pages;
mod report;

use std::time::Duration;

use domain::{
    Fault, Timestamp,
    id::PageId,
    page_guard::{PageScript, Snippets, Violation, snippets},
};
use store::guarded_page::StoredPage;

use crate::Engine;

pub use check::{CheckPage, CheckedPage};
pub use pages::SavePage;
pub use report::{GROUPS_MAX, ReportAddress};

/// How long a kind of violation is kept after it came last.
pub(crate) const VIOLATIONS_KEPT: Duration = Duration::from_hours(90 * 24);

/// A guarded page, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardedPageView {
    /// Its id.
    pub id: PageId,
    /// What people call it.
    pub name: String,
    /// Its address.
    pub url: String,
    /// Where browsers send reports.
    pub report_url: String,
    /// The scripts that may run on it.
    pub scripts: Vec<PageScript>,
    /// What the merchant puts into it.
    pub snippets: Snippets,
    /// When it was made.
    pub created_at: Timestamp,
    /// When a person last accepted what was found on it.
    pub accepted_at: Option<Timestamp>,
}

/// A kind of violation, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageViolationView {
    /// What was reported.
    pub violation: Violation,
    /// How often.
    pub reports: i64,
    /// When first.
    pub first_at: Timestamp,
    /// When last.
    pub last_at: Timestamp,
    /// Whether the inventory has the script by now.
    pub is_authorised: bool,
}

/// The fault of an id that is none of the team's guarded pages.
pub fn no_such_page(field: &str) -> Fault {
    Fault::invalid(field, "must be the id of a guarded page that is listed")
}

impl Engine {
    fn page_view(&self, stored: &StoredPage) -> GuardedPageView {
        let report_url = self.report_url(stored);
        let page = &stored.page;
        GuardedPageView {
            id: stored.id,
            name: page.name.clone(),
            url: page.url.clone(),
            scripts: page.scripts.clone(),
            snippets: snippets(page, self.public_url(), &report_url),
            report_url,
            created_at: stored.created_at,
            accepted_at: page.accepted.as_ref().map(|accepted| accepted.at),
        }
    }

    fn report_url(&self, stored: &StoredPage) -> String {
        format!("{}/page-reports/{}", self.public_url(), stored.token)
    }
}
