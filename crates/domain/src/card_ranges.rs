//! Ranges of card numbers that an operator provides: the brands that a card bears, where it was issued, and whose money it spends.
//!
//! A table may have a million ranges, so that each takes twelve bytes: what is the same of many is kept once.

use std::collections::HashMap;

use crate::{country::Country, method::CardFunding};

/// The most lines of a table.
pub const LINES_MAX: usize = 2_000_000;
/// The most ranges.
pub const RANGES_MAX: usize = 1_000_000;
/// The most different facts: brands, country and funding together.
const FACTS_MAX: usize = 100_000;
/// Longest line. Unit: bytes.
const LINE_MAX: usize = 500;
/// Digits by which a range is found. Source: ISO/IEC 7812-1:2017, an issuer identification number has eight digits.
pub const IIN_DIGITS: usize = 8;
/// Brands of one card.
const BRANDS_MAX: usize = 4;
/// Longest name of a brand. Unit: bytes.
const BRAND_MAX: usize = 32;

/// What is known of a card by its first digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IssuedCard {
    /// The brands whose marks it bears, in the order of the table.
    pub brands: Vec<String>,
    /// Where it was issued.
    pub country: Option<Country>,
    /// Whose money it spends.
    pub funding: CardFunding,
}

/// A table of ranges, in order, none within another.
#[derive(Debug, Clone, Default)]
pub struct CardRanges {
    ranges: Vec<IinRange>,
    facts: Vec<IssuedCard>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct IinRange {
    first: u32,
    last: u32,
    facts: u32,
}

/// Reads a table line by line.
#[derive(Debug, Default)]
pub struct CardRangesReader {
    table: CardRanges,
    known: HashMap<IssuedCard, u32>,
    lines: usize,
}

impl CardRangesReader {
    /// Reads the next line: `first,last,brands,country,funding` or `prefix,brands,country,funding`. What follows is not read.
    ///
    /// # Errors
    /// What is wrong with it, with its number.
    pub fn line(&mut self, line: &str) -> Result<(), String> {
        self.lines = self.lines.saturating_add(1);
        self.read(line)
            .map_err(|why| format!("line {}: {why}", self.lines))
    }

    fn read(&mut self, line: &str) -> Result<(), String> {
        if self.lines > LINES_MAX || self.table.ranges.len() >= RANGES_MAX {
            return Err(format!(
                "is one too many: a table has at most {RANGES_MAX} ranges in {LINES_MAX} lines"
            ));
        }
        if line.len() > LINE_MAX {
            return Err(format!("has more than {LINE_MAX} bytes"));
        }
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let parts: Vec<&str> = line
            .split(',')
            .map(|part| part.trim().trim_matches('"').trim())
            .collect();
        let is_number =
            |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (first, last, rest) = match parts.as_slice() {
            [first, last, rest @ ..] if is_number(first) && is_number(last) => (first, last, rest),
            [prefix, rest @ ..] if is_number(prefix) => (prefix, prefix, rest),
            _ => return Err(FORM.to_owned()),
        };
        let [brands, country, funding, ..] = rest else {
            return Err(FORM.to_owned());
        };
        let range = IinRange {
            first: bound(first, '0')?,
            last: bound(last, '9')?,
            facts: self.facts_of(brands, country, funding)?,
        };
        if range.first > range.last {
            return Err(format!(
                "its first number, {first}, comes after its last, {last}"
            ));
        }
        self.table.ranges.push(range);
        Ok(())
    }

    fn facts_of(&mut self, brands: &str, country: &str, funding: &str) -> Result<u32, String> {
        let card = IssuedCard {
            brands: read_brands(brands)?,
            country: match country {
                "" => None,
                code => Some(Country::parse(code).ok_or_else(|| {
                    format!("{} is no country of ISO 3166-1, such as FRA", shown(code))
                })?),
            },
            funding: match funding.to_ascii_uppercase().as_str() {
                "" => CardFunding::Undefined,
                word => CardFunding::parse(word).ok_or_else(|| {
                    format!(
                        "{} is none of credit, debit, prepaid, undefined",
                        shown(funding)
                    )
                })?,
            },
        };
        if let Some(known) = self.known.get(&card) {
            return Ok(*known);
        }
        if self.table.facts.len() >= FACTS_MAX {
            return Err(format!(
                "has the {FACTS_MAX}th combination of brands, country and funding: no table of cards has so many"
            ));
        }
        let number = u32::try_from(self.table.facts.len()).map_err(|error| error.to_string())?;
        self.table.facts.push(card.clone());
        self.known.insert(card, number);
        Ok(number)
    }

    /// The table.
    ///
    /// # Errors
    /// Ranges that overlap; a table without a range.
    pub fn finish(self) -> Result<CardRanges, String> {
        let mut table = self.table;
        if table.ranges.is_empty() {
            return Err("it has no range".to_owned());
        }
        table.ranges.sort_unstable();
        for pair in table.ranges.windows(2) {
            if let [one, next] = pair
                && one.last >= next.first
            {
                return Err(format!(
                    "its ranges {:08} to {:08} and {:08} to {:08} overlap",
                    one.first, one.last, next.first, next.last
                ));
            }
        }
        table.ranges.shrink_to_fit();
        Ok(table)
    }
}

impl CardRanges {
    /// Whether there is no table.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many ranges there are.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// What is known of a card by its first eight digits; `None` for fewer, and where the table has none.
    pub fn of(&self, digits: &str) -> Option<&IssuedCard> {
        let iin = digits
            .get(..IIN_DIGITS)
            .filter(|iin| iin.bytes().all(|byte| byte.is_ascii_digit()))?;
        let iin: u32 = iin.parse().ok()?;
        let after = self.ranges.partition_point(|range| range.first <= iin);
        let range = self.ranges.get(after.checked_sub(1)?)?;
        let number = usize::try_from(range.facts).ok()?;
        (iin <= range.last)
            .then(|| self.facts.get(number))
            .flatten()
    }
}

/// What a line must be.
const FORM: &str = "must be `first,last,brands,country,funding` or `prefix,brands,country,funding`, such as `4971,CARTES_BANCAIRES VISA,FRA,debit`";

/// An end of a range with as many digits as are looked at.
fn bound(text: &str, filler: char) -> Result<u32, String> {
    if text.len() > IIN_DIGITS {
        return Err(format!(
            "its numbers must have at most {IIN_DIGITS} digits: cards are found by their first {IIN_DIGITS}"
        ));
    }
    let missing = IIN_DIGITS.saturating_sub(text.len());
    let digits = format!("{text}{}", filler.to_string().repeat(missing));
    digits.parse().map_err(|_| FORM.to_owned())
}

/// The brands of a line, with blanks, `|` or `/` between them.
fn read_brands(text: &str) -> Result<Vec<String>, String> {
    let names = text.split([' ', '|', '/']).filter(|name| !name.is_empty());
    let mut brands: Vec<String> = Vec::new();
    for name in names {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if name.len() > BRAND_MAX || !name.bytes().all(is_letter) {
            return Err(format!(
                "{} is no brand: its name must have at most {BRAND_MAX} letters, digits and `_`",
                shown(name)
            ));
        }
        let name = name.to_ascii_uppercase();
        if !brands.contains(&name) {
            brands.push(name);
        }
    }
    if brands.is_empty() || brands.len() > BRANDS_MAX {
        return Err(format!("must have 1 to {BRANDS_MAX} brands"));
    }
    Ok(brands)
}

/// A piece of a table for a message: never much, and never a number.
fn shown(text: &str) -> String {
    let short: String = text.chars().take(20).collect();
    if short.chars().any(char::is_numeric) {
        return "what stands there".to_owned();
    }
    format!("`{}`", short.escape_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(lines: &str) -> Result<CardRanges, String> {
        let mut reader = CardRangesReader::default();
        lines.lines().try_for_each(|line| reader.line(line))?;
        reader.finish()
    }

    #[test]
    fn both_forms_of_a_line_are_read_and_found_by_eight_digits() {
        let table = table(
            "# first,last,brands,country,funding,issuer\n\n497100,497199,cartes_bancaires VISA,FRA,debit,A bank\n\
             \"45717360\",\"DANKORT|VISA\",\"DK\",\"debit\"\n2221,MASTERCARD,,\n40000000,40000000,VISA,usa,CREDIT\n",
        )
        .unwrap();
        assert_eq!(table.len(), 4);
        let brands = |digits: &str| table.of(digits).map(|card| card.brands.join(" "));
        for (digits, expected) in [
            ("4970999999999999", None),
            ("4971000000000000", Some("CARTES_BANCAIRES VISA")),
            ("49719999", Some("CARTES_BANCAIRES VISA")),
            ("49720000", None),
            ("457173600", Some("DANKORT VISA")),
            ("45717361", None),
            ("22210000", Some("MASTERCARD")),
            ("22219999", Some("MASTERCARD")),
            ("40000000", Some("VISA")),
            ("40000001", None),
            ("4000000", None),
            ("4000000x", None),
            ("", None),
        ] {
            assert_eq!(brands(digits).as_deref(), expected, "{digits}");
        }
        let french = table.of("49710000").unwrap();
        assert_eq!(french.country.map(Country::alpha2), Some("FR"));
        assert_eq!(french.funding, CardFunding::Debit);
        assert_eq!(table.of("22210000").unwrap().country, None);
        assert!(CardRanges::default().of("49710000").is_none());
    }

    #[test]
    fn a_line_that_cant_be_read_is_named_and_no_number_is_repeated() {
        for (line, why) in [
            (
                "VISA",
                "line 2: must be `first,last,brands,country,funding`",
            ),
            ("4971", "must be `first"),
            ("4971,VISA,FRA", "must be `first"),
            ("4972,4971,VISA,FRA,debit", "comes after its last"),
            ("497100000,VISA,FRA,debit", "at most 8 digits"),
            ("4971,VISA,FRX,debit", "`FRX` is no country"),
            ("4971,VISA,FRA,gift", "`gift` is none of credit"),
            ("4971,,FRA,debit", "1 to 4 brands"),
            ("4971,A B C D E,FRA,debit", "1 to 4 brands"),
            ("4971,VI-SA,FRA,debit", "`VI-SA` is no brand"),
            (
                "4971,VISA,4242424242424242,debit",
                "what stands there is no country",
            ),
        ] {
            let said = table(&format!("5555,MASTERCARD,,\n{line}\n")).unwrap_err();
            assert!(
                said.starts_with("line 2") && said.contains(why),
                "{line}: {said}"
            );
        }
        let overlap = table("4971,VISA,,\n49710000,49719999,VISA,,\n").unwrap_err();
        assert_eq!(
            overlap,
            "its ranges 49710000 to 49719999 and 49710000 to 49719999 overlap"
        );
        assert_eq!(table("# nothing\n").unwrap_err(), "it has no range");
        assert!(table(&"x".repeat(501)).unwrap_err().contains("500 bytes"));
    }

    #[test]
    fn a_million_ranges_take_twelve_bytes_each() {
        let mut reader = CardRangesReader::default();
        for n in 0..RANGES_MAX {
            reader.line(&format!("{n:08},VISA,FRA,debit")).unwrap();
        }
        assert!(
            reader
                .line("99999999,VISA,FRA,debit")
                .unwrap_err()
                .contains("one too many")
        );
        let table = reader.finish().unwrap();
        assert_eq!(
            (table.ranges.capacity(), table.facts.len()),
            (RANGES_MAX, 1)
        );
        assert_eq!(size_of::<IinRange>(), 12);
        assert!(table.of("00999999").is_some());
    }
}
