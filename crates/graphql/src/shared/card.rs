//! Cards and bank accounts, as several operations take them. Their numbers go straight into types that can't be printed.

use std::fmt::Display;

use domain::{
    Fault, Faults, Timestamp,
    bank_account::{AccountKind, BankCodes, Mandate},
    caller::Mode,
    card_number::{AccountNumber, CardNumber, SecurityCode},
    customer::{AccountInput, CardInput, FieldsInput},
    expiry::{Expiry, ExpiryError},
    method::CardFunding,
    processor_token::CardToken,
};

use super::{Reader, person};

/// Longest name of a brand. Unit: characters.
const BRAND_MAX: usize = 32;

/// A card. Whether it has expired is for the engine to say, which has the clock.
///
/// Errors: `error.validation` for the field that is missing or breaks its rule; in live mode also for a security code
/// that has not the length of its brand's.
pub(crate) fn card(mut fields: Reader, mode: Mode) -> Result<CardInput, Fault> {
    let mut faults = Faults::default();
    let number = read(&mut fields, "number", CardNumber::parse);
    let number = faults.good(fields.needed("number", number));
    let expiry = faults.good(expiry(&mut fields));
    let cvc = faults.or_default(read(&mut fields, "cvc", SecurityCode::parse));
    if let (Mode::Live, Some(number), Some(cvc)) = (mode, &number, &cvc)
        && !cvc.fits(number.brand())
    {
        let reason = "has not as many digits as this brand's security codes";
        faults.add(fields.invalid("cvc", reason));
    }
    let holder = faults.or_default(fields.name("name"));
    // Two names of one thing; where both are given the one of the vault counts.
    let billing = faults.or_default(person::address(&mut fields, "billingAddress"));
    let address = faults.or_default(person::address(&mut fields, "address"));
    let make_default = faults.or_default(fields.flag("isDefault"));
    let preferred_brand = faults.or_default(fields.short("preferredBrand", BRAND_MAX));
    faults.end(number.zip(expiry).map(|(number, expiry)| CardInput {
        number,
        expiry,
        cvc,
        preferred_brand,
        holder,
        address: billing.or(address),
        make_default,
    }))
}

/// What a processor's own fields gave for a card. Errors: `error.validation`.
pub(crate) fn of_fields(mut given: Reader) -> Result<FieldsInput, Fault> {
    let mut faults = Faults::default();
    let connection = given.raw("connectionId").unwrap_or_default();
    let token = given.raw("token").and_then(CardToken::parse);
    let rule = "must be the token of the processor's fields: at most 1024 printable characters, and no card number";
    let token = faults.good(token.ok_or_else(|| given.invalid("token", rule)));
    let holder = faults.or_default(given.name("name"));
    let address = faults.or_default(person::address(&mut given, "billingAddress"));
    faults.end(token.map(|token| FieldsInput {
        connection,
        token,
        holder,
        address,
    }))
}

/// A text that the domain reads; an empty one is absent.
fn read<T, E: Display>(
    fields: &mut Reader,
    name: &str,
    parse: fn(String) -> Result<T, E>,
) -> Result<Option<T>, Fault> {
    let read = fields.raw(name).map(parse).transpose();
    read.map_err(|error| fields.invalid(name, error.to_string()))
}

fn expiry(fields: &mut Reader) -> Result<Expiry, Fault> {
    let mut faults = Faults::default();
    let month = fields.int("expMonth");
    let month = faults.good(fields.needed("expMonth", month));
    let year = fields.int("expYear");
    let year = faults.good(fields.needed("expYear", year));
    let mut judged = |month, year| {
        let read = Expiry::parse(month, year).map_err(|error| {
            let field = match error {
                ExpiryError::Month => "expMonth",
                ExpiryError::Year => "expYear",
            };
            fields.invalid(field, error.to_string())
        });
        faults.good(read)
    };
    // Each is judged without the other too.
    let expiry = match (month, year) {
        (Some(month), Some(year)) => judged(month, year).or_else(|| judged(1, year)),
        (Some(month), None) => judged(month, 2000),
        (None, Some(year)) => judged(1, year),
        (None, None) => None,
    };
    faults.end(expiry)
}

/// A bank account. Errors: `error.validation` for the field that is missing or breaks its rule.
pub(crate) fn account(mut fields: Reader) -> Result<AccountInput, Fault> {
    let mut faults = Faults::default();
    let number = read(&mut fields, "number", AccountNumber::parse);
    let number = faults.good(fields.needed("number", number));
    let codes = BankCodes {
        sort_code: fields.raw("sortCode"),
        routing_number: fields.raw("routingNumber"),
        bsb_number: fields.raw("bsbNumber"),
    };
    let kind = number.as_ref().and_then(|number| {
        let kind = AccountKind::read(number, codes);
        faults.good(kind.map_err(|fault| fields.invalid(fault.field, fault.reason)))
    });
    let mandate = faults.or_default(fields.object("mandate").map(mandate).transpose());
    let holder = fields.name("accountHolderName");
    let holder = faults.or_default(fields.needed("accountHolderName", holder));
    let bank_name = faults.or_default(fields.name("bankName"));
    let funding = faults.or_default(fields.choice("cardType", CardFunding::parse));
    let product = faults.or_default(fields.text("product"));
    faults.end(number.zip(kind).map(|(number, kind)| AccountInput {
        number,
        kind,
        mandate,
        holder,
        bank_name,
        funding: funding.unwrap_or(CardFunding::Undefined),
        product,
    }))
}

/// A customer's consent to collect from an account.
fn mandate(mut fields: Reader) -> Result<Mandate, Fault> {
    let mut faults = Faults::default();
    let accepted_at = fields.raw("acceptedAt");
    let accepted_at = fields
        .needed("acceptedAt", Ok(accepted_at))
        .and_then(|text| {
            let reason = "must be a date and time of RFC 3339, such as 2026-01-31T09:30:00Z";
            Timestamp::parse(&text).ok_or_else(|| fields.invalid("acceptedAt", reason))
        });
    let accepted_at = faults.good(accepted_at);
    let text_version = fields.text("textVersion");
    let text_version = faults.or_default(fields.needed("textVersion", text_version));
    let address = fields.raw("ipAddress").map(|text| text.parse()).transpose();
    let address =
        address.map_err(|_| fields.invalid("ipAddress", "must be an IPv4 or IPv6 address"));
    let ip_address = faults.or_default(address);
    faults.end(accepted_at.map(|accepted_at| Mandate {
        accepted_at,
        text_version,
        ip_address,
    }))
}

#[cfg(test)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments are written where they are used"
)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::shared::Blank;

    fn reader(fields: Value) -> Reader {
        let Value::Object(fields) = json!({"card": fields}) else {
            unreachable!()
        };
        Reader::new(fields, Blank::Absent).object("card").unwrap()
    }

    /// A good card with some fields replaced.
    fn with(changes: Value) -> Reader {
        let mut fields =
            json!({"number": "4242424242424242", "expMonth": 11, "expYear": 2033, "cvc": "123"});
        for (name, value) in changes.as_object().unwrap() {
            fields[name] = value.clone();
        }
        reader(fields)
    }

    fn refused(changes: Value) -> (String, String) {
        let fault = card(with(changes), Mode::Test).map(|_| ()).unwrap_err();
        assert!(!fault.message.contains("4242"), "{}", fault.message);
        (fault.field.unwrap(), fault.reason.unwrap())
    }

    #[test]
    fn a_card_is_read_whole() {
        let card = card(
            with(json!({"name": "Ada", "isDefault": true, "address": {"city": "Cork"}})),
            Mode::Test,
        )
        .unwrap();
        assert_eq!(card.number.masked(), "************4242");
        assert_eq!(card.expiry.display(), "11/2033");
        assert_eq!(card.cvc.unwrap().expose(), "123");
        assert_eq!(card.holder.as_deref(), Some("Ada"));
        assert_eq!(card.address.unwrap().city.as_deref(), Some("Cork"));
        assert!(card.make_default);
    }

    #[test]
    fn bad_cards_are_refused_by_field() {
        let cases = [
            (json!({"number": null}), "card.number", "is required"),
            (json!({"number": ""}), "card.number", "is required"),
            (
                json!({"number": "4242424242424241"}),
                "card.number",
                "checksum",
            ),
            (
                json!({"number": "4242 4242 4242 4242"}),
                "card.number",
                "without spaces",
            ),
            (json!({"number": "4242"}), "card.number", "12 to 19"),
            (json!({"expMonth": null}), "card.expMonth", "is required"),
            (json!({"expMonth": 0}), "card.expMonth", "1 to 12"),
            (json!({"expMonth": 13}), "card.expMonth", "1 to 12"),
            (json!({"expYear": 33}), "card.expYear", "four digits"),
            (json!({"expYear": null}), "card.expYear", "is required"),
            (json!({"cvc": "12"}), "card.cvc", "3 or 4"),
            (json!({"cvc": "12a"}), "card.cvc", "3 or 4"),
            (json!({"name": "x".repeat(301)}), "card.name", "300"),
            (
                json!({"billingAddress": {"country": "XX"}}),
                "card.billingAddress.country",
                "country",
            ),
        ];
        for (changes, field, reason) in cases {
            let (found, why) = refused(changes);
            assert_eq!(found, field);
            assert!(why.contains(reason), "{field}: {why}");
        }
    }

    #[test]
    fn an_empty_security_code_is_absent() {
        assert!(
            card(with(json!({"cvc": ""})), Mode::Test)
                .unwrap()
                .cvc
                .is_none()
        );
    }

    #[test]
    fn in_live_mode_the_security_code_is_as_long_as_the_brands() {
        assert_eq!(
            card(with(json!({"cvc": "1234"})), Mode::Live)
                .map(|_| ())
                .unwrap_err()
                .field
                .as_deref(),
            Some("card.cvc")
        );
        assert!(card(with(json!({"cvc": "1234"})), Mode::Test).is_ok());
        assert!(card(with(json!({"cvc": "123"})), Mode::Live).is_ok());
    }

    #[test]
    fn a_bank_account_needs_number_and_holder() {
        let account = |fields| account(reader(fields));
        assert_eq!(
            account(json!({"accountHolderName": "A"}))
                .map(|_| ())
                .unwrap_err()
                .field
                .as_deref(),
            Some("card.number")
        );
        let fault = account(json!({"number": "DE89370400440532013000"}))
            .map(|_| ())
            .unwrap_err();
        assert_eq!(fault.field.as_deref(), Some("card.accountHolderName"));
        let fault = account(json!({"number": "DE89 3704", "accountHolderName": "A"}))
            .map(|_| ())
            .unwrap_err();
        assert_eq!(fault.field.as_deref(), Some("card.number"));
        let good = account(json!({"number": "DE89370400440532013000", "accountHolderName": "A", "cardType": "DEBIT"}))
            .unwrap();
        assert_eq!(good.funding, CardFunding::Debit);
    }
}
