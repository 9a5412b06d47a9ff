//! What happens to guarded pages, and its public form.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{EventKind, Public, StreamCommit};

/// What happened to a guarded page in one commit. Stored as [`crate::payment::PaymentEvent`] is, under the same rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum PageEvent {
    /// A browser reported a script that is not in the page's inventory, for the first time.
    #[serde(rename = "page.script_found")]
    ScriptFound {
        /// The page's address.
        url: String,
        /// The directive of the policy.
        directive: String,
        /// What was blocked: an address without query, or a word such as `inline`.
        blocked: String,
    },
    /// A kind that this build does not know. Never written.
    #[serde(rename = "other", other)]
    Other,
}

/// The event as merchants get it.
pub(super) fn public(commit: &StreamCommit, event: &PageEvent) -> Option<Public> {
    let PageEvent::ScriptFound {
        url,
        directive,
        blocked,
    } = event
    else {
        return None;
    };
    let mut data = Map::new();
    data.insert("pageId".to_owned(), json!(commit.stream));
    data.insert("url".to_owned(), json!(url));
    data.insert("directive".to_owned(), json!(directive));
    data.insert("blocked".to_owned(), json!(blocked));
    Some((EventKind::PageScriptFound, data))
}
