//! Where the server is and how it is spoken to.

use std::path::PathBuf;

use tokio_postgres::{
    Config,
    config::{Host, SslMode, TargetSessionAttrs},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{
    PostgresOptions,
    tls::{self, Trust},
};
use crate::DbError;

/// Where the server is, with the credentials and the certificates to trust.
pub(crate) struct Address {
    pub(crate) config: Config,
    pub(crate) tls: MakeRustlsConnect,
}

impl Address {
    /// Reads the address. Errors never repeat a part of it.
    pub(crate) fn parse(options: &PostgresOptions) -> Result<Self, DbError> {
        let parts = Parts::split(&options.url)?;
        let unreadable =
            |_| DbError::Schema("its address can't be read: is it postgres://user:…@host/name?".to_owned());
        let mut config: Config = parts.rest.parse().map_err(unreadable)?;
        // libpq, too, speaks plainly to a socket of the same machine.
        let local = config.get_hosts().iter().any(|host| matches!(host, Host::Unix(_)));
        config.ssl_mode(if local { SslMode::Disable } else { parts.mode });
        config.connect_timeout(options.connect_timeout);
        config.tcp_user_timeout(options.statement_timeout * 2);
        // A standby would serve what is old and take no writes.
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        if config.get_application_name().is_none() {
            // So that those of one installation are told from others in the same database.
            config.application_name(format!("pointsman {}", options.schema));
        }
        let tls = MakeRustlsConnect::new(tls::settings(parts.trust, parts.roots.as_deref())?);
        Ok(Self { config, tls })
    }
}

/// An address without the settings that our own code interprets.
struct Parts {
    rest: String,
    mode: SslMode,
    trust: Trust,
    roots: Option<PathBuf>,
}

impl Parts {
    fn split(url: &str) -> Result<Self, DbError> {
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err(DbError::Schema("its address must begin with postgres://".to_owned()));
        }
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut sslmode, mut roots, mut others) = ("prefer", None, Vec::new());
        for setting in query.split('&').filter(|setting| !setting.is_empty()) {
            match setting.split_once('=') {
                Some(("sslmode", mode)) => sslmode = mode,
                Some(("sslrootcert", "system")) => roots = None,
                Some(("sslrootcert", path)) => roots = Some(PathBuf::from(path.replace("%2F", "/"))),
                _ => others.push(setting),
            }
        }
        let rest = if others.is_empty() { base.to_owned() } else { format!("{base}?{}", others.join("&")) };
        let (mode, trust) = match sslmode {
            "disable" => (SslMode::Disable, Trust::Anyone),
            "prefer" => (SslMode::Prefer, Trust::Anyone),
            // As libpq has it: a certificate that is given is checked.
            "require" if roots.is_some() => (SslMode::Require, Trust::Authority),
            "require" => (SslMode::Require, Trust::Anyone),
            "verify-ca" => (SslMode::Require, Trust::Authority),
            "verify-full" => (SslMode::Require, Trust::AuthorityAndName),
            _ => return Err(DbError::Schema("the sslmode of its address is not one of those known".to_owned())),
        };
        Ok(Self { rest, mode, trust, roots })
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
        assert_eq!(parts("?sslmode=disable"), (SslMode::Disable, Trust::Anyone, None));
        assert_eq!(parts("?sslmode=require"), (SslMode::Require, Trust::Anyone, None));
        assert_eq!(parts("?sslmode=require&sslrootcert=/ca.pem"), (SslMode::Require, Trust::Authority, roots()));
        assert_eq!(parts("?sslmode=verify-ca&sslrootcert=system"), (SslMode::Require, Trust::Authority, None));
        let full = parts("?sslrootcert=%2Fca.pem&sslmode=verify-full");
        assert_eq!(full, (SslMode::Require, Trust::AuthorityAndName, roots()));
    }

    #[test]
    fn an_address_that_can_not_be_read_is_not_repeated() {
        for wrong in ["postgres://secret@:x:y/", "postgres://me:secret@db/x?sslmode=secret", "secret", "host=secret"] {
            let refused = Address::parse(&PostgresOptions::new(wrong, "s")).err().unwrap().to_string();
            assert!(!refused.contains("secret"), "{refused}");
        }
        let others = Parts::split("postgres://db/x?a=b&sslmode=require&c=d").unwrap();
        assert_eq!(others.rest, "postgres://db/x?a=b&c=d");
    }
}
