use super::*;

fn card(text: &str) -> CardNumber {
    CardNumber::parse(text.to_owned()).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> Option<CardError> {
    CardNumber::parse(text.to_owned()).err()
}

#[test]
fn card_numbers_are_seen_in_texts() {
    for text in [
        "4242424242424242",
        "order 4242 4242 4242 4242 paid",
        "o_4242-4242-4242-4242-01",
        "01 4242424242424242",
        "378282246310005.",
        "x36227206271667",
        "4242/4242/4242/4242",
        "4242 4242  4242 4242",
        "the card 42424242\n42424242",
        "4242 4242\r\n\t4242 4242",
        "4242-4242-\n4242-4242",
        "4242\u{202e}4242\u{2066}4242 4242",
        "4242\\4242|4242\u{2013}4242",
        "4242\u{a0}4242\u{202f}4242\u{2011}4242",
        "４２４２４２４２４２４２４２４２",
        "zahl ٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢",
        // Shaped like a UUID, of digits alone or of no version, or part of something longer.
        "42424242-4242-4242-8000-000000000000",
        "42424242-4242-4242-0000-00000000000a",
        "5c383244-2317-4101-818b-acb120ffe2fe 4242 4242 4242 4242",
        "5c383244-2317-4101-818b-acb120ffe2fe1",
        // Too short for a key, not hexadecimal, or hardly any letters.
        "ab4242424242424242cd",
        "ab4242424242424242cd0123456789abcdefg",
        "a4242424242424242b0000000000000000",
        "ab12cd34ef56ab12cd34ef56ab12cd34 4242424242424242",
    ] {
        assert!(holds_card_number(text), "{text}");
    }
    for text in [
        "4242424242424241",
        "4242 4242    4242 4242",
        "4242 4242\n\n\n\n4242 4242",
        "2026/11/21 10/04/2026 12/31/2027",
        "01929f6e-0000-7000-8000-000000000001",
        "5c383244-2317-4101-818b-acb120ffe2fe",
        "order:34904EC4-3E86-4501-9800-33423681B50F.",
        "5c383244-2317-4101-818b-acb120ffe2fe-1 für 5c383244-2317-4101-818b-acb120ffe2fe",
        "+49 151 12345678",
        // A hexadecimal key, or a hash, with a number in it by chance.
        "ab4242424242424242cdef0123456789",
        "sha256:AB4242424242424242CDEF012345678998765432100123456789ABCDEF012345,",
        "2026112106220001",
        "1795239621489",
        "42424242424242420",
        "",
    ] {
        assert!(!holds_card_number(text), "{text}");
    }
}

#[test]
fn a_number_is_found_in_a_text_by_its_digits() {
    let number = card("4242424242424242");
    for text in [
        "4242424242424242",
        "o-4242 4242-4242/4242",
        "４２４２424242424242",
    ] {
        assert!(number.stands_in(text), "{text}");
    }
    for text in ["", "order", "5555555555554444", "424242424242424"] {
        assert!(!number.stands_in(text), "{text}");
    }
}

#[test]
fn numbers_with_a_valid_checksum_are_read() {
    for number in [
        "4242424242424242",
        "4012888888881881",
        "5555555555554444",
        "378282246310005",
        "36227206271667",
        "6799990100000000019",
        "4000000000000259",
        "100000000008",
    ] {
        assert_eq!(card(number).expose(), number);
    }
}

#[test]
fn other_texts_are_refused_with_their_reason() {
    assert_eq!(refused(""), Some(CardError::Length));
    assert_eq!(refused("4242424242424241"), Some(CardError::Checksum));
    assert_eq!(refused("4242 4242 4242 4242"), Some(CardError::NotDigits));
    assert_eq!(refused("4242-4242-4242-4242"), Some(CardError::NotDigits));
    assert_eq!(
        refused("４２４２４２４２４２４２４２４２"),
        Some(CardError::NotDigits)
    );
    assert_eq!(refused("4242424242424242\n"), Some(CardError::NotDigits));
    assert_eq!(refused("00000000000"), Some(CardError::Length));
    assert_eq!(refused("00000000000000000000"), Some(CardError::Length));
}

#[test]
fn any_single_wrong_digit_breaks_the_checksum() {
    let number = "4242424242424242";
    for position in 0..number.len() {
        for digit in '0'..='9' {
            let mut changed: Vec<char> = number.chars().collect();
            let original = std::mem::replace(&mut changed[position], digit);
            let expected = (digit != original).then_some(CardError::Checksum);
            assert_eq!(refused(&changed.iter().collect::<String>()), expected);
        }
    }
}

#[test]
fn only_the_last_four_digits_are_shown() {
    let number = card("4242424242424242");
    assert_eq!(number.masked(), "************4242");
    assert_eq!(number.last4(), "4242");
    assert_eq!(number.bin(), "424242");
    assert_eq!(number.iin(), "42424242");
    assert_eq!(number.brand(), Brand::Visa);
    let amex = card("378282246310005");
    assert_eq!(amex.masked(), "***********0005");
    assert_eq!(amex.iin(), "378282");
    assert_eq!(amex.duplicate().expose(), amex.expose());
}

#[test]
fn security_codes_have_three_or_four_digits_as_the_brand_has_it() {
    let code = |text: &str| SecurityCode::parse(text.to_owned());
    for text in ["", "12", "12345", "12a", " 123", "１２３"] {
        assert_eq!(code(text).err(), Some(CardError::SecurityCode), "{text}");
    }
    let (Ok(three), Ok(four)) = (code("123"), code("0123")) else {
        panic!("both are codes")
    };
    assert_eq!(four.duplicate().expose(), "0123");
    for brand in Brand::ALL {
        let any = *brand == Brand::Unknown;
        assert_eq!(three.fits(*brand), any || *brand != Brand::Amex, "{brand}");
        assert_eq!(four.fits(*brand), any || *brand == Brand::Amex, "{brand}");
    }
}

#[test]
fn account_numbers_are_masked_and_never_shown_whole() {
    let account = |text: &str| AccountNumber::parse(text.to_owned());
    for text in [
        "",
        "123",
        "IE29 AIBK 9311 5212 3456 78",
        "12-34",
        "ÄÖÜ1",
        &"1".repeat(35),
    ] {
        assert_eq!(account(text).err(), Some(CardError::Account), "{text}");
    }
    for (text, mask) in [
        ("IE29AIBK93115212345678", "******************5678"),
        ("12345678", "****5678"),
        ("123456", "****56"),
        ("1234", "****"),
    ] {
        let Ok(number) = account(text) else {
            panic!("{text} is an account number")
        };
        assert_eq!(number.masked(), mask);
        assert!(mask.ends_with(&number.last4()));
        assert_eq!(number.duplicate().expose(), text);
    }
}

/// Does not compile when the type has the trait: the call is then ambiguous.
macro_rules! has_not {
    ($type:ty, $($bound:tt)+) => {{
        trait Ambiguous<A> {
            fn check() {}
        }
        impl<T: ?Sized> Ambiguous<()> for T {}
        impl<T: ?Sized + $($bound)+> Ambiguous<u8> for T {}
        <$type as Ambiguous<_>>::check();
    }};
}

#[test]
fn secrets_can_neither_be_printed_nor_written_nor_copied_by_accident() {
    macro_rules! is_secret {
        ($type:ty) => {
            has_not!($type, std::fmt::Debug);
            has_not!($type, std::fmt::Display);
            has_not!($type, serde::Serialize);
            has_not!($type, Clone);
            has_not!($type, PartialEq);
            has_not!($type, std::hash::Hash);
        };
    }
    is_secret!(CardNumber);
    is_secret!(SecurityCode);
    is_secret!(AccountNumber);
}
