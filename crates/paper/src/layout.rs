//! Lines: what stands where.

use std::fmt::Write as _;

use unicode_bidi::{BidiInfo, Level};
use unifont::get_glyph;

use crate::{
    Section,
    arabic::Joining,
    shape::{Glyph, composed, glyphs, is_unseen},
};

/// How many halves of a cell a line has.
const HALVES: u16 = 82;

/// A line of the document.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// What is written, in the order of reading.
    pub(crate) pieces: Vec<Piece>,
}

/// Glyphs that follow each other from left to right.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Where it begins. Unit: halves of a cell.
    pub(crate) half: u16,
    /// What it is.
    pub(crate) glyphs: Vec<Glyph>,
}

/// The lines of a document.
pub(crate) fn lines(title: &str, sections: &[Section]) -> Vec<Line> {
    let joining = Joining::new();
    let mut lines = Vec::new();
    paragraph(title, &joining, &mut lines);
    for section in sections {
        lines.push(Line::default());
        paragraph(&section.heading.to_uppercase(), &joining, &mut lines);
        for text in section.text.lines() {
            paragraph(text, &joining, &mut lines);
        }
    }
    lines
}

/// A text with only characters that can be drawn: any other is its code point.
fn drawable(text: &str) -> String {
    let mut drawable = String::with_capacity(text.len());
    for char in composed(text).chars() {
        match char {
            '\t' => drawable.push_str("    "),
            // A name must not turn round what is written after it.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            char if is_unseen(char) => drawable.push(char),
            // These two would end the paragraph.
            char if char.is_control()
                || matches!(char, '\u{2028}' | '\u{2029}')
                || get_glyph(char).is_none() =>
            {
                // Writing into a text can't fail.
                let _ = write!(drawable, "[U+{:04X}]", u32::from(char));
            }
            char => drawable.push(char),
        }
    }
    drawable
}

/// Adds a paragraph, broken into lines at blanks where there are any.
fn paragraph(text: &str, joining: &Joining, lines: &mut Vec<Line>) {
    let text = drawable(text);
    let info = BidiInfo::new(&text, None);
    let mut line = Broken::default();
    for word in glyphs(&text, joining).split_inclusive(|glyph| glyph.text == " ") {
        let wide = width(word);
        if line.width > 0 && line.width.saturating_add(wide) > HALVES.saturating_add(1) {
            lines.push(line.take(&info));
        }
        for glyph in word {
            if line.width.saturating_add(glyph.width) > HALVES {
                lines.push(line.take(&info));
            }
            line.width = line.width.saturating_add(glyph.width);
            line.glyphs.push(glyph.clone());
        }
    }
    lines.push(line.take(&info));
}

fn width(glyphs: &[Glyph]) -> u16 {
    let widths = glyphs.iter().map(|glyph| glyph.width);
    widths.fold(0, u16::saturating_add)
}

/// A line of a paragraph that is being filled.
#[derive(Default)]
struct Broken {
    glyphs: Vec<Glyph>,
    width: u16,
    /// Where it begins in the text of the paragraph. Unit: bytes.
    start: usize,
}

impl Broken {
    /// The line, each part where it stands; the next one begins.
    fn take(&mut self, info: &BidiInfo<'_>) -> Line {
        let (glyphs, start) = (std::mem::take(&mut self.glyphs), self.start);
        let mut placed = Vec::with_capacity(glyphs.len());
        for glyph in glyphs {
            let at = self.start;
            self.start = at.saturating_add(glyph.text.len());
            placed.push((at, glyph));
        }
        let wide = std::mem::take(&mut self.width);
        let Some(paragraph) = info.paragraphs.first() else {
            return Line::default();
        };
        let mut half = if paragraph.level.is_rtl() {
            HALVES.saturating_sub(wide)
        } else {
            0
        };
        let mut parts: Vec<(usize, Vec<Piece>)> = Vec::new();
        let (levels, runs) = info.visual_runs(paragraph, start..self.start);
        for run in runs {
            let is_rtl = levels.get(run.start).is_some_and(Level::is_rtl);
            let within = placed.iter().filter(|(at, _)| run.contains(at));
            let glyphs: Vec<Glyph> = within.map(|(_, glyph)| glyph.clone()).collect();
            let wide = width(&glyphs);
            let pieces = if is_rtl {
                from_right(glyphs, half.saturating_add(wide))
            } else {
                vec![Piece { half, glyphs }]
            };
            parts.push((run.start, pieces));
            half = half.saturating_add(wide);
        }
        // They come from left to right, and are written as they are read.
        parts.sort_by_key(|(start, _)| *start);
        Line {
            pieces: parts.into_iter().flat_map(|(_, pieces)| pieces).collect(),
        }
    }
}

/// Glyphs in the order of reading, each to the left of the one before it. `end`: where the first one ends.
fn from_right(glyphs: Vec<Glyph>, mut end: u16) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(glyphs.len());
    for glyph in glyphs {
        end = end.saturating_sub(glyph.width);
        pieces.push(Piece {
            half: end,
            glyphs: vec![glyph.mirrored()],
        });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(text: &str) -> Vec<Line> {
        let mut all = Vec::new();
        paragraph(text, &Joining::new(), &mut all);
        all
    }

    fn text(line: &Line) -> String {
        let glyphs = line.pieces.iter().flat_map(|piece| &piece.glyphs);
        glyphs.map(|glyph| glyph.text.as_str()).collect()
    }

    fn texts(given: &str) -> Vec<String> {
        laid(given).iter().map(text).collect()
    }

    /// What stands in the line, from left to right.
    fn seen(line: &Line) -> String {
        let mut pieces: Vec<&Piece> = line.pieces.iter().collect();
        pieces.sort_by_key(|piece| piece.half);
        let glyphs = pieces.iter().flat_map(|piece| &piece.glyphs);
        let drawn = glyphs.flat_map(|glyph| &glyph.drawn);
        drawn.map(|drawn| drawn.char).collect()
    }

    #[test]
    fn lines_break_at_blanks_and_where_there_are_none_anywhere() {
        let word = "x".repeat(50);
        let two = texts(&format!("{word} {word}"));
        assert_eq!(two.len(), 2);
        assert_eq!(texts(&"字".repeat(42)).len(), 2);
        assert_eq!(texts(""), [""]);
    }

    #[test]
    fn what_has_no_glyph_is_shown_as_its_code_point() {
        assert_eq!(
            texts("a\u{1f600}b\u{7}\u{2029}"),
            ["a[U+1F600]b[U+0007][U+2029]"]
        );
    }

    #[test]
    fn right_to_left_is_kept_in_the_order_of_reading_and_stands_from_the_right() {
        let lines = laid("ab שלום");
        let line = &lines[0];
        let halves: Vec<u16> = line.pieces.iter().map(|piece| piece.half).collect();
        assert_eq!(halves, [0, 6, 5, 4, 3]);
        assert_eq!(text(line), "ab שלום");
        assert_eq!(seen(line), "ab םולש");
    }

    #[test]
    fn a_right_to_left_paragraph_ends_at_the_right_with_its_brackets_turned() {
        let lines = laid("שלום (12) ab");
        assert_eq!(text(&lines[0]), "שלום (12) ab");
        assert_eq!(seen(&lines[0]), "ab (12) םולש");
        let ends = lines[0]
            .pieces
            .iter()
            .map(|piece| piece.half + width(&piece.glyphs));
        assert_eq!(ends.max(), Some(HALVES));
    }

    #[test]
    fn a_long_name_goes_on_in_the_next_line_from_the_right() {
        let word = "محمد ".repeat(30);
        let lines = laid(word.trim_end());
        assert_eq!(lines.len(), 2);
        let all: String = lines.iter().map(text).collect();
        assert_eq!(all, word.trim_end());
        for line in &lines {
            let starts: Vec<u16> = line.pieces.iter().map(|piece| piece.half).collect();
            assert!(starts.is_sorted_by(|one, next| one >= next), "{starts:?}");
        }
    }

    #[test]
    fn a_name_can_not_turn_round_what_follows_it() {
        assert_eq!(texts("a\u{202e}bc"), ["abc"]);
        assert_eq!(seen(&laid("a\u{202e}bc")[0]), "abc");
    }
}
