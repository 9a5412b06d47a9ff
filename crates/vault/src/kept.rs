//! Security codes and cryptograms: kept for one authorisation, in memory or in a table that nodes share.

use async_recursion::async_recursion as boxed;
use std::time::Duration;

use domain::card_number::SecurityCode;
use zeroize::Zeroizing;

use crate::{
    UsedCode, Vault, VaultError,
    codes::{self, CodeName, Codes, Purpose},
    shared_codes,
};

/// Where security codes are kept.
pub(super) enum Kept {
    InMemory(Codes),
    /// In the database.
    Shared {
        /// For this long.
        lifetime: Duration,
        looks: shared_codes::Looks,
    },
}

/// What is kept for one authorisation. Can't be printed.
pub enum Code {
    /// A card's security code.
    Security(SecurityCode),
    /// A wallet's cryptogram.
    Cryptogram {
        /// The cryptogram.
        value: Zeroizing<String>,
        /// Its indicator.
        eci: Option<String>,
    },
}

impl Code {
    /// Reads whichever of the two opens.
    fn read(open: impl Fn(Purpose) -> Option<Zeroizing<Vec<u8>>>) -> Option<Self> {
        if let Some(padded) = open(Purpose::SecurityCode) {
            return codes::unpadded(&padded).map(Self::Security);
        }
        let (value, eci) = codes::parted(&open(Purpose::Cryptogram)?)?;
        Some(Self::Cryptogram { value, eci })
    }
}

impl Vault {
    /// Keeps a security code under `holder`, until it is erased or its life time is over.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn keep_cvc(&self, holder: &str, code: &SecurityCode) -> Result<(), VaultError> {
        let purpose = Purpose::SecurityCode;
        self.keep(CodeName { holder, purpose }, codes::padded(code).as_slice())
            .await
    }

    /// The security code of `holder`, if it is still kept.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn open_cvc(&self, holder: &str) -> Result<Option<SecurityCode>, VaultError> {
        Ok(match self.open_code(holder).await? {
            Some(Code::Security(code)) => Some(code),
            Some(Code::Cryptogram { .. }) | None => None,
        })
    }

    /// Keeps a wallet's cryptogram with its indicator like a security code, in its place.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn keep_cryptogram(
        &self,
        holder: &str,
        cryptogram: &str,
        eci: Option<&str>,
    ) -> Result<(), VaultError> {
        let purpose = Purpose::Cryptogram;
        self.keep(
            CodeName { holder, purpose },
            codes::joined(cryptogram, eci).as_bytes(),
        )
        .await
    }

    /// What is still kept under `holder`: its security code, or the cryptogram in its place.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn open_code(&self, holder: &str) -> Result<Option<Code>, VaultError> {
        self.use_code(holder, None).await
    }

    /// The same for the authorisation `by`, which is noted with it where nodes share it: should its node die, another erases
    /// the code ([`Self::used_codes`]).
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn use_code(
        &self,
        holder: &str,
        by: Option<&str>,
    ) -> Result<Option<Code>, VaultError> {
        match &self.0.codes {
            Kept::InMemory(codes) => Ok(Code::read(|purpose| {
                codes.open(&self.0.world, CodeName { holder, purpose })
            })),
            Kept::Shared { looks, .. } => {
                let sealed = self.shared_code(looks, holder, by).await?;
                Ok(sealed.and_then(|sealed| Code::read(|purpose| sealed.open(holder, purpose))))
            }
        }
    }

    /// Erases the security code of `holder`, or its cryptogram, no matter who took it. Returns whether there is none any more; what
    /// can't be erased now ends with its life time.
    #[boxed]
    pub async fn erase_cvc(&self, holder: &str) -> bool {
        match &self.0.codes {
            Kept::InMemory(codes) => codes.erase(holder),
            Kept::Shared { .. } => return noted(&self.erase_shared_code(holder).await),
        }
        true
    }

    /// The same after an authorisation that has opened it: where it found none recently, there is none of its to be erased.
    #[boxed]
    pub async fn forget_cvc(&self, holder: &str) -> bool {
        match &self.0.codes {
            Kept::InMemory(codes) => codes.erase(holder),
            Kept::Shared { looks, .. } => {
                return noted(&self.forget_shared_code(looks, holder).await);
            }
        }
        true
    }

    /// Codes that an authorisation has opened a minute ago or longer; nobody else gets them for a minute.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn used_codes(&self, limit: i64) -> Result<Vec<UsedCode>, VaultError> {
        match &self.0.codes {
            Kept::InMemory(_) => Ok(Vec::new()),
            Kept::Shared { .. } => self.used_shared_codes(limit).await,
        }
    }

    /// Erases a code whose authorisation has ended, unless another one has opened it since.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn erase_used(&self, code: &UsedCode) -> Result<(), VaultError> {
        self.erase_used_shared_code(code).await
    }

    /// Erases security codes whose life time is over; in memory a task of the vault's own does so in time. Returns how
    /// many.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn sweep_codes(&self) -> Result<usize, VaultError> {
        match &self.0.codes {
            Kept::InMemory(codes) => Ok(codes.sweep(self.0.world.now())),
            Kept::Shared { .. } => self.sweep_shared_codes().await,
        }
    }

    async fn keep(&self, name: CodeName<'_>, clear: &[u8]) -> Result<(), VaultError> {
        match &self.0.codes {
            Kept::InMemory(codes) => codes.keep(&self.0.world, name, clear),
            Kept::Shared { lifetime, looks } => {
                self.share_code(name, clear, *lifetime, looks).await?;
            }
        }
        Ok(())
    }
}

fn noted(erased: &Result<(), VaultError>) -> bool {
    if let Err(error) = erased {
        tracing::warn!(%error, "a security code can't be erased yet; a job tries again, and it ends with its life time");
    }
    erased.is_ok()
}
