//! Who may do what: one table of all operations of the API, judged once, before an operation's arguments are read.
//!
//! A row says which kinds of credential may hold the right, and which scope a secret key needs. What a browser's credential
//! may do depends further on what it made or was made for (its own payments, its customer, its amount): the use cases judge
//! that where they load it.

mod table;

use crate::{
    audit::Act,
    caller::{Caller, Credential, forbidden},
    fault::{Code, Fault},
    text_enum::text_enum,
};
use table::row;

pub use table::OPERATIONS;

text_enum!(
    /// A part of what secret keys may do. Keys are made with some of them, or with all.
    Scope {
        /// Take payments: authorise, capture, cancel; customers, their methods, intents and client tokens.
        Payments = "payments",
        /// Give money back.
        Refunds = "refunds",
        /// Read everything of the team.
        Read = "read",
        /// Send card and account numbers and security codes.
        Tokenise = "tokenise",
        /// Change flows, connections, wallets and settings; revoke client tokens; erase customers.
        Manage = "manage",
    }
);

/// The scopes of a secret key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    /// Everything.
    pub const ALL: Self = Self(0b1_1111);

    /// These; `None` where there is none, since a key without a scope is of no use.
    pub fn of(scopes: &[Scope]) -> Option<Self> {
        let bits = scopes.iter().fold(0, |bits, scope| bits | bit(*scope));
        (bits != 0).then_some(Self(bits))
    }

    /// Whether this one is among them.
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & bit(scope) != 0
    }

    /// Each of them.
    pub fn each(self) -> impl Iterator<Item = Scope> {
        Scope::ALL
            .iter()
            .copied()
            .filter(move |scope| self.contains(*scope))
    }

    /// Their names with a comma between them, as they are stored.
    pub fn text(self) -> String {
        let names: Vec<&str> = self.each().map(Scope::code).collect();
        names.join(",")
    }

    /// Reads what [`Scopes::text`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        let scopes: Option<Vec<Scope>> = text.split(',').map(Scope::parse).collect();
        scopes.as_deref().and_then(Self::of)
    }
}

const fn bit(scope: Scope) -> u8 {
    match scope {
        Scope::Payments => 1,
        Scope::Refunds => 2,
        Scope::Read => 4,
        Scope::Tokenise => 8,
        Scope::Manage => 16,
    }
}

/// Which kinds of credential may hold the right to an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holders {
    /// Secret keys.
    SecretKeys,
    /// Secret keys and client tokens.
    ClientTokens,
    /// All: secret keys, client tokens and public keys.
    All,
}

/// What the audit trail records of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// Nothing: it neither reads nor changes anything.
    Nothing,
    /// Nothing of its own: the event of its commit names credential and address.
    Event,
    /// How often each credential did it in a minute.
    Counted,
    /// One entry, in the commit that does it.
    Act(Act),
}

/// An operation of the API, the right that it needs, and what is recorded of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// The name of the root field, or of the address.
    pub name: &'static str,
    /// Which kinds of credential may do it.
    pub holders: Holders,
    /// The scope that a secret key needs; none where any will do.
    pub scope: Option<Scope>,
    /// What the audit trail records of it. A refusal of the right is counted for each of them.
    pub record: Record,
}

use Record::Counted;

/// `GET /sandbox/books`.
pub const BOOKS: Operation = row("/sandbox/books", Holders::SecretKeys, Scope::Read, Counted);

/// `POST /sandbox/disputes`.
pub const DESK: Operation = row(
    "/sandbox/disputes",
    Holders::SecretKeys,
    Scope::Payments,
    Counted,
);

/// `POST /api/webhooks/{name}`.
pub const WEBHOOK: Operation = row(
    "/api/webhooks",
    Holders::SecretKeys,
    Scope::Payments,
    Counted,
);

/// The operation of this name.
pub fn operation(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.name == name)
}

impl Operation {
    /// Refuses a caller who has not the right.
    ///
    /// # Errors
    /// `api.key.forbidden`, with the scope that is missing.
    pub fn permit(&self, caller: &Caller) -> Result<(), Fault> {
        let may_hold = match &caller.credential {
            Credential::Secret => true,
            Credential::Client(_) => self.holders != Holders::SecretKeys,
            Credential::Public => self.holders == Holders::All,
        };
        if !may_hold {
            return Err(forbidden());
        }
        self.scope.map_or(Ok(()), |scope| require(caller, scope))
    }
}

/// Refuses a caller who may not do the operation of this name. One that is not in the table is refused to everybody.
///
/// # Errors
/// `api.key.forbidden`.
pub fn permit(caller: &Caller, name: &str) -> Result<(), Fault> {
    operation(name).ok_or_else(forbidden)?.permit(caller)
}

/// Refuses a secret key that was made without this scope. Browsers' credentials have none and need none.
///
/// # Errors
/// `api.key.forbidden`.
pub fn require(caller: &Caller, scope: Scope) -> Result<(), Fault> {
    if !caller.is_server() || caller.scopes.contains(scope) {
        return Ok(());
    }
    let message =
        format!("This key was made without the scope `{scope}`. Use a secret key that has it.");
    Err(Fault::new(Code::Forbidden, message))
}

#[cfg(test)]
mod tests;
