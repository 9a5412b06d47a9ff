//! The card or account number of a request that can't be carried out.

use domain::{
    bank_account::{AccountKind, BankCodes},
    card_number::{AccountNumber, CardNumber},
};
use engine::{Once, SentNumber};

/// Names the number that stands in the arguments below `place` (a JSON pointer) in fields named as those of a new payment
/// method, where the command could not be made. Under a key such a request could tell whether its number equals another
/// one, so the engine counts it.
pub(crate) fn note_number<C, F>(once: &mut Option<Once>, parsed: &Result<C, F>, place: &str) {
    if let (Some(once), Err(_)) = (once, parsed) {
        once.number = number_in(&once.arguments, place);
    }
}

fn number_in(arguments: &serde_json::Value, place: &str) -> Option<SentNumber> {
    let text = |field: &str| {
        let found = arguments.pointer(&format!("{place}/{field}"))?;
        found.as_str().map(str::to_owned)
    };
    if let Some(Ok(card)) = text("card/number").map(CardNumber::parse) {
        return Some(SentNumber::Card(card));
    }
    let account = AccountNumber::parse(text("bankAccount/number")?).ok()?;
    let codes = BankCodes {
        sort_code: text("bankAccount/sortCode"),
        routing_number: text("bankAccount/routingNumber"),
        bsb_number: text("bankAccount/bsbNumber"),
    };
    // With codes that are none it is counted as one of which nothing else is known.
    let kind = AccountKind::read(&account, codes).unwrap_or_default();
    Some(SentNumber::Account(kind, account))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_number_of_a_card_or_an_account_is_found_where_it_stands() {
        let given = json!({"data": {"card": {"number": "4242424242424242"}, "bankAccount": {"number": "IE29AIBK93115212345678"}}});
        assert!(matches!(
            number_in(&given, "/data"),
            Some(SentNumber::Card(_))
        ));
        let account = json!({"bankAccount": {"number": "IE29AIBK93115212345678"}});
        assert!(matches!(
            number_in(&account, ""),
            Some(SentNumber::Account(_, _))
        ));
        for none in [
            json!({}),
            json!({"card": {"number": 4}}),
            json!({"card": {"number": "x"}}),
        ] {
            assert!(number_in(&none, "").is_none());
        }
    }
}
