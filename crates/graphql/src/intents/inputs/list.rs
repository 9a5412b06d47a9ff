//! `listIntents`.

use domain::{Fault, Faults, filter::SortOrder, intent::Status, page::Page};
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, order, page};

/// A list of intents that is wanted.
pub(crate) struct Wanted {
    pub(crate) page: Page,
    pub(crate) order: SortOrder,
    pub(crate) statuses: Vec<Status>,
    pub(crate) tracking_id: Option<String>,
}

/// Errors: `error.validation`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<Wanted, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let page = faults.good(page(&mut reader));
    let mut statuses: Vec<Status> = Vec::new();
    for status in reader.list("status") {
        // Coercion has let the schema's values through alone.
        statuses.extend(
            status
                .as_str()
                .and_then(Status::parse)
                .filter(|status| !statuses.contains(status)),
        );
    }
    let tracking_id = faults.or_default(reader.reference("trackingId"));
    let order = order(&mut reader);
    faults.end(page.map(|page| Wanted {
        page,
        order,
        statuses,
        tracking_id,
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    #[test]
    fn statuses_count_once_and_empty_filters_filter_nothing() {
        let wanted = parse(arguments(
            json!({"status": ["ACTIVE", null, "COMPLETE", "ACTIVE"], "trackingId": ""}),
        ))
        .unwrap();
        assert_eq!(
            (wanted.statuses, wanted.tracking_id),
            (vec![Status::Active, Status::Complete], None)
        );
        let wanted = parse(arguments(json!({"status": [], "trackingId": "t"}))).unwrap();
        assert_eq!(
            (wanted.statuses, wanted.tracking_id.as_deref()),
            (vec![], Some("t"))
        );
    }

    #[test]
    fn bad_pages_are_refused() {
        assert_eq!(
            refusal(
                parse(arguments(json!({"first": 0})))
                    .map(|_| ())
                    .unwrap_err()
            )
            .0,
            "first"
        );
    }
}
