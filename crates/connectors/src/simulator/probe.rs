//! What the simulated processor says of an account, and which credentials have the form of its own.

use connector::{AccountFacts, CallError, Called, Connector, Credentials, Link, Probe};
use domain::caller::Mode;

use super::{
    Simulator,
    descriptor::{API_KEY, LIVE_ACCOUNT_KEY, LIVE_PREFIX, NOTIFICATION_SECRET},
    notify::SECRET_PREFIX,
    settings::fields_account,
};

impl Probe for Simulator {
    fn account<'a>(&'a self, link: &'a Link<'a>) -> Called<'a, AccountFacts> {
        Box::pin(async move {
            let is_live = link.credential(API_KEY) == Some(LIVE_ACCOUNT_KEY);
            if is_live {
                return Ok(self.facts(link, true));
            }
            let facts = async { Ok::<_, CallError>(self.facts(link, false)) };
            self.under(link, None, facts).await
        })
    }
}

impl Simulator {
    fn facts(&self, link: &Link<'_>, is_live: bool) -> AccountFacts {
        let methods = self.descriptor().methods.iter();
        let own_fields = fields_account(link.settings).map(|_| {
            "The account takes cards by the processor's own fields alone, not by number.".into()
        });
        AccountFacts {
            id: Some(format!("sim_acct_{}", link.connection).into()),
            name: Some("Simulated account".into()),
            country: Some("NL".into()),
            is_live: Some(is_live),
            capabilities: methods.map(|method| method.code().into()).collect(),
            warnings: own_fields.into_iter().collect(),
        }
    }
}

/// Whether the credentials have the form of the simulator's. The error is a clause for the merchant.
pub(super) fn check(credentials: &Credentials, mode: Mode) -> Result<(), String> {
    let is_live = credentials
        .get(API_KEY)
        .map(|key| key.starts_with(LIVE_PREFIX));
    match (is_live, mode) {
        (Some(true), Mode::Test) => {
            return Err(format!(
                "has an {API_KEY} of live mode, and this installation is in test mode"
            ));
        }
        (Some(false), Mode::Live) => {
            return Err(format!(
                "has an {API_KEY} of test mode, and this installation is in live mode"
            ));
        }
        _ => {}
    }
    let secret = credentials.get(NOTIFICATION_SECRET);
    if secret.is_some_and(|secret| !secret.starts_with(SECRET_PREFIX)) {
        return Err(format!(
            "has a {NOTIFICATION_SECRET} that does not begin with {SECRET_PREFIX}"
        ));
    }
    Ok(())
}
