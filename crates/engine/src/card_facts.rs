//! What is known of a card by its first digits, and which of its brands it is charged under.

use domain::{
    Fault,
    card_number::CardNumber,
    card_ranges::{IIN_DIGITS, IssuedCard},
    method::{CardFunding, Method},
};

use crate::Engine;

/// What the operator's table says of a card, with the brand under which it is charged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CardKnown {
    /// The brand's name.
    pub(crate) brand: String,
    /// Where it was issued: ISO 3166-1 alpha-2.
    pub(crate) country: Option<String>,
    /// Whose money it spends.
    pub(crate) funding: CardFunding,
}

impl CardKnown {
    /// The payment method that a card of this brand is; `CARD` for a brand that only the table knows.
    pub(crate) fn method(&self) -> Method {
        method_of_brand(&self.brand)
    }
}

/// The payment method that a card of a brand is; `CARD` for a brand that only a table of card ranges knows.
pub(crate) fn method_of_brand(brand: &str) -> Method {
    let method = Method::parse(brand).filter(|method| method.is_card());
    method.unwrap_or(Method::Card)
}

impl Engine {
    /// Whether there is a table of card ranges.
    pub fn has_card_ranges(&self) -> bool {
        !self.inner.settings.card_ranges.is_empty()
    }

    /// The brands of a card by its first eight digits, as the table has them: none where it has not these digits, or there is no table.
    ///
    /// # Errors
    /// `error.validation` for what is not eight digits. It is never repeated.
    pub fn card_brands(&self, iin: &str) -> Result<Vec<String>, Fault> {
        if iin.len() != IIN_DIGITS || !iin.bytes().all(|byte| byte.is_ascii_digit()) {
            let rule = "must be the first 8 digits of a card's number, and no more";
            return Err(Fault::invalid("iin", rule));
        }
        let known = self.inner.settings.card_ranges.of(iin);
        Ok(known.map(|card| card.brands.clone()).unwrap_or_default())
    }

    /// What is known of a card, charged under the brand that was chosen.
    ///
    /// # Errors
    /// `error.validation` for a brand that the card does not bear.
    pub(crate) fn card_known(
        &self,
        number: &CardNumber,
        preferred: Option<&str>,
        field: &str,
    ) -> Result<CardKnown, Fault> {
        let known = self.inner.settings.card_ranges.of(&number.leading());
        let usual = number.brand().code();
        let brand = match preferred {
            None => usual,
            Some(preferred) if preferred == usual || bears(known, preferred) => preferred,
            Some(_) => {
                let rule =
                    "must be a brand of this card, as cardBrands gives them for its first 8 digits";
                return Err(Fault::invalid(field, rule));
            }
        };
        Ok(CardKnown {
            brand: brand.to_owned(),
            country: known
                .and_then(|card| card.country)
                .map(|country| country.alpha2().to_owned()),
            funding: known.map_or(CardFunding::Undefined, |card| card.funding),
        })
    }
}

fn bears(known: Option<&IssuedCard>, brand: &str) -> bool {
    known.is_some_and(|card| card.brands.iter().any(|one| one == brand))
}
