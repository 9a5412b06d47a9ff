//! In which country an address is, by a table that the operator provides.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    net::IpAddr,
    path::Path,
};

use anyhow::{Context, bail};
use domain::country::Country;

/// The most lines of a table. The largest that are published have fewer than half as many.
const LINES_MAX: usize = 2_000_000;

/// Longest line. Unit: bytes.
const LINE_MAX: usize = 200;

/// Ranges of addresses with their countries, in order, none within another.
#[derive(Debug, Default)]
pub struct Places(Vec<GeoPlace>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct GeoPlace {
    first: u128,
    last: u128,
    country: Country,
}

impl Places {
    /// Reads a table: lines of `first,last,country` or `range,country`.
    ///
    /// # Errors
    /// The file can't be read, has too many lines, or has a line that is none of these, which is named.
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        let file = File::open(path).with_context(|| format!("geo.table: {}", path.display()))?;
        Self::read(BufReader::new(file)).with_context(|| format!("geo.table: {}", path.display()))
    }

    fn read(lines: impl BufRead) -> anyhow::Result<Self> {
        let mut places = Vec::new();
        for (line, n) in lines.lines().zip(1..) {
            let line = line.with_context(|| format!("line {n}"))?;
            if n > LINES_MAX {
                bail!("it has more than {LINES_MAX} lines");
            }
            match place(&line) {
                Ok(place) => places.extend(place),
                Err(why) => bail!("line {n}: {why}"),
            }
        }
        places.sort_unstable();
        if places
            .windows(2)
            .any(|pair| matches!(pair, [one, next] if one.last >= next.first))
        {
            bail!("some of its ranges overlap");
        }
        places.shrink_to_fit();
        Ok(Self(places))
    }

    /// The country of an address; `None` when the table has none.
    pub fn country(&self, address: IpAddr) -> Option<Country> {
        let address = number(address);
        let after = self.0.partition_point(|place| place.first <= address);
        let place = self.0.get(after.checked_sub(1)?)?;
        (address <= place.last).then_some(place.country)
    }
}

/// The range of a line; `None` when it says nothing. Errors: why it can't be read.
fn place(line: &str) -> Result<Option<GeoPlace>, &'static str> {
    if line.len() > LINE_MAX {
        return Err("is too long");
    }
    let line = line.trim().trim_start_matches('\u{feff}');
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let parts: Vec<&str> = line
        .split(',')
        .map(|part| part.trim().trim_matches('"'))
        .collect();
    let (first, last, code) = match parts.as_slice() {
        [range, code] => {
            let (first, last) =
                ends(range).ok_or("must begin with a range such as 192.0.2.0/24")?;
            (first, last, code)
        }
        [first, last, code] => {
            let (first, last) = (parsed(first), parsed(last));
            let (first, last) = first.zip(last).ok_or("must begin with two addresses")?;
            (first, last, code)
        }
        _ => return Err("must be `first,last,country` or `range,country`"),
    };
    if first.is_ipv4() != last.is_ipv4() || number(first) > number(last) {
        return Err("its first address must not come after its last");
    }
    // Tables have codes such as `ZZ` for what nobody knows.
    let country = Country::parse(code);
    Ok(country.map(|country| GeoPlace {
        first: number(first),
        last: number(last),
        country,
    }))
}

fn parsed(text: &str) -> Option<IpAddr> {
    text.parse().ok()
}

fn ends(range: &str) -> Option<(IpAddr, IpAddr)> {
    let (address, prefix) = range.split_once('/')?;
    let prefix: u32 = prefix.parse().ok()?;
    match parsed(address)? {
        IpAddr::V4(address) => {
            let hosts = u32::MAX.checked_shr(prefix).unwrap_or(0);
            let first = u32::from(address) & !hosts;
            (prefix <= 32).then(|| (IpAddr::V4(first.into()), IpAddr::V4((first | hosts).into())))
        }
        IpAddr::V6(address) => {
            let hosts = u128::MAX.checked_shr(prefix).unwrap_or(0);
            let first = u128::from(address) & !hosts;
            (prefix <= 128).then(|| (IpAddr::V6(first.into()), IpAddr::V6((first | hosts).into())))
        }
    }
}

/// One order for both kinds of addresses: those of version 4 stand where version 6 has them mapped.
fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_ipv6_mapped()),
        IpAddr::V6(address) => u128::from(address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn country(places: &Places, address: &str) -> Option<&'static str> {
        places
            .country(address.parse().unwrap())
            .map(Country::alpha2)
    }

    fn refused(table: &str) -> String {
        Places::read(table.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn both_forms_of_a_line_and_both_kinds_of_addresses_are_read() {
        let table = "# a comment\n\n\"192.0.2.0\",\"192.0.2.127\",\"IE\"\n192.0.2.128/25, FRA\n2001:db8::/32,DE\n\
                     198.51.100.0/24,ZZ\n203.0.113.7/32,us\n";
        let places = Places::read(table.as_bytes()).unwrap();
        for (address, expected) in [
            ("192.0.1.255", None),
            ("192.0.2.0", Some("IE")),
            ("192.0.2.127", Some("IE")),
            ("192.0.2.128", Some("FR")),
            ("192.0.2.255", Some("FR")),
            ("192.0.3.0", None),
            ("::ffff:192.0.2.1", Some("IE")),
            ("2001:db8::1", Some("DE")),
            ("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", Some("DE")),
            ("2001:db9::", None),
            ("198.51.100.1", None),
            ("203.0.113.7", Some("US")),
            ("203.0.113.8", None),
            ("::", None),
        ] {
            assert_eq!(country(&places, address), expected, "{address}");
        }
        assert_eq!(country(&Places::default(), "192.0.2.1"), None);
        let everything = Places::read("0.0.0.0/0,IE\n".as_bytes()).unwrap();
        assert_eq!(
            (
                country(&everything, "255.255.255.255"),
                country(&everything, "::1")
            ),
            (Some("IE"), None)
        );
    }

    #[test]
    fn a_line_that_cant_be_read_is_named() {
        for (line, what) in [
            ("192.0.2.0", "range,country"),
            ("192.0.2.0,IE", "range such as"),
            ("192.0.2.0/33,IE", "range such as"),
            ("192.0.2.0,nonsense,IE", "two addresses"),
            ("192.0.2.9,192.0.2.0,IE", "must not come after"),
            ("192.0.2.9,2001:db8::,IE", "must not come after"),
        ] {
            let said = refused(&format!("192.0.3.0/24,IE\n{line}\n"));
            assert!(
                said.starts_with("line 2") && said.contains(what),
                "{line}: {said}"
            );
        }
        assert!(refused(&format!("{}\n", "x".repeat(201))).contains("too long"));
        assert!(refused("192.0.2.0/24,IE\n192.0.2.128/25,FR\n").contains("overlap"));
    }
}
