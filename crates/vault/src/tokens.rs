//! Tokens of processors' own fields, sealed as numbers are: for one payment, and erased with its authorisation.

use async_recursion::async_recursion as boxed;
use domain::{
    id::{BlobId, TeamId},
    processor_token::CardToken,
};

use crate::{
    Holder, Vault, VaultError,
    envelope::{RecordKind, RecordPlace},
};

impl Vault {
    /// Seals the token of a processor's own fields under a new id. It opens for the record `holder` alone.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn seal_token(
        &self,
        team: TeamId,
        holder: &Holder,
        token: &CardToken,
    ) -> Result<BlobId, VaultError> {
        let clear = token.expose().as_bytes();
        self.seal(team, RecordKind::Token, holder, clear).await
    }

    /// Opens such a token, for one call to its processor. `None` when it is erased.
    ///
    /// # Errors
    /// `Damaged`, also for another record than it was sealed for; `NoKey`, the database's.
    #[boxed]
    pub async fn open_token(
        &self,
        team: TeamId,
        holder: &Holder,
        blob: BlobId,
    ) -> Result<Option<CardToken>, VaultError> {
        let kind = RecordKind::Token;
        let place = RecordPlace { team, blob, kind };
        let Some(token) = self.opened_text(&place, holder).await? else {
            return Ok(None);
        };
        let token = CardToken::parse(token).ok_or(VaultError::Damaged(blob))?;
        Ok(Some(token))
    }
}
