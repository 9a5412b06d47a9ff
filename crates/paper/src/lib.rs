//! Documents on paper: titles and texts in any script, as a PDF.
//!
//! # How it works
//! Every letter, with all that is written upon it, is a glyph of a font that lies in the document itself: drawn by the bitmaps of GNU
//! Unifont, with the text that it stands for. So nothing of the machine is needed, and equal texts make equal bytes.
//!
//! # What is promised
//! - No character vanishes: one without a glyph is shown as its code point, such as `[U+1F600]`.
//! - Lines are written in the direction of their script, letters of Arabic are joined, and vowels of Indic scripts that are written
//!   before their consonant stand there.
//! - Text can be selected and searched in the order in which it is read.
//!
//! # What is not
//! Typography: one weight, no kerning, and consonants of Indic scripts are joined by their sign, not by forms of their own.

mod arabic;
mod fonts;
mod layout;
mod shape;
#[cfg(test)]
mod tests;

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
        for Piece { half, glyphs } in &line.pieces {
            let x = MARGIN.saturating_add(half.saturating_mul(HALF));
            content.begin_text();
            content.set_text_matrix([1.0, 0.0, 0.0, 1.0, f32::from(x), f32::from(y)]);
            for (font, codes) in fonts.encode(glyphs) {
                content.set_font(Name(name_of(font).as_bytes()), f32::from(SIZE));
                content.show(Str(&codes));
            }
            content.end_text();
        }
    }
    content.finish().into_vec()
}
