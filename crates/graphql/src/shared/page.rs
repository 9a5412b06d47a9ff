//! The arguments of a list that choose a page of it, and its order.

use domain::{
    Fault, Faults,
    filter::{Sort, SortOrder, SortableField},
    page::Page,
};

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

/// Reads `data.sort`. Errors: `error.validation`.
pub(crate) fn sort<F: SortableField>(data: &mut Reader) -> Result<Sort<F>, Fault> {
    let mut faults = Faults::default();
    let mut entries = Vec::new();
    for mut entry in data.objects("sort") {
        let order = faults.or_default(entry.choice("order", SortOrder::parse));
        entries.push((entry.raw("fieldName"), order));
    }
    let entries = entries.iter();
    let sort = Sort::parse(entries.map(|(name, order)| (name.as_deref(), *order)));
    let sort = faults.or_default(sort);
    faults.end(sort)
}
