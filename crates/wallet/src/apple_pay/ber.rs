//! BER as Apple writes it, turned into DER.
//!
//! Apple's signatures have containers of indefinite length, which the parsers of DER refuse. Only the lengths of those
//! containers change here; whatever is signed inside is DER already and is copied byte for byte.

/// Deepest nesting; a signature with its certificates has twelve levels.
const DEPTH_MAX: usize = 24;

const CONSTRUCTED: u8 = 0x20;
const INDEFINITE: u8 = 0x80;
const END: &[u8] = &[0, 0];

/// The one element that the input consists of, as DER. `None` when it is none, is nested too deeply, or has lengths that
/// are not written in the shortest way.
pub(super) fn to_der(input: &[u8]) -> Option<Vec<u8>> {
    let mut der = Vec::with_capacity(input.len());
    let rest = element(input, DEPTH_MAX, &mut der)?;
    rest.is_empty().then_some(der)
}

/// Writes the first element of the input and returns what follows it.
fn element<'a>(input: &'a [u8], levels: usize, der: &mut Vec<u8>) -> Option<&'a [u8]> {
    let levels = levels.checked_sub(1)?;
    let (&tag, rest) = input.split_first()?;
    // Tag numbers above 30 take more bytes; none occurs here.
    if tag & 0x1f == 0x1f || tag == 0 {
        return None;
    }
    let constructed = tag & CONSTRUCTED != 0;
    if let Some((&INDEFINITE, rest)) = rest.split_first() {
        return if constructed {
            indefinite(tag, rest, levels, der)
        } else {
            None
        };
    }
    let (length, rest) = definite_length(rest)?;
    let (content, rest) = rest.split_at_checked(length)?;
    if constructed {
        let mut inner = Vec::with_capacity(length);
        let mut left = content;
        while !left.is_empty() {
            left = element(left, levels, &mut inner)?;
        }
        write(tag, &inner, der);
    } else {
        write(tag, content, der);
    }
    Some(rest)
}

fn indefinite<'a>(
    tag: u8,
    mut rest: &'a [u8],
    levels: usize,
    der: &mut Vec<u8>,
) -> Option<&'a [u8]> {
    let mut inner = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix(END) {
            write(tag, &inner, der);
            return Some(after);
        }
        rest = element(rest, levels, &mut inner)?;
    }
}

/// Reads a length of up to three bytes, in its shortest form.
fn definite_length(input: &[u8]) -> Option<(usize, &[u8])> {
    let (&first, rest) = input.split_first()?;
    if first < 0x80 {
        return Some((usize::from(first), rest));
    }
    let count = usize::from(first & 0x7f);
    if !(1..=3).contains(&count) {
        return None;
    }
    let (bytes, rest) = rest.split_at_checked(count)?;
    let length = bytes
        .iter()
        .fold(0_usize, |length, byte| (length << 8) | usize::from(*byte));
    let shortest = length >= 0x80 && bytes.first() != Some(&0);
    shortest.then_some((length, rest))
}

fn write(tag: u8, content: &[u8], der: &mut Vec<u8>) {
    der.push(tag);
    let length = content.len().to_be_bytes();
    if let Ok(short @ 0..0x80) = u8::try_from(content.len()) {
        der.push(short);
    } else {
        let used = length.iter().skip_while(|byte| **byte == 0);
        // A length has at most eight bytes.
        der.push(INDEFINITE | u8::try_from(used.clone().count()).unwrap_or(8));
        der.extend(used);
    }
    der.extend_from_slice(content);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indefinite_lengths_become_definite() {
        assert_eq!(
            to_der(&[0x30, 0x80, 0x02, 1, 5, 0xa0, 0x80, 0x04, 0, 0, 0, 0, 0]).unwrap(),
            [0x30, 7, 2, 1, 5, 0xa0, 2, 4, 0]
        );
        let mut long = vec![0x30, 0x80, 0x04, 0x82, 0x01, 0x00];
        long.extend([7; 256]);
        long.extend([0, 0]);
        let der = to_der(&long).unwrap();
        assert_eq!(der[..8], [0x30, 0x82, 0x01, 0x04, 0x04, 0x82, 0x01, 0x00]);
        assert_eq!(to_der(&der).unwrap(), der);
    }

    #[test]
    fn anything_else_is_refused() {
        let deep = |levels: usize| {
            let mut input = [0x30, 0x80].repeat(levels);
            input.extend([0, 0].repeat(levels));
            input
        };
        assert!(to_der(&deep(DEPTH_MAX)).is_some());
        let wrong: [&[u8]; 9] = [
            &[],
            &[0x30],
            &[0x30, 0x80],
            &[0x04, 0x80, 0, 0],
            &[0x02, 1, 5, 0],
            &[0x02, 0x81, 1, 5],
            &[0x04, 0x84, 0, 0, 0, 1, 5],
            &[0x1f, 1, 5],
            &[0x30, 2, 0, 0],
        ];
        for input in wrong.into_iter().chain([deep(DEPTH_MAX + 1).as_slice()]) {
            assert!(to_der(input).is_none(), "{input:?}");
        }
    }
}
