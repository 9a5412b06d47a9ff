//! Keyed hashes by which numbers are found again and counted, without telling what they are.

use domain::{
    bank_account::AccountKind,
    card_number::{AccountNumber, CardNumber},
    id::{ConnectionId, TeamId},
    processor_token::CardToken,
};
use zeroize::Zeroizing;

use crate::{Vault, envelope::RecordKind};

/// Length of a mark: 80 bits. Unit: hexadecimal digits.
const MARK: usize = 20;

/// By what a number is counted, without telling what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberMark {
    /// The same for the same number within a team.
    pub number: String,
    /// The same for all numbers of which the same digits are shown.
    pub bucket: String,
}

impl Vault {
    /// The same for the same card within a team, and nothing else: a keyed hash.
    pub fn fingerprint(&self, team: TeamId, number: &CardNumber) -> String {
        self.keys()
            .fingerprint(team, RecordKind::Card, number.expose())
    }

    /// The same for the same token of a connection's fields, within a team: by it a second use is found.
    pub fn token_fingerprint(
        &self,
        team: TeamId,
        connection: &ConnectionId,
        token: &CardToken,
    ) -> String {
        let whole = Zeroizing::new(format!("{connection} {}", token.expose()));
        self.keys().fingerprint(team, RecordKind::Token, &whole)
    }

    /// The same for the same bank account, at one bank, within a team.
    pub fn account_fingerprint(
        &self,
        team: TeamId,
        kind: &AccountKind,
        number: &AccountNumber,
    ) -> String {
        self.keys()
            .fingerprint(team, RecordKind::Account, &kind.whole(number))
    }

    /// By what a card's number is counted: the same for the same number within a team, and for no other.
    pub fn card_mark(&self, team: TeamId, number: &CardNumber) -> NumberMark {
        let shown = format!("{}{}", number.bin(), number.last4());
        self.number_mark(team, RecordKind::Card, number.expose(), &shown)
    }

    /// The same for a bank account. What is shown of it is its end; numbers with one end at one bank are counted together.
    pub fn account_mark(
        &self,
        team: TeamId,
        kind: &AccountKind,
        number: &AccountNumber,
    ) -> NumberMark {
        let shown = format!("{} at {}", number.last4(), kind.bank(number));
        self.number_mark(team, RecordKind::Account, &kind.whole(number), &shown)
    }

    fn number_mark(&self, team: TeamId, kind: RecordKind, number: &str, shown: &str) -> NumberMark {
        let keys = self.keys();
        let short = |mut text: String| {
            text.truncate(MARK);
            text
        };
        NumberMark {
            number: short(keys.number_mark(team, kind, number)),
            bucket: short(keys.number_mark(team, kind, shown)),
        }
    }
}
