//! The word that was probably meant.

/// Longer words are no slip of the pen for any of ours, and cost too much to compare.
const LONGEST: usize = 60;

/// The word nearest to what was written, when only few letters differ: a third of them, one at least. Case does not count.
pub fn nearest<'a>(written: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if written.len() > LONGEST {
        return None;
    }
    let allowed = (written.chars().count() / 3).max(1);
    words
        .into_iter()
        .map(|word| (distance(written, word), word))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, word)| word)
}

/// How many letters must change to make one word of the other (Levenshtein), case aside.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.to_lowercase().chars().enumerate() {
        let mut diagonal = index;
        let mut last = index.saturating_add(1);
        for (cell, other) in row.iter_mut().skip(1).zip(&right) {
            let changed = diagonal.saturating_add(usize::from(letter != *other));
            diagonal = *cell;
            last = changed
                .min(last.saturating_add(1))
                .min(diagonal.saturating_add(1));
            *cell = last;
        }
        if let Some(first) = row.first_mut() {
            *first = index.saturating_add(1);
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let words = ["capture", "cancel", "call_webhook"];
        assert_eq!(nearest("captrue", words), Some("capture"));
        assert_eq!(nearest("Cancel", words), Some("cancel"));
        assert_eq!(nearest("callwebhook", words), Some("call_webhook"));
        assert_eq!(nearest("email", words), None);
        assert_eq!(nearest(&"x".repeat(100_000), words), None);
    }

    #[test]
    fn distances_count_slips() {
        assert_eq!(distance("limits.depth", "limits.depth"), 0);
        assert_eq!(distance("limit.depth", "limits.depth"), 1);
        assert_eq!(distance("abc", "xyz"), 3);
        assert_eq!(distance("", "xyz"), 3);
    }
}
