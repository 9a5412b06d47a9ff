//! The list of the customer's saved cards, as `sdk/src/frame/savedcards.ts` draws it.

use serde_json::{Value, json};

use super::{FirstOptions, Words, words};

/// A card expires soon from so many months before its end.
const SOON_MONTHS: i32 = 2;
/// How a number ends on the list. Unit: digits.
const SHOWN_DIGITS: usize = 4;

/// A card that the customer has saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedCard {
    /// What pays with it.
    pub token: String,
    /// Masked, all but the last four.
    pub number: String,
    /// The month of its end.
    pub exp_month: i32,
    /// The year of its end.
    pub exp_year: i32,
    /// The brand's code.
    pub brand: String,
    /// Whether the customer pays with it as a rule.
    pub is_default: bool,
    /// Months until the one of its end; negative once that is over.
    pub months_left: i32,
}

/// What a customer has saved, as it is known when the page is made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SavedChoice {
    /// The cards.
    pub cards: Vec<SavedCard>,
    /// Whether the code of a saved card is asked for.
    pub asks_code: bool,
}

impl SavedCard {
    fn is_over(&self) -> bool {
        self.months_left < 0
    }

    /// As the form's script reads it.
    fn json(&self) -> Value {
        json!({
            "token": self.token, "number": self.number, "expMonth": self.exp_month, "expYear": self.exp_year,
            "brand": self.brand, "isDefault": self.is_default,
        })
    }

    fn last4(&self) -> String {
        let before = self.number.chars().count().saturating_sub(SHOWN_DIGITS);
        self.number.chars().skip(before).collect()
    }

    fn expiry(&self) -> String {
        format!("{:02} / {:02}", self.exp_month, self.exp_year % 100)
    }
}

/// The list as it is written into the form.
#[derive(Debug, Default)]
pub(super) struct SavedCards {
    pub(super) lines: Vec<Line>,
    /// The cards as JSON, for the form's script; `None` where it has to ask for them.
    pub(super) json: Option<String>,
    /// One of the cards is chosen: no number is asked for.
    pub(super) is_chosen: bool,
    /// Nor a code.
    pub(super) asks_no_code: bool,
}

/// A card on the list.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) token: String,
    /// As screen readers say it.
    pub(super) name: String,
    /// As people see it.
    pub(super) title: String,
    pub(super) expiry: String,
    pub(super) is_over: bool,
    pub(super) is_chosen: bool,
    /// What is to be known of its end; empty where nothing is.
    pub(super) chip: String,
}

impl SavedCards {
    /// The list of a form. The default card is chosen, else the first that is not over.
    pub(super) fn new(first: &FirstOptions, words: &Words) -> Self {
        let saved = first.saved.as_ref();
        let cards = saved.map_or(&[][..], |saved| &saved.cards);
        let good = || cards.iter().filter(|card| !card.is_over());
        let chosen = good().find(|card| card.is_default).or(good().next());
        let lines = cards.iter().map(|card| {
            let is_chosen = chosen.is_some_and(|chosen| chosen.token == card.token);
            line(card, words, is_chosen)
        });
        Self {
            lines: lines.collect(),
            json: saved.map(|_| {
                let list: Value = cards.iter().map(SavedCard::json).collect();
                list.to_string()
            }),
            is_chosen: chosen.is_some(),
            asks_no_code: chosen.is_some() && saved.is_some_and(|saved| !saved.asks_code),
        }
    }
}

fn line(card: &SavedCard, words: &Words, is_chosen: bool) -> Line {
    let brand = words::brand_name(&card.brand);
    let brand = brand.unwrap_or_else(|| words.get("card-information.header.label"));
    let (last4, expiry) = (card.last4(), card.expiry());
    let name = words.fill("card.saved-cards.saved-card.aria-label", "brand", brand);
    let name = words::filled(&name, "last4", &last4);
    let chip = match card.months_left {
        ..=-1 => words.get("card.saved-cards.expired.label"),
        0..=SOON_MONTHS => words.get("card.saved-cards.expires-soon.label"),
        _ => "",
    };
    Line {
        token: card.token.clone(),
        name: words::filled(&name, "expiry", &expiry),
        title: format!("{brand} •••• {last4}"),
        expiry,
        is_over: card.is_over(),
        is_chosen,
        chip: chip.to_owned(),
    }
}
