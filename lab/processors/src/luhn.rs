//! The check digit of card numbers. Source: ISO/IEC 7812-1, annex B.

/// Whether the text is 12 to 19 digits and the last one is right.
pub(crate) fn passes_luhn(number: &str) -> bool {
    let mut sum = 0_u32;
    for (at, digit) in number.bytes().rev().enumerate() {
        let digit = u32::from(digit.wrapping_sub(b'0'));
        let doubled = if at % 2 == 1 {
            digit.wrapping_mul(2)
        } else {
            digit
        };
        sum = sum.wrapping_add(if doubled > 9 {
            doubled.wrapping_sub(9)
        } else {
            doubled
        });
    }
    (12..=19).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::passes_luhn;

    #[test]
    fn the_last_digit_and_the_length_count() {
        assert!(passes_luhn("378282246310005"));
        assert!(!passes_luhn("4242424242424241"));
        assert!(!passes_luhn("42"));
    }
}
