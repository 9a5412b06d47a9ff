//! What the commands of every binary print. A reader that has stopped reading is not an error.

use std::io::{self, Write};

/// Prints a text to standard output as it is.
pub fn text(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints a line to standard output.
pub fn line(line: &str) {
    text(&format!("{line}\n"));
}

/// Prints a line to standard error.
pub fn error(line: &str) {
    error_text(&format!("{line}\n"));
}

/// Prints a text to standard error as it is.
pub fn error_text(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
