//! Card brands, known by the first digits of a number.

use crate::method::Method;
use crate::text_enum::text_enum;

text_enum!(
    /// The scheme whose mark a card bears.
    ///
    /// Sources: ISO/IEC 7812 (the first digits name the issuer), the schemes' published ranges as collected in
    /// "Payment card number" (Wikipedia), and the open list `credit-card-type` for Maestro and `UnionPay`.
    Brand {
        Visa = "VISA",
        Mastercard = "MASTERCARD",
        Amex = "AMEX",
        Discover = "DISCOVER",
        Diners = "DINERS",
        Jcb = "JCB",
        Unionpay = "UNIONPAY",
        Maestro = "MAESTRO",
        Dankort = "DANKORT",
        /// No range that we know.
        Unknown = "UNKNOWN",
    }
);

impl Brand {
    /// The brand of a number, by its first six digits alone; fewer or other characters give `Unknown`.
    ///
    /// Where ranges overlap:
    /// - `62` is `UnionPay` as a whole, though Discover accepts 622126 to 622925 too: the card bears `UnionPay`'s mark.
    /// - `4571` is a Dankort that bears Visa's mark as well; it is Visa here, since it works wherever Visa does.
    /// - `5019` is Dankort and not Maestro, `6011`, `644` to `649` and `65` are Discover and not Maestro.
    /// - What remains of `50`, `56` to `58` and `6` is Maestro, whose issuers are spread over those ranges.
    pub fn of(number: &str) -> Self {
        let first_six = number
            .get(..6)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        match first_six.and_then(|digits| digits.parse::<u32>().ok()) {
            Some(iin) => Self::of_iin(iin),
            None => Self::Unknown,
        }
    }

    fn of_iin(iin: u32) -> Self {
        match iin {
            400_000..=499_999 => Self::Visa,
            510_000..=559_999 | 222_100..=272_099 => Self::Mastercard,
            340_000..=349_999 | 370_000..=379_999 => Self::Amex,
            601_100..=601_199 | 644_000..=659_999 => Self::Discover,
            300_000..=305_999 | 309_500..=309_599 | 360_000..=369_999 | 380_000..=399_999 => {
                Self::Diners
            }
            352_800..=358_999 => Self::Jcb,
            620_000..=629_999 | 810_000..=817_199 => Self::Unionpay,
            501_900..=501_999 => Self::Dankort,
            500_000..=509_999 | 560_000..=589_999 | 600_000..=699_999 => Self::Maestro,
            _ => Self::Unknown,
        }
    }

    /// The payment method that a card of this brand is; `CARD` when the brand is unknown.
    pub const fn method(self) -> Method {
        match self {
            Self::Visa => Method::Visa,
            Self::Mastercard => Method::Mastercard,
            Self::Amex => Method::Amex,
            Self::Discover => Method::Discover,
            Self::Diners => Method::Diners,
            Self::Jcb => Method::Jcb,
            Self::Unionpay => Method::Unionpay,
            Self::Maestro => Method::Maestro,
            Self::Dankort => Method::Dankort,
            Self::Unknown => Method::Card,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_cards_have_their_brand() {
        let cases = [
            ("4242424242424242", Brand::Visa),
            ("4000056655665556", Brand::Visa),
            ("4111111111111111", Brand::Visa),
            ("5555555555554444", Brand::Mastercard),
            ("2223003122003222", Brand::Mastercard),
            ("378282246310005", Brand::Amex),
            ("6011111111111117", Brand::Discover),
            ("3566002020360505", Brand::Jcb),
            ("36227206271667", Brand::Diners),
            ("6200000000000005", Brand::Unionpay),
            ("6759649826438453", Brand::Maestro),
            ("5019717010103742", Brand::Dankort),
            ("9999999999999995", Brand::Unknown),
        ];
        for (number, brand) in cases {
            assert_eq!(Brand::of(number), brand, "{number}");
        }
    }

    #[test]
    fn ranges_end_where_they_should() {
        let cases = [
            ("222099", Brand::Unknown),
            ("222100", Brand::Mastercard),
            ("272099", Brand::Mastercard),
            ("272100", Brand::Unknown),
            ("305999", Brand::Diners),
            ("306000", Brand::Unknown),
            ("309500", Brand::Diners),
            ("309600", Brand::Unknown),
            ("339999", Brand::Unknown),
            ("340000", Brand::Amex),
            ("350000", Brand::Unknown),
            ("352799", Brand::Unknown),
            ("352800", Brand::Jcb),
            ("358999", Brand::Jcb),
            ("359000", Brand::Unknown),
            ("380000", Brand::Diners),
            ("399999", Brand::Diners),
            ("457100", Brand::Visa),
            ("501800", Brand::Maestro),
            ("501900", Brand::Dankort),
            ("502000", Brand::Maestro),
            ("509999", Brand::Maestro),
            ("510000", Brand::Mastercard),
            ("559999", Brand::Mastercard),
            ("560000", Brand::Maestro),
            ("590000", Brand::Unknown),
            ("601099", Brand::Maestro),
            ("601100", Brand::Discover),
            ("601200", Brand::Maestro),
            ("622126", Brand::Unionpay),
            ("622925", Brand::Unionpay),
            ("630400", Brand::Maestro),
            ("643999", Brand::Maestro),
            ("644000", Brand::Discover),
            ("650000", Brand::Discover),
            ("660000", Brand::Maestro),
            ("810000", Brand::Unionpay),
            ("817200", Brand::Unknown),
            ("000000", Brand::Unknown),
            ("700000", Brand::Unknown),
        ];
        for (iin, brand) in cases {
            assert_eq!(Brand::of(iin), brand, "{iin}");
        }
    }

    #[test]
    fn what_is_no_number_has_no_brand() {
        for text in ["", "4242", "42424x", "４２４２４２", "+42424"] {
            assert_eq!(Brand::of(text), Brand::Unknown, "{text}");
        }
    }

    #[test]
    fn methods_bear_the_brands_text_and_unknown_is_card() {
        for brand in Brand::ALL {
            let expected = if *brand == Brand::Unknown {
                "CARD"
            } else {
                brand.code()
            };
            assert_eq!(brand.method().code(), expected);
        }
    }
}
