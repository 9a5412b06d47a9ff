//! The search for card data where none may be: in files and in output, in every form that it could take.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::{Backend, Server};

/// A form of a secret to look for.
#[derive(Clone, Debug)]
pub struct Needle {
    /// What it is, for the message (never the secret).
    pub name: String,
    bytes: Vec<u8>,
    edges: Edges,
}

/// What may stand right before and after a needle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edges {
    /// Anything: the needle is long enough to be no accident.
    Any,
    /// Neither letter nor digit, and no id around it: a short needle is often a part of something else.
    NoAlphanumeric,
}

impl Needle {
    fn new(name: String, bytes: impl Into<Vec<u8>>, edges: Edges) -> Self {
        Self {
            name,
            bytes: bytes.into(),
            edges,
        }
    }

    /// Is it in these bytes?
    pub fn is_in(&self, hay: &[u8]) -> bool {
        self.place_in(hay).is_some()
    }

    /// Where it is in these bytes.
    fn place_in(&self, hay: &[u8]) -> Option<usize> {
        memchr::memmem::find_iter(hay, &self.bytes).find(|&at| {
            self.edges == Edges::Any
                || !(at > 0 && hay[at - 1].is_ascii_alphanumeric()
                    || hay
                        .get(at + self.bytes.len())
                        .is_some_and(u8::is_ascii_alphanumeric)
                    || is_group_of_uuid(hay, at))
        })
    }
}

/// What is around a place: without it a number by chance could not be distinguished from a leak, and these are test numbers.
fn around(hay: &[u8], at: usize) -> String {
    let part = &hay[at.saturating_sub(40)..hay.len().min(at + 60)];
    part.escape_ascii().to_string()
}

/// Does a group of four digits of a UUID begin here? The third group of an id made from the date is a 7 and three random
/// digits: one id in 4,096 has any given code there.
fn is_group_of_uuid(hay: &[u8], at: usize) -> bool {
    [9, 14, 19].into_iter().any(|offset| {
        let uuid = at
            .checked_sub(offset)
            .and_then(|start| hay.get(start..start + 36));
        uuid.is_some_and(|uuid| {
            uuid.iter().enumerate().all(|(place, byte)| match place {
                8 | 13 | 18 | 23 => *byte == b'-',
                _ => byte.is_ascii_hexdigit(),
            })
        })
    })
}

/// Every form of a card number: text (also grouped), base64 in its three alignments, hex, a packed integer.
pub fn needles_of_number(number: &str) -> Vec<Needle> {
    let last = &number[number.len() - 4..];
    let named = |form: &str| format!("the number that ends in {last} as {form}");
    let mut needles = vec![
        Needle::new(named("text"), number, Edges::Any),
        Needle::new(named("text in groups"), grouped(number, ' '), Edges::Any),
        Needle::new(named("text with dashes"), grouped(number, '-'), Edges::Any),
        Needle::new(named("hex"), hex::encode(number), Edges::Any),
        Needle::new(
            named("upper-case hex"),
            hex::encode_upper(number),
            Edges::Any,
        ),
        Needle::new(
            named("UTF-16"),
            number
                .bytes()
                .flat_map(|byte| [byte, 0])
                .collect::<Vec<_>>(),
            Edges::Any,
        ),
    ];
    for alignment in 0..3 {
        needles.push(Needle::new(
            named(&format!("base64 at offset {alignment}")),
            base64_core(number, alignment),
            Edges::Any,
        ));
    }
    let integer: u64 = number.parse().expect("digits");
    // The first byte of a 16-digit number is zero in eight bytes; seven of them are long enough.
    needles.push(Needle::new(
        named("a big-endian integer"),
        &integer.to_be_bytes()[1..],
        Edges::Any,
    ));
    needles.push(Needle::new(
        named("a little-endian integer"),
        &integer.to_le_bytes()[..7],
        Edges::Any,
    ));
    needles
}

/// Every form of a security code that can be distinguished from chance; use a code of four digits.
pub fn needles_of_code(code: &str) -> Vec<Needle> {
    vec![
        Needle::new(
            "the security code as text".to_owned(),
            code,
            Edges::NoAlphanumeric,
        ),
        Needle::new(
            "the security code as base64".to_owned(),
            STANDARD_NO_PAD.encode(code),
            Edges::NoAlphanumeric,
        ),
        Needle::new(
            "the security code as hex".to_owned(),
            hex::encode(code),
            Edges::NoAlphanumeric,
        ),
    ]
}

/// Looks for the needles in every file below a directory; what was found where.
pub fn find_leaks(root: &Path, needles: &[Needle]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(find_leaks(&path, needles));
        } else if let Ok(bytes) = fs::read(&path) {
            if is_process_id(&path, &bytes) {
                continue;
            }
            let reported = |needle: &Needle| {
                let at = needle.place_in(&bytes)?;
                Some(format!(
                    "{} in {} at {at}: {}",
                    needle.name,
                    path.display(),
                    around(&bytes, at)
                ))
            };
            found.extend(needles.iter().filter_map(reported));
        }
    }
    found
}

/// Files that hold nothing but a process id, which may be any number.
fn is_process_id(path: &Path, bytes: &[u8]) -> bool {
    path.file_name().is_some_and(|name| name == "lock")
        && bytes.trim_ascii().iter().all(u8::is_ascii_digit)
}

impl Server {
    /// The files of this server, and of the PostgreSQL server that it is on, which hold these bytes.
    pub fn files_with(&self, needle: &[u8]) -> Vec<String> {
        self.search(&[Needle::new("it".to_owned(), needle, Edges::Any)])
    }

    /// Looks for the needles in every file of this server, and of the PostgreSQL server that it is on: tables, the
    /// write-ahead log, temporary files, its own log, and what waits in its memory. What was found where.
    pub fn search(&self, needles: &[Needle]) -> Vec<String> {
        let mut found = find_leaks(&self.root(), needles);
        if self.setup().backend() == Backend::Postgres {
            let postgres = self.setup().postgres();
            postgres.sql("checkpoint");
            found.extend(find_leaks(postgres.directory(), needles));
        }
        found
    }
}

fn grouped(number: &str, separator: char) -> String {
    let groups: Vec<&str> = number
        .as_bytes()
        .chunks(4)
        .map(|part| std::str::from_utf8(part).expect("digits"))
        .collect();
    groups.join(&separator.to_string())
}

/// The characters of a base64 text that depend on the needle alone when it starts `alignment` bytes into a group.
fn base64_core(text: &str, alignment: usize) -> String {
    let padded = format!("{}{text}", "\0".repeat(alignment));
    let encoded = STANDARD_NO_PAD.encode(&padded);
    let first = (alignment * 8).div_ceil(6);
    let last = padded.len() * 8 / 6;
    encoded[first..last].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBER: &str = "4242424242424242";

    #[test]
    fn a_number_is_found_in_every_form() {
        let needles = needles_of_number(NUMBER);
        for prefix in ["", "x", "xy"] {
            let text = STANDARD_NO_PAD.encode(format!("{prefix}{NUMBER}tail"));
            assert!(
                needles.iter().any(|needle| needle.is_in(text.as_bytes())),
                "{prefix:?}"
            );
        }
        let integer = 4_242_424_242_424_242_u64;
        for hay in [
            NUMBER.as_bytes().to_vec(),
            hex::encode(NUMBER).into_bytes(),
            b"4242 4242 4242 4242".to_vec(),
            integer.to_be_bytes().to_vec(),
            integer.to_le_bytes().to_vec(),
        ] {
            assert!(needles.iter().any(|needle| needle.is_in(&hay)));
        }
    }

    #[test]
    fn a_masked_number_is_no_leak() {
        let needles = needles_of_number(NUMBER);
        assert!(
            !needles
                .iter()
                .any(|needle| needle.is_in(b"************4242 bin 424242"))
        );
    }

    #[test]
    fn a_code_is_found_alone_and_not_inside_of_something_else() {
        let needles = needles_of_code("7391");
        let found = |hay: &[u8]| needles.iter().any(|needle| needle.is_in(hay));
        assert!(found(br#"{"cvc":"7391"}"#));
        assert!(found(b"cvc=7391"));
        assert!(!found(b"2026-01-31T09:30:00.739104Z"));
        assert!(!found(b"pay_019aa1f0-1c2d-7391-8a01-0123456789ab"));
        assert!(!found(b"019aa1f0-7391-7c2d-8a01-0123456789ab"));
        assert!(found(b"4242-7391-12"));
        assert!(
            found(b"019aa1f0-1c2d-7391-8a01-0123456789a"),
            "too short for an id"
        );
    }
}
