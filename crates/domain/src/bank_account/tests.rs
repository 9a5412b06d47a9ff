use super::*;

fn read(number: &str, codes: BankCodes) -> Result<AccountKind, AccountFault> {
    let Ok(number) = AccountNumber::parse(number.to_owned()) else {
        panic!("{number} is no account number")
    };
    AccountKind::read(&number, codes)
}

#[test]
fn an_account_is_reported_by_its_bank_and_its_number() {
    let account = |number: &str, codes: BankCodes| {
        let kind = read(number, codes);
        let (Ok(kind), Ok(number)) = (kind, AccountNumber::parse(number.to_owned())) else {
            panic!("{number} is refused")
        };
        (kind.bank(&number), kind.whole(&number).to_string())
    };
    let iban = |number: &str| account(number, BankCodes::default()).0;
    assert_eq!(iban("DE89370400440532013000"), "DE 37040044");
    assert_eq!(iban("it60X0542811101000000123456"), "IT 05428");
    assert_eq!(iban("GB29NWBK60161331926819"), "GB NWBK");
    assert_eq!(iban("NO9386011117947"), "NO 8601");
    assert_eq!(iban("12345678"), "");
    let of = |code: &str| account("00012345", sort_code(code));
    assert_eq!(of("10-88-00"), of("108800"));
    assert_ne!(of("108800"), of("108801"));
    let whole = |number: &str| account(number, BankCodes::default()).1;
    assert_eq!(
        whole("gb29nwbk60161331926819"),
        whole("GB29NWBK60161331926819")
    );
    assert_ne!(of("108800").1, whole("00012345"));
}

fn refused(number: &str, codes: BankCodes) -> Option<&'static str> {
    read(number, codes).err().map(|fault| fault.field)
}

fn sort_code(code: &str) -> BankCodes {
    BankCodes {
        sort_code: Some(code.to_owned()),
        ..BankCodes::default()
    }
}

fn routing(code: &str) -> BankCodes {
    BankCodes {
        routing_number: Some(code.to_owned()),
        ..BankCodes::default()
    }
}

fn bsb(code: &str) -> BankCodes {
    BankCodes {
        bsb_number: Some(code.to_owned()),
        ..BankCodes::default()
    }
}

#[test]
fn ibans_are_checked_by_country_length_and_check_digits() {
    for iban in [
        "DE89370400440532013000",
        "DE62370400440532013001",
        "IE29AIBK93115212345678",
        "GB29NWBK60161331926819",
        "FR1420041010050500013M02606",
        "NO9386011117947",
        "MT84MALT011000012345MTLCAST001S",
        "AT611904300234573201",
        "de89370400440532013000",
    ] {
        assert_eq!(
            read(iban, BankCodes::default()),
            Ok(AccountKind::Iban),
            "{iban}"
        );
    }
    for iban in [
        "DE88370400440532013000",
        "DE89370400440532013001",
        "DE8937040044053201300",
        "DE893704004405320130000",
        "US89370400440532013000",
    ] {
        assert_eq!(
            refused(iban, BankCodes::default()),
            Some("number"),
            "{iban}"
        );
    }
}

#[test]
fn national_numbers_are_checked_by_their_lengths_and_codes() {
    let british = read("00012345", sort_code("10-88-00"));
    assert!(matches!(british, Ok(AccountKind::Bacs { sort_code }) if sort_code == "108800"));
    assert_eq!(refused("00012345", sort_code("10880")), Some("sortCode"));
    assert_eq!(refused("0001234", sort_code("108800")), Some("number"));
    let american = read("000123456789", routing("110000000"));
    assert!(
        matches!(american, Ok(AccountKind::Ach { routing_number }) if routing_number == "110000000")
    );
    for code in [
        "110000001",
        "000000000",
        "11000000",
        "1100000000",
        "11000000a",
    ] {
        let field = refused("000123456789", routing(code));
        assert_eq!(field, Some("routingNumber"), "{code}");
    }
    assert_eq!(
        refused("000123456789012345", routing("110000000")),
        Some("number")
    );
    let australian = read("000123456", bsb("000-000"));
    assert!(matches!(australian, Ok(AccountKind::Becs { bsb_number }) if bsb_number == "000000"));
    assert_eq!(refused("0001234567", bsb("000000")), Some("number"));
    assert_eq!(refused("000123456", bsb("00000a")), Some("bsbNumber"));
}

#[test]
fn an_account_has_one_code_and_an_unknown_kind_has_none() {
    assert_eq!(
        read("12345678", BankCodes::default()),
        Ok(AccountKind::Other)
    );
    let two = BankCodes {
        bsb_number: Some("000000".to_owned()),
        ..routing("110000000")
    };
    assert_eq!(refused("12345678", two), Some("routingNumber"));
    assert_eq!(
        refused("DE89370400440532013000", sort_code("108800")),
        Some("number")
    );
}

#[test]
fn the_usual_method_is_the_first_and_all_are_direct_debits() {
    for kind in [
        AccountKind::Iban,
        AccountKind::Bacs {
            sort_code: String::new(),
        },
        AccountKind::Ach {
            routing_number: String::new(),
        },
        AccountKind::Becs {
            bsb_number: String::new(),
        },
        AccountKind::Other,
    ] {
        assert_eq!(kind.methods().first(), Some(&kind.usual_method()));
        assert!(kind.methods().iter().all(|method| method.is_direct_debit()));
    }
}
