//! The arguments of a list that choose a page of it.

use domain::{Fault, Faults, page::Page};

use super::Reader;

/// Reads `first`, `after`, `last` and `before`. Errors: `error.validation`.
pub(crate) fn page(reader: &mut Reader) -> Result<Page, Fault> {
    let mut faults = Faults::default();
    let first = faults.or_default(reader.int("first"));
    let last = faults.or_default(reader.int("last"));
    let page = Page::parse(first, reader.raw("after"), last, reader.raw("before"));
    let page = faults.good(page);
    faults.end(page)
}
