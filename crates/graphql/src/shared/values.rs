//! Values that several inputs have in common.

use domain::{Fault, filter::SortOrder, money::Currency, redirect::RedirectUrl};

use super::Reader;

/// What an id is made of, for a message.
pub(crate) const SLUG: &str = "must have 1 to 64 letters, digits, `-`, `_`, `.` or `:`";

/// An address to which the customer comes back.
pub(crate) fn redirect(input: &mut Reader, name: &str) -> Result<Option<RedirectUrl>, Fault> {
    let field = input.at(name);
    input
        .raw(name)
        .map(|text| RedirectUrl::parse(&text, &field))
        .transpose()
}

/// A currency by its alphabetic code.
pub(crate) fn currency(input: &mut Reader, name: &str) -> Result<Option<Currency>, Fault> {
    let Some(code) = input.raw(name) else {
        return Ok(None);
    };
    Currency::parse(&code)
        .map(Some)
        .ok_or_else(|| input.invalid(name, no_currency(&code)))
}

/// Why a text is no currency.
fn no_currency(code: &str) -> String {
    let capitals = code.trim().to_ascii_uppercase();
    match Currency::parse(&capitals) {
        // The code of a currency is nobody's secret.
        Some(_) => format!("must be the code in capitals: {capitals}"),
        None => "must be the code of a current currency of ISO 4217, such as EUR".to_owned(),
    }
}

/// The order of a list that has one by date alone: the newest first, unless the oldest are asked for.
pub(crate) fn order(reader: &mut Reader) -> SortOrder {
    // Coercion has let the schema's values through alone.
    reader
        .raw("order")
        .and_then(|order| SortOrder::parse(&order))
        .unwrap_or(SortOrder::Descending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_currency_in_small_letters_is_refused_with_the_code_in_capitals() {
        for code in ["eur", "Eur", " EUR "] {
            assert_eq!(no_currency(code), "must be the code in capitals: EUR");
        }
        for code in ["euro", "", "€", "4242424242424242"] {
            assert!(no_currency(code).ends_with("such as EUR"), "{code}");
        }
    }
}
