//! Faults that several operations tell.

use db::DbError;
use domain::{Code, Fault, id::PaymentId};
use vault::VaultError;

/// No such payment in this team.
pub fn payment_not_found() -> Fault {
    Fault::new(Code::PaymentNotFound, "There is no such payment.")
}

/// No such customer in this team.
pub fn customer_not_found() -> Fault {
    Fault::new(Code::CustomerNotFound, "There is no such customer.")
}

/// No such payment method in this team, or it is another customer's.
pub fn method_not_found() -> Fault {
    Fault::new(Code::MethodNotFound, "There is no such payment method.")
}

/// No such intent in this team, or one that this credential did not start.
pub fn intent_not_found() -> Fault {
    Fault::new(Code::IntentNotFound, "There is no such intent.")
}

/// No such dispute in this team.
pub fn dispute_not_found() -> Fault {
    Fault::new(Code::DisputeNotFound, "There is no such dispute.")
}

/// No such flow in this team.
pub fn flow_not_found() -> Fault {
    Fault::new(Code::FlowNotFound, "There is no such flow.")
}

/// No such connection in this team.
pub fn connection_not_found() -> Fault {
    Fault::new(Code::ConnectionNotFound, "There is no such connection.")
}

/// No such attachment in this team.
pub fn attachment_not_found() -> Fault {
    Fault::new(Code::AttachmentNotFound, "There is no such attachment.")
}

/// Why an operation stopped.
#[derive(Debug)]
pub(crate) enum EngineError {
    /// Refused; tell the merchant.
    Fault(Fault),
    /// The idempotency key was taken by another request in the meantime.
    Taken,
    /// The date of what was to be made is too old by now: it is made again with a new one.
    Outdated,
}

impl EngineError {
    /// Code and text, for the log.
    pub(crate) fn words(&self) -> (&'static str, &str) {
        match self {
            Self::Fault(fault) => (fault.code.text(), &fault.message),
            Self::Taken => ("", "somebody else was there first"),
            Self::Outdated => ("", "its date was too old"),
        }
    }
}

impl From<Fault> for EngineError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<DbError> for EngineError {
    fn from(error: DbError) -> Self {
        match error {
            DbError::Outdated => Self::Outdated,
            other => Self::Fault(database(&other)),
        }
    }
}

impl From<VaultError> for EngineError {
    fn from(error: VaultError) -> Self {
        Self::Fault(sealed(&error))
    }
}

/// The answer to the merchant when something about this payment may have been begun already: a failure of ours names it.
pub(crate) fn begun_about(stop: EngineError, id: PaymentId) -> Fault {
    match stop {
        EngineError::Fault(fault) if fault.is_ours() => Fault::unconfirmed(id),
        EngineError::Fault(fault) => fault,
        // Answered only to those who brought a key.
        EngineError::Taken | EngineError::Outdated => Fault::unknown().about(id),
    }
}

/// The answer to the merchant for an error of the database; the operator finds the rest in the log.
pub(crate) fn database(error: &DbError) -> Fault {
    match error {
        DbError::Unreachable(why) => {
            tracing::warn!(why, "the database can't be reached");
            Fault::unavailable()
        }
        DbError::Busy | DbError::Expired | DbError::Outdated | DbError::Closed => {
            tracing::warn!(error = %error, "the database can't take more work");
            Fault::unavailable()
        }
        // A full disk, most often: nothing was written, and it may be asked for again. The database has logged more.
        DbError::Storage(_) => {
            tracing::warn!(error = %error, "the database's storage fails");
            Fault::unavailable()
        }
        other => {
            tracing::error!(error = %other, "the database failed");
            Fault::unknown()
        }
    }
}

/// The answer to the merchant for an error of the vault.
pub(crate) fn sealed(error: &VaultError) -> Fault {
    if let VaultError::Db(error) = error {
        return database(error);
    }
    if let VaultError::Unclear = error {
        // Whether or not it was done, it may be asked for again.
        tracing::warn!(error = %error, "the vault's database loses answers");
        return Fault::unavailable();
    }
    if let VaultError::NoKey(_) | VaultError::WrongKey(_) = error {
        // Of this node alone: another one has them, or this one once they are put there.
        tracing::error!(error = %error, "the vault's keys are not at hand");
        return Fault::unavailable();
    }
    tracing::error!(error = %error, "the vault failed");
    Fault::unknown()
}

/// The answer to an error where no key can be taken.
pub(crate) fn only_fault(stop: EngineError) -> Fault {
    match stop {
        EngineError::Fault(fault) => fault,
        // Answered only to those who brought a key.
        EngineError::Taken => Fault::unknown(),
        EngineError::Outdated => Fault::unavailable(),
    }
}
