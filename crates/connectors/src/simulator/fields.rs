//! Card fields of the simulated processor's own: a stand-in for processors that take no numbers from others.

use connector::{
    ActionKind, Authorise, BrowserFields, CallError, CardData, FieldsAccount, FieldsAuthentication,
    FieldsSources, FundingSource, HostedFields, Link, Reference, ThreeDs, Tokenise,
};
use domain::{
    caller::Mode, id::ConnectionId, money::Currency, payment::ThreeDsWish,
    processor_token::CardToken,
};
use serde_json::json;

use super::{
    Simulator,
    agreement::indicator,
    books::BooksError,
    challenge::Challenge,
    entry::{DECIDES_AFTER, Entry},
    of_a_read, of_a_write, rejected, settings,
};

/// Where the sandbox serves the script of the stand-in.
const SCRIPT: &str = "/sandbox/fields.js";
/// How a token of the fields begins.
const PREFIX: &str = "simfld_";
/// How the note begins that a token was used.
const USED: &str = "used_";

impl HostedFields for Simulator {
    fn sources(&self, _: Mode, service: &str) -> FieldsSources {
        FieldsSources {
            script: format!("{service}{SCRIPT}"),
            frames: vec![service.to_owned()],
            is_sandboxed: true,
            ..FieldsSources::default()
        }
    }

    fn fields(&self, account: &FieldsAccount<'_>) -> Option<BrowserFields> {
        let name = settings::fields_account(account.settings)?;
        Some(BrowserFields {
            parameters: json!({"account": full_name(account.connection, name)}),
            asks_for_name: false,
            token_lifetime: settings::token_lifetime(account.settings),
            authentication: FieldsAuthentication::Redirect,
        })
    }
}

/// The account's name for the browser: connections of two teams may have the same id, and then name two accounts.
fn full_name(connection: &ConnectionId, name: &str) -> String {
    format!("{connection}.{name}")
}

impl Simulator {
    /// What the fields' own server does with a card: keeps the part that it plays, and gives a token. The number is not kept.
    /// `None` for an account that can't be.
    ///
    /// # Errors
    /// The books can't be used.
    pub async fn fields_token(
        &self,
        account: &str,
        card: &CardData,
    ) -> Result<Option<String>, BooksError> {
        let named = account.rsplit_once('.');
        let named = named.filter(|(_, name)| settings::is_account(name));
        let connection = named.and_then(|(connection, _)| ConnectionId::parse(connection));
        let token = format!("{PREFIX}{}", self.world.token(32));
        let (Some(connection), Some(reference), Some(currency)) =
            (connection, Reference::other(&token), Currency::parse("EUR"))
        else {
            return Ok(None);
        };
        let asked = Tokenise {
            reference: &token,
            card,
            currency,
            shopper: "",
            return_url: None,
        };
        let mut entry = Entry::open_token(&asked, reference, &connection, &self.world);
        entry.three_ds = super::entry::authentication(card, None, true);
        entry.token = Some(account.to_owned());
        let is_new = self.books.insert(&entry).await?;
        Ok(is_new.then_some(token))
    }

    /// Refuses a number where the account takes tokens of its own fields alone, and gives an entry the part of the card behind its
    /// token, which is used up.
    pub(super) async fn played_by_token(
        &self,
        link: &Link<'_>,
        call: &Authorise<'_>,
        entry: Entry,
    ) -> Result<Entry, CallError> {
        let account = settings::fields_account(link.settings);
        match (call.funding_source, account) {
            (FundingSource::Card(_) | FundingSource::NetworkToken { .. }, Some(_)) => {
                Err(rejected("the account takes tokens of its own fields alone"))
            }
            (FundingSource::Token(_), None) => {
                Err(rejected("the account has no fields of its own"))
            }
            (FundingSource::Token(data), Some(name)) => {
                let account = full_name(link.connection, name);
                let lifetime = settings::token_lifetime(link.settings);
                let known = self.known_token(&data.token, &account).await?;
                if known.created_at.after(lifetime) <= self.world.now() {
                    return Err(rejected("the token has expired"));
                }
                self.use_up(&data.token, &known, &entry).await?;
                Ok(self.with_part_of(&known, call, entry))
            }
            (FundingSource::StoredCard(data), _) => {
                let known = self.stored_card(link, data).await?;
                Ok(self.with_part_of(&known, call, entry))
            }
            _ => Ok(entry),
        }
    }

    /// The entry with the part that the card behind a token plays. A challenge is made as for a card.
    fn with_part_of(&self, known: &Entry, call: &Authorise<'_>, mut entry: Entry) -> Entry {
        let three_ds = call.three_ds;
        let return_url = three_ds.return_url.filter(|_| !call.merchant_initiated);
        let demanded = return_url.filter(|_| known.behaviour.demands());
        entry.challenge = demanded.map(|url| {
            Challenge::new(ActionKind::ThreeDSecure, url, &self.world)
                .stated(call.statement_descriptor)
        });
        let wished = three_ds.wish == ThreeDsWish::Request && !call.merchant_initiated;
        let authenticated = wished || entry.challenge.is_some();
        let three_ds = || ThreeDs {
            eci: Some(indicator(known.method).into()),
            version: Some("2.2.0".into()),
            result: Some("AUTHENTICATED".into()),
        };
        entry.three_ds = authenticated.then(|| known.three_ds.clone().unwrap_or_else(three_ds));
        entry.brand.clone_from(&known.brand);
        entry.behaviour = known.behaviour;
        entry.funding = known.funding;
        let until = self.world.now().after(DECIDES_AFTER);
        entry.held_until = known.behaviour.is_held().then_some(until);
        entry
    }

    /// The card behind a token of the account.
    async fn known_token(&self, token: &CardToken, account: &str) -> Result<Entry, CallError> {
        let known = self.books.load(token.expose()).await.map_err(of_a_read)?;
        let known = known.filter(|known| known.token.as_deref() == Some(account));
        known.ok_or_else(|| rejected("the account has no such token"))
    }

    /// Notes which authorisation used a token; the same one may come again.
    async fn use_up(
        &self,
        token: &CardToken,
        known: &Entry,
        entry: &Entry,
    ) -> Result<(), CallError> {
        let note = format!("{USED}{}", token.expose());
        let reference =
            Reference::other(&note).ok_or_else(|| rejected("the token has another form"))?;
        let mut used = known.clone();
        used.reference = reference;
        used.token = Some(entry.reference.as_str().to_owned());
        if self.books.insert(&used).await.map_err(of_a_write)? {
            return Ok(());
        }
        let before = self.books.load(&note).await.map_err(of_a_read)?;
        let is_same = before.is_some_and(|before| before.token == used.token);
        is_same
            .then_some(())
            .ok_or_else(|| rejected("the token was used before"))
    }
}
