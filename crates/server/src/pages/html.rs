//! HTML that is safe by the way it is made: whoever makes a page gives texts, and every text is escaped here.

/// A piece of a page's body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Html(String);

impl Html {
    /// An empty piece.
    pub(crate) const fn new() -> Self {
        Self(String::new())
    }

    /// Adds a paragraph.
    pub(crate) fn paragraph(mut self, text: &str) -> Self {
        self.element("p", text);
        self
    }

    /// Adds a line to be copied.
    pub(crate) fn code(mut self, text: &str) -> Self {
        self.0.push_str("<pre>");
        escape(text, &mut self.0);
        self.0.push_str("</pre>\n");
        self
    }

    /// Adds a list of names and values.
    pub(crate) fn facts(mut self, facts: &[(&str, &str)]) -> Self {
        self.0.push_str("<dl>");
        for (name, value) in facts {
            self.element("dt", name);
            self.element("dd", value);
        }
        self.0.push_str("</dl>\n");
        self
    }

    /// Adds a form that posts one field to the page's own address: a button for each value, with its label.
    /// The first one stands out, as the usual choice.
    pub(crate) fn choice(mut self, field: &str, choices: &[(&str, &str)]) -> Self {
        self.0.push_str("<form method=\"post\">\n");
        for (value, label) in choices {
            self.0.push_str("<button type=\"submit\" name=\"");
            escape(field, &mut self.0);
            self.0.push_str("\" value=\"");
            escape(value, &mut self.0);
            self.0.push_str("\">");
            escape(label, &mut self.0);
            self.0.push_str("</button>\n");
        }
        self.0.push_str("</form>\n");
        self
    }

    /// Adds a link to a page that is http or https; anything else stays a text.
    pub(crate) fn link(mut self, address: &str, label: &str) -> Self {
        if !address.starts_with("https://") && !address.starts_with("http://") {
            return self.paragraph(label);
        }
        self.0.push_str("<p><a href=\"");
        escape(address, &mut self.0);
        self.0.push_str("\">");
        escape(label, &mut self.0);
        self.0.push_str("</a></p>\n");
        self
    }

    /// The text of the piece.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    fn element(&mut self, tag: &'static str, text: &str) {
        self.0.extend(["<", tag, ">"]);
        escape(text, &mut self.0);
        self.0.extend(["</", tag, ">\n"]);
    }
}

/// Adds `text` so that it means itself, within an element as within a quoted attribute. Control characters, which no page
/// needs, are left out.
pub(super) fn escape(text: &str, into: &mut String) {
    for letter in text.chars() {
        match letter {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '"' => into.push_str("&quot;"),
            '\'' => into.push_str("&#39;"),
            control if control.is_control() => {}
            plain => into.push(plain),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        let mut into = String::new();
        escape(text, &mut into);
        into
    }

    #[test]
    fn what_means_something_in_html_is_escaped() {
        assert_eq!(
            escaped("<script>\"a\" & 'b'"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;"
        );
        assert_eq!(escaped("&amp;"), "&amp;amp;");
        assert_eq!(escaped("a\u{0}\u{1b}\n\u{85}b"), "ab");
        assert_eq!(escaped("€ 10.00 — Zoë"), "€ 10.00 — Zoë");
    }

    #[test]
    fn every_way_to_give_a_text_escapes_it() {
        const EVIL: &str = "\"><script>alert(1)</script>";
        for piece in [
            Html::new().paragraph(EVIL),
            Html::new().facts(&[(EVIL, EVIL)]),
            Html::new().choice(EVIL, &[(EVIL, EVIL)]),
            Html::new().code(EVIL),
        ] {
            assert!(!piece.as_str().contains("<script"), "{piece:?}");
            assert!(
                piece
                    .as_str()
                    .contains("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"),
                "{piece:?}"
            );
        }
    }

    #[test]
    fn a_link_leads_to_a_page_and_never_runs_anything() {
        let link = Html::new().link("https://bank.example/?a=1&b=\"", "Go on");
        assert_eq!(
            link.as_str(),
            "<p><a href=\"https://bank.example/?a=1&amp;b=&quot;\">Go on</a></p>\n"
        );
        assert!(
            !Html::new()
                .link("javascript:alert(1)", "Go on")
                .as_str()
                .contains("href")
        );
    }

    #[test]
    fn a_choice_is_a_form_with_a_button_for_each_value() {
        let form = Html::new().choice("outcome", &[("complete", "Pay"), ("fail", "Refuse")]);
        let expected = "<form method=\"post\">\n\
            <button type=\"submit\" name=\"outcome\" value=\"complete\">Pay</button>\n\
            <button type=\"submit\" name=\"outcome\" value=\"fail\">Refuse</button>\n\
            </form>\n";
        assert_eq!(form.as_str(), expected);
    }
}
