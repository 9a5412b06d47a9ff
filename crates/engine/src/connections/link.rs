//! What a call to a processor is given of its connection.

use connector::{CredentialPurpose, Credentials, Link};
use domain::{
    Fault,
    caller::{Caller, Mode},
    id::{ConnectionId, TeamId},
};
use http_client::{HostPattern, ProcessorHttp, Url};
use serde_json::Value;
use store::connection::Connection;
use vault::{Holder, VaultError};

use crate::{
    Engine,
    faults::{EngineError, only_fault},
    notifications::mark_of,
    payments::Connected,
};

/// The setting of a connection that leads its calls elsewhere, such as to a processor that is played on this machine. Test mode alone.
pub(super) const BASE_URL: &str = "base_url";

/// Replaced credentials are looked for again so often: the connection as it is cached may name a record that has just been erased.
const TRIES: u32 = 2;

/// A connection with its credentials, opened for one call.
pub(crate) struct OpenConnection {
    credentials: Option<Credentials>,
    base: Option<Base>,
    notification_url: Option<String>,
    mark: Option<String>,
}

/// Where calls go in place of the processor's own address.
struct Base {
    url: Url,
    hosts: [HostPattern; 1],
}

impl OpenConnection {
    /// The credentials, where the connection has any.
    pub(super) fn into_credentials(self) -> Option<Credentials> {
        self.credentials
    }
}

/// Why a connection can't be used for a call: a clause for the timeline.
pub(crate) type NotOpened = &'static str;

impl Engine {
    /// Opens a connection's credentials for one call.
    pub(crate) async fn open_connection(
        &self,
        line: &Connected,
    ) -> Result<Result<OpenConnection, NotOpened>, EngineError> {
        let connection = &line.connection;
        let Ok(base) = base(&connection.settings, self.inner.settings.mode) else {
            return Ok(Err("the connection's base_url can't be used"));
        };
        let Some(mut blob) = connection.credentials else {
            return Ok(Ok(OpenConnection {
                credentials: None,
                base,
                notification_url: self.notification_url(connection),
                mark: mark_of(connection),
            }));
        };
        let holder = Holder::connection(&connection.id);
        for _ in 0..TRIES {
            let opened = self
                .inner
                .vault
                .open_secret(connection.team, &holder, blob)
                .await;
            match opened {
                Ok(Some(document)) => {
                    return Ok(Credentials::read(&document)
                        .map(|read| OpenConnection {
                            credentials: Some(read),
                            base,
                            notification_url: self.notification_url(connection),
                            mark: mark_of(connection),
                        })
                        .map_err(|_| "the connection's credentials can't be read"));
                }
                Ok(None) => {}
                Err(error) => return Ok(Err(unopened(connection, &error))),
            }
            self.inner.registry.forget(&connection.team);
            let now = self.line(connection.team, &connection.id).await?;
            match now.and_then(|now| now.connection.credentials) {
                Some(now) => blob = now,
                None => break,
            }
        }
        Ok(Err("the connection's credentials are not stored any more"))
    }

    /// A connection with credentials that are not kept yet.
    pub(super) fn open_candidate(
        &self,
        connection: &Connection,
        credentials: Option<Credentials>,
    ) -> Result<OpenConnection, NotOpened> {
        let base = base(&connection.settings, self.inner.settings.mode)?;
        Ok(OpenConnection {
            credentials,
            base,
            notification_url: self.notification_url(connection),
            mark: mark_of(connection),
        })
    }

    /// The connection as it was before its secret of notifications was rotated; `None` when no earlier secret counts.
    pub(crate) async fn open_earlier(
        &self,
        line: &Connected,
        open: &OpenConnection,
    ) -> Result<Option<OpenConnection>, EngineError> {
        let connection = &line.connection;
        let now = self.inner.world.now();
        let Some(earlier) = connection.earlier.filter(|earlier| earlier.until > now) else {
            return Ok(None);
        };
        let holder = Holder::connection(&connection.id);
        let vault = &self.inner.vault;
        let opened = vault.open_secret(connection.team, &holder, earlier.record);
        let Some(document) = opened.await? else {
            return Ok(None);
        };
        let Ok(earlier) = Credentials::read(&document) else {
            return Ok(None);
        };
        let declared = line.connector.descriptor().credentials;
        let purpose = CredentialPurpose::Notifications;
        let earlier = earlier.of_purpose(declared, purpose);
        let credentials = match &open.credentials {
            Some(current) => current.with_earlier(&earlier, declared, purpose),
            None => earlier,
        };
        Ok(self.open_candidate(connection, Some(credentials)).ok())
    }

    /// What `make` makes of the link to a team's connection; `None` where there is no such connection, or it can't be opened. For the
    /// sandbox's desk, which acts for the processor.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    pub async fn with_sandbox_link<T>(
        &self,
        caller: &Caller,
        id: &ConnectionId,
        make: impl FnOnce(&Link<'_>) -> T + Send,
    ) -> Result<Option<T>, Fault> {
        let line = self.line(caller.team, id).await.map_err(only_fault)?;
        let Some(line) = line else {
            return Ok(None);
        };
        let opened = self.open_connection(&line).await.map_err(only_fault)?;
        Ok(opened.ok().map(|open| make(&self.link(&line, &open))))
    }

    /// What the connector is given for one call.
    pub(crate) fn link<'a>(&'a self, line: &'a Connected, open: &'a OpenConnection) -> Link<'a> {
        let hosts = match &open.base {
            Some(base) => &base.hosts[..],
            None => &line.connector.descriptor().hosts,
        };
        Link {
            connection: &line.connection.id,
            mode: self.inner.settings.mode,
            settings: &line.connection.settings,
            credentials: open.credentials.as_ref(),
            base: open.base.as_ref().map(|base| &base.url),
            http: ProcessorHttp::new(self.inner.http.as_ref(), hosts),
            notification_url: open.notification_url.as_deref(),
            mark: open.mark.as_deref(),
            now: self.inner.world.now(),
        }
    }
}

/// Where the settings lead the calls; `None` where they name no address. The error is a clause for the merchant: a call must
/// never go to the processor's own address because the address that was saved for it can't be used.
fn base(settings: &Value, mode: Mode) -> Result<Option<Base>, &'static str> {
    const NO_ADDRESS: &str = "has a base_url that is no http or https address";
    let Some(value) = settings.get(BASE_URL) else {
        return Ok(None);
    };
    if mode == Mode::Live {
        return Err("has a base_url, which only test mode takes");
    }
    let url = value
        .as_str()
        .and_then(|text| Url::http_or_https(text).ok());
    let url = url.ok_or(NO_ADDRESS)?;
    if url.path() != "/" || url.query().is_some() {
        return Err(
            "has a base_url with a path, which each call brings itself: give the scheme, host and port alone",
        );
    }
    let hosts = [url.own_host().ok_or(NO_ADDRESS)?];
    Ok(Some(Base { url, hosts }))
}

/// Checks the setting that leads calls elsewhere. The error is a clause for the merchant.
pub(super) fn check_base(settings: &Value, mode: Mode) -> Result<(), &'static str> {
    base(settings, mode).map(|_| ())
}

/// Notes why credentials were not opened, and says it for the timeline: a database that is away passes, a key that does not
/// fit does not.
fn unopened(connection: &Connection, error: &VaultError) -> NotOpened {
    let team: TeamId = connection.team;
    match error {
        VaultError::Db(_) | VaultError::Unclear => {
            tracing::warn!(connection = %connection.id, team.id = %team, error = %error, "the vault is away");
            "the vault could not be reached, so nothing was sent"
        }
        _ => {
            tracing::error!(connection = %connection.id, team.id = %team, error = %error, "a connection's credentials can't be opened");
            "the vault could not open the connection's credentials, so nothing was sent"
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_are_led_elsewhere_in_test_mode_alone() {
        let settings = json!({"base_url": "http://127.0.0.1:12111/"});
        let led = base(&settings, Mode::Test).unwrap().unwrap();
        assert!(led.hosts[0].allows(&led.url));
        assert_eq!(check_base(&settings, Mode::Test), Ok(()));
        assert!(base(&settings, Mode::Live).is_err());
        for wrong in [
            json!("x"),
            json!(7),
            json!("ftp://a.example"),
            json!(null),
            json!("http://127.0.0.1:12111/v1"),
            json!("http://127.0.0.1:12111?a=b"),
        ] {
            let settings = json!({ "base_url": wrong });
            assert!(base(&settings, Mode::Test).is_err(), "{settings}");
        }
        assert!(matches!(base(&json!({}), Mode::Live), Ok(None)));
    }
}
