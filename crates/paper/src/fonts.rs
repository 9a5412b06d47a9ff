//! The fonts of a document: a glyph for each character that occurs in it, drawn as the squares of its bitmap.

use std::collections::{BTreeMap, BTreeSet};

use pdf_writer::{
    Content, Finish, Name, Pdf, Rect, Ref, Str,
    types::{SystemInfo, UnicodeCmap},
};
use unifont::get_glyph;

use crate::layout::{Line, is_mark, width};

/// Glyphs of one font.
const GLYPHS: usize = 255;
/// Squares of a cell from top to bottom.
const ROWS: i16 = 16;
/// Squares below the line on which letters stand.
const DESCENT: i16 = 2;
/// One of a cell's squares, as a part of the size of the font.
const SQUARE: f32 = 0.0625;

/// Fonts with the characters of a document.
pub(crate) struct Fonts {
    chars: Vec<char>,
    places: BTreeMap<char, usize>,
}

impl Fonts {
    /// Fonts for these lines.
    pub(crate) fn of(lines: &[Line]) -> Self {
        let pieces = lines.iter().flat_map(|line| &line.pieces);
        let chars: BTreeSet<char> = pieces.flat_map(|piece| piece.text.chars()).collect();
        let chars: Vec<char> = chars.into_iter().collect();
        let places = chars.iter().enumerate().map(|(place, char)| (*char, place));
        Self {
            places: places.collect(),
            chars,
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.chars.len().div_ceil(GLYPHS)
    }

    /// A text as codes, with the font of each stretch.
    pub(crate) fn encode(&self, text: &str) -> Vec<(usize, Vec<u8>)> {
        let mut parts: Vec<(usize, Vec<u8>)> = Vec::new();
        for char in text.chars() {
            let Some(place) = self.places.get(&char) else {
                continue;
            };
            let (font, code) = (place / GLYPHS, code_of(place % GLYPHS));
            match parts.last_mut() {
                Some((last, codes)) if *last == font => codes.push(code),
                _ => parts.push((font, vec![code])),
            }
        }
        parts
    }

    /// Writes a font with its glyphs.
    pub(crate) fn write(
        &self,
        pdf: &mut Pdf,
        font: usize,
        id: Ref,
        new_ref: &mut impl FnMut() -> Ref,
    ) {
        let chars = self.chars.chunks(GLYPHS).nth(font).unwrap_or_default();
        let to_unicode = new_ref();
        let glyphs: Vec<(u8, char, Ref)> = chars
            .iter()
            .enumerate()
            .map(|(place, char)| (code_of(place), *char, new_ref()))
            .collect();
        let names: Vec<String> = glyphs.iter().map(|(code, ..)| format!("g{code}")).collect();
        let mut type3 = pdf.type3_font(id);
        type3.bbox(Rect::new(-16.0, -2.0, 16.0, 14.0));
        type3.matrix([SQUARE, 0.0, 0.0, SQUARE, 0.0, 0.0]);
        let last = glyphs.last().map_or(1, |(code, ..)| *code);
        type3.first_char(1).last_char(last);
        type3.widths(glyphs.iter().map(|(_, char, _)| squares(*char)));
        let mut procs = type3.char_procs();
        for (name, (_, _, id)) in names.iter().zip(&glyphs) {
            procs.pair(Name(name.as_bytes()), *id);
        }
        procs.finish();
        let mut encoding = type3.encoding_custom();
        let all = names.iter().map(|name| Name(name.as_bytes()));
        encoding.differences().consecutive(1, all);
        encoding.finish();
        type3.resources();
        type3.to_unicode(to_unicode);
        type3.finish();
        for (_, char, id) in &glyphs {
            pdf.stream(*id, &drawn(*char));
        }
        let mut map = UnicodeCmap::<u8>::new(
            Name(b"Pointsman"),
            SystemInfo {
                registry: Str(b"Pointsman"),
                ordering: Str(b"Unicode"),
                supplement: 0,
            },
        );
        for (code, char, _) in &glyphs {
            map.pair(*code, *char);
        }
        pdf.stream(to_unicode, &map.finish().into_vec());
    }
}

/// The code of a glyph by its place in its font.
fn code_of(place: usize) -> u8 {
    u8::try_from(place.saturating_add(1)).unwrap_or(u8::MAX)
}

/// How far the next character stands. Unit: squares.
fn squares(char: char) -> f32 {
    f32::from(width(char).saturating_mul(8))
}

/// The operators that draw a character.
fn drawn(char: char) -> Vec<u8> {
    let mut content = Content::new();
    content.start_shape_glyph(squares(char), -16.0, -2.0, 16.0, 14.0);
    let Some(glyph) = get_glyph(char) else {
        return content.finish().into_vec();
    };
    let columns = if glyph.is_fullwidth() { 16_i16 } else { 8 };
    // What stands upon the character before it is drawn there.
    let left = if is_mark(char) { -columns } else { 0 };
    let is_set = |x: i16, y: i16| {
        let (x, y) = (usize::try_from(x), usize::try_from(y));
        x.is_ok_and(|x| y.is_ok_and(|y| glyph.get_pixel(x, y)))
    };
    let mut is_blank = true;
    for y in 0..ROWS {
        let mut x = 0;
        while x < columns {
            let start = x;
            while x < columns && is_set(x, y) {
                x += 1;
            }
            if x > start {
                is_blank = false;
                let bottom = ROWS - DESCENT - y - 1;
                content.rect(
                    f32::from(left + start),
                    f32::from(bottom),
                    f32::from(x - start),
                    1.0,
                );
            }
            x += 1;
        }
    }
    if !is_blank {
        content.fill_nonzero();
    }
    content.finish().into_vec()
}
