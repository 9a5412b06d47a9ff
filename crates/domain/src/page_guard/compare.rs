//! What differs between a page as it is served and what was authorised for it.

use std::collections::BTreeMap;

use super::{Accepted, GuardedPage, PageScript};
use crate::text_enum::text_enum;

text_enum!(
    /// What was found on a page.
    FindingWord {
        /// A script that is not in the inventory.
        New = "new",
        /// A script whose content is not the one that was authorised, or accepted last.
        Changed = "changed",
        /// A script of the inventory that is not in the page's markup.
        Missing = "missing",
        /// A script that could not be fetched.
        Unread = "unread",
        /// A header that is watched has changed, or is gone.
        Header = "header",
        /// The page's policy lets scripts run that are not in the inventory, or reports nothing.
        Policy = "policy",
    }
);

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub word: FindingWord,
    /// Of which script or header.
    pub source: String,
    /// What a person should know of it.
    pub message: String,
}

impl Finding {
    fn new(word: FindingWord, source: &str, message: impl Into<String>) -> Self {
        Self {
            word,
            source: source.to_owned(),
            message: message.into(),
        }
    }

    /// Whether somebody must act. A script that only its page's other scripts load is not in the markup, so that one that is missing
    /// is no alarm.
    pub fn is_alarm(&self) -> bool {
        self.word != FindingWord::Missing
    }
}

/// A script of the page, with what was fetched of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenScript {
    /// Its address without query; absent for one that stands in the page.
    pub address: Option<String>,
    /// The hashes of its content, `sha384` first; none where it could not be fetched.
    pub hashes: Vec<String>,
    /// Why it could not be fetched.
    pub failure: Option<String>,
    /// For a script that stands in the page: its beginning.
    pub beginning: String,
}

/// A page as it is served.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Observed {
    /// The headers that are watched, by their names.
    pub headers: BTreeMap<String, String>,
    /// The scripts.
    pub scripts: Vec<SeenScript>,
    /// How many more there are that nobody looked at.
    pub unseen: usize,
    /// The policies that apply: of the header, and in the markup.
    pub policies: Vec<String>,
    /// Attributes that are scripts.
    pub handlers: usize,
    /// Whether a part of the markup was not read.
    pub is_cut: bool,
}

impl Observed {
    /// How many scripts the page has.
    pub fn count(&self) -> usize {
        self.scripts.len().saturating_add(self.unseen)
    }
}

/// Headers that decide which scripts run and who may frame the page. Source: PCI DSS 4.0.1, 11.6.1: "security-impacting HTTP headers".
const WATCHED: [&str; 10] = [
    "content-security-policy",
    "content-security-policy-report-only",
    "cross-origin-embedder-policy",
    "cross-origin-opener-policy",
    "permissions-policy",
    "referrer-policy",
    "reporting-endpoints",
    "strict-transport-security",
    "x-content-type-options",
    "x-frame-options",
];

/// Longest value of a header that is kept. Unit: characters.
const HEADER_MAX: usize = 8_192;

/// The headers that are watched, of all; nonces, which change with each response, are taken out of their values.
pub fn watched_headers<'a>(
    headers: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> BTreeMap<String, String> {
    let mut watched: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in headers {
        let name = name.to_ascii_lowercase();
        if !WATCHED.contains(&name.as_str()) {
            continue;
        }
        let value: String = without_nonces(value).chars().take(HEADER_MAX).collect();
        watched
            .entry(name)
            .and_modify(|known| {
                known.push_str(", ");
                known.push_str(&value);
            })
            .or_insert(value);
    }
    watched
}

fn without_nonces(value: &str) -> String {
    let word = |word: &str| {
        if word.starts_with("'nonce-") {
            let end = word.rsplit_once('\'').map_or("", |(_, end)| end);
            format!("'nonce'{end}")
        } else {
            word.to_owned()
        }
    };
    let words: Vec<String> = value.split(' ').map(word).collect();
    words.join(" ")
}

/// What differs. `own` is the service's public address.
pub fn compare(page: &GuardedPage, own: &str, observed: &Observed) -> Vec<Finding> {
    let mut found = Vec::new();
    let judge = Judge { page, own };
    for script in &observed.scripts {
        found.extend(judge.script(script));
    }
    if observed.is_cut {
        let message = "the page's markup was not read to its end: its elements are too deep within each other, a tag has too many attributes, or reading it takes too long. What follows may hold scripts";
        found.push(Finding::new(FindingWord::Unread, "markup", message));
    }
    if observed.unseen > 0 {
        let message = format!(
            "{} more scripts were not looked at: the page has {} in all",
            observed.unseen,
            observed.count()
        );
        found.push(Finding::new(
            FindingWord::Unread,
            "further scripts",
            message,
        ));
    }
    if observed.handlers > 0 {
        let message = format!(
            "{} attributes such as onclick, or an address that begins with javascript:, are scripts: no inventory can hold them, put them into a file",
            observed.handlers
        );
        found.push(Finding::new(FindingWord::New, "inline handlers", message));
    }
    for script in &page.scripts {
        if !judge.is_there(script, observed) {
            let message = "it is in the inventory and not in the page's markup: other scripts load it, or it is not needed any more";
            found.push(Finding::new(FindingWord::Missing, script.source(), message));
        }
    }
    found.extend(
        super::enforced::lack(&observed.policies)
            .map(|message| Finding::new(FindingWord::Policy, "content-security-policy", message)),
    );
    if let Some(accepted) = &page.accepted {
        found.extend(headers(accepted, observed));
    }
    found
}

struct Judge<'a> {
    page: &'a GuardedPage,
    own: &'a str,
}

impl Judge<'_> {
    fn script(&self, seen: &SeenScript) -> Option<Finding> {
        let Some(address) = seen.address.as_deref() else {
            return self.inline(seen);
        };
        let known = self.page.script_at(address);
        let is_own = address
            .strip_prefix(self.own)
            .is_some_and(|path| path.starts_with("/sdk/v1/"));
        if known.is_none() && !is_own && !self.has_hash(&seen.hashes) {
            let message = "it is not in the inventory: authorise it with its purpose, or take it off the page";
            return Some(Finding::new(FindingWord::New, address, message));
        }
        if let Some(why) = &seen.failure {
            return Some(Finding::new(FindingWord::Unread, address, why.clone()));
        }
        let authorised = known.and_then(|known| known.hash.as_deref());
        let accepted = self.page.accepted.as_ref();
        let accepted = accepted.and_then(|accepted| accepted.scripts.get(address));
        let (expected, when) = match (authorised, accepted) {
            (Some(hash), _) => (hash, "authorised"),
            // Our own loader has its versions: its address with a hash, or the newest one.
            (None, Some(hash)) if !is_own => (hash.as_str(), "accepted"),
            (None, _) => return None,
        };
        if seen.hashes.iter().any(|hash| hash == expected) {
            return None;
        }
        let now = seen.hashes.first().map_or("", String::as_str);
        let message = format!("its content is {now}, and {expected} was {when}");
        Some(Finding::new(FindingWord::Changed, address, message))
    }

    fn inline(&self, seen: &SeenScript) -> Option<Finding> {
        if self.has_hash(&seen.hashes) {
            return None;
        }
        let hash = seen.hashes.first().map_or("", String::as_str);
        let message = format!(
            "a script that stands in the page is not in the inventory; it begins with: {}",
            seen.beginning
        );
        Some(Finding::new(FindingWord::New, hash, message))
    }

    /// Whether the inventory has a script of this content that has no address.
    fn has_hash(&self, hashes: &[String]) -> bool {
        let without_address = self
            .page
            .scripts
            .iter()
            .filter(|known| known.address.is_none());
        without_address
            .filter_map(|known| known.hash.as_ref())
            .any(|hash| hashes.contains(hash))
    }

    fn is_there(&self, script: &PageScript, observed: &Observed) -> bool {
        observed.scripts.iter().any(|seen| match &script.address {
            Some(_) => {
                let address = seen.address.as_deref();
                let entry = address.and_then(|address| self.page.script_at(address));
                entry.is_some_and(|entry| entry.source() == script.source())
            }
            None => script
                .hash
                .as_ref()
                .is_some_and(|hash| seen.hashes.contains(hash)),
        })
    }
}

fn headers(accepted: &Accepted, observed: &Observed) -> Vec<Finding> {
    let mut found = Vec::new();
    for (name, before) in &accepted.headers {
        let message = match observed.headers.get(name) {
            Some(now) if now == before => continue,
            Some(now) => format!("it is `{now}`, and was `{before}` when it was accepted"),
            None => format!("it is gone; it was `{before}` when it was accepted"),
        };
        found.push(Finding::new(FindingWord::Header, name, message));
    }
    for (name, now) in &observed.headers {
        if !accepted.headers.contains_key(name) {
            let message = format!("it is new: `{now}`");
            found.push(Finding::new(FindingWord::Header, name, message));
        }
    }
    found
}
