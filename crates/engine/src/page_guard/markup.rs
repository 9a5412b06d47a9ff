//! The scripts in the markup of a page, as a browser finds them without running any.
//!
//! A browser's parser decides what is a script, not the letters: `<style>` is text in a page and markup in a drawing, and a frame may
//! hold a page in an attribute. So the page is read by `html5ever`, which follows WHATWG HTML, section 13.2, step by step.
//! What scripts add later is not in the markup: browsers' reports show it.

mod elements;
mod pieces;

use std::sync::Arc;

use serde_json::Value;

use self::elements::{Element, Vocabulary};

/// Frames within frames whose pages stand in an attribute. What is deeper is taken for one script.
const DEPTH_MAX: usize = 4;

/// What a page's markup has of scripts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Markup {
    /// The first `<base href>`.
    pub(super) base: Option<String>,
    /// The scripts, in order.
    pub(super) scripts: Vec<FoundScript>,
    /// The policies that stand in `<meta http-equiv>` and hold for every script.
    pub(super) policies: Vec<String>,
    /// Attributes that are scripts: `onclick` and its like, and addresses that begin with `javascript:`.
    pub(super) handlers: usize,
    /// Whether a part of the page was not read, since it would take too long.
    pub(super) is_cut: bool,
}

/// A script in the markup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FoundScript {
    /// Where it is loaded from, as it stands there; absent for one that stands in the page.
    pub(super) src: Option<String>,
    /// The `<base href>` of its page and of the pages around it, the outermost first.
    pub(super) bases: Vec<Arc<str>>,
    /// What stands between its tags.
    pub(super) text: String,
}

/// Reads a page.
pub(super) fn read(html: &str) -> Markup {
    let mut found = Markup::default();
    read_into(&mut found, html, &[], 0);
    found
}

/// Reads the page of a frame, or the page itself, into what was found before.
fn read_into(found: &mut Markup, html: &str, around: &[Arc<str>], depth: usize) {
    let mut reader = Reader {
        found,
        around,
        base: None,
        depth,
    };
    let read = elements::of(html);
    for element in &read.kept {
        reader.take(element);
    }
    found.is_cut |= read.is_cut;
}

struct Reader<'a> {
    found: &'a mut Markup,
    around: &'a [Arc<str>],
    base: Option<Arc<str>>,
    depth: usize,
}

impl Reader<'_> {
    fn take(&mut self, element: &Element) {
        let handlers = element
            .attributes
            .iter()
            .filter(|(name, value)| is_handler(name, value));
        self.found.handlers += handlers.count();
        match (element.vocabulary, element.name.as_str()) {
            (Vocabulary::Html, "base") => self.base(element),
            (Vocabulary::Html, "meta") => self.policy(element),
            (Vocabulary::Html, "link") => self.link(element),
            (Vocabulary::Html, "iframe") => self.frame(element),
            (Vocabulary::Html, "script") if runs(element.value("type")) => {
                if is_type(element, "importmap") {
                    self.import_map(&element.text);
                }
                self.script(element.value("src"), &element.text);
            }
            // A drawing's script names its address in another attribute; the older spelling counts less.
            (Vocabulary::Drawing, "script") if runs(element.value("type")) => {
                let src = element
                    .value("href")
                    .or_else(|| element.value("xlink:href"));
                self.script(src, &element.text);
            }
            _ => {}
        }
    }

    fn script(&mut self, src: Option<&str>, text: &str) {
        let bases = self.around.iter().chain(&self.base).cloned();
        self.found.scripts.push(FoundScript {
            src: src.map(str::to_owned),
            bases: bases.collect(),
            text: src.map_or(text, |_| "").to_owned(),
        });
    }

    fn base(&mut self, element: &Element) {
        let Some(href) = element.value("href").filter(|_| self.base.is_none()) else {
            return;
        };
        self.base = Some(Arc::from(href));
        if self.depth == 0 {
            self.found.base = Some(href.to_owned());
        }
    }

    /// A policy in the markup counts in the page's head alone, and for what follows it. It can't report. Source: W3C CSP level 3,
    /// section 3.3.
    fn policy(&mut self, element: &Element) {
        let header = element.value("http-equiv").unwrap_or_default();
        let is_policy = header.eq_ignore_ascii_case("content-security-policy");
        let is_first = self.found.scripts.is_empty() && self.found.handlers == 0;
        if is_policy && is_first && self.depth == 0 && element.is_in_head {
            let content = element.value("content").unwrap_or_default();
            let kept = content.split(';').filter(|directive| {
                let name = directive
                    .split_ascii_whitespace()
                    .next()
                    .unwrap_or_default();
                let name = name.to_ascii_lowercase();
                !["report-uri", "report-to", "frame-ancestors", "sandbox"].contains(&name.as_str())
            });
            let kept: Vec<&str> = kept.collect();
            self.found.policies.push(kept.join(";"));
        }
    }

    /// A script that is fetched before it is asked for.
    fn link(&mut self, element: &Element) {
        let rel = element
            .value("rel")
            .unwrap_or_default()
            .to_ascii_lowercase();
        let kind = element.value("as").unwrap_or_default().to_ascii_lowercase();
        let is_script = rel.split_ascii_whitespace().any(|word| match word {
            "modulepreload" => !matches!(kind.as_str(), "json" | "style"),
            "preload" => matches!(kind.as_str(), "script" | "worker" | "sharedworker"),
            _ => false,
        });
        if let (true, Some(href)) = (is_script, element.value("href")) {
            self.script(Some(href), "");
        }
    }

    /// A frame whose page stands in an attribute is of the origin of the page around it.
    fn frame(&mut self, element: &Element) {
        let Some(html) = element.value("srcdoc") else {
            return;
        };
        if self.depth >= DEPTH_MAX {
            return self.script(None, html);
        }
        let around: Vec<Arc<str>> = self.around.iter().chain(&self.base).cloned().collect();
        read_into(self.found, html, &around, self.depth.saturating_add(1));
    }

    /// The scripts that modules get under other names. Source: WHATWG HTML, section 8.1.6.2.
    fn import_map(&mut self, text: &str) {
        let Ok(map) = serde_json::from_str::<Value>(text) else {
            return;
        };
        let scopes = map.get("scopes").and_then(Value::as_object);
        let scopes = scopes.into_iter().flat_map(|scopes| scopes.values());
        let addresses = map.get("imports").into_iter().chain(scopes);
        let addresses = addresses.filter_map(Value::as_object);
        let addresses: Vec<&str> = addresses
            .flat_map(|names| names.values().filter_map(Value::as_str))
            // One that ends so stands for all below it.
            .filter(|address| !address.ends_with('/'))
            .collect();
        for address in addresses {
            self.script(Some(address), "");
        }
    }
}

/// Whether an attribute is a script.
fn is_handler(name: &str, value: &str) -> bool {
    (name.starts_with("on") && !value.is_empty()) || is_code(value)
}

/// Whether a value is run when it is followed as an address, or when a drawing sets it as one.
fn is_code(value: &str) -> bool {
    value.split(';').any(|part| {
        let part = part.trim_start_matches(|letter: char| letter <= ' ');
        let letters = part
            .chars()
            .filter(|letter| !matches!(letter, '\t' | '\n' | '\r'));
        let begin: String = letters.take("javascript:".len()).collect();
        begin.eq_ignore_ascii_case("javascript:")
    })
}

fn is_type(element: &Element, wanted: &str) -> bool {
    element
        .value("type")
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case(wanted))
}

/// Whether a browser runs a script of this type, or lets it choose what is run.
fn runs(kind: Option<&str>) -> bool {
    let kind = kind.unwrap_or_default().trim().to_ascii_lowercase();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    matches!(kind, "" | "module" | "importmap" | "speculationrules")
        || kind.ends_with("javascript")
        || kind.ends_with("ecmascript")
        || kind.ends_with("jscript")
        || kind == "text/livescript"
        || kind.starts_with("text/javascript1.")
}

#[cfg(test)]
mod tests;
