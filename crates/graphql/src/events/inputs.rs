//! `listEvents`.

use domain::{Fault, Faults, event::KindFilter, page::Page};
use engine::ListEvents;
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader};

/// Errors: `error.validation`.
pub(crate) fn list(arguments: Map<String, Value>) -> Result<ListEvents, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let first = faults.or_default(reader.int("first"));
    let after = reader.raw("after");
    let page = faults.good(Page::parse(first, None, None, None));
    let kinds = KindFilter::parse(reader.texts("kinds").unwrap_or_default(), "kinds");
    let kinds = faults.or_default(kinds);
    faults.end(page.map(|page| ListEvents {
        after,
        size: page.size(),
        kinds,
    }))
}

/// Which events are followed.
pub(crate) struct FollowEvents {
    /// Behind which cursor; from now on when absent.
    pub(crate) after: Option<String>,
    /// Of which kinds.
    pub(crate) kinds: KindFilter,
}

/// Errors: `error.validation`.
pub(crate) fn follow(arguments: Map<String, Value>) -> Result<FollowEvents, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let after = reader.raw("after");
    let kinds = KindFilter::parse(reader.texts("kinds").unwrap_or_default(), "kinds")?;
    Ok(FollowEvents { after, kinds })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    #[test]
    fn kinds_and_sizes_are_checked_by_name() {
        let wanted = list(arguments(
            json!({"first": 5, "after": "c", "kinds": ["payment.*"]}),
        ))
        .unwrap();
        assert_eq!((wanted.size, wanted.after.as_deref()), (5, Some("c")));
        assert_eq!(wanted.kinds.entries(), ["payment.*"]);
        let refused = |given: Value| refusal(list(arguments(given)).map(|_| ()).unwrap_err()).0;
        assert_eq!(refused(json!({"first": 0})), "first");
        assert_eq!(refused(json!({"kinds": ["payment"]})), "kinds.0");
    }
}
