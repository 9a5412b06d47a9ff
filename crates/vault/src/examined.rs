//! A look at what is sealed, to see whether it opens.

use async_recursion::async_recursion as boxed;
use std::sync::Arc;

use domain::id::{BlobId, TeamId};

use crate::{
    Holder, Vault, VaultError,
    envelope::{self, RecordPlace},
    keyring::Keyring,
    records,
};

/// A sealed number or secret that is looked at. What is in it never comes out.
pub struct Examined {
    /// Its id.
    pub blob: BlobId,
    /// Whose it is.
    pub team: TeamId,
    keys: Arc<Keyring>,
    place: RecordPlace,
    sealed: envelope::Sealed,
}

impl Examined {
    /// Whether it opens: itself where the record that it belongs to is known, else the key that it is sealed under.
    ///
    /// # Errors
    /// `Damaged`, `NoKey`.
    pub fn open(&self, holder: Option<&Holder>) -> Result<(), VaultError> {
        match holder {
            Some(holder) => envelope::open(&self.keys, &self.place, holder, &self.sealed).map(drop),
            None => envelope::open_key(&self.keys, &self.place, &self.sealed).map(drop),
        }
    }
}

impl Vault {
    /// Numbers and secrets of any team, after the id `after`, in the order of their ids: to see whether they open.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn examine(
        &self,
        after: Option<BlobId>,
        limit: i64,
    ) -> Result<Vec<Examined>, VaultError> {
        let found = records::every(&self.0.db, after, limit).await?;
        let keys = self.keys();
        Ok(found
            .into_iter()
            .map(|(place, sealed)| Examined {
                blob: place.blob,
                team: place.team,
                keys: Arc::clone(&keys),
                place,
                sealed,
            })
            .collect())
    }
}
