//! Rules that hold for every money, number, identifier, cursor and filter.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::Timestamp;
use domain::card_number::CardNumber;
use domain::cursor::{Cursor, CursorShape, KeyKind, KeyValue};
use domain::filter::{Arity, Condition, Fact, FieldKind, FieldName, Verb, parse};
use domain::id::{CustomerId, PaymentId, VaultToken};
use domain::long::parse_long;
use domain::money::{Currency, Money, MoneyError};
use domain::page::Page;
use domain::redirect::RedirectUrl;
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

fn currency() -> impl Strategy<Value = Currency> {
    prop::sample::select(vec!["EUR", "JPY", "KWD", "UYW", "USD", "XOF", "XCG"])
        .prop_map(|code| Currency::parse(code).unwrap())
}

fn money() -> impl Strategy<Value = Money> {
    (any::<i64>(), currency()).prop_map(|(minor, currency)| Money::new(minor, currency))
}

proptest! {
    #[test]
    fn what_was_added_can_be_taken_away_again(a in money(), b in money()) {
        match a.checked_add(b) {
            Ok(sum) => {
                prop_assert_eq!(sum.checked_sub(b), Ok(a));
                prop_assert_eq!(b.checked_add(a), Ok(sum));
                prop_assert_eq!(i128::from(sum.minor()), i128::from(a.minor()) + i128::from(b.minor()));
            }
            Err(MoneyError::CurrencyMismatch) => prop_assert_ne!(a.currency(), b.currency()),
            Err(MoneyError::Overflow) => {
                let sum = i128::from(a.minor()) + i128::from(b.minor());
                prop_assert!(i64::try_from(sum).is_err());
            }
            Err(MoneyError::NotPositive) => prop_assert!(false, "a sum may be negative"),
        }
    }

    #[test]
    fn only_positive_amounts_are_positive(minor in any::<i64>(), currency in currency()) {
        prop_assert_eq!(Money::positive(minor, currency).is_ok(), minor > 0);
    }

    #[test]
    fn money_survives_being_stored(money in money()) {
        let text = serde_json::to_string(&money).unwrap();
        prop_assert_eq!(serde_json::from_str::<Money>(&text).unwrap(), money);
    }

    #[test]
    fn formatted_amounts_hold_every_digit_and_one_sign(money in money()) {
        let text = money.formatted();
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        prop_assert_eq!(digits.parse::<u64>().unwrap(), money.minor().unsigned_abs());
        prop_assert_eq!(text.matches('-').count(), usize::from(money.minor() < 0));
        let number = text.rsplit(|char: char| !matches!(char, '0'..='9' | ',' | '.')).next().unwrap();
        let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        prop_assert_eq!(decimals, usize::from(money.currency().exponent()));
    }

    #[test]
    fn currencies_are_never_read_from_other_texts(text in "\\PC{0,5}") {
        if let Some(currency) = Currency::parse(&text) {
            prop_assert_eq!(currency.code(), text);
        }
    }

    #[test]
    fn longs_are_read_alike_from_all_their_spellings(integer in any::<i64>(), zeros in 1_usize..5) {
        let zeros = "0".repeat(zeros);
        for value in [json!(integer), json!(integer.to_string()), json!(format!("{integer}.{zeros}"))] {
            prop_assert_eq!(parse_long(&value), Some(integer));
        }
        prop_assert_eq!(parse_long(&json!(format!("{integer}.{zeros}1"))), None);
    }

    #[test]
    fn floats_are_longs_only_when_they_are_integral(float in any::<f64>()) {
        prop_assume!(float.is_finite());
        let read = parse_long(&json!(float)).map(|integer| integer.to_string());
        let text = if float == 0.0 { "0".to_owned() } else { float.to_string() };
        prop_assert_eq!(read, text.parse::<i64>().ok().map(|_| text));
    }

    #[test]
    fn exactly_one_check_digit_makes_a_card_number(digits in "[0-9]{11,18}") {
        let valid = (0..=9).filter(|check| CardNumber::parse(format!("{digits}{check}")).is_ok());
        prop_assert_eq!(valid.count(), 1);
    }

    #[test]
    fn masks_show_four_digits_and_no_more(digits in "[0-9]{11,18}") {
        let number = (0..=9).find_map(|check| CardNumber::parse(format!("{digits}{check}")).ok()).unwrap();
        let (mask, clear) = (number.masked(), number.expose());
        prop_assert_eq!(mask.len(), clear.len());
        prop_assert_eq!(mask.matches('*').count(), clear.len() - 4);
        prop_assert!(clear.ends_with(mask.trim_start_matches('*')));
    }

    #[test]
    fn payment_ids_lead_back_with_and_without_their_prefix(bits in any::<u128>()) {
        let id = PaymentId::new(Uuid::from_u128(bits));
        prop_assert_eq!(PaymentId::parse(&id.to_string()), Some(id));
        prop_assert_eq!(PaymentId::parse(&id.key()), Some(id));
        prop_assert_eq!(PaymentId::parse(&format!("payments:payments:{}", id.key())), None);
        prop_assert_eq!(CustomerId::parse(&id.to_string()), None);
    }

    #[test]
    fn texts_are_identifiers_only_in_their_own_form(text in "\\PC{0,40}") {
        if let Some(id) = PaymentId::parse(&text) {
            prop_assert_eq!(id.key(), text.trim_start_matches("payments:").to_lowercase());
        }
        if let Some(token) = VaultToken::parse(&text) {
            prop_assert!(text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_alphanumeric()));
            prop_assert_eq!(token.as_str(), text);
        }
    }
}

fn kind() -> impl Strategy<Value = KeyKind> {
    prop::sample::select(vec![KeyKind::Int, KeyKind::Text])
}

fn key(kind: KeyKind) -> BoxedStrategy<KeyValue> {
    match kind {
        KeyKind::Int => any::<i64>().prop_map(KeyValue::Int).boxed(),
        KeyKind::Text => "[^\u{0}]{0,20}".prop_map(KeyValue::Text).boxed(),
    }
}

fn kinds_and_keys() -> impl Strategy<Value = (Vec<KeyKind>, Vec<KeyValue>)> {
    prop::collection::vec(kind(), 0..5).prop_flat_map(|kinds| {
        let keys: Vec<_> = kinds.iter().map(|kind| key(*kind)).collect();
        (Just(kinds), keys)
    })
}

proptest! {
    #[test]
    fn cursors_lead_back_to_their_place((kinds, keys) in kinds_and_keys(), bits in any::<u128>()) {
        let shape = CursorShape::new("list", "order", kinds.clone());
        let cursor = Cursor { keys, id: Uuid::from_u128(bits) };
        let text = cursor.encode(&shape);
        prop_assert_eq!(Cursor::decode(&text, &shape, "after").unwrap(), cursor);
        prop_assert!(Cursor::decode(&text, &CursorShape::new("list", "other", kinds.clone()), "after").is_err());
        prop_assert!(Cursor::decode(&text, &CursorShape::new("tsil", "order", kinds), "after").is_err());
    }

    #[test]
    fn whatever_is_sent_as_a_cursor_either_fits_or_is_refused(text in "[A-Za-z0-9_=-]{0,200}|\\PC{0,50}") {
        let shape = CursorShape::new("list", "order", vec![KeyKind::Int]);
        if let Err(fault) = Cursor::decode(&text, &shape, "after") {
            prop_assert_eq!(fault.field.as_deref(), Some("after"));
            prop_assert_eq!(fault.message, "after: must be a cursor that this list gave out in this order.");
        }
    }

    #[test]
    fn a_cursor_with_a_changed_character_never_has_keys_of_another_type(
        integer in any::<i64>(), place in any::<prop::sample::Index>(), letter in "[A-Za-z0-9_-]",
    ) {
        let shape = CursorShape::new("list", "order", vec![KeyKind::Int]);
        let mut text = Cursor { keys: vec![KeyValue::Int(integer)], id: Uuid::from_u128(1) }.encode(&shape);
        let place = place.index(text.len());
        text.replace_range(place..=place, &letter);
        if let Ok(cursor) = Cursor::decode(&text, &shape, "after") {
            prop_assert!(matches!(cursor.keys.as_slice(), [KeyValue::Int(_)]));
        }
    }

    #[test]
    fn pages_have_one_direction_and_a_size_from_1_to_100(
        first in any::<Option<i32>>(), after in any::<bool>(), last in any::<Option<i32>>(), before in any::<bool>(),
    ) {
        let cursor = |given: bool| given.then(|| "x".to_owned());
        let mixed = (first.is_some() || after) && (last.is_some() || before);
        let sizes = first.or(last).is_none_or(|size| size > 0);
        match Page::parse(first, cursor(after), last, cursor(before)) {
            Ok(page) => {
                prop_assert!(!mixed && sizes);
                prop_assert!((1..=100).contains(&page.size()));
            }
            Err(fault) => {
                prop_assert!(mixed || !sizes);
                prop_assert!(["first", "after", "last"].contains(&fault.field.as_deref().unwrap()));
            }
        }
    }
}

/// A value that fits the field, and the numbers (microseconds for times) from the first to the last that it stands for.
fn number(kind: FieldKind) -> BoxedStrategy<(Value, i64, i64)> {
    match kind {
        FieldKind::Time => prop_oneof![
            (0_i64..2_000_000_000_000_000).prop_map(|micros| {
                (
                    json!(Timestamp::from_micros(micros).rfc3339()),
                    micros,
                    micros,
                )
            }),
            (0_i64..20_000).prop_map(|day| {
                let first = day * 86_400_000_000;
                let text = Timestamp::from_micros(first).rfc3339();
                (
                    json!(text.get(..10).unwrap()),
                    first,
                    first + 86_399_999_999,
                )
            }),
        ]
        .boxed(),
        FieldKind::Int | FieldKind::Text => prop_oneof![-3_i64..3, any::<i64>()]
            .prop_flat_map(|integer| {
                let spellings = vec![
                    json!(integer),
                    json!(integer.to_string()),
                    json!(format!("{integer}.0")),
                ];
                prop::sample::select(spellings).prop_map(move |value| (value, integer, integer))
            })
            .boxed(),
    }
}

fn condition(field: FieldName, value: &Value, verb: Verb) -> Condition {
    parse(field, Some(value), Some(verb.code()))
        .unwrap()
        .unwrap()
}

fn numeric_field() -> impl Strategy<Value = FieldName> {
    prop::sample::select(vec![
        FieldName::Date,
        FieldName::DateRange,
        FieldName::Amount,
    ])
}

/// Any JSON of a few levels.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        prop::sample::select(vec!["EUR", "IE", "VISA", "SUCCEEDED", "2026-01-31", "5.0"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            ("[a-z]{1,4}", inner).prop_map(|(name, value)| json!({ name: value })),
        ]
    })
}

proptest! {
    #[test]
    fn comparisons_of_numbers_mean_what_their_verbs_say(
        (field, (value, first, last), near, far) in numeric_field().prop_flat_map(|field| {
            (Just(field), number(field.kind()), -2_i64..=2, any::<i64>())
        }),
    ) {
        let candidates = [far, first.saturating_add(near), last.saturating_add(near), i64::MIN, i64::MAX];
        for candidate in candidates {
            let fact = match field.kind() {
                FieldKind::Time => Fact::Time(Timestamp::from_micros(candidate)),
                FieldKind::Int | FieldKind::Text => Fact::Int(candidate),
            };
            for (verb, expected) in [
                (Verb::Equals, first <= candidate && candidate <= last),
                (Verb::NotEquals, candidate < first || last < candidate),
                (Verb::LessThan, candidate < first),
                (Verb::LessThanEquals, candidate <= last),
                (Verb::GreaterThan, last < candidate),
                (Verb::GreaterThanEquals, first <= candidate),
            ] {
                let predicate = condition(field, &value, verb).predicate();
                prop_assert_eq!(predicate.matches(Some(fact)), expected, "{} {} {}", field, verb, candidate);
                prop_assert_eq!(predicate.matches(None), verb == Verb::NotEquals);
            }
        }
    }

    #[test]
    fn pairs_and_lists_agree_with_single_comparisons(
        (field, one, other, fact) in numeric_field().prop_flat_map(|field| {
            (Just(field), number(field.kind()), number(field.kind()), number(field.kind()))
        }),
    ) {
        let fact = Some(match field.kind() {
            FieldKind::Time => Fact::Time(Timestamp::from_micros(fact.1)),
            FieldKind::Int | FieldKind::Text => Fact::Int(fact.1),
        });
        let holds = |value: &Value, verb| condition(field, value, verb).predicate().matches(fact);
        let (lesser, greater) = if one.1 <= other.1 { (&one.0, &other.0) } else { (&other.0, &one.0) };
        let pair = json!([lesser, greater]);
        prop_assert_eq!(
            holds(&pair, Verb::BetweenInclusive),
            holds(lesser, Verb::GreaterThanEquals) && holds(greater, Verb::LessThanEquals)
        );
        prop_assert_eq!(
            holds(&pair, Verb::BetweenExclusive),
            holds(lesser, Verb::GreaterThan) && holds(greater, Verb::LessThan)
        );
        prop_assert_eq!(
            holds(&pair, Verb::InList),
            holds(lesser, Verb::Equals) || holds(greater, Verb::Equals)
        );
        prop_assert_ne!(holds(lesser, Verb::Equals), holds(lesser, Verb::NotEquals));
    }

    #[test]
    fn comparisons_of_texts_mean_what_their_verbs_say(value in "[ab]{1,3}", other in "[ab]{1,2}", fact in "[ab]{0,4}") {
        let fact_of = Some(Fact::Text(&fact));
        let holds = |value: Value, verb| condition(FieldName::Gateway, &value, verb).predicate().matches(fact_of);
        prop_assert_eq!(holds(json!(value), Verb::Equals), fact == value);
        prop_assert_eq!(holds(json!(value), Verb::NotEquals), fact != value);
        prop_assert_eq!(holds(json!(value), Verb::Contains), fact.contains(&value));
        prop_assert_eq!(holds(json!([value, other]), Verb::InList), fact == value || fact == other);
        prop_assert_eq!(holds(Value::Null, Verb::IsEmpty), fact.is_empty());
        prop_assert_eq!(holds(Value::Null, Verb::NotEmpty), !fact.is_empty());
    }

    #[test]
    fn any_filter_is_read_to_fit_its_field_or_refused_at_its_place(
        field in prop::sample::select(FieldName::ALL), value in any_json(),
        verb in prop_oneof![
            prop::sample::select(Verb::ALL).prop_map(|verb| Some(verb.code().to_owned())),
            Just(None),
            "\\PC{0,8}".prop_map(Some),
        ],
    ) {
        match parse(field, Some(&value), verb.as_deref()) {
            Ok(None) => prop_assert!(value.is_null()),
            Ok(Some(condition)) => {
                prop_assert!(field.verbs().contains(&condition.verb()));
                let count = condition.operands().len();
                let fits = match condition.verb().arity() {
                    Arity::Nothing => count == 0,
                    Arity::Scalar => count == 1,
                    Arity::Pair => count == 2,
                    Arity::List => (1..=100).contains(&count),
                };
                prop_assert!(fits);
                prop_assert_eq!(condition.value(), Some(&value).filter(|value| !value.is_null()));
            }
            Err(fault) => prop_assert!(fault.field.is_some_and(|path| path.starts_with(&field.path()))),
        }
    }
}

/// The parameters of an address's query, decoded.
fn query(url: &str) -> Vec<(String, String)> {
    let decoded = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.bytes();
        while let Some(byte) = rest.next() {
            if byte == b'%' {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
            } else {
                bytes.push(byte);
            }
        }
        String::from_utf8(bytes).unwrap()
    };
    let address = url.split('#').next().unwrap();
    let Some((_, query)) = address.split_once('?') else {
        return Vec::new();
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(a, b)| (decoded(a), decoded(b)))
        .collect()
}

proptest! {
    #[test]
    fn any_text_is_refused_or_becomes_an_address_that_fits_a_header(
        text in prop_oneof![any::<String>(), "[a-zA-Z:/?#@\\[\\]%.é&= \\\\-]{0,40}", "(https://|app://)?[a-z.]{1,20}(:[0-9]{1,6})?[/?#].{0,40}"]
    ) {
        let Ok(url) = RedirectUrl::parse(&text, "url") else { return Ok(()) };
        prop_assert!(url.as_str().bytes().all(|byte| byte.is_ascii_graphic()));
        let scheme = url.as_str().split_once("://").unwrap().0;
        prop_assert!(!["javascript", "data", "file", "vbscript"].contains(&scheme));
        prop_assert_eq!(RedirectUrl::parse(url.as_str(), "url").unwrap(), url);
    }

    #[test]
    fn parameters_arrive_as_they_were_given(
        base in "[a-z]{1,10}\\.example(/[a-z]{0,5})?(\\?[a-z]{1,5}=[a-z]{0,5})?(#[a-z?&]{0,5})?",
        given in prop::collection::vec((any::<String>(), any::<String>()), 0..4),
    ) {
        let url = RedirectUrl::parse(&base, "url").unwrap();
        let pairs: Vec<(&str, &str)> = given.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let sent = url.with(&pairs);
        let mut expected = query(url.as_str());
        expected.extend(given.clone());
        prop_assert_eq!(query(&sent), expected);
        prop_assert_eq!(sent.split_once('#').map(|both| both.1), url.as_str().split_once('#').map(|both| both.1));
        prop_assert!(sent.bytes().all(|byte| byte.is_ascii_graphic()));
    }
}
