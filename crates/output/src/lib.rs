//! What the commands of every binary print. A reader that has stopped reading is not an error.

use std::{
    borrow::Cow,
    io::{self, IsTerminal as _, Write},
};

/// Prints a text to standard output as it is.
pub fn text(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints a line to standard output: to a terminal without what would command it.
pub fn line(line: &str) {
    let shown = if io::stdout().is_terminal() {
        harmless(line)
    } else {
        Cow::Borrowed(line)
    };
    text(&format!("{shown}\n"));
}

/// The text with a sign in the place of each control character but tabs and line feeds, and of what changes the direction of writing.
fn harmless(text: &str) -> Cow<'_, str> {
    let harms = |letter: char| {
        (letter.is_control() && !matches!(letter, '\t' | '\n'))
            || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if text.contains(harms) {
        Cow::Owned(text.replace(harms, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Prints a line to standard error.
pub fn error(line: &str) {
    error_text(&format!("{line}\n"));
}

/// Prints a text to standard error as it is.
pub fn error_text(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_no_commands() {
        for (text, shown) in [
            ("a\tb\nc é", "a\tb\nc é"),
            (
                "\u{1b}[2J\u{9b}2J\r\u{202e}x\0",
                "\u{fffd}[2J\u{fffd}2J\u{fffd}\u{fffd}x\u{fffd}",
            ),
        ] {
            assert_eq!(harmless(text), shown);
        }
    }
}
