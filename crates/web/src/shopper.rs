//! Pages for shoppers: what a customer is asked to do, and how it ended. They run no scripts.

use askama::Template;

use crate::{Language, Text, files, plain, rendered};

/// For whom a page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reader {
    /// The shopper's language.
    pub language: Language,
    /// Whether no money is real: the page says so at its top and in its title.
    pub is_test: bool,
}

/// What a page says of the purchase that it is about. Nothing is required.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Purchase {
    /// The name of the shop.
    pub shop: Option<String>,
    /// The amount as the reader's language writes it.
    pub amount: Option<String>,
    /// What is paid with, such as `Visa`.
    pub method: Option<String>,
    /// The last four digits of the card.
    pub last4: Option<String>,
    /// What will stand on the customer's statement.
    pub statement: Option<String>,
}

/// What a customer is asked to do at a page of the simulated bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// To confirm a payment by card.
    ConfirmPayment,
    /// To confirm that a card may be saved.
    ConfirmCard,
    /// To approve a payment by another method.
    Approve,
}

/// How far the customer has come there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Nothing was decided.
    Open,
    /// Approved.
    Approved,
    /// Declined.
    Declined,
    /// Given up by somebody else.
    Over,
}

/// How it ended, or why there is nothing to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A payment was made.
    Paid,
    /// A payment was not made, and nothing was charged.
    NotMade,
    /// Something is left to do for a payment, at this address.
    PaymentUnfinished {
        /// Of http or https; anything else is no link.
        address: String,
    },
    /// Nobody knows yet whether a payment was made.
    BeingChecked,
    /// A card was confirmed.
    CardConfirmed,
    /// A card was not confirmed.
    CardNotConfirmed,
    /// Something is left to do for a card, at this address.
    CardUnfinished {
        /// Of http or https; anything else is no link.
        address: String,
    },
    /// The bank has sent no result for a card.
    CardBeingChecked,
    /// No page has that address.
    NoSuchPage,
    /// The page can't be made now.
    Unavailable,
    /// A form could not be read.
    NotUnderstood,
    /// The address of the shop can't be opened.
    ShopUnreachable,
}

/// The field of the form on the simulated bank's page, and its values.
pub mod form {
    /// The name of the field.
    pub const OUTCOME: &str = "outcome";
    /// The customer does what is asked.
    pub const COMPLETE: &str = "complete";
    /// The customer can or will not.
    pub const FAIL: &str = "fail";
}

/// A value of the form, with the label of its button.
struct Button {
    value: &'static str,
    label: &'static str,
}

/// A line of what is known of the purchase.
struct Fact {
    label: &'static str,
    value: String,
}

/// What all pages for shoppers have.
struct Common {
    reader: Reader,
    folder: String,
    title: &'static str,
    shop: Option<String>,
    amount: Option<String>,
    facts: Vec<Fact>,
}

impl Common {
    fn new(reader: Reader, purchase: &Purchase, title: Text) -> Self {
        let words = |text: Text| text.in_language(reader.language);
        let mut facts = Vec::new();
        if let Some(method) = &purchase.method {
            let value = match &purchase.last4 {
                Some(last4) => words(Text::EndingIn)
                    .replace("{method}", method)
                    .replace("{last4}", last4),
                None => method.clone(),
            };
            facts.push(Fact {
                label: words(Text::PaidWith),
                value: plain(&value),
            });
        }
        if let Some(statement) = &purchase.statement {
            facts.push(Fact {
                label: words(Text::Statement),
                value: plain(statement),
            });
        }
        Self {
            reader,
            folder: files::folder(),
            title: words(title),
            shop: purchase.shop.as_deref().map(plain),
            amount: purchase.amount.as_deref().map(plain),
            facts,
        }
    }

    fn words(&self, text: Text) -> &'static str {
        text.in_language(self.reader.language)
    }
}

#[derive(Template)]
#[template(path = "shopper/errand.html")]
struct ErrandPage {
    common: Common,
    lead: String,
    /// Where it was decided already: what is said of that.
    decided: Option<&'static str>,
    buttons: Vec<Button>,
}

/// The page of the simulated bank: what the customer is asked to do, and the buttons for it.
pub fn errand(reader: Reader, purchase: &Purchase, asked: Asked, stage: Stage) -> String {
    let (title, lead) = match asked {
        Asked::ConfirmPayment => (Text::ConfirmPayment, Text::BankAsksPayment),
        Asked::ConfirmCard => (Text::ConfirmCard, Text::BankAsksCard),
        Asked::Approve => (Text::ApprovePayment, Text::MethodAsks),
    };
    let common = Common::new(reader, purchase, title);
    let method = purchase.method.as_deref().unwrap_or_default();
    let lead = common.words(lead).replace("{method}", &plain(method));
    let (decided, buttons) = match stage {
        Stage::Open => (
            None,
            vec![(form::COMPLETE, Text::Approve), (form::FAIL, Text::Decline)],
        ),
        // The value counts no more; it only brings the customer back.
        Stage::Approved => (
            Some(Text::ApprovedAlready),
            vec![(form::COMPLETE, Text::BackToShop)],
        ),
        Stage::Declined => (
            Some(Text::DeclinedAlready),
            vec![(form::FAIL, Text::BackToShop)],
        ),
        Stage::Over => (Some(Text::GivenUp), vec![(form::FAIL, Text::BackToShop)]),
    };
    let button = |(value, label)| Button {
        value,
        label: common.words(label),
    };
    let buttons = buttons.into_iter().map(button).collect();
    let decided = decided.map(|text| common.words(text));
    rendered(&ErrandPage {
        common,
        lead,
        decided,
        buttons,
    })
}

/// How a page looks that says how something ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    /// It is done.
    Good,
    /// It goes on.
    Waits,
    /// It was not done.
    Stopped,
}

impl Tone {
    /// The class of the style.
    const fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Waits => "waits",
            Self::Stopped => "stopped",
        }
    }
}

/// What the reader can do on a page about an outcome.
enum Next {
    Nothing,
    /// To go to another page.
    Link {
        address: String,
        label: Text,
    },
    /// To load the page again.
    Reload,
}

struct Described {
    tone: Tone,
    title: Text,
    lead: Text,
    more: Option<Text>,
    next: Next,
}

impl Described {
    fn new(tone: Tone, title: Text, lead: Text) -> Self {
        Self {
            tone,
            title,
            lead,
            more: None,
            next: Next::Nothing,
        }
    }

    fn then(self, next: Next) -> Self {
        Self { next, ..self }
    }

    fn of(outcome: &Outcome) -> Self {
        let link = |address: &str, label| Next::Link {
            address: plain(address),
            label,
        };
        match outcome {
            Outcome::Paid => Self::new(Tone::Good, Text::ThankYou, Text::PaidMayClose),
            Outcome::NotMade => Self::new(Tone::Stopped, Text::NotMade, Text::NothingCharged),
            Outcome::PaymentUnfinished { address } => {
                Self::new(Tone::Waits, Text::OneStepLeft, Text::NeedsConfirmation)
                    .then(link(address, Text::GoOn))
            }
            Outcome::BeingChecked => Self {
                more: Some(Text::LoadAgain),
                ..Self::new(Tone::Waits, Text::BeingChecked, Text::DontPayAgain).then(Next::Reload)
            },
            Outcome::CardConfirmed => Self::new(Tone::Good, Text::Verified, Text::CardConfirmed),
            Outcome::CardNotConfirmed => Self::new(
                Tone::Stopped,
                Text::VerificationFailed,
                Text::CardNotConfirmed,
            ),
            Outcome::CardUnfinished { address } => {
                Self::new(Tone::Waits, Text::NotFinished, Text::BankWaits)
                    .then(link(address, Text::BackToBank))
            }
            Outcome::CardBeingChecked => {
                Self::new(Tone::Waits, Text::OneMoment, Text::NoResultYet).then(Next::Reload)
            }
            Outcome::NoSuchPage => Self::new(Tone::Stopped, Text::NoSuchPage, Text::WrongAddress),
            Outcome::Unavailable => {
                Self::new(Tone::Waits, Text::TryAgain, Text::Unavailable).then(Next::Reload)
            }
            Outcome::NotUnderstood => {
                Self::new(Tone::Stopped, Text::NotUnderstoodTitle, Text::NotUnderstood)
            }
            Outcome::ShopUnreachable => Self::new(
                Tone::Stopped,
                Text::ShopUnreachableTitle,
                Text::ShopUnreachable,
            ),
        }
    }
}

/// A link with its label.
struct Link {
    address: String,
    label: &'static str,
}

#[derive(Template)]
#[template(path = "shopper/outcome.html")]
struct OutcomePage {
    common: Common,
    tone: Tone,
    lead: &'static str,
    more: Option<&'static str>,
    link: Option<Link>,
    reload: Option<&'static str>,
}

/// The page that says how something ended, or why there is nothing to see.
pub fn outcome(reader: Reader, purchase: &Purchase, outcome: &Outcome) -> String {
    let described = Described::of(outcome);
    let common = Common::new(reader, purchase, described.title);
    let (link, reload) = match described.next {
        Next::Nothing => (None, None),
        Next::Link { address, label } => (
            is_page(&address).then(|| Link {
                address,
                label: common.words(label),
            }),
            None,
        ),
        Next::Reload => (None, Some(common.words(Text::CheckAgain))),
    };
    rendered(&OutcomePage {
        tone: described.tone,
        lead: common.words(described.lead),
        more: described.more.map(|text| common.words(text)),
        link,
        reload,
        common,
    })
}

/// Whether an address leads to a page, and runs nothing.
fn is_page(address: &str) -> bool {
    address.starts_with("https://") || address.starts_with("http://")
}

#[cfg(test)]
mod tests;
