//! The table of card ranges that the operator provides.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    path::Path,
};

use anyhow::{Context, anyhow};
use domain::card_ranges::{CardRanges, CardRangesReader};

/// The largest table: two million lines of the usual length. Unit: bytes.
const FILE_MAX: u64 = 200 * 1024 * 1024;

/// Reads the table.
///
/// # Errors
/// The file can't be read, is too large, or has a line that can't be read, which is named.
pub(crate) fn load(path: &Path) -> anyhow::Result<CardRanges> {
    let shown = || format!("cards.ranges: {}", path.display());
    let file = File::open(path).with_context(shown)?;
    read(BufReader::new(file.take(FILE_MAX.saturating_add(1)))).with_context(shown)
}

fn read(lines: impl BufRead) -> anyhow::Result<CardRanges> {
    let mut reader = CardRangesReader::default();
    let mut bytes: u64 = 0;
    for (line, n) in lines.lines().zip(1..) {
        let line: String = line.with_context(|| format!("line {n}"))?;
        bytes = bytes.saturating_add(u64::try_from(line.len()).unwrap_or(u64::MAX));
        if bytes > FILE_MAX {
            return Err(anyhow!("it has more than {FILE_MAX} bytes"));
        }
        reader.line(&line).map_err(anyhow::Error::msg)?;
    }
    reader.finish().map_err(anyhow::Error::msg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_text_is_named_by_its_line() {
        let said = read(&b"4971,VISA,FRA,debit\n\xff\n"[..]).unwrap_err();
        assert_eq!(format!("{said}"), "line 2");
        assert_eq!(read(&b"4971,VISA,FRA,debit\r\n"[..]).unwrap().len(), 1);
    }
}
