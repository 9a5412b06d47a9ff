//! The card numbers that test mode takes.
//!
//! A number that is not a test number may be somebody's. Test systems are less guarded than live ones, so such a number has
//! no place there. Source: PCI DSS 4.0.1, 6.5.5 ("live PANs are not used in pre-production environments").

use crate::card_number::CardNumber;

/// The longest card number. Unit: digits.
const LONGEST: usize = 19;

/// A few numbers that work, as a sentence.
pub(crate) const HINT: &str = "Numbers that work are 4242424242424242 (Visa), 5555555555554444 (Mastercard) and \
                               378282246310005 (American Express); docs/sandbox.md has more.";

/// Numbers that the schemes' own test environments use, and that nearly all processors' documents list.
const SCHEMES: &[&str] = &[
    "2223003122003222",
    "30569309025904",
    "3530111333300000",
    "3566002020360505",
    "36227206271667",
    "371449635398431",
    "378282246310005",
    "378734493671000",
    "38520000023237",
    "4012888888881881",
    "4111111111111111",
    "4222222222222",
    "5019717010103742",
    "5105105105105100",
    "5555555555554444",
    "6011000990139424",
    "6011111111111117",
    "6200000000000005",
    "6759649826438453",
    "6799990100000000019",
];

/// Source: docs.stripe.com/testing, "Cards by brand" to "3D Secure test cards".
const STRIPE: &[&str] = &[
    "3056930009020004",
    "4000000000000002",
    "4000000000000010",
    "4000000000000028",
    "4000000000000036",
    "4000000000000044",
    "4000000000000069",
    "4000000000000077",
    "4000000000000101",
    "4000000000000119",
    "4000000000000127",
    "4000000000000259",
    "4000000000000341",
    "4000000000001976",
    "4000000000002685",
    "4000000000003055",
    "4000000000003063",
    "4000000000003097",
    "4000000000003220",
    "4000000000004954",
    "4000000000005126",
    "4000000000005423",
    "4000000000006975",
    "4000000000007726",
    "4000000000009235",
    "4000000000009979",
    "4000000000009987",
    "4000000000009995",
    "4000000320000021",
    "4000000360000006",
    "4000000400000008",
    "4000000404000038",
    "4000000404000079",
    "4000000560000004",
    "4000000760000002",
    "4000001000000000",
    "4000001120000005",
    "4000001240000000",
    "4000001520000001",
    "4000001560000002",
    "4000001580000008",
    "4000001700000003",
    "4000001880000005",
    "4000001910000009",
    "4000001960000008",
    "4000002030000002",
    "4000002080000001",
    "4000002180000000",
    "4000002330000009",
    "4000002460000001",
    "4000002500000003",
    "4000002500001001",
    "4000002500003155",
    "4000002760000016",
    "4000002760003184",
    "4000002920000005",
    "4000003000000030",
    "4000003440000004",
    "4000003480000005",
    "4000003560000008",
    "4000003720000005",
    "4000003720000278",
    "4000003800000008",
    "4000003800000446",
    "4000003920000003",
    "4000004280000005",
    "4000004380000004",
    "4000004400000000",
    "4000004420000006",
    "4000004580000002",
    "4000004700000007",
    "4000004840008001",
    "4000005280000002",
    "4000005540000008",
    "4000005780000007",
    "4000005910000000",
    "4000006000000066",
    "4000006040000068",
    "4000006160000005",
    "4000006200000007",
    "4000006420000001",
    "4000006820000007",
    "4000007020000003",
    "4000007030000001",
    "4000007050000006",
    "4000007240000007",
    "4000007520000008",
    "4000007560000009",
    "4000007640000003",
    "4000007840000001",
    "4000008260000000",
    "4000008260003178",
    "4000008400001280",
    "4000008400001629",
    "4000008580000003",
    "4000056655665556",
    "4000057640000008",
    "4000058260000005",
    "4000582600000045",
    "4000582600000094",
    "4000582600000102",
    "4001007020000002",
    "4100000000000019",
    "4242424242424242",
    "5200007840000022",
    "5200828282828210",
    "5555552500001001",
    "5555558265554449",
    "6011981111111113",
    "6200000000000047",
    "6205500000000000004",
    "6555900000604105",
];

/// Source: docs.adyen.com/development-resources/test-cards-and-credentials/test-card-numbers.
const ADYEN: &[&str] = &[
    "2222400010000008",
    "2222400030000004",
    "2222400050000009",
    "2222400060000007",
    "2222400070000005",
    "2222410700000002",
    "2222410740360010",
    "2223000048410010",
    "2223520443560010",
    "345177925488348",
    "3569990010095841",
    "36006666333344",
    "370000000000002",
    "370000000100018",
    "4000020000000000",
    "4000060000000006",
    "4000160000000004",
    "4000180000000002",
    "4000620000000007",
    "4000640000000005",
    "4000760000000001",
    "4001020000000009",
    "4001590000000001",
    "4002690000000008",
    "4003550000000003",
    "4005519000000006",
    "4013250000000000006",
    "4017340000000003",
    "4035501000000008",
    "4111111145551142",
    "4111112014267661",
    "4131840000000003",
    "4151500000000008",
    "4166676667666746",
    "4199350000000002",
    "4212345678901237",
    "4293189100000008",
    "4360000001000005",
    "4400000000000008",
    "4444333322221111",
    "4484600000000004",
    "4571000000000001",
    "4607000000000009",
    "4646464646464644",
    "4871049999999910",
    "4917610000000000",
    "4977949494949497",
    "4988080000000000",
    "4988438843884305",
    "5000550000000029",
    "5019555544445555",
    "5066991111111118",
    "5100060000000002",
    "5100290029002909",
    "5101180000000007",
    "5127880999999990",
    "5136333333333335",
    "5201281505129736",
    "5212345678901234",
    "5454545454545454",
    "5555341244441115",
    "5555444433331111",
    "5577000055770004",
    "5585558555855583",
    "6007220000000004",
    "6011601160116611",
    "6062828888666688",
    "6243030000000001",
    "6250946000000016",
    "6250947000000014",
    "6370950000000005",
    "6445644564456445",
    "6703444444444449",
    "6731012345678906",
    "6771798021000008",
    "6771798025000004",
];

/// Source: developer.paypal.com/braintree/docs/reference/general/testing, www.checkout.com/docs/developer-resources/testing, and
/// developer.worldpay.com, "Test card numbers".
const OTHERS: &[&str] = &[
    "2223000048400011",
    "30123456789019",
    "343434343434343",
    "345678901234564",
    "3528000700000000",
    "36259600000004",
    "36700102000000",
    "38520000009814",
    "4000111111111115",
    "4005519200000004",
    "4009348888881881",
    "4012000033330026",
    "4012000077777777",
    "4217651111111119",
    "4462030000000000",
    "4484070000000000",
    "4500600000000061",
    "4543474002249996",
    "4659105569051157",
    "4917610000000000003",
    "5199992312641465",
    "5436031030606378",
    "6011000991300009",
    "6221261111117766",
    "6222821234560017",
    "6223164991230014",
    "6304000000000000",
];

/// Numbers of the sandbox's own simulator. Source: docs/sandbox.md.
const SIMULATOR: &[&str] = &[
    "4000000000000903",
    "4000000000000911",
    "4000000000000929",
    "4000000000000937",
    "4000000000000945",
];

/// Whether a scheme or a processor has published the number for tests.
pub fn is_published(number: &CardNumber) -> bool {
    [SCHEMES, STRIPE, ADYEN, OTHERS, SIMULATOR]
        .iter()
        .any(|list| list.contains(&number.expose()))
}

/// A range of numbers that are for tests too, by their first digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestRange {
    from: String,
    to: String,
}

impl TestRange {
    /// Reads `411111` (all numbers that begin so) or `411111-411119`. Both ends have the same length, 6 to 19 digits.
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        let digits = |end: &str| {
            (6..=LONGEST).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_digit())
        };
        let good = digits(from) && digits(to) && from.len() == to.len() && from <= to;
        good.then(|| Self {
            from: from.to_owned(),
            to: to.to_owned(),
        })
    }

    /// Whether the number begins within the range.
    pub fn holds(&self, number: &CardNumber) -> bool {
        number
            .expose()
            .get(..self.from.len())
            .is_some_and(|first| self.from.as_str() <= first && first <= self.to.as_str())
    }

    /// The range as a person writes it.
    pub fn text(&self) -> String {
        if self.from == self.to {
            self.from.clone()
        } else {
            format!("{}-{}", self.from, self.to)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(number: &str) -> CardNumber {
        CardNumber::parse(number.to_owned()).unwrap_or_else(|error| panic!("{number}: {error}"))
    }

    #[test]
    fn every_listed_number_is_a_card_number_and_listed_once() {
        let mut seen = std::collections::BTreeSet::new();
        for number in [SCHEMES, STRIPE, ADYEN, OTHERS, SIMULATOR].concat() {
            assert!(is_published(&card(number)));
            assert!(seen.insert(number), "{number}");
        }
        assert!(!is_published(&card("4111111111111129")));
    }

    #[test]
    fn the_examples_are_published() {
        let is_number = |word: &&str| word.len() > 12 && word.bytes().all(|b| b.is_ascii_digit());
        let numbers: Vec<&str> = HINT.split(' ').filter(is_number).collect();
        assert_eq!(numbers.len(), 3);
        assert!(numbers.iter().all(|number| is_published(&card(number))));
    }

    #[test]
    fn ranges_are_read_and_hold_what_begins_so() {
        let range = |text: &str| TestRange::parse(text).map(|range| range.text());
        for text in ["424242", "411111-411119", "4242424242424242"] {
            assert_eq!(range(text).as_deref(), Some(text));
        }
        for text in [
            "",
            "42424",
            "4242a2",
            "411119-411111",
            "411111-4111119",
            "424242-",
        ] {
            assert_eq!(range(text), None, "{text}");
        }
        let holds = |text: &str, number: &str| {
            TestRange::parse(text).is_some_and(|range| range.holds(&card(number)))
        };
        assert!(holds("411110-411111", "4111111111111129"));
        assert!(!holds("411112-411119", "4111111111111129"));
        assert!(holds("411111", "4111111111111129"));
        assert!(!holds("4111111111111111111", "4111111111111129"));
    }
}
