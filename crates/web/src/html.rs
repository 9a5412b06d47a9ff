//! What stands on a page: texts in their places. The template writes and escapes them.

/// The body of a page, piece by piece.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Html(Vec<Piece>);

/// A piece of a page's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A paragraph.
    Paragraph { text: String },
    /// A line to be copied.
    Code { text: String },
    /// Names and values.
    Facts { facts: Vec<Named> },
    /// A form that posts one field: a button for each value.
    Choice { field: String, choices: Vec<Named> },
    /// A link to another page.
    Link { address: String, label: String },
}

/// A name with its value, or a value with its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) value: String,
}

impl Html {
    /// An empty body.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a paragraph.
    #[must_use]
    pub fn paragraph(self, text: &str) -> Self {
        self.with(Piece::Paragraph { text: plain(text) })
    }

    /// Adds a line to be copied.
    #[must_use]
    pub fn code(self, text: &str) -> Self {
        self.with(Piece::Code { text: plain(text) })
    }

    /// Adds a list of names and values.
    #[must_use]
    pub fn facts(self, facts: &[(&str, &str)]) -> Self {
        self.with(Piece::Facts {
            facts: named(facts),
        })
    }

    /// Adds a form that posts one field to the page's own address: a button for each value, with its label.
    /// The first one stands out, as the usual choice.
    #[must_use]
    pub fn choice(self, field: &str, choices: &[(&str, &str)]) -> Self {
        self.with(Piece::Choice {
            field: plain(field),
            choices: named(choices),
        })
    }

    /// Adds a link to a page that is http or https; anything else stays a text.
    #[must_use]
    pub fn link(self, address: &str, label: &str) -> Self {
        if !address.starts_with("https://") && !address.starts_with("http://") {
            return self.paragraph(label);
        }
        self.with(Piece::Link {
            address: plain(address),
            label: plain(label),
        })
    }

    /// What stands on the page.
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.0
    }

    fn with(mut self, piece: Piece) -> Self {
        self.0.push(piece);
        self
    }
}

fn named(pairs: &[(&str, &str)]) -> Vec<Named> {
    pairs
        .iter()
        .map(|(name, value)| Named {
            name: plain(name),
            value: plain(value),
        })
        .collect()
}

/// The text without control characters, which no page needs.
pub(crate) fn plain(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(html: &Html) -> String {
        let page = crate::page("", html);
        let body = page.split_once("</h1>\n").unwrap().1;
        body.split_once("</main>").unwrap().0.to_owned()
    }

    #[test]
    fn what_means_something_in_html_is_escaped() {
        let text = Html::new().paragraph("<script>\"a\" & 'b'");
        assert_eq!(
            body(&text),
            "<p>&#60;script&#62;&#34;a&#34; &#38; &#39;b&#39;</p>\n"
        );
        assert_eq!(plain("a\u{0}\u{1b}\n\u{85}b"), "ab");
        assert_eq!(
            body(&Html::new().code("€ 10.00 — Zoë")),
            "<pre>€ 10.00 — Zoë</pre>\n"
        );
    }

    #[test]
    fn every_way_to_give_a_text_escapes_it() {
        const EVIL: &str = "\"><script>alert(1)</script>";
        let link = format!("https://bank.example/{EVIL}");
        for html in [
            Html::new().paragraph(EVIL),
            Html::new().facts(&[(EVIL, EVIL)]),
            Html::new().choice(EVIL, &[(EVIL, EVIL)]),
            Html::new().code(EVIL),
            Html::new().link(&link, EVIL),
        ] {
            let body = body(&html);
            assert!(!body.contains("<script"), "{body}");
            assert!(
                body.contains("&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;"),
                "{body}"
            );
        }
        let titled = crate::page(EVIL, &Html::new());
        assert!(!titled.contains("<script"), "{titled}");
    }

    #[test]
    fn a_link_leads_to_a_page_and_never_runs_anything() {
        let link = Html::new().link("https://bank.example/?a=1&b=\"", "Go on");
        assert_eq!(
            body(&link),
            "<p><a href=\"https://bank.example/?a=1&#38;b=&#34;\">Go on</a></p>\n"
        );
        assert!(!body(&Html::new().link("javascript:alert(1)", "Go on")).contains("href"));
    }

    #[test]
    fn a_choice_is_a_form_with_a_button_for_each_value_and_facts_are_a_list() {
        let form = Html::new().choice("outcome", &[("complete", "Pay"), ("fail", "Refuse")]);
        let expected = "<form method=\"post\">\n\
            <button type=\"submit\" name=\"outcome\" value=\"complete\">Pay</button>\n\
            <button type=\"submit\" name=\"outcome\" value=\"fail\">Refuse</button>\n\
            </form>\n";
        assert_eq!(body(&form), expected);
        let facts = Html::new().facts(&[("Amount", "€1"), ("Card", "VISA")]);
        assert_eq!(
            body(&facts),
            "<dl><dt>Amount</dt>\n<dd>€1</dd>\n<dt>Card</dt>\n<dd>VISA</dd>\n</dl>\n"
        );
    }
}
