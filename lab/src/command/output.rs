//! What commands print.

use std::io::{self, Write};

/// Prints a text to standard output as it is. Whoever stopped reading is no reason to fail.
pub(super) fn text(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints a line to standard output.
pub(super) fn line(line: &str) {
    text(&format!("{line}\n"));
}

/// Prints a line to standard error.
pub(super) fn error(line: &str) {
    error_text(&format!("{line}\n"));
}

/// Prints a text to standard error as it is.
pub(super) fn error_text(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
