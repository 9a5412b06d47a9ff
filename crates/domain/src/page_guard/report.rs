//! What browsers report of a page's policy, in both forms that they use. Of a report only the directive and the source that was blocked
//! are read: no query, no sample of code, no address of the visitor's page.

use serde_json::Value;

use super::WebAddress;
use crate::{
    card_number::{holds_card_number, without_escapes},
    processor_text::processor_text,
};

/// Reports that are read from one body.
pub const REPORTS_MAX: usize = 100;

/// Longest source that is kept. Unit: characters.
const SOURCE_MAX: usize = 300;

/// In which form reports come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFormat {
    /// `application/csp-report`, by `report-uri`. Source: W3C CSP level 3, section 5.3.
    Single,
    /// `application/reports+json`, by `report-to`. Source: W3C Reporting API.
    Several,
}

/// What a browser did not let happen, or would not have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The directive of the policy.
    pub directive: String,
    /// What was blocked: a script's address without query, the origin of anything else, or a word such as `inline` or `eval`.
    pub blocked: String,
    /// Whether it was blocked; else the policy only reports.
    pub is_enforced: bool,
}

/// Directives of which browsers report. Source: W3C CSP level 3, section 6.
const DIRECTIVES: [&str; 22] = [
    "base-uri",
    "child-src",
    "connect-src",
    "default-src",
    "fenced-frame-src",
    "font-src",
    "form-action",
    "frame-ancestors",
    "frame-src",
    "img-src",
    "manifest-src",
    "media-src",
    "object-src",
    "require-trusted-types-for",
    "sandbox",
    "script-src",
    "script-src-attr",
    "script-src-elem",
    "style-src",
    "style-src-attr",
    "style-src-elem",
    "trusted-types",
];

/// Directives of workers: they run scripts too.
const WORKERS: &str = "worker-src";

/// Words for what has no address. Source: W3C CSP level 3, section 5.2 (`blockedURI`).
const WORDS: [&str; 6] = [
    "inline",
    "eval",
    "wasm-eval",
    "trusted-types-policy",
    "trusted-types-sink",
    "self",
];

/// Whether a directive is about scripts.
pub fn is_script_directive(directive: &str) -> bool {
    directive.starts_with("script-src") || directive == WORKERS
}

/// The violations in a body, those of this page's origin alone. What is no report of a violation, or comes from an extension of the
/// visitor's browser, is left out.
pub fn read(format: ReportFormat, body: &Value, page: &WebAddress) -> Vec<Violation> {
    match format {
        ReportFormat::Single => {
            let report = body.get("csp-report");
            report
                .and_then(|report| single(report, page))
                .into_iter()
                .collect()
        }
        ReportFormat::Several => {
            let reports = body.as_array().map(Vec::as_slice).unwrap_or_default();
            let reports = reports.iter().take(REPORTS_MAX);
            reports
                .filter_map(|report| one_of_several(report, page))
                .collect()
        }
    }
}

fn single(report: &Value, page: &WebAddress) -> Option<Violation> {
    let text = |name: &str| report.get(name).and_then(Value::as_str);
    let directive = text("effective-directive").or_else(|| text("violated-directive"))?;
    violation(
        &Said {
            document: text("document-uri")?,
            directive,
            blocked: text("blocked-uri").unwrap_or_default(),
            disposition: text("disposition"),
        },
        page,
    )
}

fn one_of_several(report: &Value, page: &WebAddress) -> Option<Violation> {
    if report.get("type").and_then(Value::as_str) != Some("csp-violation") {
        return None;
    }
    let body = report.get("body")?;
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    violation(
        &Said {
            document: text("documentURL")?,
            directive: text("effectiveDirective")?,
            blocked: text("blockedURL").unwrap_or_default(),
            disposition: text("disposition"),
        },
        page,
    )
}

/// What a report says, as far as it is read.
struct Said<'a> {
    document: &'a str,
    directive: &'a str,
    blocked: &'a str,
    disposition: Option<&'a str>,
}

fn violation(said: &Said<'_>, page: &WebAddress) -> Option<Violation> {
    // A report's address of the document may end anywhere: only its beginning counts.
    let document = said.document.split(['?', '#']).next().unwrap_or_default();
    if WebAddress::parse(document)?.origin() != page.origin() {
        return None;
    }
    let directive = said.directive.split(' ').next().unwrap_or_default();
    let directive = if DIRECTIVES.contains(&directive) || directive == WORKERS {
        directive
    } else {
        "other"
    };
    Some(Violation {
        directive: directive.to_owned(),
        blocked: blocked(said.blocked, is_script_directive(directive))?,
        is_enforced: said.disposition != Some("report"),
    })
}

/// What was blocked, as it is kept; `None` for what an extension of the visitor's browser does.
fn blocked(text: &str, with_path: bool) -> Option<String> {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    if text.is_empty() {
        return Some("inline".to_owned());
    }
    if WORDS.contains(&text) {
        return Some(text.to_owned());
    }
    let scheme = text
        .split(':')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    if scheme.ends_with("-extension") {
        return None;
    }
    // Sockets have hosts too.
    let read = match scheme.as_str() {
        "ws" | "wss" => {
            let (_, rest) = text.split_once(':')?;
            let secure = if scheme == "wss" { "https" } else { "http" };
            WebAddress::parse(&format!("{secure}:{rest}"))
        }
        _ => WebAddress::parse(text),
    };
    let Some(address) = read else {
        let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        let is_known = scheme.len() <= 20 && scheme.bytes().all(is_scheme);
        return Some(if is_known { scheme } else { "other".to_owned() });
    };
    let kept = if with_path {
        address.plain()
    } else {
        address.origin().to_owned()
    };
    // A thief may write a number into the path.
    let plain = without_escapes(&kept);
    let shown = if holds_card_number(&plain) {
        plain.as_ref()
    } else {
        &kept
    };
    Some(processor_text(shown, SOURCE_MAX))
}
