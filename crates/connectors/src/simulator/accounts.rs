//! The test accounts: which number plays which part once a direct debit is collected.
//!
//! The numbers are those that Stripe publishes for its own tests, so that suites that know them go on working. Source:
//! docs.stripe.com/payments/sepa-debit, /bacs-debit, /ach-direct-debit and /au-becs-debit, each "Test".

use connector::AccountData;
use domain::decline::DeclineCode;

use super::Behaviour;

/// Every number that is declined when the debit is collected.
const TABLE: &[(&str, DeclineCode)] = &[
    // IBAN.
    ("DE62370400440532013001", DeclineCode::InsufficientFunds),
    ("AT861904300235473202", DeclineCode::InsufficientFunds),
    // Sort code and account.
    ("22222227", DeclineCode::InsufficientFunds),
    ("33333335", DeclineCode::NotPermitted),
    // Routing number and account.
    ("000222222227", DeclineCode::InsufficientFunds),
    ("000333333335", DeclineCode::NotPermitted),
    ("000111111113", DeclineCode::InvalidCardOrAccount),
    ("000111111116", DeclineCode::InvalidCardOrAccount),
    // BSB and account.
    ("222222227", DeclineCode::InsufficientFunds),
    ("111111113", DeclineCode::InvalidCardOrAccount),
];

/// Every number whose debit is paid first, and returned after that.
const RETURNED: &[&str] = &["DE35370400440532013002", "AT591904300235473203"];

/// The part that an account plays.
pub(super) fn behaviour(account: &AccountData) -> Behaviour {
    let number = account.number.expose();
    if RETURNED.contains(&number) {
        return Behaviour::HeldThenReturned;
    }
    TABLE
        .iter()
        .find(|(listed, _)| *listed == number)
        .map_or(Behaviour::Held, |(_, code)| {
            Behaviour::HeldThenDecline(*code)
        })
}
