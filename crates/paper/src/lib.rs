//! Documents on paper: titles and texts in any script, as a PDF.
//!
//! # How it works
//! Every character is drawn by the bitmap that GNU Unifont has of it, as a glyph of a font that lies in the document itself, with the
//! character that it stands for. So nothing of the machine is needed, and equal texts make equal bytes.
//!
//! # What is promised
//! - No character vanishes: one without a glyph is shown as its code point, such as `[U+1F600]`.
//! - Text can be selected and searched, right-to-left scripts too.
//!
//! # What is not
//! Typography: letters of Arabic are not joined, and vowels of Indic scripts stand where Unicode has them.

mod fonts;
mod layout;

use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use fonts::Fonts;
use layout::{Line, Piece};

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its heading.
    pub heading: String,
    /// Its text, of any number of lines.
    pub text: String,
}

/// A4. Unit: points.
const PAGE: (u16, u16) = (595, 842);
/// Around what is written. Unit: points.
const MARGIN: u16 = 50;
/// From one line to the next. Unit: points.
const LEADING: u16 = 15;
/// How wide half a cell is: a Latin letter takes one half, a Chinese one two. Unit: points.
const HALF: u16 = 6;
/// The size at which a glyph has these widths. Unit: points.
const SIZE: u16 = 12;
/// Lines of a page.
const LINES: usize = 49;

/// The document as a PDF: the same bytes for the same texts.
pub fn pdf(title: &str, sections: &[Section]) -> Vec<u8> {
    let lines = layout::lines(title, sections);
    let fonts = Fonts::of(&lines);
    let mut pdf = Pdf::new();
    let mut next = 1;
    let mut new_ref = || {
        let id = Ref::new(next);
        next += 1;
        id
    };
    let (catalog, tree, info) = (new_ref(), new_ref(), new_ref());
    pdf.catalog(catalog).pages(tree);
    pdf.document_info(info).title(TextStr(title));
    let fonts_at: Vec<Ref> = (0..fonts.len()).map(|_| new_ref()).collect();
    let pages: Vec<(Ref, Ref, &[Line])> = lines
        .chunks(LINES)
        .map(|lines| (new_ref(), new_ref(), lines))
        .collect();
    let count = i32::try_from(pages.len()).unwrap_or(i32::MAX);
    pdf.pages(tree)
        .kids(pages.iter().map(|(page, _, _)| *page))
        .count(count);
    for (id, content, lines) in &pages {
        let mut page = pdf.page(*id);
        page.media_box(Rect::new(0.0, 0.0, f32::from(PAGE.0), f32::from(PAGE.1)));
        page.parent(tree).contents(*content);
        let mut resources = page.resources();
        let mut named = resources.fonts();
        for (place, font) in fonts_at.iter().enumerate() {
            named.pair(Name(name_of(place).as_bytes()), *font);
        }
        named.finish();
        resources.finish();
        page.finish();
        pdf.stream(*content, &drawn(lines, &fonts));
    }
    for (place, id) in fonts_at.iter().enumerate() {
        fonts.write(&mut pdf, place, *id, &mut new_ref);
    }
    pdf.finish()
}

fn name_of(font: usize) -> String {
    format!("F{font}")
}

/// The operators that write the lines of a page.
fn drawn(lines: &[Line], fonts: &Fonts) -> Vec<u8> {
    let mut content = Content::new();
    let mut y = PAGE.1.saturating_sub(MARGIN);
    for line in lines {
        y = y.saturating_sub(LEADING);
        for Piece { half, text } in &line.pieces {
            let x = MARGIN.saturating_add(half.saturating_mul(HALF));
            content.begin_text();
            content.set_text_matrix([1.0, 0.0, 0.0, 1.0, f32::from(x), f32::from(y)]);
            for (font, codes) in fonts.encode(text) {
                content.set_font(Name(name_of(font).as_bytes()), f32::from(SIZE));
                content.show(Str(&codes));
            }
            content.end_text();
        }
    }
    content.finish().into_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_make_equal_bytes_and_every_character_is_named_in_them() {
        let names = "Żółć Ελένη Юрий محمد שלום राम สมชาย 山田 王 김";
        let section = Section {
            heading: "Customer".to_owned(),
            text: names.to_owned(),
        };
        let one = pdf("Evidence", std::slice::from_ref(&section));
        assert_eq!(one, pdf("Evidence", std::slice::from_ref(&section)));
        let text = String::from_utf8_lossy(&one);
        for char in names.chars() {
            let mapped = format!("<{:04X}>", u32::from(char));
            assert!(text.contains(&mapped), "{char} {mapped}");
        }
        let other = Section {
            text: format!("{names}!"),
            ..section
        };
        assert_ne!(one, pdf("Evidence", &[other]));
    }

    #[test]
    fn a_long_text_goes_on_on_the_next_page() {
        let section = Section {
            heading: "Timeline".to_owned(),
            text: "A line.\n".repeat(LINES),
        };
        let text = pdf("Evidence", &[section]);
        let text = String::from_utf8_lossy(&text);
        assert!(text.contains("/Count 2"));
    }
}
