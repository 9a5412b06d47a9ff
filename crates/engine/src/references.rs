//! The merchant's own names of things, which are kept in clear: none may be a card's number.

use domain::{
    Fault,
    bounded::CARD,
    card_number::{CardNumber, holds_card_number},
};

use crate::Engine;

/// Which of the merchant's own names (`orderId`, `trackingId`, `transactionId`, `externalId`) are taken for a card's number. Source:
/// behaviour contract, section 6.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderIds {
    /// One with the digits of a card of the same request.
    Equal,
    /// Also one that looks like a card's number. Of numbers with 16 digits that is one in thirty by chance.
    Luhn,
}

impl Engine {
    /// Refuses names that are taken for a card's number: each with its field.
    ///
    /// # Errors
    /// `error.validation`.
    pub(crate) fn refuse_numbers(
        &self,
        names: &[(&str, Option<&str>)],
        card: Option<&CardNumber>,
    ) -> Result<(), Fault> {
        let strict = self.inner.settings.order_ids == OrderIds::Luhn;
        for (field, name) in names {
            let Some(name) = name else { continue };
            let is_number = card.is_some_and(|card| card.stands_in(name))
                || (strict && holds_card_number(name));
            if is_number {
                return Err(Fault::invalid(*field, CARD));
            }
        }
        Ok(())
    }
}
