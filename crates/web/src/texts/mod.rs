//! The texts of the pages for shoppers: one table, a row for each text, a column for each language.

mod errands;
mod hosted;
mod outcomes;

use crate::Language;

/// A text of the pages for shoppers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// The heading of a page whose address the shop has made wrongly.
    AddressIncomplete,
    /// The label of an amount.
    Amount,
    /// A button: the customer does what is asked.
    Approve,
    /// The page was decided: approved.
    ApprovedAlready,
    /// The heading of an alternative method's page.
    ApprovePayment,
    /// The heading of a payment whose end is asked for.
    AskingBank,
    /// A page that can't be made now tries again.
    AsksAgain,
    /// A page of an open outcome asks by itself.
    AsksItself,
    /// A link to the bank's page.
    BackToBank,
    /// A button that leads back.
    BackToShop,
    /// The bank asks to confirm that a card may be saved.
    BankAsksCard,
    /// The bank asks to confirm a payment.
    BankAsksPayment,
    /// The bank's page is still open.
    BankWaits,
    /// Where the customer begins again.
    BeginAgain,
    /// The heading of a payment whose outcome is not known.
    BeingChecked,
    /// The name of a method.
    BuyNowPayLater,
    /// The name of a method without a brand.
    Card,
    /// A card was confirmed; the page may be closed.
    CardConfirmed,
    /// A card was not confirmed; the page may be closed.
    CardNotConfirmed,
    /// A button that loads the page again.
    CheckAgain,
    /// The heading of a hosted page whose credential has ended.
    CheckoutEnded,
    /// Why a hosted page has ended.
    CheckoutOver,
    /// The heading of a bank's page about a card.
    ConfirmCard,
    /// The heading of a bank's page about a payment.
    ConfirmPayment,
    /// The label of a date.
    Date,
    /// A button: the customer can or will not do what is asked.
    Decline,
    /// The page was decided: declined.
    DeclinedAlready,
    /// The outcome is not known, and the customer must not pay again.
    DontPayAgain,
    /// `{method}` with the card's last digits, `{last4}`.
    EndingIn,
    /// What follows is for the shop, and in English.
    ForTheShop,
    /// It is over, since it was given up.
    GivenUp,
    /// A link to what is left to do.
    GoOn,
    /// Nobody knows yet how a payment ends.
    InDoubt,
    /// What can be done with a receipt.
    KeepPage,
    /// The heading of a payment link that can't be used any more.
    LinkEnded,
    /// A link's time has ended.
    LinkExpired,
    /// No link has this address.
    LinkIncomplete,
    /// The merchant has ended a link.
    LinkWithdrawn,
    /// What the customer may do while the outcome is not known.
    LoadAgain,
    /// An alternative method, `{method}`, asks for approval.
    MethodAsks,
    /// A payment needs the customer's confirmation.
    NeedsConfirmation,
    /// The form needs scripts.
    NeedsScript,
    /// Where a new link comes from.
    NewLink,
    /// The bank has sent no result.
    NoResultYet,
    /// The heading of an address that is none.
    NoSuchPage,
    /// The heading of a bank's page that was left too early.
    NotFinished,
    /// Nothing was charged; the page may be closed.
    NothingCharged,
    /// The heading of a payment that was not made.
    NotMade,
    /// A form that was not understood.
    NotUnderstood,
    /// The heading of a form that was not understood.
    NotUnderstoodTitle,
    /// The heading of a result that is to come.
    OneMoment,
    /// The heading of a payment that needs the customer.
    OneStepLeft,
    /// The name of a method.
    OpenBanking,
    /// The label of the merchant's order.
    Order,
    /// The payment went through; the page may be closed.
    PaidMayClose,
    /// The label of a method.
    PaidWith,
    /// A part of what was paid was given back.
    PartlyRefunded,
    /// `{shop}` has got `{amount}`.
    Received,
    /// The label of a payment's id.
    Reference,
    /// What was paid was given back.
    Refunded,
    /// How much was given back.
    RefundedAmount,
    /// What was paid is being given back.
    RefundUnderWay,
    /// The label of a shop's name.
    Shop,
    /// The shop has made an address wrongly.
    ShopLinkIncomplete,
    /// The shop's address can't be opened.
    ShopUnreachable,
    /// The heading of a way back that can't be gone.
    ShopUnreachableTitle,
    /// The label of the text on the customer's statement.
    Statement,
    /// This is no real bank.
    TestPage,
    /// The heading of a payment that was made.
    ThankYou,
    /// One visitor has opened a page too often.
    TooMany,
    /// The heading of a page that can't be made now.
    TryAgain,
    /// The service can't make the page now.
    Unavailable,
    /// The heading of a card that was not confirmed.
    VerificationFailed,
    /// The heading of a card that was confirmed.
    Verified,
    /// The address is not complete, or is out of use.
    WrongAddress,
}

/// A text in all languages, in the order of [`Language::ALL`].
struct Row {
    text: Text,
    words: [&'static str; Language::ALL.len()],
}

impl Row {
    const fn new(text: Text, words: [&'static str; Language::ALL.len()]) -> Self {
        Self { text, words }
    }
}

fn rows() -> impl Iterator<Item = &'static Row> {
    errands::ROWS
        .iter()
        .chain(outcomes::ROWS)
        .chain(hosted::ROWS)
}

impl Text {
    /// The text in a language.
    pub fn in_language(self, language: Language) -> &'static str {
        let column = Language::ALL.iter().position(|known| *known == language);
        let row = rows().find(|row| row.text == self);
        row.zip(column)
            .and_then(|(row, column)| row.words.get(column))
            .copied()
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a text leaves open, such as `{method}`.
    fn blanks(text: &str) -> Vec<&str> {
        let mut found: Vec<&str> = text
            .split('{')
            .skip(1)
            .filter_map(|rest| rest.split('}').next())
            .collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn every_text_has_one_row_that_is_complete_in_all_languages() {
        let last = Text::WrongAddress as usize;
        let mut seen: Vec<usize> = rows().map(|row| row.text as usize).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..=last).collect::<Vec<_>>());
        for row in rows() {
            let [english, others @ ..] = &row.words;
            for word in &row.words {
                assert!(!word.trim().is_empty(), "{:?}", row.text);
                assert_eq!(blanks(word), blanks(english), "{:?}: {word}", row.text);
                assert_eq!(
                    word.ends_with('.'),
                    english.ends_with('.'),
                    "{:?}: {word}",
                    row.text
                );
            }
            // A sentence that is the English one was not translated.
            if english.ends_with('.') {
                assert!(!others.contains(english), "{:?}", row.text);
            }
        }
    }

    #[test]
    fn a_text_is_in_the_language_that_is_asked_for() {
        let words = Language::ALL.map(|language| Text::Decline.in_language(language));
        assert_eq!(
            words,
            [
                "Decline", "Refuser", "Ablehnen", "Rechazar", "Weigeren", "Recusar"
            ]
        );
    }
}
