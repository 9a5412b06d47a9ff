//! Pages for people: HTML by templates in `templates/`, without scripts, images or anything else that would have to be
//! loaded. The engine of the templates (`askama`) escapes every text that is put into one; none is marked as safe.
//!
//! Headers, framing and addresses of pages belong to the server.

mod html;
pub mod sdk;

use askama::Template;

pub use self::html::Html;
use self::html::Piece;

/// A page with its title, which is its heading too.
#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    title: String,
    pieces: &'a [Piece],
}

/// The text of a page. Its title is its heading too.
pub fn page(title: &str, body: &Html) -> String {
    let page = Page {
        title: html::plain(title),
        pieces: body.pieces(),
    };
    // Writing into memory can't fail.
    page.render().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_a_language_a_title_a_heading_and_no_scripts() {
        let text = page("Pay <now>", &Html::new().paragraph("10.00"));
        assert!(
            text.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"),
            "{text}"
        );
        assert!(
            text.contains("<title>Pay &#60;now&#62;</title>")
                && text.contains("<h1>Pay &#60;now&#62;</h1>"),
            "{text}"
        );
        assert!(
            text.contains("<p>10.00</p>") && !text.contains("<script"),
            "{text}"
        );
        assert!(text.contains("button:first-child{"), "{text}");
    }
}
