//! What is wrong with a document, for the person who wrote it.

use std::fmt;

use domain::spelling::nearest;

/// One thing that is wrong with a document, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, such as `steps[2].if`; empty for the document as a whole.
    pub place: String,
    /// The line of the text, from 1, when the document was read from a text.
    pub line: Option<u32>,
    /// What is wrong and what would be right: a clause without a full stop.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) if self.place.is_empty() => write!(f, "line {line}: {}", self.message),
            Some(line) => write!(f, "{} (line {line}): {}", self.place, self.message),
            None if self.place.is_empty() => f.write_str(&self.message),
            None => write!(f, "{}: {}", self.place, self.message),
        }
    }
}

impl Problem {
    /// `file:line: place: message`, which editors understand.
    pub fn located(&self, file: &str) -> String {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let place = if self.place.is_empty() {
            String::new()
        } else {
            format!("{}: ", self.place)
        };
        format!("{file}{line}: {place}{}", self.message)
    }
}

/// ` (did you mean …?)` when one of the words is near to what was written, else nothing.
pub(crate) fn did_you_mean<'a>(written: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    nearest(written, words)
        .map(|word| format!(" (did you mean `{word}`?)"))
        .unwrap_or_default()
}

/// `a`, `b` and `c`.
pub(crate) fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_tells_its_place_and_line() {
        let problem = |place: &str, line| Problem {
            place: place.to_owned(),
            line,
            message: "is wrong".to_owned(),
        };
        assert_eq!(
            problem("steps[2].if", Some(9)).to_string(),
            "steps[2].if (line 9): is wrong"
        );
        assert_eq!(
            problem("steps[2].if", None).to_string(),
            "steps[2].if: is wrong"
        );
        assert_eq!(problem("", Some(9)).to_string(), "line 9: is wrong");
        assert_eq!(problem("", None).to_string(), "is wrong");
    }

    #[test]
    fn a_problem_is_reported_with_file_line_and_place() {
        let problem = Problem {
            place: "steps[1].if".to_owned(),
            line: Some(7),
            message: "is no condition".to_owned(),
        };
        assert_eq!(
            problem.located("a/b.yaml"),
            "a/b.yaml:7: steps[1].if: is no condition"
        );
        let whole = Problem {
            place: String::new(),
            line: None,
            message: "is empty".to_owned(),
        };
        assert_eq!(whole.located("b.yaml"), "b.yaml: is empty");
    }

    #[test]
    fn words_are_listed_as_in_a_sentence() {
        assert_eq!(listed(["a"]), "`a`");
        assert_eq!(listed(["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
