//! Pages in place of a form: a receipt, an end, a mistake in an address.

use askama::Template;

use super::{Assets, Mode, Words, rendered};
use crate::{Language, Text};

/// What kind of news it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// It is paid.
    Paid,
    /// It is not known yet how it ends.
    Waiting,
    /// It is over, or there is nothing.
    Ended,
}

impl Tone {
    const fn name(self) -> &'static str {
        match self {
            Self::Paid => "paid",
            Self::Waiting => "waiting",
            Self::Ended => "ended",
        }
    }
}

/// What an app gets whose web view shows the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BridgeEvent {
    /// `error` or `paymentComplete`.
    pub name: &'static str,
    /// JSON.
    pub payload: String,
}

/// A name with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// What stands on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The language that it is written in.
    pub language: Language,
    /// The shop's name; empty where it is not known.
    pub shop_name: String,
    /// Where its logo is.
    pub logo: Option<String>,
    /// What kind of news it is.
    pub tone: Tone,
    /// The news in a few words.
    pub title: String,
    /// What to know, and what to do.
    pub paragraphs: Vec<String>,
    /// What the shop has to know, in English.
    pub details: Vec<String>,
    /// Names and values.
    pub facts: Vec<Fact>,
    /// The way back to the shop.
    pub back: Option<String>,
    /// After how many seconds the page is loaded again.
    pub again_in: Option<u32>,
    /// What an app gets.
    pub event: Option<BridgeEvent>,
}

#[derive(Template)]
#[template(path = "sdk/message.html")]
struct MessagePage<'a> {
    assets: &'a Assets,
    folder: String,
    mode: &'static str,
    page: &'a Message,
    words: Words,
}

impl MessagePage<'_> {
    fn for_the_shop(&self) -> &'static str {
        Text::ForTheShop.in_language(self.page.language)
    }
}

/// A page in place of a form.
pub fn message(assets: &Assets, mode: Mode, page: &Message) -> String {
    rendered(&MessagePage {
        assets,
        folder: crate::folder(),
        mode: mode.name(),
        page,
        words: Words::of(page.language),
    })
}
