//! Client tokens, as their team lists and revokes them.

use crate::boxed;
use db::Change;
use domain::{
    Fault, Timestamp,
    audit::{Act, Deed},
    caller::{Caller, ClientGrant},
    cursor::{Cursor, CursorShape},
    id::{KeyId, PaymentId},
    page::Page,
};
use store::credential::{self, Credential, CredentialKind};

use crate::{
    Engine,
    faults::{database, only_fault},
};

/// A client token as it is listed; never the token itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientTokenView {
    /// Its id.
    pub id: KeyId,
    /// Its prefix and its end.
    pub hint: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// What it was made for.
    pub grant: ClientGrant,
    /// Attempts to pay that it has made.
    pub attempts: i64,
    /// The live or paid payment that it has made.
    pub payment: Option<PaymentId>,
    /// The secret key that made it.
    pub made_by: Option<KeyId>,
}

/// A part of the list of client tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientTokenPage {
    /// Each token with its cursor.
    pub views: Vec<(String, ClientTokenView)>,
    /// Whether more follow.
    pub has_next: bool,
    /// Whether there are any before.
    pub has_previous: bool,
}

impl From<Credential> for ClientTokenView {
    fn from(row: Credential) -> Self {
        Self {
            id: row.id,
            hint: row.hint,
            created_at: row.created_at,
            expires_at: row.expires_at,
            revoked_at: row.revoked_at,
            grant: row.grant.unwrap_or_default(),
            attempts: row.attempts,
            payment: row.live_payment,
            made_by: row.parent,
        }
    }
}

impl Engine {
    /// A team's client tokens, newest first; those that ended more than a day ago are gone.
    ///
    /// # Errors
    /// `error.validation` for a bad page; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn client_tokens(
        &self,
        caller: &Caller,
        page: &Page,
    ) -> Result<ClientTokenPage, Fault> {
        let shape = CursorShape::new("client tokens", "newest", Vec::new());
        let after = page.cursor(&shape)?.map(|cursor| KeyId::new(cursor.id));
        let size = usize::from(page.size());
        let limit = i64::from(page.size()) + 1;
        let rows = credential::client_tokens(&self.inner.store, caller.team, after, limit).await;
        let rows = rows.map_err(|error| database(&error))?;
        let has_next = rows.len() > size;
        let views = rows.into_iter().take(size).map(|row| {
            let cursor = Cursor {
                keys: Vec::new(),
                id: row.id.uuid(),
            };
            (cursor.encode(&shape), ClientTokenView::from(row))
        });
        Ok(ClientTokenPage {
            views: views.collect(),
            has_next,
            has_previous: after.is_some(),
        })
    }

    /// Ends a client token: it is refused at once by this node, and within a second by every other. Doing it again is harmless.
    ///
    /// # Errors
    /// `error.validation` when the team has no such token; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn revoke_client_token(&self, caller: &Caller, id: &str) -> Result<(), Fault> {
        let unknown = || Fault::invalid("id", "must be the id of a client token that is listed");
        let id = KeyId::parse(id).ok_or_else(unknown)?;
        let found = credential::of_team(&self.inner.store, caller.team, id).await;
        let found = found.map_err(|error| database(&error))?;
        found
            .filter(|row| row.kind == CredentialKind::Client)
            .ok_or_else(unknown)?;
        let revoke = credential::revoke(caller.team, id, self.inner.world.now());
        let deed = Deed::on(caller.team, Act::ClientTokenRevoked, "client token", id);
        let change = Change::new(self.change_id(), &id.key())
            .with(revoke)
            .with(self.audit(&deed));
        // When no row is touched, somebody else has revoked it in the meantime.
        self.commit_plain(change).await.map_err(only_fault)?;
        self.inner.access.clear();
        Ok(())
    }
}
