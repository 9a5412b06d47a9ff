//! A look at a guarded page as it is served: its headers and its scripts, compared with what was authorised and accepted.

use crate::boxed;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::{
    Fault,
    audit::{Act, Deed},
    caller::Caller,
    id::PageId,
    page_guard::{Accepted, Finding, Observed, SeenScript, WebAddress, compare, watched_headers},
    processor_text::one_line,
};
use futures_util::{StreamExt, stream};
use http_client::{Body, HeaderMap, Method, Recipient, Reply, Request, Url};
use sha2::{Digest, Sha256, Sha384, Sha512};
use store::guarded_page::{self as table, StoredPage};

use super::{
    markup::{FoundScript, Markup, read as read_markup},
    no_such_page,
};
use crate::{Engine, faults::only_fault};

/// By when a page or a script must be there.
const FETCH_WITHIN: Duration = Duration::from_secs(10);
/// The largest page. Unit: bytes.
const PAGE_MAX: usize = 4 * 1024 * 1024;
/// The largest script. Unit: bytes.
const SCRIPT_MAX: usize = 8 * 1024 * 1024;
/// Scripts of a page that are looked at.
const SCRIPTS_MAX: usize = 200;
/// Scripts whose addresses are compared, to leave out what comes twice; what is more is not looked at.
const COMPARED_MAX: usize = 2_000;
/// Scripts that are fetched at the same time.
const AT_ONCE: usize = 8;
/// So much of a script that stands in the page is shown. Unit: characters.
const BEGINNING: usize = 60;

/// A look to be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckPage {
    /// The page's address, with a query where it needs one.
    pub url: String,
    /// Whose inventory it is compared with; that of the page of this address when absent.
    pub page: Option<PageId>,
    /// Whether what is found becomes what later looks are compared with.
    pub accepts: bool,
}

/// What a look has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedPage {
    /// The page with whose inventory it was compared.
    pub id: PageId,
    /// How many scripts there are.
    pub scripts: usize,
    /// The differences.
    pub findings: Vec<Finding>,
}

impl Engine {
    /// Looks at a page as it is served, and compares it.
    ///
    /// # Errors
    /// `error.validation` for an address of no guarded page, or a page that can't be fetched; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn check_page(
        &self,
        caller: &Caller,
        command: CheckPage,
    ) -> Result<CheckedPage, Fault> {
        let rule = "must be the absolute address of a page, such as https://shop.example/checkout";
        let address = WebAddress::parse(&command.url).ok_or_else(|| Fault::invalid("url", rule))?;
        let stored = self.page_to_check(caller, &address, command.page).await?;
        let observed = self.observe_page(&address).await?;
        let findings = compare(&stored.page, self.public_url(), &observed);
        let checked = CheckedPage {
            id: stored.id,
            scripts: observed.count(),
            findings,
        };
        if command.accepts {
            let accepted = accepted(&observed, self.inner.world.now());
            let deed = Deed::on(caller.team, Act::PageAccepted, "guarded page", stored.id);
            self.change_page(caller.team, &deed, stored.id, |page| {
                page.accepted = Some(accepted.clone());
                Ok(())
            })
            .await?;
        }
        Ok(checked)
    }

    async fn page_to_check(
        &self,
        caller: &Caller,
        address: &WebAddress,
        id: Option<PageId>,
    ) -> Result<StoredPage, Fault> {
        if let Some(id) = id {
            let found = self.stored_page(caller.team, id, "page").await;
            return found.map_err(only_fault);
        }
        let pages = table::of_team(&self.inner.store, caller.team).await;
        let pages = pages.map_err(|error| only_fault(error.into()))?;
        let plain = address.plain();
        let found = pages.into_iter().find(|one| one.page.url == plain);
        found.ok_or_else(|| {
            let fault = no_such_page("url");
            let message = format!("No guarded page has the address {plain}: make one with `pointsman page save`, or name one with --page.");
            Fault { message, ..fault }
        })
    }

    async fn observe_page(&self, address: &WebAddress) -> Result<Observed, Fault> {
        let reply = self.fetch(address, PAGE_MAX).await;
        let reply = reply.map_err(|why| {
            let fault = Fault::invalid("url", "must lead to a page that can be fetched");
            let message = format!("The page can't be looked at: {why}.");
            Fault { message, ..fault }
        })?;
        let headers = texts(&reply.headers);
        is_readable(&headers, &reply.body)?;
        let body = reply.body;
        // A large page takes long enough to keep others waiting.
        let read = move || read_markup(&String::from_utf8_lossy(&body));
        let read = self.inner.world.blocking(read).await;
        let mut markup = read.ok_or_else(Fault::unknown)?;
        let of_header = headers
            .iter()
            .filter(|(name, _)| name == "content-security-policy");
        // One header may hold several policies, with commas between them.
        let of_header = of_header.flat_map(|(_, value)| value.split(','));
        let policies = of_header.map(str::to_owned);
        let policies = policies.chain(markup.policies.iter().cloned()).collect();
        let mut watched = watched_headers(headers.iter().map(|(n, v)| (n.as_str(), v.as_str())));
        watched.extend(of_markup(&markup));
        let mut known = BTreeSet::new();
        let mut scripts = std::mem::take(&mut markup.scripts);
        let uncompared = scripts.len().saturating_sub(COMPARED_MAX);
        scripts.truncate(COMPARED_MAX);
        let found = scripts.into_iter();
        // A script that is fetched early is asked for later.
        let found = found.map(|script| Located::of(script, address));
        let mut found: Vec<Located> = found.filter(|one| one.is_new(&mut known)).collect();
        let unseen = found.len().saturating_sub(SCRIPTS_MAX);
        let unseen = unseen.saturating_add(uncompared);
        found.truncate(SCRIPTS_MAX);
        let scripts = stream::iter(found)
            .map(|script| self.seen(script))
            .buffered(AT_ONCE)
            .collect()
            .await;
        Ok(Observed {
            headers: watched,
            scripts,
            unseen,
            policies,
            handlers: markup.handlers,
            is_cut: markup.is_cut,
        })
    }

    async fn seen(&self, script: Located) -> SeenScript {
        let beginning = one_line(script.text.trim());
        let mut seen = SeenScript {
            address: None,
            hashes: Vec::new(),
            failure: None,
            beginning: beginning.chars().take(BEGINNING).collect(),
        };
        match script.source {
            Source::Page => seen.hashes = hashes(script.text.as_bytes()),
            Source::Nowhere(shown) => {
                seen.failure = Some("its address is none that is fetched".to_owned());
                seen.address = Some(shown);
            }
            Source::Address(address) => {
                seen.address = Some(address.plain());
                match self.fetch(&address, SCRIPT_MAX).await {
                    Ok(reply) => seen.hashes = hashes(&reply.body),
                    Err(why) => seen.failure = Some(format!("it can't be fetched: {why}")),
                }
            }
        }
        seen
    }

    /// What is at an address that the merchant, or the page, names. Errors: why there is nothing, as a clause.
    async fn fetch(&self, address: &WebAddress, most: usize) -> Result<Reply, String> {
        let url = Url::http_or_https(&address.whole()).map_err(|why| why.to_string())?;
        let request = Request {
            method: Method::GET,
            url: &url,
            headers: &[("accept", "text/html, */*".to_owned())],
            body: Body::Empty,
            timeout: FETCH_WITHIN,
            most,
        };
        let sent = self.inner.http.send(Recipient::STRANGER, &request).await;
        let reply = sent.map_err(|error| error.to_string())?;
        if reply.status == 200 {
            return Ok(reply);
        }
        let location = reply
            .headers
            .get("location")
            .and_then(|value| value.to_str().ok());
        let location = location.map(|text| format!(" and leads to {}", one_line(text)));
        Err(format!(
            "it answers {}{}",
            reply.status,
            location.unwrap_or_default()
        ))
    }
}

/// A script with the place that it comes from.
struct Located {
    source: Source,
    text: String,
}

/// Where a script comes from.
enum Source {
    /// It stands in the page.
    Page,
    /// It is fetched.
    Address(WebAddress),
    /// Its address, as it is shown, is none that is fetched.
    Nowhere(String),
}

impl Located {
    fn of(script: FoundScript, page: &WebAddress) -> Self {
        let base = script.bases.iter().fold(page.clone(), |around, base| {
            around.join(base).unwrap_or(around)
        });
        let source = match script.src {
            None => Source::Page,
            Some(src) => match base.join(&src) {
                Some(address) => Source::Address(address),
                None => Source::Nowhere(one_line(&src).chars().take(BEGINNING).collect()),
            },
        };
        Self {
            source,
            text: script.text,
        }
    }

    /// Whether no script before it comes from the same address.
    fn is_new(&self, known: &mut BTreeSet<String>) -> bool {
        match &self.source {
            Source::Page | Source::Nowhere(_) => true,
            Source::Address(address) => known.insert(address.whole()),
        }
    }
}

/// What of the markup decides about scripts as headers do.
fn of_markup(markup: &Markup) -> BTreeMap<String, String> {
    let policies = markup.policies.iter();
    let policies = policies.map(|policy| ("content-security-policy", policy.as_str()));
    let policies = watched_headers(policies).into_iter();
    let policies = policies.map(|(name, value)| (format!("meta {name}"), value));
    let base = markup.base.as_deref().map(|base| {
        let shown = one_line(base).chars().take(BEGINNING).collect();
        ("base href".to_owned(), shown)
    });
    policies.chain(base).collect()
}

/// Whether a page is read here as a browser reads it: in another encoding, other letters are a script.
///
/// # Errors
/// `error.validation`.
fn is_readable(headers: &[(String, String)], body: &[u8]) -> Result<(), Fault> {
    let content_type = headers.iter().find(|(name, _)| name == "content-type");
    let content_type = content_type
        .map_or("", |(_, value)| value)
        .to_ascii_lowercase();
    let named = content_type.split_once("charset=").map(|(_, named)| named);
    let named = named
        .unwrap_or("utf-8")
        .split(';')
        .next()
        .unwrap_or_default();
    let named = named.trim().trim_matches(['"', '\'']);
    // In all of these the letters of tags have the same bytes.
    let is_known = matches!(named, "utf-8" | "utf8" | "us-ascii" | "ascii" | "latin1")
        || named.starts_with("iso-8859-")
        || named.starts_with("windows-125");
    let is_wide = body.starts_with(&[0xFE, 0xFF]) || body.starts_with(&[0xFF, 0xFE]);
    if is_known && !is_wide {
        return Ok(());
    }
    let fault = Fault::invalid("url", "must lead to a page in UTF-8");
    let message = "The page can't be looked at: it is not in UTF-8, so that a browser may find other scripts in it.";
    Err(Fault {
        message: message.to_owned(),
        ..fault
    })
}

/// The hashes of a content, as `integrity` has them.
fn hashes(content: &[u8]) -> Vec<String> {
    vec![
        format!("sha384-{}", STANDARD.encode(Sha384::digest(content))),
        format!("sha256-{}", STANDARD.encode(Sha256::digest(content))),
        format!("sha512-{}", STANDARD.encode(Sha512::digest(content))),
    ]
}

fn accepted(observed: &Observed, now: domain::Timestamp) -> Accepted {
    let scripts = observed.scripts.iter().filter_map(|seen| {
        let (address, hash) = (seen.address.clone()?, seen.hashes.first()?);
        Some((address, hash.clone()))
    });
    Accepted {
        at: now,
        headers: observed.headers.clone(),
        scripts: scripts.collect::<BTreeMap<_, _>>(),
    }
}

/// The headers whose values are texts.
fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    let texts = headers.iter().filter_map(|(name, value)| {
        let value = value.to_str().ok()?;
        Some((name.as_str().to_owned(), value.to_owned()))
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_attribute_integrity() {
        // `alert('Hello, world.');`. Source: W3C Subresource Integrity, section 3.1.
        let made = hashes(b"alert('Hello, world.');");
        let published = "sha384-H8BRh8j48O9oYatfu5AZzq6A9RINhZO5H16dQZngK7T62em8MUt1FLm52t+eX6xO";
        assert!(made.iter().any(|hash| hash == published), "{made:?}");
        assert!(made.iter().all(|hash| domain::page_guard::is_hash(hash)));
    }
}
