//! What the simulator's pages need: where a customer's challenge stands, and the customer's decision.

use domain::{answer::ActionKind, method::Method, money::Money};

use super::{
    Simulator,
    books::BooksError,
    challenge::{self, Progress},
    entry::Entry,
};

/// What stands on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// What the customer is asked to do.
    pub kind: ActionKind,
    /// How it stands.
    pub state: Progress,
    /// What is paid with.
    pub method: Option<Method>,
    /// The last four digits of the card.
    pub last4: Option<String>,
    /// What will stand on the customer's statement.
    pub statement: Option<String>,
    /// How much; zero where a card is only verified.
    pub money: Money,
    /// Where the customer goes from here.
    pub return_url: String,
}

impl Simulator {
    /// The page of this token; `None` when no such address was given out.
    pub async fn page(&self, token: &str) -> Result<Option<Page>, BooksError> {
        Ok(self.challenged(token).await?.and_then(|entry| page(&entry)))
    }

    /// Takes the customer's decision at a page, if it is still to be made. Returns the page as it is then.
    pub async fn decide(&self, token: &str, pass: bool) -> Result<Option<Page>, BooksError> {
        let Some(entry) = self.challenged(token).await? else {
            return Ok(None);
        };
        let decided = self.change(entry, |entry| entry.decide(pass)).await;
        Ok(page(&decided.map_err(|error| {
            BooksError::Untouched(error.to_string())
        })?))
    }

    /// The entry whose challenge has this token.
    async fn challenged(&self, token: &str) -> Result<Option<Entry>, BooksError> {
        let Some((secret, reference)) = challenge::parse(token) else {
            return Ok(None);
        };
        let entry = self.books.load(reference.as_str()).await?;
        Ok(entry.filter(|entry| {
            entry
                .challenge
                .as_ref()
                .is_some_and(|challenge| challenge.was_given(secret))
        }))
    }
}

fn page(entry: &Entry) -> Option<Page> {
    let challenge = entry.challenge.as_ref()?;
    Some(Page {
        kind: challenge.kind,
        state: challenge.state,
        method: entry.method,
        last4: challenge.last4.clone(),
        statement: challenge.statement.clone(),
        money: entry.money,
        return_url: challenge.return_url.clone(),
    })
}
