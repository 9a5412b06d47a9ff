//! What is drawn for the characters of a text, and where one glyph ends and the next begins.
//!
//! A glyph is a cluster: a letter with all that is drawn upon it, before it or behind it. So letters of Arabic take the form that
//! their neighbours ask for, and a vowel that is written before its consonant stands there, while the text of the cluster keeps the
//! order in which it is read. Most signs of Indic scripts are bitmaps for the cell of their letter.

use unicode_normalization::{UnicodeNormalization as _, char::decompose_canonical};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};
use unifont::get_glyph;

use crate::arabic::Joining;

/// The most bytes of text that one glyph stands for. What follows is drawn upon it as glyphs of their own.
const MOST_BYTES: usize = 64;

/// What is drawn as one.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Glyph {
    /// The text that it stands for, in the order of reading.
    pub(crate) text: String,
    /// The bitmaps that it is drawn by.
    pub(crate) drawn: Vec<Drawn>,
    /// How wide it is. Unit: halves of a cell.
    pub(crate) width: u16,
}

/// A bitmap in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Drawn {
    /// Whose bitmap it is.
    pub(crate) char: char,
    /// Where it begins in the glyph. Unit: squares.
    pub(crate) left: i16,
}

impl Glyph {
    /// A glyph with this text, drawn as a character.
    fn of(text: char, drawn: char) -> Self {
        let mut glyph = Self {
            text: text.to_string(),
            ..Self::default()
        };
        glyph.append(drawn, 0, halves(drawn));
        glyph
    }

    /// As it is drawn where writing goes from right to left.
    pub(crate) fn mirrored(mut self) -> Self {
        for drawn in &mut self.drawn {
            drawn.char = mirror(drawn.char);
        }
        self
    }

    /// Whether a character is a part of this one.
    fn takes(&self, char: char) -> bool {
        let stacks = self.text.chars().next_back().is_some_and(is_stacker);
        self.text.len() < MOST_BYTES
            && (is_mark(char) || is_sign(char) || is_unseen(char) || stacks && char.is_alphabetic())
    }

    fn add(&mut self, char: char) {
        self.text.push(char);
        if is_unseen(char) {
            return;
        }
        if !is_sign(char) || self.drawn.is_empty() {
            return self.append(char, 0, halves(char));
        }
        if self.lay_over(char) {
            return;
        }
        for part in parts(char) {
            let (skipped, width) = trimmed(part);
            if stands_before(part) {
                self.prepend(part, skipped, width);
            } else if part == char || !self.lay_over(part) {
                self.append(part, skipped, width);
            }
        }
    }

    /// Draws a character behind what is there, without the squares that are skipped; a mark upon it.
    fn append(&mut self, char: char, skipped: i16, width: u16) {
        let end = squares(self.width);
        let left = if is_mark(char) {
            end - columns(char)
        } else {
            end - skipped
        };
        self.drawn.push(Drawn { char, left });
        self.width = self.width.saturating_add(width);
    }

    /// Draws a character before what is there.
    fn prepend(&mut self, char: char, skipped: i16, width: u16) {
        for drawn in &mut self.drawn {
            drawn.left += squares(width);
        }
        let left = -skipped;
        self.drawn.insert(0, Drawn { char, left });
        self.width = self.width.saturating_add(width);
    }

    /// Draws a sign in the cell of its letter, as the font has been made for, where the two leave each other room.
    fn lay_over(&mut self, char: char) -> bool {
        let letters = || {
            self.drawn
                .iter()
                .filter(|one| !is_sign(one.char) && !is_mark(one.char))
        };
        // Below a letter that is put under another one there is no room for what stands before both.
        let letter = if stands_before(char) || parts(char).len() > 1 {
            letters().next()
        } else {
            letters().next_back()
        };
        let Some(letter) = letter.filter(|letter| columns(letter.char) == columns(char)) else {
            return false;
        };
        let left = letter.left;
        let here = self.drawn.iter().filter(|one| one.left == left);
        if here.map(|one| touching(one.char, char)).sum::<u32>() > MOST_TOUCHING {
            return false;
        }
        self.drawn.push(Drawn { char, left });
        true
    }
}

/// How many squares of a letter and its sign may be the same.
const MOST_TOUCHING: u32 = 3;
/// A row with more squares than this is the line at which letters hang, into which signs go on.
const LINE: u32 = 11;

/// How many squares two bitmaps share.
fn touching(one: char, other: char) -> u32 {
    let mut shared = 0;
    for (one, other) in rows(one).into_iter().zip(rows(other)) {
        if one.count_ones() <= LINE {
            shared += (one & other).count_ones();
        }
    }
    shared
}

/// A bitmap's rows from the top, the first square highest.
fn rows(char: char) -> [u16; 16] {
    let mut rows = [0; 16];
    let Some(glyph) = get_glyph(char) else {
        return rows;
    };
    for (y, row) in rows.iter_mut().enumerate() {
        for x in 0..16 {
            *row = *row << 1 | u16::from(glyph.get_pixel(x, y));
        }
    }
    rows
}

/// A sign without the half of its cell in which nothing is: how many squares are skipped, and the width that is left in halves.
fn trimmed(char: char) -> (i16, u16) {
    let all = rows(char).into_iter().fold(0, |all, row| all | row);
    match (columns(char), all >> 8, all & 0xff) {
        (16, _, 0) => (0, 1),
        (16, 0, _) => (8, 1),
        _ => (0, halves(char)),
    }
}

/// Unit: squares.
fn columns(char: char) -> i16 {
    match get_glyph(char) {
        Some(glyph) if glyph.is_fullwidth() => 16,
        Some(_) | None => 8,
    }
}

fn squares(halves: u16) -> i16 {
    i16::try_from(halves.saturating_mul(8)).unwrap_or(i16::MAX)
}

/// The glyphs of a text without what has none.
pub(crate) fn glyphs(text: &str, joining: &Joining) -> Vec<Glyph> {
    let chars: Vec<char> = text.chars().collect();
    let mut glyphs: Vec<Glyph> = Vec::new();
    for (char, form) in chars.iter().zip(joining.forms_of(&chars)) {
        match (glyphs.last_mut(), form) {
            // It is drawn with the letter before it.
            (Some(last), None) => last.text.push(*char),
            (_, Some(form)) if form != *char => glyphs.push(Glyph::of(*char, form)),
            (Some(last), _) if last.takes(*char) => last.add(*char),
            _ => {
                let mut glyph = Glyph::default();
                glyph.add(*char);
                glyphs.push(glyph);
            }
        }
    }
    glyphs
}

/// How wide a character is. Unit: halves of a cell. One that stands upon the character before it has no width.
fn halves(char: char) -> u16 {
    match columns(char) {
        _ if is_mark(char) => 0,
        16 => 2,
        _ => 1,
    }
}

/// Whether a character is drawn upon the one before it.
pub(crate) fn is_mark(char: char) -> bool {
    matches!(
        char.general_category(),
        GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark
    )
}

/// Whether a character belongs to the letter before it, with a place of its own.
fn is_sign(char: char) -> bool {
    char.general_category() == GeneralCategory::SpacingMark
}

/// Whether a character only directs how others are written.
pub(crate) fn is_unseen(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Whether a character puts the next letter below the one before, without being seen itself: of Myanmar, Khmer and Tai Tham.
fn is_stacker(char: char) -> bool {
    matches!(char, '\u{1039}' | '\u{17d2}' | '\u{1a60}')
}

/// What a sign is drawn as where it has no room in the cell of its letter: a vowel on both sides of that is two signs.
fn parts(char: char) -> Vec<char> {
    let mut parts = Vec::new();
    decompose_canonical(char, |part| parts.push(part));
    if parts.first().copied().is_some_and(stands_before) {
        parts
    } else {
        vec![char]
    }
}

/// Whether a sign is written before the letter that it follows in the text. Source: Unicode 15.1, `IndicPositionalCategory.txt`, the
/// values `Left` of the Basic Multilingual Plane; what is stored as it is written (Thai, Lao, Tai Viet) is not among them here.
fn stands_before(char: char) -> bool {
    matches!(char,
        '\u{93f}' | '\u{94e}' | '\u{9bf}' | '\u{9c7}' | '\u{9c8}' | '\u{a3f}' | '\u{abf}'
        | '\u{b47}' | '\u{bc6}'..='\u{bc8}' | '\u{d46}'..='\u{d48}' | '\u{dd9}' | '\u{ddb}'
        | '\u{1031}' | '\u{103c}' | '\u{1084}' | '\u{17c1}'..='\u{17c3}' | '\u{1a19}'
        | '\u{1a55}' | '\u{1a6e}'..='\u{1a72}' | '\u{1b3e}' | '\u{1b3f}' | '\u{1ba6}'
        | '\u{1c27}' | '\u{1c28}' | '\u{1c34}' | '\u{1c35}' | '\u{a9ba}' | '\u{a9bb}'
        | '\u{a9bf}' | '\u{aa2f}' | '\u{aa30}' | '\u{aaeb}' | '\u{aaee}')
}

/// Brackets point the other way where writing goes from right to left. Source: Unicode 15.1, `BidiMirroring.txt`, those of names and
/// addresses.
fn mirror(char: char) -> char {
    match char {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        '<' => '>',
        '>' => '<',
        '«' => '»',
        '»' => '«',
        '‹' => '›',
        '›' => '‹',
        other => other,
    }
}

/// The text as it is drawn: letters and their marks as one character where there is one.
pub(crate) fn composed(text: &str) -> String {
    text.nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shaped(text: &str) -> Vec<Glyph> {
        let glyphs = glyphs(text, &Joining::new());
        let all: String = glyphs.iter().map(|glyph| glyph.text.as_str()).collect();
        assert_eq!(all, text);
        glyphs
    }

    /// What each glyph is drawn of, by where its first square is seen.
    fn drawn(text: &str) -> Vec<String> {
        let seen = |glyph: &Glyph| {
            let mut drawn = glyph.drawn.clone();
            let first = |one: &Drawn| {
                let rows = rows(one.char).into_iter();
                let all = rows.filter(|row| row.count_ones() <= LINE);
                let all = all.fold(0_u16, |all, row| all | row);
                one.left + i16::try_from(all.leading_zeros()).unwrap()
            };
            drawn.sort_by_key(|one| (is_mark(one.char), first(one)));
            drawn.iter().map(|one| one.char).collect()
        };
        shaped(text).iter().map(seen).collect()
    }

    #[test]
    fn a_vowel_that_is_written_before_its_consonant_is_drawn_there() {
        assert_eq!(drawn("मि"), ["\u{93f}म"]);
        assert_eq!(drawn("হৈ"), ["\u{9c8}হ"]);
        // Where there is no room in the cell, before it; what stands on both sides in two parts.
        assert_eq!(drawn("கெ"), ["\u{bc6}க"]);
        assert_eq!(drawn("கொ"), ["\u{bc6}க\u{bbe}"]);
        assert_eq!(drawn("ක\u{ddc}"), ["\u{dd9}ක\u{dcf}"]);
        // Before all that is put below each other.
        assert_eq!(drawn("ខ្មែ"), ["\u{17c2}ខម\u{17d2}"]);
        assert_eq!(drawn("ကြေ")[0].chars().next(), Some('\u{1031}'));
        // Thai is stored as it is written.
        assert_eq!(drawn("เก"), ["เ", "ก"]);
    }

    #[test]
    fn a_sign_is_drawn_in_the_cell_of_its_letter_where_both_have_room() {
        let widths = |text: &str| -> Vec<u16> {
            let glyphs = shaped(text);
            glyphs.iter().map(|glyph| glyph.width).collect()
        };
        assert_eq!(widths("का"), [2]);
        assert_eq!(widths("कि"), [2]);
        assert_eq!(widths("கெ"), [3]);
        assert_eq!(widths("கொ"), [3]);
        assert_eq!(widths("កោ"), [2]);
    }

    #[test]
    fn letters_of_arabic_are_joined_with_their_neighbours() {
        assert_eq!(
            drawn("محمد"),
            ["\u{fee3}", "\u{fea4}", "\u{fee4}", "\u{feaa}"]
        );
        // A mark does not separate; alef after lam is one form with it.
        assert_eq!(drawn("سَلام"), ["\u{feb3}\u{64e}", "\u{fefc}", "م"]);
        // Persian letters, and a separator that is not seen.
        assert_eq!(
            drawn("می\u{200c}خو"),
            ["\u{fee3}", "\u{fbfd}", "\u{fea7}", "\u{feee}"]
        );
    }

    #[test]
    fn no_heap_of_marks_is_one_glyph() {
        let text = format!("e{}", "\u{301}".repeat(200));
        let glyphs = glyphs(&text, &Joining::new());
        assert!(glyphs.len() > 3);
        assert!(
            glyphs
                .iter()
                .all(|glyph| glyph.text.len() <= MOST_BYTES + 4)
        );
        let wide: u16 = glyphs.iter().map(|glyph| glyph.width).sum();
        assert_eq!(wide, 1);
    }
}
