//! Documents, and their text as a program reads it that knows nothing of how they were made.

use std::collections::BTreeMap;

use super::*;

fn section(text: &str) -> Section {
    Section {
        heading: "Customer".to_owned(),
        text: text.to_owned(),
    }
}

/// The text of a document in the order in which it is written: by its fonts' maps to Unicode alone.
fn text_of(pdf: &[u8]) -> String {
    let objects = objects(pdf);
    let mut fonts: BTreeMap<String, BTreeMap<u8, String>> = BTreeMap::new();
    for object in objects
        .values()
        .filter(|text| text.contains("/Type /Page\n"))
    {
        let named = between(object, "/Font <<", ">>");
        let mut words = named.split_whitespace();
        while let (Some(name), Some(id)) = (words.next(), words.next()) {
            let font = &objects[id];
            let map = &objects[between(font, "/ToUnicode ", " 0 R").trim()];
            fonts.insert(name.to_owned(), mapped(map));
            words.nth(1);
        }
    }
    let mut text = String::new();
    for page in objects.values().filter(|text| text.contains("\nBT\n")) {
        let mut font = &BTreeMap::new();
        let mut line = None;
        for row in page.lines() {
            if row.ends_with(" Tm") {
                let y = row.split(' ').nth(5).map(str::to_owned);
                if line.is_some() && line != y {
                    text.push('\n');
                }
                line = y;
            } else if row.ends_with(" Tf") {
                font = &fonts[row.split(' ').next().unwrap()];
            } else if let Some(shown) = row.strip_suffix(" Tj") {
                text.extend(codes(shown).iter().map(|code| font[code].as_str()));
            }
        }
    }
    text
}

/// Objects by their numbers; bytes as the characters of the same number.
fn objects(pdf: &[u8]) -> BTreeMap<String, String> {
    let text: String = pdf.iter().copied().map(char::from).collect();
    let mut objects = BTreeMap::new();
    for part in text.split("endobj") {
        if let Some((head, body)) = part.split_once(" 0 obj") {
            let number = head.rsplit('\n').next().unwrap();
            objects.insert(number.to_owned(), body.to_owned());
        }
    }
    objects
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap();
    rest.split_once(end).unwrap().0
}

/// A map to Unicode: lines such as `<01> <0041>`.
fn mapped(map: &str) -> BTreeMap<u8, String> {
    let lines = map.lines().filter_map(|line| line.split_once("> <"));
    let pairs = lines.filter_map(|(code, text)| {
        let code = u8::from_str_radix(code.strip_prefix('<')?, 16).ok()?;
        let hex: Vec<char> = text.strip_suffix('>')?.chars().collect();
        let units = hex.chunks(4).map(|unit| unit.iter().collect::<String>());
        let units: Option<Vec<u16>> = units
            .map(|unit| u16::from_str_radix(&unit, 16).ok())
            .collect();
        Some((code, String::from_utf16(&units?).ok()?))
    });
    // The range of all codes is written like a pair.
    pairs.filter(|(code, _)| *code > 0).collect()
}

/// A string's bytes: `<0102>` or `(text)`.
fn codes(shown: &str) -> Vec<u8> {
    if let Some(hex) = shown.strip_prefix('<') {
        let digits: Vec<char> = hex.trim_end_matches('>').chars().collect();
        let pairs = digits.chunks(2).map(|pair| pair.iter().collect::<String>());
        return pairs
            .map(|pair| u8::from_str_radix(&pair, 16).unwrap())
            .collect();
    }
    let inner = shown.strip_prefix('(').unwrap().strip_suffix(')').unwrap();
    let mut codes = Vec::new();
    let mut chars = inner.chars();
    while let Some(char) = chars.next() {
        let char = match char {
            '\\' => chars.next().unwrap(),
            other => {
                codes.push(u8::try_from(u32::from(other)).unwrap());
                continue;
            }
        };
        codes.push(match char {
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'b' => 8,
            'f' => 12,
            octal if octal.is_ascii_digit() => {
                let digits: String = [octal].into_iter().chain(chars.by_ref().take(2)).collect();
                u8::from_str_radix(&digits, 8).unwrap()
            }
            other => u8::try_from(u32::from(other)).unwrap(),
        });
    }
    codes
}

#[test]
fn the_text_of_a_document_is_that_of_its_names_in_every_script() {
    let names = [
        "Żółć Müller-Lüdenscheidt",
        "Ελένη Παπαδοπούλου",
        "Юрий Щербаков",
        "山田 太郎 王 김민준",
        "محمد عبد الله",
        "סַבָּא שלום (ירושלים)",
        "हिन्दी प्रियंका शर्मिष्ठा",
        "ក្មេង কৌশিক கொழும்பு മൊയ്തീൻ",
        "สมชาย น้ำใจ",
        "Name: سلام الإسلام، تهران می\u{200c}خواهم 12",
    ];
    let pdf = pdf("Evidence", &[section(&names.join("\n"))]);
    let text = text_of(&pdf);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines, [&["Evidence", "CUSTOMER"], &names[..]].concat());
}

#[test]
fn equal_texts_make_equal_bytes() {
    let one = pdf("Evidence", &[section("राम")]);
    assert_eq!(one, pdf("Evidence", &[section("राम")]));
    assert_ne!(one, pdf("Evidence", &[section("राम!")]));
}

#[test]
fn a_long_text_goes_on_on_the_next_page() {
    let pdf = pdf("Evidence", &[section(&"A line.\n".repeat(LINES))]);
    let text = String::from_utf8_lossy(&pdf);
    assert!(text.contains("/Count 2"));
}
