//! Asking a processor about the account behind a connection. Nothing is committed meanwhile.

use std::{sync::Arc, time::Duration};

use connector::{AccountFacts, CallError, Cause, Connector, Credentials};
use domain::{Fault, caller::Mode, id::TeamId};
use serde_json::Value;
use store::connection::Connection;

use super::link::{BASE_URL, OpenConnection};
use crate::{Engine, faults::EngineError, payments::Connected};

/// The longest wait for the answer to a probe: somebody waits for the connection to be saved.
const PATIENCE: Duration = Duration::from_secs(10);

/// How a test of a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestOutcome {
    /// The processor accepts the credentials.
    Passed,
    /// The processor doesn't accept the credentials.
    Refused,
    /// The account is live and this installation is for tests, or the reverse.
    OtherMode,
    /// The processor can't be asked now, or refused the question.
    NoAnswer,
    /// The processor can't be asked without an effect.
    NotSupported,
}

impl TestOutcome {
    /// Its word in the interface.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Passed => "PASSED",
            Self::Refused => "REFUSED",
            Self::OtherMode => "OTHER_MODE",
            Self::NoAnswer => "NO_ANSWER",
            Self::NotSupported => "NOT_SUPPORTED",
        }
    }
}

/// A test of a connection: what its processor says of the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionTest {
    /// How it ended.
    pub outcome: TestOutcome,
    /// What the processor says.
    pub facts: AccountFacts,
    /// What the merchant should do about it: whole sentences, with those of the processor.
    pub warnings: Vec<String>,
}

impl ConnectionTest {
    /// A test that ended without facts.
    fn ended(outcome: TestOutcome, warning: &str) -> Self {
        Self {
            outcome,
            facts: AccountFacts::default(),
            warnings: vec![warning.to_owned()],
        }
    }

    /// Why the credentials that were tested must not be kept: a clause for the merchant.
    pub(super) const fn refusal(&self) -> Option<&'static str> {
        match self.outcome {
            TestOutcome::Refused => Some("are not accepted by the processor"),
            TestOutcome::OtherMode => {
                Some("belong to an account of the other mode, test or live, than this installation")
            }
            TestOutcome::Passed | TestOutcome::NoAnswer | TestOutcome::NotSupported => None,
        }
    }
}

/// A connection as it is to be, whose processor is asked before it is kept.
pub(super) struct Candidate {
    /// The connection.
    pub(super) connection: Connection,
    /// The code of its processor.
    pub(super) connector: Arc<dyn Connector>,
    /// New credentials; `None`: those that are kept.
    pub(super) credentials: Option<Credentials>,
}

impl Engine {
    /// Asks the processor of a connection that is to be kept. `None` where it can't be asked without an effect.
    ///
    /// # Errors
    /// `error.validation` for `credentials` where new ones are refused, or are of the other mode.
    pub(super) async fn probe_candidate(
        &self,
        candidate: Candidate,
    ) -> Result<Option<ConnectionTest>, EngineError> {
        if candidate.connector.probe().is_none() {
            return Ok(None);
        }
        let is_new = candidate.credentials.is_some();
        let line = Connected {
            connection: Arc::new(candidate.connection),
            connector: candidate.connector,
        };
        let opened = match candidate.credentials {
            Some(credentials) => self.open_candidate(&line.connection, Some(credentials)),
            None => self.open_connection(&line).await?,
        };
        let test = match opened {
            Ok(open) => self.probe(&line, &open).await,
            Err(why) => unopened(why),
        };
        match test.refusal() {
            Some(reason) if is_new => Err(Fault::invalid("credentials", reason).into()),
            _ => Ok(Some(test)),
        }
    }

    /// Asks the processor about the account of a connection as it is kept.
    pub(super) async fn probe_stored(
        &self,
        line: &Connected,
    ) -> Result<ConnectionTest, EngineError> {
        if line.connector.probe().is_none() {
            let warning = "The processor can't be asked about an account without an effect: make a payment to test it.";
            return Ok(ConnectionTest::ended(TestOutcome::NotSupported, warning));
        }
        Ok(match self.open_connection(line).await? {
            Ok(open) => self.probe(line, &open).await,
            Err(why) => unopened(why),
        })
    }

    async fn probe(&self, line: &Connected, open: &OpenConnection) -> ConnectionTest {
        let Some(probe) = line.connector.probe() else {
            return unopened("its processor can't be asked");
        };
        let way = self.link(line, open);
        let patience = line.connector.descriptor().call_timeout.min(PATIENCE);
        let asked = self.inner.world.timeout(patience, probe.account(&way));
        match asked.await {
            Ok(Ok(facts)) => judged(facts, self.inner.settings.mode),
            Ok(Err(error)) => {
                let (connection, team) = (&line.connection.id, line.connection.team);
                tracing::warn!(%connection, team.id = %team, error = %error, "a processor did not answer a probe with facts");
                unanswered(&error, led_to(&line.connection))
            }
            Err(world::Elapsed) => ConnectionTest::ended(
                TestOutcome::NoAnswer,
                "The processor did not answer in time. Test the connection again later.",
            ),
        }
    }

    /// A team's connection with the code of its processor, as it is stored now.
    pub(super) async fn stored_line(
        &self,
        team: TeamId,
        id: &domain::id::ConnectionId,
    ) -> Result<Connected, EngineError> {
        let known = store::connection::of_team(&self.inner.store, team).await?;
        let connection = known
            .into_iter()
            .find(|connection| connection.id == *id)
            .ok_or_else(crate::faults::connection_not_found)?;
        let connector = self.inner.connectors.get(connection.processor.as_str());
        let Some(connector) = connector else {
            let reason = "is of a processor that is not built in";
            return Err(Fault::invalid("id", reason).into());
        };
        Ok(Connected {
            connector: Arc::clone(connector),
            connection: Arc::new(connection),
        })
    }
}

/// What the facts come to in an installation of this mode.
fn judged(facts: AccountFacts, mode: Mode) -> ConnectionTest {
    let mut warnings: Vec<String> = facts.warnings.iter().map(ToString::to_string).collect();
    let outcome = match (facts.is_live, mode) {
        (Some(true), Mode::Test) => {
            warnings.insert(0, "The account is live, and this installation is in test mode: use credentials of a test account.".to_owned());
            TestOutcome::OtherMode
        }
        (Some(false), Mode::Live) => {
            warnings.insert(0, "The account is a test account, and this installation is live: use credentials of the live account.".to_owned());
            TestOutcome::OtherMode
        }
        (None, _) | (Some(true), Mode::Live) | (Some(false), Mode::Test) => TestOutcome::Passed,
    };
    ConnectionTest {
        outcome,
        facts,
        warnings,
    }
}

/// Where the settings lead the calls: the merchant's own words. Where they lead nowhere else, the processor's address is its connector's.
fn led_to(connection: &Connection) -> Option<&str> {
    connection.settings.get(BASE_URL).and_then(Value::as_str)
}

/// What a test comes to that brought no facts. A processor's own words stay in the log, and why there is no connection: it would tell of
/// the network around the service.
fn unanswered(error: &CallError, led_to: Option<&str>) -> ConnectionTest {
    let (outcome, warning) = match error {
        CallError::Rejected {
            cause: Cause::Credentials,
            ..
        } => (
            TestOutcome::Refused,
            "The processor does not accept the credentials: replace them with rotateConnection.",
        ),
        CallError::Rejected { .. } | CallError::Unsupported => (
            TestOutcome::NoAnswer,
            "The processor refused the question about the account, so it is not known whether payments will pass: make one to find out.",
        ),
        CallError::NotSent { .. } | CallError::Unknown { .. } => {
            let place = led_to.map_or_else(String::new, |url| format!(" at {url} (base_url)"));
            let warning = format!(
                "The processor could not be reached{place}, or something else answers there. Test the connection again later; the service's log has the reason."
            );
            return ConnectionTest::ended(TestOutcome::NoAnswer, &warning);
        }
    };
    ConnectionTest::ended(outcome, warning)
}

fn unopened(why: &str) -> ConnectionTest {
    let warning = format!("The processor was not asked: {why}.");
    ConnectionTest::ended(TestOutcome::NoAnswer, &warning)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(is_live: Option<bool>) -> AccountFacts {
        AccountFacts {
            is_live,
            warnings: vec!["Cards need activation.".into()],
            ..AccountFacts::default()
        }
    }

    #[test]
    fn an_account_of_the_other_mode_is_refused_and_an_unknown_mode_is_not() {
        for (is_live, mode, outcome) in [
            (Some(true), Mode::Live, TestOutcome::Passed),
            (Some(false), Mode::Test, TestOutcome::Passed),
            (None, Mode::Live, TestOutcome::Passed),
            (None, Mode::Test, TestOutcome::Passed),
            (Some(true), Mode::Test, TestOutcome::OtherMode),
            (Some(false), Mode::Live, TestOutcome::OtherMode),
        ] {
            let test = judged(facts(is_live), mode);
            assert_eq!(test.outcome, outcome, "{is_live:?} {mode:?}");
            assert_eq!(test.refusal().is_some(), outcome == TestOutcome::OtherMode);
            assert_eq!(test.warnings.last().unwrap(), "Cards need activation.");
        }
    }

    #[test]
    fn only_credentials_that_the_processor_refuses_are_not_kept() {
        let refused = |cause| CallError::Rejected {
            code: None,
            reason: "sk_test_secret is not known".into(),
            cause,
        };
        for (error, is_refused) in [
            (refused(Cause::Credentials), true),
            (refused(Cause::Request), false),
            (refused(Cause::KeyReused), false),
            (CallError::not_sent("away"), false),
            (CallError::unknown("cut"), false),
            (CallError::Unsupported, false),
        ] {
            let test = unanswered(&error, Some("http://127.0.0.1:9"));
            assert_eq!(test.refusal().is_some(), is_refused, "{error}");
            let said = test.warnings.concat();
            assert!(!said.contains("secret"), "{test:?}");
            let is_lost = matches!(error, CallError::NotSent { .. } | CallError::Unknown { .. });
            assert_eq!(said.contains("at http://127.0.0.1:9 (base_url)"), is_lost);
        }
    }
}
