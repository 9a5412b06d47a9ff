//! The word that was probably meant.

/// Longer words are no slip of the pen for any of ours, and cost too much to compare.
const LONGEST: usize = 60;

/// The word nearest to what was written, when only few letters differ: a third of them, one at least. Case does not count.
pub fn nearest<'a>(written: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if written.len() > LONGEST {
        return None;
    }
    let allowed = (written.chars().count() / 3).max(1);
    let written = written.to_lowercase();
    words
        .into_iter()
        .map(|word| (strsim::levenshtein(&written, &word.to_lowercase()), word))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, word)| word)
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
}
