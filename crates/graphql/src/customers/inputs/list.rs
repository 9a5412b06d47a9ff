//! `listCustomers`.

use domain::{Fault, Faults, bounded::EMAIL_MAX, filter::SortOrder, page::Page};
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, order, page};

/// A list of customers that is wanted.
pub(crate) struct Wanted {
    pub(crate) page: Page,
    pub(crate) order: SortOrder,
    pub(crate) email: Option<String>,
    pub(crate) name: Option<String>,
}

/// Errors: `error.validation`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<Wanted, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let page = faults.good(page(&mut reader));
    let order = order(&mut reader);
    let email = faults.or_default(reader.short("email", EMAIL_MAX));
    let name = faults.or_default(reader.name("name"));
    faults.end(page.map(|page| Wanted {
        page,
        order,
        email,
        name,
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    #[test]
    fn empty_filters_filter_nothing() {
        let wanted = parse(arguments(json!({"first": 5, "email": "", "name": null}))).unwrap();
        assert_eq!(
            (wanted.page.size(), wanted.email, wanted.name),
            (5, None, None)
        );
    }

    #[test]
    fn bad_pages_and_long_texts_are_refused() {
        let refused = |given: Value| refusal(parse(arguments(given)).map(|_| ()).unwrap_err()).0;
        assert_eq!(refused(json!({"first": 0})), "first");
        assert_eq!(refused(json!({"after": "x", "before": "y"})), "after");
        assert_eq!(refused(json!({"email": "x".repeat(321)})), "email");
    }
}
