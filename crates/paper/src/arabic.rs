//! The forms that letters of Arabic take next to each other.
//!
//! Unicode has the forms as characters of their own (Arabic Presentation Forms), each with the letter that it is a form of, in the order
//! isolated, final, initial, medial. A letter with four forms joins on both sides, one with two only the letter before it.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization as _;

use crate::shape::is_mark;

/// Forms of letters of many languages, after those of Arabic itself: U+0649 has two of its four there.
const BLOCKS: [std::ops::RangeInclusive<char>; 3] = [
    '\u{fe80}'..='\u{fefc}',
    '\u{fb50}'..='\u{fbb1}',
    '\u{fbd3}'..='\u{fbff}',
];
/// Stretches the line between two letters.
const TATWEEL: char = '\u{640}';
/// Joins, and is not seen.
const JOINER: char = '\u{200d}';
const LAM: char = '\u{644}';

/// The forms of all letters.
#[derive(Debug)]
pub(crate) struct Joining {
    /// Isolated, final, initial, medial: as many as there are.
    forms: BTreeMap<char, Vec<char>>,
    /// Lam with the alef that follows it: isolated, final.
    with_lam: BTreeMap<char, Vec<char>>,
}

impl Joining {
    /// As Unicode's data have them.
    pub(crate) fn new() -> Self {
        let (mut forms, mut with_lam) = (BTreeMap::new(), BTreeMap::new());
        for form in BLOCKS.into_iter().flatten() {
            let letters: Vec<char> = form.nfkc().collect();
            let (of, letter) = match letters.as_slice() {
                [letter] if *letter != form => (&mut forms, *letter),
                [LAM, alef] => (&mut with_lam, *alef),
                _ => continue,
            };
            of.entry(letter).or_insert_with(Vec::new).push(form);
        }
        Self { forms, with_lam }
    }

    /// What each character of a text is drawn as; `None`: together with the one before it.
    pub(crate) fn forms_of(&self, text: &[char]) -> Vec<Option<char>> {
        let mut forms: Vec<Option<char>> = Vec::with_capacity(text.len());
        let mut before: Option<char> = None;
        for (place, char) in text.iter().copied().enumerate() {
            if is_mark(char) {
                forms.push(Some(char));
                continue;
            }
            let rest = text.get(place.saturating_add(1)..).unwrap_or_default();
            let next = rest.iter().copied().find(|char| !is_mark(*char));
            let is_joined = before.is_some_and(|before| self.joins_next(before));
            let alef = (before == Some(LAM))
                .then(|| self.with_lam.get(&char))
                .flatten();
            let form = match next.and_then(|next| self.with_lam.get(&next)) {
                _ if alef.is_some() => None,
                Some(both) if char == LAM => both.get(usize::from(is_joined)).copied(),
                _ => Some(self.form(char, is_joined, next)),
            };
            forms.push(form);
            before = Some(char);
        }
        forms
    }

    fn form(&self, char: char, is_joined: bool, next: Option<char>) -> char {
        let joins = self.joins_next(char) && next.is_some_and(|next| self.joins_before(next));
        let forms = self.forms.get(&char).map_or(&[][..], Vec::as_slice);
        let form = match (is_joined, joins) {
            (false, false) => None,
            (true, false) => forms.get(1),
            (false, true) => forms.get(2),
            (true, true) => forms.get(3),
        };
        form.copied().unwrap_or(char)
    }

    /// Whether a character joins the one after it.
    fn joins_next(&self, char: char) -> bool {
        let forms = self.forms.get(&char).map_or(0, Vec::len);
        forms == 4 || char == TATWEEL || char == JOINER
    }

    /// Whether a character joins the one before it.
    fn joins_before(&self, char: char) -> bool {
        let forms = self.forms.get(&char).map_or(0, Vec::len);
        forms > 1 || char == TATWEEL || char == JOINER
    }
}
