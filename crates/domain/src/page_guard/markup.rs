//! The scripts in the markup of a page, as a browser would find them without running any.
//!
//! What scripts add later is not in the markup: browsers' reports show it. Source: WHATWG HTML, section 13.2.5.

/// What a page's markup has of scripts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Markup {
    /// The first `<base href>`.
    pub base: Option<String>,
    /// The scripts, in order.
    pub scripts: Vec<FoundScript>,
    /// The policies that stand in `<meta http-equiv>`.
    pub policies: Vec<String>,
    /// Attributes that are scripts: `onclick` and its like, and addresses that begin with `javascript:`.
    pub handlers: usize,
}

/// A script in the markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundScript {
    /// Where it is loaded from, as it stands there; absent for one that stands in the page.
    pub src: Option<String>,
    /// The attribute `integrity`.
    pub integrity: Option<String>,
    /// What stands between its tags.
    pub text: String,
}

/// Elements whose content is text up to their end tag.
const RAW: [&str; 9] = [
    "iframe", "noembed", "noframes", "noscript", "script", "style", "textarea", "title", "xmp",
];

/// An attribute: its name in small letters, and its value.
type Attribute = (String, String);

/// Reads a page.
pub fn read(html: &str) -> Markup {
    let mut found = Markup::default();
    let mut rest = html;
    while let Some((_, after)) = rest.split_once('<') {
        if let Some(comment) = after.strip_prefix("!--") {
            rest = after_comment(comment);
            continue;
        }
        let is_end = after.starts_with('/');
        let name_at = after.strip_prefix('/').unwrap_or(after);
        if !name_at.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            // A bogus comment, a doctype, or a sign that stands for itself.
            rest = match after.chars().next() {
                Some('!' | '?' | '/') => after.split_once('>').map_or("", |(_, rest)| rest),
                _ => after,
            };
            continue;
        }
        let ends_name = |letter: char| letter.is_ascii_whitespace() || matches!(letter, '/' | '>');
        let end = name_at.find(ends_name).unwrap_or(name_at.len());
        let (name, behind) = name_at.split_at_checked(end).unwrap_or((name_at, ""));
        let name = name.to_ascii_lowercase();
        let (attributes, behind) = attributes(behind);
        rest = behind;
        if is_end {
            continue;
        }
        let mut text = "";
        if RAW.contains(&name.as_str()) {
            (text, rest) = raw_text(behind, &name);
        }
        found.take(&name, &attributes, text);
    }
    found
}

impl Markup {
    fn take(&mut self, name: &str, attributes: &[Attribute], text: &str) {
        let value = |wanted: &str| {
            let found = attributes.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.as_str())
        };
        let is_handler = |(name, value): &&Attribute| {
            let runs = value
                .trim_start()
                .to_ascii_lowercase()
                .starts_with("javascript:");
            (name.starts_with("on") && !value.is_empty()) || runs
        };
        self.handlers += attributes.iter().filter(is_handler).count();
        match name {
            "base" if self.base.is_none() => self.base = value("href").map(str::to_owned),
            "meta" => {
                let header = value("http-equiv").unwrap_or_default();
                if header.eq_ignore_ascii_case("content-security-policy") {
                    self.policies.extend(value("content").map(str::to_owned));
                }
            }
            "script" if runs(value("type")) => {
                // A script of a drawing names its address in another attribute.
                let src = value("src").or_else(|| value("href"));
                self.scripts.push(FoundScript {
                    src: src.or_else(|| value("xlink:href")).map(str::to_owned),
                    integrity: value("integrity").map(str::to_owned),
                    text: text.to_owned(),
                });
            }
            _ => {}
        }
    }
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

fn after_comment(comment: &str) -> &str {
    for empty in [">", "->"] {
        if let Some(rest) = comment.strip_prefix(empty) {
            return rest;
        }
    }
    let ends = ["-->", "--!>"].map(|end| comment.split_once(end).map(|(_, rest)| rest));
    // The nearest end leaves the longest rest.
    let longest = ends.into_iter().flatten().max_by_key(|rest| rest.len());
    longest.unwrap_or_default()
}

/// The text of an element up to its end tag, and what follows; the tag itself is left to be read.
fn raw_text<'a>(behind: &'a str, name: &str) -> (&'a str, &'a str) {
    for (at, _) in behind.match_indices("</") {
        let (text, rest) = behind.split_at_checked(at).unwrap_or((behind, ""));
        let tag = rest.get(2..).unwrap_or_default();
        let Some((there, after)) = tag.split_at_checked(name.len()) else {
            continue;
        };
        let ends = after.starts_with(|letter: char| {
            letter.is_ascii_whitespace() || matches!(letter, '/' | '>')
        });
        if there.eq_ignore_ascii_case(name) && ends {
            return (text, rest);
        }
    }
    (behind, "")
}

/// The attributes of a tag, and what follows its `>`.
fn attributes(behind_name: &str) -> (Vec<Attribute>, &str) {
    let mut found: Vec<Attribute> = Vec::new();
    let mut rest = behind_name;
    loop {
        rest =
            rest.trim_start_matches(|letter: char| letter.is_ascii_whitespace() || letter == '/');
        if rest.is_empty() {
            return (found, rest);
        }
        if let Some(after) = rest.strip_prefix('>') {
            return (found, after);
        }
        // A name may begin with `=`.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let ends = |letter: char| letter.is_ascii_whitespace() || matches!(letter, '/' | '>' | '=');
        let tail = rest.get(first..).unwrap_or_default();
        let end = tail.find(ends).map_or(rest.len(), |at| at + first);
        let (name, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let (value, behind) = value(behind);
        let name = name.to_ascii_lowercase();
        // Of two of one name the first one counts.
        if !found.iter().any(|(known, _)| *known == name) {
            found.push((name, unescaped(value)));
        }
        rest = behind;
    }
}

/// The value behind a name, if there is one, and what follows.
fn value(behind: &str) -> (&str, &str) {
    let blank = |letter: char| letter.is_ascii_whitespace();
    let Some(after) = behind.trim_start_matches(blank).strip_prefix('=') else {
        return ("", behind);
    };
    let after = after.trim_start_matches(blank);
    for quote in ['"', '\''] {
        if let Some(quoted) = after.strip_prefix(quote) {
            return quoted.split_once(quote).unwrap_or((quoted, ""));
        }
    }
    let end = after.find(|letter: char| blank(letter) || letter == '>');
    after
        .split_at_checked(end.unwrap_or(after.len()))
        .unwrap_or((after, ""))
}

/// The value with the references that an address has resolved.
fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        let (name, behind) = after.split_once(';').unwrap_or(("", after));
        if let Some(letter) = referenced(name) {
            text.push(letter);
            rest = behind;
        } else {
            text.push('&');
            rest = after;
        }
    }
    text.push_str(rest);
    text
}

fn referenced(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "colon" => Some(':'),
        "sol" => Some('/'),
        "period" => Some('.'),
        "Tab" => Some('\t'),
        "NewLine" => Some('\n'),
        _ => {
            let digits = name.strip_prefix('#')?;
            let hex = digits.strip_prefix(['x', 'X']);
            let number = match hex {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(number)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(html: &str) -> Vec<String> {
        let scripts = read(html).scripts.into_iter();
        let shown = |one: FoundScript| one.src.unwrap_or_else(|| format!("[{}]", one.text));
        scripts.map(shown).collect()
    }

    #[test]
    fn scripts_are_found_as_a_browser_finds_them() {
        for (html, expected) in [
            ("<script src=a.js></script>", vec!["a.js"]),
            ("<SCRIPT  defer SRC = 'a.js'\n>x</ScRiPt >", vec!["a.js"]),
            (
                "<script/src=\"a.js?x=1&amp;y=2\"></script>",
                vec!["a.js?x=1&y=2"],
            ),
            (
                "<script src=&#104;ttps&colon;//x></script>",
                vec!["https://x"],
            ),
            ("<script>if (a</script>b", vec!["[if (a]"]),
            ("<script>'</scripty>'</script>", vec!["['</scripty>']"]),
            (
                "<!-- <script src=a></script> --><script src=b></script>",
                vec!["b"],
            ),
            ("<!--><script src=a></script>-->", vec!["a"]),
            ("<!-- --!><script src=a></script>", vec!["a"]),
            (
                "<title><script src=a></script></title><script src=b></script>",
                vec!["b"],
            ),
            ("<a title='<script src=a>'></a>", vec![]),
            ("1 < 2 <script src=a></script>", vec!["a"]),
            ("<script type='application/json'>{}</script>", vec![]),
            ("<script type=' Module '>x</script>", vec!["[x]"]),
            ("<script src=a src=b></script>", vec!["a"]),
            ("<svg><script xlink:href=a /></svg>", vec!["a"]),
            ("<script src=a", vec!["a"]),
            ("<script>unended", vec!["[unended]"]),
            ("é<script src=é.js>é</script>", vec!["é.js"]),
        ] {
            assert_eq!(sources(html), expected, "{html}");
        }
    }

    #[test]
    fn handlers_policies_and_the_base_are_found() {
        let found = read(
            "<base href='https://a.example/'><base href=b><meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">\
             <body onload=go()><a href=' JavaScript:go()'>x</a><p once=''>",
        );
        assert_eq!(found.base.as_deref(), Some("https://a.example/"));
        assert_eq!(found.policies, ["default-src 'none'"]);
        assert_eq!(found.handlers, 2);
    }

    #[test]
    fn nothing_that_is_sent_hangs_or_fails() {
        for piece in [
            "<", "</", "<!", "<!--", "<a ", "<a b", "<a b=", "<a b='", "<script", "&", "&#x", "é",
            "=",
        ] {
            for count in [1, 2, 1000] {
                let _ = read(&piece.repeat(count));
            }
        }
    }
}
