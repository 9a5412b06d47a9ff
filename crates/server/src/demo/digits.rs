//! Card numbers as people write them.

/// A number in groups of four.
pub(super) fn grouped(number: &str) -> String {
    let digits: Vec<char> = number.chars().collect();
    let groups: Vec<String> = digits.chunks(4).map(|group| group.iter().collect()).collect();
    groups.join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_grouped_by_four() {
        assert_eq!(super::grouped("4242424242424242"), "4242 4242 4242 4242");
        assert_eq!(super::grouped("378282246310005"), "3782 8224 6310 005");
    }
}
