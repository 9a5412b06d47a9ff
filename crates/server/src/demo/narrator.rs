//! Tells the story to a person: what was asked, what came back, what it shows.

use std::io::Write;

/// Whether the listener sees colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// A terminal.
    Seen,
    /// A file, or someone who asked for none.
    Unseen,
}

const BOLD: &str = "1";
const DIM: &str = "2";
const GREEN: &str = "32";
const RED: &str = "31";
const CYAN: &str = "36";

/// Tells the story, and counts what went wrong.
pub struct Narrator {
    out: Box<dyn Write + Send>,
    colour: Colour,
    steps: u32,
    wrong: u32,
}

impl Narrator {
    /// Tells it to `out`.
    pub fn new(out: Box<dyn Write + Send>, colour: Colour) -> Self {
        Self {
            out,
            colour,
            steps: 0,
            wrong: 0,
        }
    }

    /// A line between steps.
    pub fn line(&mut self, text: &str) {
        // A reader that has gone does not stop the story.
        let _ = writeln!(self.out, "{text}").and_then(|()| self.out.flush());
    }

    /// A line that stands out.
    pub fn headline(&mut self, text: &str) {
        let text = self.painted(BOLD, text);
        self.line(&text);
    }

    /// Begins a step.
    pub(super) fn step(&mut self, title: &str) {
        self.steps = self.steps.saturating_add(1);
        let title = self.painted(BOLD, &format!("{:>2}. {title}", self.steps));
        self.line("");
        self.line(&title);
    }

    /// What is asked, in short.
    pub(super) fn asked(&mut self, operation: &str, what: &str) {
        let (arrow, operation) = (self.painted(DIM, "→"), self.painted(CYAN, operation));
        self.line(&format!("    {arrow} {operation}  {what}"));
    }

    /// What comes back, in short.
    pub(super) fn answered(&mut self, what: &str) {
        let arrow = self.painted(DIM, "←");
        self.line(&format!("    {arrow} {what}"));
    }

    /// Ends a step: what it shows, or what went wrong.
    pub(super) fn shown(&mut self, lesson: &str, outcome: Result<(), String>) {
        let line = match outcome {
            Ok(()) => format!("    {} {lesson}", self.painted(GREEN, "✓")),
            Err(why) => {
                self.wrong = self.wrong.saturating_add(1);
                format!("    {} {why}", self.painted(RED, "✗"))
            }
        };
        self.line(&line);
    }

    /// Ends the story. True when every step came out right.
    pub(super) fn close(&mut self) -> bool {
        let (steps, wrong) = (self.steps, self.wrong);
        let verdict = if wrong == 0 {
            self.painted(GREEN, &format!("All {steps} steps came out right."))
        } else {
            self.painted(RED, &format!("{wrong} of {steps} steps went wrong."))
        };
        self.line("");
        self.line(&verdict);
        wrong == 0
    }

    fn painted(&self, paint: &str, text: &str) -> String {
        match self.colour {
            Colour::Seen => format!("\u{1b}[{paint}m{text}\u{1b}[0m"),
            Colour::Unseen => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn closing_line(colour: Colour, outcome: Result<(), String>) -> (String, bool) {
        let page = Page::default();
        let mut narrator = Narrator::new(Box::new(page.clone()), colour);
        narrator.step("A title");
        narrator.asked("getPayment", "payments:1");
        narrator.answered("SUCCEEDED");
        narrator.shown("It is paid.", outcome);
        let right = narrator.close();
        (
            String::from_utf8(page.0.lock().unwrap().clone()).unwrap(),
            right,
        )
    }

    #[test]
    fn a_step_is_reported_plainly() {
        let (text, right) = closing_line(Colour::Unseen, Ok(()));
        let expected = "\n 1. A title\n    → getPayment  payments:1\n    ← SUCCEEDED\n    ✓ It is paid.\n\nAll 1 steps came out right.\n";
        assert_eq!(text, expected);
        assert!(right);
    }

    #[test]
    fn what_went_wrong_is_reported_and_counts() {
        let (text, right) = closing_line(Colour::Unseen, Err("status is FAILED".to_owned()));
        assert!(
            text.contains("✗ status is FAILED")
                && text.contains("1 of 1 steps went wrong")
                && !right,
            "{text}"
        );
    }

    #[test]
    fn colours_are_for_those_who_see_them() {
        assert!(closing_line(Colour::Seen, Ok(())).0.contains('\u{1b}'));
        assert!(!closing_line(Colour::Unseen, Ok(())).0.contains('\u{1b}'));
    }
}
