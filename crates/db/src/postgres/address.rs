//! Where the server is and how it is spoken to.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use tokio_postgres::{
    Client, Config, Connection, Socket,
    config::{Host, SslMode, TargetSessionAttrs},
    tls::MakeTlsConnect,
};
use world::{Elapsed, World};

use super::{
    PostgresOptions,
    failure::reason,
    tls::{self, ClientFiles, Tls, Trust},
};
use crate::DbError;

/// What is said of a server, or a host, that does not answer while a connection is opened.
pub(crate) const NOT_IN_TIME: &str = "it takes no connection in time";

/// A connection, and what moves its bytes.
pub(crate) type Connected = (
    Client,
    Connection<Socket, <Tls as MakeTlsConnect<Socket>>::Stream>,
);

/// Where the server is, with the credentials and the certificates to trust.
pub(crate) struct Address {
    /// One for each host, in the address's order. Never empty.
    hosts: Vec<Config>,
    /// The place of the host that took the last connection.
    last: AtomicUsize,
    /// How long one of several hosts may take.
    share: Duration,
    tls: Tls,
}

/// The `application_name` of a command that moves data. A search for nodes does not find this name.
const MOVER: &str = "pointsman-migrate";

impl Address {
    /// Reads the address. Errors never repeat a part of it.
    pub(crate) fn parse(options: &PostgresOptions) -> Result<Self, DbError> {
        let parts = Parts::split(&options.url)?;
        let unreadable = |_| {
            DbError::Address(
                "it can't be read; it should look like postgres://user:password@host:5432/name"
                    .to_owned(),
            )
        };
        let read = |text: &str| text.parse::<Config>().map_err(unreadable);
        let mut hosts = each_host(&parts.rest)
            .iter()
            .map(|one| read(one))
            .collect::<Result<Vec<_>, _>>()?;
        let whole = read(&parts.rest)?;
        // Hosts may also be named behind the question mark; those are tried in turn by the driver.
        if hosts.len() != whole.get_hosts().len() || !whole.get_hostaddrs().is_empty() {
            hosts = vec![whole];
        }
        let share = match u32::try_from(hosts.len()) {
            Ok(several @ 2..) => options.connect_timeout / several.saturating_add(1),
            _ => options.connect_timeout,
        };
        for config in &mut hosts {
            // libpq, too, speaks plainly to a socket of the same machine.
            let is_local = |host: &Host| matches!(host, Host::Unix(_));
            let local = config.get_hosts().iter().any(is_local);
            if local && !config.get_hosts().iter().all(is_local) {
                let message = "it names a socket and a host behind one question mark";
                return Err(DbError::Address(message.to_owned()));
            }
            config.ssl_mode(if local { SslMode::Disable } else { parts.mode });
            config.connect_timeout(share);
            config.tcp_user_timeout(options.statement_timeout * 2);
            // A standby would serve what is old and take no writes.
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
            // So that those of one installation are distinguished from others in the same database, whatever they are called.
            let name = match config.get_application_name() {
                _ if options.moves => MOVER.to_owned(),
                None => format!("pointsman {}", options.schema),
                Some(own) => format!("pointsman {} {own}", options.schema),
            };
            config.application_name(name);
        }
        let tls = Tls::new(tls::settings(
            parts.trust,
            parts.roots.as_deref(),
            parts.client.as_ref(),
        )?);
        Ok(Self {
            hosts,
            last: AtomicUsize::new(0),
            share,
            tls,
        })
    }

    /// Connects to the first host that takes writes, beginning with the one that did the last time. Each has its share of the
    /// time, so that one that gives no answer does not hide the others.
    pub(crate) async fn connect(&self, world: &World) -> Result<Connected, String> {
        let first = self.last.load(Ordering::Relaxed);
        let several = self.hosts.len() > 1;
        let mut reasons = Vec::new();
        for (place, host) in self
            .hosts
            .iter()
            .enumerate()
            .cycle()
            .skip(first)
            .take(self.hosts.len())
        {
            let why = match world
                .timeout(self.share, host.connect(self.tls.clone()))
                .await
            {
                Ok(Ok(connected)) => {
                    self.last.store(place, Ordering::Relaxed);
                    return Ok(connected);
                }
                Ok(Err(error)) => reason(&error),
                Err(Elapsed) => NOT_IN_TIME.to_owned(),
            };
            // Its name may not be repeated.
            reasons.push(if several {
                format!("host {}: {why}", place.saturating_add(1))
            } else {
                why
            });
        }
        Err(reasons.join("; "))
    }
}

/// An address for each host of an address that names several, with commas between.
fn each_host(address: &str) -> Vec<String> {
    let credentials = address.find("://").map_or(0, |at| at.saturating_add(3));
    let credentials = address
        .find('@')
        .map_or(credentials, |at| at.saturating_add(1));
    let Some((before, tail)) = address.split_at_checked(credentials) else {
        return Vec::new();
    };
    let (hosts, after) = tail.split_at(tail.find(['/', '?']).unwrap_or(tail.len()));
    hosts
        .split(',')
        .map(|host| format!("{before}{host}{after}"))
        .collect()
}

/// An address without the settings that our own code interprets.
struct Parts {
    rest: String,
    mode: SslMode,
    trust: Trust,
    roots: Option<PathBuf>,
    client: Option<ClientFiles>,
}

/// The parameters that the driver knows.
const KNOWN: [&str; 19] = [
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
    "load_balance_hosts",
    "options",
    "password",
    "port",
    "sslmode",
    "sslnegotiation",
    "target_session_attrs",
    "tcp_user_timeout",
    "user",
];

/// Names the parameter that is not known, unless what stands there may be a part of a password.
fn unknown(setting: &str) -> DbError {
    let name = setting.split('=').next().unwrap_or_default();
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    DbError::Address(
        if setting.contains('=') && name.len() <= 32 && name.bytes().all(is_word) {
            format!(
                "it has an unknown parameter `{name}`; known are sslmode, sslrootcert, sslcert, sslkey, {}",
                KNOWN.join(", ")
            )
        } else {
            "what stands behind its question mark is not name=value".to_owned()
        },
    )
}

fn file(path: &str) -> PathBuf {
    PathBuf::from(path.replace("%2F", "/").replace("%2f", "/"))
}

impl Parts {
    fn split(url: &str) -> Result<Self, DbError> {
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err(DbError::Address(
                "it must begin with postgres://".to_owned(),
            ));
        }
        // The driver takes what stands before the first @ for credentials, question marks included.
        let from = url.find('@').unwrap_or(0);
        let (base, query) = match url.get(from..).and_then(|rest| rest.find('?')) {
            Some(at) => (
                url.get(..from + at).unwrap_or_default(),
                url.get(from + at + 1..).unwrap_or_default(),
            ),
            None => (url, ""),
        };
        let (mut sslmode, mut roots, mut others) = ("prefer", None, Vec::new());
        let (mut certificate, mut key) = (None, None);
        for setting in query.split('&').filter(|setting| !setting.is_empty()) {
            match setting.split_once('=') {
                Some(("sslmode", mode)) => sslmode = mode,
                Some(("sslrootcert", "system")) => roots = None,
                Some(("sslrootcert", path)) => roots = Some(file(path)),
                Some(("sslcert", path)) => certificate = Some(file(path)),
                Some(("sslkey", path)) => key = Some(file(path)),
                Some((name, _)) if KNOWN.contains(&name) => others.push(setting),
                _ => return Err(unknown(setting)),
            }
        }
        let rest = if others.is_empty() {
            base.to_owned()
        } else {
            format!("{base}?{}", others.join("&"))
        };
        let (mode, trust) = match sslmode {
            "disable" => (SslMode::Disable, Trust::Anyone),
            "prefer" => (SslMode::Prefer, Trust::Anyone),
            // As libpq has it: a certificate that is given is checked.
            "require" if roots.is_some() => (SslMode::Require, Trust::Authority),
            "require" => (SslMode::Require, Trust::Anyone),
            "verify-ca" => (SslMode::Require, Trust::Authority),
            "verify-full" => (SslMode::Require, Trust::AuthorityAndName),
            _ => {
                return Err(DbError::Address(
                    "its sslmode must be disable, prefer, require, verify-ca or verify-full"
                        .to_owned(),
                ));
            }
        };
        let client = match (certificate, key) {
            (Some(certificate), Some(key)) => Some(ClientFiles { certificate, key }),
            (None, None) => None,
            _ => {
                let message = "sslcert and sslkey must be given together";
                return Err(DbError::Address(message.to_owned()));
            }
        };
        Ok(Self {
            rest,
            mode,
            trust,
            roots,
            client,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(query: &str) -> (SslMode, Trust, Option<PathBuf>) {
        let parts = Parts::split(&format!("postgres://me:secret@db:5/x{query}")).unwrap();
        assert_eq!(parts.rest, "postgres://me:secret@db:5/x");
        (parts.mode, parts.trust, parts.roots)
    }

    #[test]
    fn the_mode_of_tls_is_honoured() {
        let roots = || Some(PathBuf::from("/ca.pem"));
        assert_eq!(parts(""), (SslMode::Prefer, Trust::Anyone, None));
        assert_eq!(
            parts("?sslmode=disable"),
            (SslMode::Disable, Trust::Anyone, None)
        );
        assert_eq!(
            parts("?sslmode=require"),
            (SslMode::Require, Trust::Anyone, None)
        );
        assert_eq!(
            parts("?sslmode=require&sslrootcert=/ca.pem"),
            (SslMode::Require, Trust::Authority, roots())
        );
        assert_eq!(
            parts("?sslmode=verify-ca&sslrootcert=system"),
            (SslMode::Require, Trust::Authority, None)
        );
        let full = parts("?sslrootcert=%2Fca.pem&sslmode=verify-full");
        assert_eq!(full, (SslMode::Require, Trust::AuthorityAndName, roots()));
    }

    #[test]
    fn each_host_has_a_configuration_of_its_own() {
        let configs = |url: &str| {
            Address::parse(&PostgresOptions::new(url, "s"))
                .unwrap()
                .hosts
        };
        for (url, wanted) in [
            (
                "postgres://me:p,/?w@a:1,b,[::1]:3/x?sslmode=disable&options=-c%20a=b,c",
                &["a:1", "b:5432", "::1:3"][..],
            ),
            ("postgres://a,b", &["a:5432", "b:5432"]),
            ("postgres://me@a/x", &["a:5432"]),
            ("postgres://me@%2Ftmp/x", &["/tmp:5432"]),
        ] {
            let found = configs(url).into_iter().map(|config| {
                let port = config.get_ports().first().copied().unwrap_or(5432);
                match config.get_hosts() {
                    [Host::Tcp(name)] => format!("{name}:{port}"),
                    [Host::Unix(path)] => format!("{}:{port}", path.display()),
                    other => panic!("{other:?}"),
                }
            });
            assert_eq!(found.collect::<Vec<_>>(), wanted, "{url}");
        }
        assert_eq!(configs("postgres://me@a/x?host=b")[0].get_hosts().len(), 2);
    }

    #[test]
    fn an_address_that_can_not_be_read_is_not_repeated() {
        for wrong in [
            "postgres://secret@:x:y/",
            "postgres://me:secret@db/x?sslmode=secret",
            "secret",
            "host=secret",
        ] {
            let refused = Address::parse(&PostgresOptions::new(wrong, "s"))
                .err()
                .unwrap()
                .to_string();
            assert!(!refused.contains("secret"), "{refused}");
        }
        // Would be spoken to plainly, both of them.
        let mixed = PostgresOptions::new(
            "postgres://me@/x?host=/run/pg&host=db.example&sslmode=verify-full",
            "s",
        );
        assert!(Address::parse(&mixed).is_err());
        let others = Parts::split("postgres://db/x?host=b&sslmode=require&port=7").unwrap();
        assert_eq!(others.rest, "postgres://db/x?host=b&port=7");
    }

    #[test]
    fn what_is_wrong_with_an_address_is_named() {
        for (address, word) in [
            ("postgres://db/x?sslmode=full", "sslmode must be"),
            ("postgres://db/x?sslrotcert=/ca.pem", "`sslrotcert`"),
            ("postgres://db/x?sslcert=/c.pem", "given together"),
            (
                "postgres://db/x?sslmode=verify-full&sslrootcert=/nowhere/ca.pem",
                "sslrootcert /nowhere/ca.pem",
            ),
            (
                "postgres://db/x?sslmode=require&sslcert=/nowhere/c.pem&sslkey=/nowhere/k.pem",
                "sslcert /nowhere/c.pem",
            ),
            ("postgres://me@db/x?pass-word@", "is not name=value"),
        ] {
            let refused = Address::parse(&PostgresOptions::new(address, "s"))
                .err()
                .unwrap()
                .to_string();
            assert!(
                refused.contains(word) && refused.contains("address"),
                "{address}: {refused}"
            );
            assert!(!refused.contains("pass-word"), "{refused}");
        }
    }

    #[test]
    fn every_parameter_that_the_driver_knows_is_taken() {
        for (name, value) in [
            ("host", "b"),
            ("user", "u"),
            ("options", "-c%20a=b"),
            ("keepalives", "1"),
            ("tcp_user_timeout", "5"),
            ("target_session_attrs", "any"),
            ("channel_binding", "prefer"),
            ("load_balance_hosts", "disable"),
            ("sslnegotiation", "postgres"),
        ] {
            assert!(KNOWN.contains(&name));
            let address = format!("postgres://me@db/x?{name}={value}");
            assert!(address.parse::<Config>().is_ok(), "{address}");
        }
    }
}
