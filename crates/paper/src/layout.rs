//! Lines: what stands where.

use std::fmt::Write as _;

use unicode_bidi::BidiInfo;
use unifont::get_glyph;

use crate::Section;

/// How many halves of a cell a line has.
const HALVES: u16 = 82;

/// A line of the document.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// What is written, in the order of reading.
    pub(crate) pieces: Vec<Piece>,
}

/// Characters that follow each other from left to right.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Where it begins. Unit: halves of a cell.
    pub(crate) half: u16,
    /// What it is, each with a glyph.
    pub(crate) text: String,
}

/// The lines of a document.
pub(crate) fn lines(title: &str, sections: &[Section]) -> Vec<Line> {
    let mut lines = Vec::new();
    paragraph(title, &mut lines);
    for section in sections {
        lines.push(Line::default());
        paragraph(&section.heading.to_uppercase(), &mut lines);
        for text in section.text.lines() {
            paragraph(text, &mut lines);
        }
    }
    lines
}

/// How wide a character is. Unit: halves of a cell. One that stands upon the character before it has no width.
pub(crate) fn width(char: char) -> u16 {
    match get_glyph(char) {
        _ if is_mark(char) => 0,
        Some(glyph) if glyph.is_fullwidth() => 2,
        Some(_) | None => 1,
    }
}

/// A text with only characters that have a glyph: any other is its code point.
fn drawable(text: &str) -> String {
    let mut drawable = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\t' => drawable.push_str("    "),
            // What directs the writing is obeyed, and not drawn.
            '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            char if char.is_control() || get_glyph(char).is_none() => {
                // Writing into a text can't fail.
                let _ = write!(drawable, "[U+{:04X}]", u32::from(char));
            }
            char => drawable.push(char),
        }
    }
    drawable
}

/// Adds a paragraph, broken into lines at blanks where there are any.
fn paragraph(text: &str, lines: &mut Vec<Line>) {
    let text = drawable(text);
    let mut line = String::new();
    let mut taken: u16 = 0;
    for word in text.split_inclusive(' ') {
        let wide: u16 = word.chars().map(width).fold(0, u16::saturating_add);
        if taken > 0 && taken.saturating_add(wide) > HALVES.saturating_add(1) {
            lines.push(ordered(&std::mem::take(&mut line)));
            taken = 0;
        }
        for char in word.chars() {
            if taken.saturating_add(width(char)) > HALVES {
                lines.push(ordered(&std::mem::take(&mut line)));
                taken = 0;
            }
            taken = taken.saturating_add(width(char));
            line.push(char);
        }
    }
    lines.push(ordered(&line));
}

/// A line whose right-to-left parts stand as they are read.
fn ordered(text: &str) -> Line {
    let info = BidiInfo::new(text, None);
    let mut pieces = Vec::new();
    let mut half: u16 = 0;
    for paragraph in &info.paragraphs {
        let (levels, runs) = info.visual_runs(paragraph, paragraph.range.clone());
        for run in runs {
            let part = text.get(run.clone()).unwrap_or_default();
            let wide = part.chars().map(width).fold(0, u16::saturating_add);
            let is_rtl = levels
                .get(run.start)
                .is_some_and(unicode_bidi::Level::is_rtl);
            if is_rtl {
                let mut end = half.saturating_add(wide);
                for cluster in clusters(part) {
                    let own = cluster.chars().map(width).fold(0, u16::saturating_add);
                    end = end.saturating_sub(own);
                    pieces.push(Piece {
                        half: end,
                        text: cluster,
                    });
                }
            } else if !part.is_empty() {
                pieces.push(Piece {
                    half,
                    text: part.to_owned(),
                });
            }
            half = half.saturating_add(wide);
        }
    }
    Line { pieces }
}

/// The characters of a text, each with the marks upon it.
fn clusters(text: &str) -> Vec<String> {
    let mut clusters: Vec<String> = Vec::new();
    for char in text.chars() {
        match clusters.last_mut() {
            Some(last) if is_mark(char) => last.push(char),
            _ => clusters.push(char.to_string()),
        }
    }
    clusters
}

/// Whether a character is drawn upon the one before it. Source: the general category Mn of the scripts that names are most often
/// written in.
pub(crate) fn is_mark(char: char) -> bool {
    matches!(char,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{5bf}'
        | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}'
        | '\u{6e7}' | '\u{6e8}' | '\u{6ea}'..='\u{6ed}' | '\u{900}'..='\u{902}' | '\u{93a}'
        | '\u{93c}' | '\u{941}'..='\u{948}' | '\u{94d}' | '\u{951}'..='\u{957}' | '\u{962}'
        | '\u{963}' | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        paragraph(text, &mut all);
        let text = |line: &Line| line.pieces.iter().map(|piece| piece.text.clone()).collect();
        all.iter().map(text).collect()
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
        assert_eq!(texts("a\u{1f600}b\u{7}"), ["a[U+1F600]b[U+0007]"]);
    }

    #[test]
    fn right_to_left_is_kept_in_the_order_of_reading_and_stands_from_the_right() {
        let line = ordered("ab שלום");
        let halves: Vec<u16> = line.pieces.iter().map(|piece| piece.half).collect();
        assert_eq!(halves, [0, 6, 5, 4, 3]);
        let text: String = line
            .pieces
            .iter()
            .map(|piece| piece.text.as_str())
            .collect();
        assert_eq!(text, "ab שלום");
    }
}
