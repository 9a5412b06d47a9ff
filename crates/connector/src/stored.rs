//! The facet of what a processor stores for later payments.

use domain::{answer::Action, decline::Decline, money::Currency, processor_token::OwnToken};

use crate::{Called, CardData, Link};

/// What a processor stores for later payments: tokens that stand for a card there.
pub trait Stored: Send + Sync {
    /// Asks for a token of the processor's own for a card.
    fn tokenise<'a>(&'a self, link: &'a Link<'a>, call: &'a Tokenise<'a>) -> Called<'a, Tokenised>;
}

/// Asks for a token of the processor's own that stands for a card there. Verifies the card where the processor does.
#[derive(Clone, Copy)]
pub struct Tokenise<'a> {
    /// Our reference for it: the same request repeated under it has no second effect, and after the customer was
    /// authenticated it brings the token.
    pub reference: &'a str,
    /// The card.
    pub card: &'a CardData,
    /// In which currency it will be charged.
    pub currency: Currency,
    /// Our own name for the owner of the card: see [`crate::Authorise::shopper`].
    pub shopper: &'a str,
    /// Where the customer comes back to; `None`: nobody is there.
    pub return_url: Option<&'a str>,
}

/// How a processor answers to [`Tokenise`].
#[derive(Debug, Clone, PartialEq)]
pub enum Tokenised {
    /// The token.
    Token(OwnToken),
    /// The card was refused.
    Declined(Decline),
    /// The customer must be authenticated first.
    ActionRequired(Action),
}
