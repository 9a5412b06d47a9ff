//! The guard of a merchant's payment page: which scripts may run on it, who authorised them and why, and what browsers report.
//!
//! Source: PCI DSS 4.0.1, requirements 6.4.3 (scripts of payment pages are authorised, their integrity is assured, an inventory with a
//! justification is kept) and 11.6.1 (changes of headers and scripts are detected).

mod address;
mod compare;
mod enforced;
mod policy;
mod report;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Fault, Faults, Timestamp, bounded::bounded};

pub use address::WebAddress;
pub use compare::{Finding, FindingWord, Observed, SeenScript, compare, watched_headers};
pub use policy::{Snippets, snippets};
pub use report::{REPORTS_MAX, ReportFormat, Violation, is_script_directive, read as read_reports};

/// Scripts that a page's inventory can have.
pub const SCRIPTS_MAX: usize = 100;
/// Longest purpose of a script. Unit: characters.
const PURPOSE_MAX: usize = 500;
/// Longest name of a page or of a person. Unit: characters.
const NAME_MAX: usize = 100;

/// A page of the merchant's on which customers pay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardedPage {
    /// What people call it.
    pub name: String,
    /// Its address, without a query.
    pub url: String,
    /// The scripts that may run on it.
    #[serde(default)]
    pub scripts: Vec<PageScript>,
    /// What was found on it when a person accepted that last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<Accepted>,
}

/// A script that may run on a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageScript {
    /// Where it is loaded from, without a query; one that ends with `/` stands for all scripts below it. Absent for a script that
    /// stands in the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The hash of its content, as `integrity` has it. Absent for one whose content may change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Why the page needs it.
    pub purpose: String,
    /// Who authorised it.
    pub authorised_by: String,
    /// When.
    pub authorised_at: Timestamp,
}

/// What was found on a page when a person accepted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// When.
    pub at: Timestamp,
    /// The headers that are watched, by their names.
    pub headers: BTreeMap<String, String>,
    /// The hash of each script that was fetched, by its address.
    pub scripts: BTreeMap<String, String>,
}

/// A script to be authorised, as it was given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScriptGiven {
    /// Its address.
    pub address: Option<String>,
    /// The hash of its content.
    pub hash: Option<String>,
    /// Why the page needs it.
    pub purpose: String,
    /// Who authorises it.
    pub authorised_by: String,
}

impl GuardedPage {
    /// A page without scripts.
    ///
    /// # Errors
    /// `error.validation` for a name or an address that can't be one.
    pub fn new(name: &str, url: &str) -> Result<Self, Fault> {
        let mut faults = Faults::default();
        let name = faults.good(page_name(name));
        let url = faults.good(page_url(url));
        faults.end(name.zip(url).map(|(name, url)| Self {
            name,
            url,
            scripts: Vec::new(),
            accepted: None,
        }))
    }

    /// Takes over name and address of another one.
    pub fn rename(&mut self, other: Self) {
        (self.name, self.url) = (other.name, other.url);
    }

    /// Puts a script into the inventory. One of the same source is replaced.
    ///
    /// # Errors
    /// `error.validation`; a full inventory.
    pub fn authorise(&mut self, given: ScriptGiven, now: Timestamp) -> Result<(), Fault> {
        let script = PageScript::parse(given, now)?;
        self.scripts
            .retain(|known| known.source() != script.source());
        if self.scripts.len() >= SCRIPTS_MAX {
            let rule = format!(
                "is one too many: a page has at most {SCRIPTS_MAX} scripts in its inventory"
            );
            return Err(Fault::invalid("script", rule));
        }
        self.scripts.push(script);
        Ok(())
    }

    /// Takes a script out of the inventory, by its address, or by its hash where it has none. False when there is no such script.
    pub fn withdraw(&mut self, source: &str) -> bool {
        let plain = WebAddress::parse(source).map(|address| address.plain());
        let source = plain.as_deref().unwrap_or(source);
        let before = self.scripts.len();
        self.scripts.retain(|known| known.source() != source);
        self.scripts.len() < before
    }

    /// The inventory's entry for the script of an address without query.
    pub fn script_at(&self, address: &str) -> Option<&PageScript> {
        self.scripts.iter().find(|known| known.is_of(address))
    }

    /// Whether the inventory has what browsers say was blocked.
    pub fn knows(&self, blocked: &str) -> bool {
        self.script_at(blocked).is_some()
    }
}

impl ScriptGiven {
    /// The same, if it can be authorised.
    ///
    /// # Errors
    /// `error.validation` for every field that breaks its rule.
    pub fn checked(self) -> Result<Self, Fault> {
        PageScript::parse(self.clone(), Timestamp::from_micros(0)).map(|_| self)
    }
}

impl PageScript {
    fn parse(given: ScriptGiven, now: Timestamp) -> Result<Self, Fault> {
        let mut faults = Faults::default();
        let address = given.address.filter(|text| !text.is_empty());
        let hash = given.hash.filter(|text| !text.is_empty());
        if address.is_none() && hash.is_none() {
            let rule = "is required where there is no hash: the script's address, or the hash of a script that stands in the page";
            faults.add(Fault::invalid("script.address", rule));
        }
        let address = address.map(|text| {
            let rule = "must be an absolute address such as https://cdn.example/lib.js, of at most 2048 characters";
            let read = WebAddress::parse(&text);
            read.ok_or_else(|| Fault::invalid("script.address", rule))
        });
        let address = faults.or_default(address.transpose());
        let address = address.map(|address| address.plain());
        faults.or_default(check_hash(hash.as_deref(), address.as_deref()));
        let purpose = faults.good(required(&given.purpose, "script.purpose", PURPOSE_MAX));
        let by = required(&given.authorised_by, "script.authorisedBy", NAME_MAX);
        let by = faults.good(by);
        faults.end(purpose.zip(by).map(|(purpose, authorised_by)| Self {
            address,
            hash,
            purpose,
            authorised_by,
            authorised_at: now,
        }))
    }

    /// What tells it from others: its address, or its hash where it has none.
    pub fn source(&self) -> &str {
        let address = self.address.as_deref();
        address.or(self.hash.as_deref()).unwrap_or_default()
    }

    fn is_of(&self, address: &str) -> bool {
        self.address
            .as_deref()
            .is_some_and(|own| own == address || (own.ends_with('/') && address.starts_with(own)))
    }
}

/// Errors: `error.validation` for what is no hash, or stands with an address of many scripts.
fn check_hash(hash: Option<&str>, address: Option<&str>) -> Result<(), Fault> {
    let Some(hash) = hash else { return Ok(()) };
    let rule = if !is_hash(hash) {
        "must be one hash as the attribute integrity has it, such as sha384- with 64 letters of base64"
    } else if address.is_some_and(|text| text.ends_with('/')) {
        "goes with the address of one script, not with all below an address"
    } else {
        return Ok(());
    };
    Err(Fault::invalid("script.hash", rule))
}

/// Whether a text is one hash of the attribute `integrity`. Source: W3C Subresource Integrity, section 3.5.
pub fn is_hash(text: &str) -> bool {
    let length = |algorithm: &str| match algorithm {
        "sha256" => Some(44),
        "sha384" => Some(64),
        "sha512" => Some(88),
        _ => None,
    };
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    text.split_once('-').is_some_and(|(algorithm, digits)| {
        length(algorithm) == Some(digits.len()) && digits.bytes().all(is_digit)
    })
}

fn page_name(name: &str) -> Result<String, Fault> {
    required(name, "name", NAME_MAX)
}

fn page_url(url: &str) -> Result<String, Fault> {
    let rule = "must be the absolute address of a page, such as https://shop.example/checkout";
    let read = WebAddress::parse(url).ok_or_else(|| Fault::invalid("url", rule))?;
    Ok(read.plain())
}

fn required(text: &str, field: &str, max: usize) -> Result<String, Fault> {
    let text = bounded(text.trim().to_owned(), field, max)?;
    if text.is_empty() {
        return Err(Fault::invalid(field, "is required"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
