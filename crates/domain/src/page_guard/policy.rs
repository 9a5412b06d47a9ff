//! The headers and tags that a merchant puts into the page.

use super::{GuardedPage, PageScript};

/// What a merchant puts into the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippets {
    /// The value of the header `Content-Security-Policy`.
    pub policy: String,
    /// The value of the header `Reporting-Endpoints`, which `report-to` in the policy names.
    pub reporting: String,
    /// A tag for each script of the inventory whose content is fixed.
    pub tags: Vec<String>,
}

/// The snippets of a page. `own` is the service's public address, without a `/` at its end.
pub fn snippets(page: &GuardedPage, own: &str, report_url: &str) -> Snippets {
    let own_scripts = format!("{own}/sdk/v1/");
    let mut sources = vec![own_scripts.clone()];
    for script in &page.scripts {
        let source = match (&script.address, &script.hash) {
            (Some(address), _) => in_policy(address),
            (None, Some(hash)) => format!("'{hash}'"),
            (None, None) => continue,
        };
        if source != own_scripts {
            sources.push(source);
        }
    }
    let policy = [
        format!("script-src {}", sources.join(" ")),
        format!("frame-src {own}"),
        "object-src 'none'".to_owned(),
        "base-uri 'none'".to_owned(),
        format!("report-uri {report_url}"),
        "report-to pointsman".to_owned(),
    ];
    Snippets {
        policy: policy.join("; "),
        reporting: format!("pointsman=\"{report_url}\""),
        tags: page.scripts.iter().filter_map(tag).collect(),
    }
}

/// An address as a source of a policy. Source: W3C CSP level 3, section 2.3.1: `;` and `,` are percent-encoded.
fn in_policy(address: &str) -> String {
    address.replace(';', "%3B").replace(',', "%2C")
}

fn tag(script: &PageScript) -> Option<String> {
    let (address, hash) = (script.address.as_deref()?, script.hash.as_deref()?);
    // An address has no letter that ends an attribute; `&` begins a reference.
    let address = address.replace('&', "&amp;");
    Some(format!(
        "<script src=\"{address}\" integrity=\"{hash}\" crossorigin=\"anonymous\"></script>"
    ))
}
