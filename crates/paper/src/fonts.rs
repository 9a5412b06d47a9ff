//! The fonts of a document: each glyph that occurs in it, drawn as the squares of its bitmaps.

use std::collections::{BTreeMap, BTreeSet};

use pdf_writer::{
    Content, Finish, Name, Pdf, Rect, Ref, Str,
    types::{SystemInfo, UnicodeCmap},
};
use unifont::get_glyph;

use crate::{
    layout::Line,
    shape::{Drawn, Glyph},
};

/// Glyphs of one font.
const GLYPHS: usize = 254;
/// A glyph of no text. Some programs guess from the width of the one with this name how large the text of a font is; without it they
/// take two fonts of a line for two lines.
const MEASURE: &str = "m";
/// Squares of a cell from top to bottom.
const ROWS: i16 = 16;
/// Squares below the line on which letters stand.
const DESCENT: i16 = 2;
/// One of a cell's squares, as a part of the size of the font.
const SQUARE: f32 = 0.0625;

/// Fonts with the glyphs of a document.
pub(crate) struct Fonts {
    glyphs: Vec<Glyph>,
    places: BTreeMap<Glyph, usize>,
}

impl Fonts {
    /// Fonts for these lines.
    pub(crate) fn of(lines: &[Line]) -> Self {
        let pieces = lines.iter().flat_map(|line| &line.pieces);
        let glyphs: BTreeSet<Glyph> = pieces.flat_map(|piece| piece.glyphs.clone()).collect();
        let glyphs: Vec<Glyph> = glyphs.into_iter().collect();
        let places = glyphs.iter().cloned().enumerate();
        Self {
            places: places.map(|(place, glyph)| (glyph, place)).collect(),
            glyphs,
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.glyphs.len().div_ceil(GLYPHS)
    }

    /// Glyphs as codes, with the font of each stretch.
    pub(crate) fn encode(&self, glyphs: &[Glyph]) -> Vec<(usize, Vec<u8>)> {
        let mut parts: Vec<(usize, Vec<u8>)> = Vec::new();
        for glyph in glyphs {
            let Some(place) = self.places.get(glyph) else {
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
        let own = self.glyphs.chunks(GLYPHS).nth(font).unwrap_or_default();
        let to_unicode = new_ref();
        let glyphs: Vec<(u8, &Glyph, Ref)> = own
            .iter()
            .enumerate()
            .map(|(place, glyph)| (code_of(place), glyph, new_ref()))
            .collect();
        let names: Vec<String> = glyphs.iter().map(|(code, ..)| format!("g{code}")).collect();
        let (measure, measure_id) = (measure(), new_ref());
        let mut type3 = pdf.type3_font(id);
        let widest = own.iter().map(squares).fold(0.0, f32::max);
        type3.bbox(Rect::new(-16.0, -2.0, widest, 14.0));
        type3.matrix([SQUARE, 0.0, 0.0, SQUARE, 0.0, 0.0]);
        let last = glyphs.last().map_or(1, |(code, ..)| *code);
        type3.first_char(1).last_char(last.saturating_add(1));
        let widths = glyphs.iter().map(|(_, glyph, _)| squares(glyph));
        type3.widths(widths.chain([squares(&measure)]));
        let mut procs = type3.char_procs();
        for (name, (_, _, id)) in names.iter().zip(&glyphs) {
            procs.pair(Name(name.as_bytes()), *id);
        }
        procs.pair(Name(MEASURE.as_bytes()), measure_id);
        procs.finish();
        let mut encoding = type3.encoding_custom();
        let all = names.iter().map(|name| Name(name.as_bytes()));
        let all = all.chain([Name(MEASURE.as_bytes())]);
        encoding.differences().consecutive(1, all);
        encoding.finish();
        type3.resources();
        type3.to_unicode(to_unicode);
        type3.finish();
        for (_, glyph, id) in &glyphs {
            pdf.stream(*id, &drawn(glyph));
        }
        pdf.stream(measure_id, &drawn(&measure));
        let mut map = UnicodeCmap::<u8>::new(
            Name(b"Pointsman"),
            SystemInfo {
                registry: Str(b"Pointsman"),
                ordering: Str(b"Unicode"),
                supplement: 0,
            },
        );
        for (code, glyph, _) in &glyphs {
            map.pair_with_multiple(*code, glyph.text.chars());
        }
        pdf.stream(to_unicode, &map.finish().into_vec());
    }
}

/// What has the width of a letter.
fn measure() -> Glyph {
    Glyph {
        width: 1,
        ..Glyph::default()
    }
}

/// The code of a glyph by its place in its font.
fn code_of(place: usize) -> u8 {
    u8::try_from(place.saturating_add(1)).unwrap_or(u8::MAX)
}

/// How far the next glyph stands. Unit: squares.
fn squares(glyph: &Glyph) -> f32 {
    f32::from(glyph.width.saturating_mul(8))
}

/// The operators that draw a glyph.
fn drawn(glyph: &Glyph) -> Vec<u8> {
    let mut content = Content::new();
    let wide = squares(glyph);
    content.start_shape_glyph(wide, -16.0, -2.0, wide, 14.0);
    let mut is_blank = true;
    for one in &glyph.drawn {
        is_blank &= !draw(*one, &mut content);
    }
    if !is_blank {
        content.fill_nonzero();
    }
    content.finish().into_vec()
}

/// Draws a bitmap. Returns whether anything of it is to be seen.
fn draw(Drawn { char, left }: Drawn, content: &mut Content) -> bool {
    let Some(glyph) = get_glyph(char) else {
        return false;
    };
    let columns = if glyph.is_fullwidth() { 16_i16 } else { 8 };
    let is_set = |x: i16, y: i16| {
        let (x, y) = (usize::try_from(x), usize::try_from(y));
        x.is_ok_and(|x| y.is_ok_and(|y| glyph.get_pixel(x, y)))
    };
    let mut is_seen = false;
    for y in 0..ROWS {
        let mut x = 0;
        while x < columns {
            let start = x;
            while x < columns && is_set(x, y) {
                x += 1;
            }
            if x > start {
                is_seen = true;
                let (from, bottom) = (f32::from(left + start), f32::from(ROWS - DESCENT - y - 1));
                content.rect(from, bottom, f32::from(x - start), 1.0);
            }
            x += 1;
        }
    }
    is_seen
}
