//! `[risks]`: what live mode refuses unless it is allowed by name.

use std::{
    fs,
    net::IpAddr,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use domain::caller::Mode;

use super::{Hidden, IpRange, Settings, reader::Reader};

/// `[risks]`. Each is off unless it is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one setting for each risk, so that allowing one allows no other"
)]
pub struct Risks {
    /// Addresses that are handed out begin with `http://`.
    pub plain_public_url: bool,
    /// Others may read files of the data directory.
    pub open_files: bool,
    /// PostgreSQL is reached through a network without a check of its certificate.
    pub unverified_database: bool,
    /// Credentials may send as much as they like.
    pub no_rate_limit: bool,
    /// Other machines reach the listener, which has no TLS.
    pub public_listener_without_tls: bool,
}

impl Risks {
    pub(super) fn read(reader: &mut Reader) -> Self {
        Self {
            plain_public_url: reader.take("risks.plain_public_url", false),
            open_files: reader.take("risks.open_files", false),
            unverified_database: reader.take("risks.unverified_database", false),
            no_rate_limit: reader.take("risks.no_rate_limit", false),
            public_listener_without_tls: reader.take("risks.public_listener_without_tls", false),
        }
    }
}

impl Settings {
    /// What live mode refuses of these settings and of the files that they name, each with what to do. Empty in test mode.
    pub fn refused_risks(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.mode == Mode::Test {
            return found;
        }
        let risks = &self.risks;
        let plain = |url: &String| url.starts_with("http://");
        if !risks.plain_public_url && self.server.public_url.as_ref().is_some_and(plain) {
            found.push(
                "server.public_url: live mode hands out https:// addresses alone; risks.plain_public_url = true allows http://"
                    .to_owned(),
            );
        }
        if !risks.no_rate_limit && self.limits.requests_per_second.is_none() {
            found.push(
                "limits.requests_per_second: live mode needs a limit; risks.no_rate_limit = true allows none".to_owned(),
            );
        }
        let is_public = !self.server.listen.ip().is_loopback();
        if !risks.public_listener_without_tls && is_public && self.server.tls.is_none() {
            found.push(format!(
                "server.listen: other machines reach {}, and there is no TLS: give server.tls.certificate and server.tls.key, or \
                 listen on a loopback address behind a proxy; risks.public_listener_without_tls = true allows it",
                self.server.listen
            ));
        }
        if !risks.unverified_database {
            found.extend(self.unverified_databases());
        }
        if !risks.open_files {
            found.extend(self.open_files());
        }
        found
    }

    fn unverified_databases(&self) -> Vec<String> {
        let trusted = &self.database.trusted_network;
        let named = [
            ("database.url", &self.database.url),
            ("vault.database_url", &self.vault.database_url),
        ];
        let unverified = |url: &Hidden| !is_verified(url.expose(), trusted);
        named
            .into_iter()
            .filter(|(_, url)| url.as_ref().is_some_and(unverified))
            .map(|(name, _)| {
                format!(
                    "{name}: live mode needs sslmode=verify-full, a socket, a loopback address or one in database.trusted_network; \
                     risks.unverified_database = true allows less"
                )
            })
            .collect()
    }

    /// The data directory, what is in it, and the key of the certificate.
    fn open_files(&self) -> Vec<String> {
        let dir = &self.database.data_dir;
        let within = fs::read_dir(dir).into_iter().flatten().flatten();
        let within = within.map(|entry| entry.path());
        let key = self.server.tls.as_ref().map(|tls| tls.key.clone());
        let open = is_open(dir);
        // Who can't enter the directory can't read what is in it.
        let looked_at: Vec<PathBuf> = if open {
            std::iter::once(dir.clone())
                .chain(within)
                .chain(key)
                .collect()
        } else {
            key.into_iter().collect()
        };
        looked_at
            .iter()
            .filter(|path| is_open(path))
            .map(|path| {
                let shown = path.display();
                format!(
                    "{shown}: others can read it; run: chmod go= {shown}; risks.open_files = true allows it"
                )
            })
            .collect()
    }
}

fn is_open(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

/// Whether every host of the address is known to be the one that is meant, or is near enough.
fn is_verified(url: &str, trusted: &[IpRange]) -> bool {
    // As the driver has it: credentials end at the first @.
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split_once('@').map_or(rest, |(_, rest)| rest);
    let (base, query) = rest.split_once('?').unwrap_or((rest, ""));
    let given = |name: &str| {
        let values = query.split('&').filter_map(|part| part.split_once('='));
        values
            .filter(move |(key, _)| *key == name)
            .map(|(_, value)| value)
            .next_back()
    };
    if given("sslmode") == Some("verify-full") {
        return true;
    }
    // A host behind the question mark counts too.
    let behind = ["host", "hostaddr"].iter().filter_map(|name| given(name));
    let hosts = base.split('/').next().unwrap_or_default();
    let mut all = hosts
        .split(',')
        .chain(behind.flat_map(|hosts| hosts.split(',')))
        .filter(|host| !host.is_empty())
        .peekable();
    // Without a host it is a socket of this machine.
    all.peek().is_none() || all.all(|host| is_near(host, trusted))
}

fn is_near(host: &str, trusted: &[IpRange]) -> bool {
    if host.starts_with('/') || host.to_ascii_lowercase().starts_with("%2f") {
        return true;
    }
    let bare = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((inside, _)) => inside,
        None if host.matches(':').count() > 1 => host,
        None => host.split(':').next().unwrap_or(host),
    };
    if bare == "localhost" {
        return true;
    }
    bare.parse::<IpAddr>().is_ok_and(|address| {
        address.is_loopback() || trusted.iter().any(|range| range.contains(address))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Sandbox, Sources};

    fn refused(variables: &[(&str, &str)]) -> Vec<String> {
        let data = tempfile::tempdir().unwrap();
        let directory = data.path().join("data").display().to_string();
        let environment = variables
            .iter()
            .chain(&[("DATABASE__DATA_DIR", directory.as_str())])
            .map(|(name, value)| (format!("POINTSMAN_{name}"), (*value).to_owned()))
            .collect();
        let sources = Sources {
            environment,
            ..Sources::default()
        };
        Settings::load(sources, Sandbox::Absent)
            .unwrap()
            .refused_risks()
    }

    #[test]
    fn each_risk_is_refused_in_live_mode_and_allowed_by_its_name() {
        assert_eq!(refused(&[]), Vec::<String>::new());
        for (risk, name, value) in [
            (
                "plain_public_url",
                "SERVER__PUBLIC_URL",
                "http://pay.example",
            ),
            ("no_rate_limit", "LIMITS__REQUESTS_PER_SECOND", "0"),
            (
                "public_listener_without_tls",
                "SERVER__LISTEN",
                "0.0.0.0:8080",
            ),
            (
                "unverified_database",
                "DATABASE__URL",
                "postgres://a@db.example/x",
            ),
        ] {
            let reported = refused(&[(name, value)]);
            assert_eq!(reported.len(), 1, "{reported:?}");
            assert!(
                reported[0].contains(&format!("risks.{risk} = true")),
                "{reported:?}"
            );
            let allowed = format!("RISKS__{}", risk.to_uppercase());
            assert_eq!(
                refused(&[(name, value), (&allowed, "true")]),
                Vec::<String>::new()
            );
            assert_eq!(
                refused(&[(name, value), ("MODE", "test")]),
                Vec::<String>::new()
            );
        }
    }

    #[test]
    fn a_database_is_verified_or_near() {
        let trusted = [IpRange::sample("10.0.0.0/8")];
        for good in [
            "postgres://a@db.example/x?sslmode=verify-full",
            "postgres://a:/?b@db.example/x?sslmode=verify-full",
            "postgres://a:b@127.0.0.1:5432/x",
            "postgres://a@localhost/x",
            "postgres://a@[::1]:5432/x?sslmode=require",
            "postgres://a@%2Frun%2Fpostgresql/x",
            "postgres:///x?host=/run/postgresql",
            "postgres://a@10.1.2.3,10.1.2.4:6/x",
        ] {
            assert!(is_verified(good, &trusted), "{good}");
        }
        for bad in [
            "postgres://a@db.example/x",
            "postgres://a@db.example/x?sslmode=require",
            "postgres://a@db.example/x?sslmode=verify-ca",
            "postgres://a@10.1.2.3,db.example/x",
            "postgres://a@localhost/x?host=db.example",
            "postgres://a@localhost.example/x",
            "postgres://a@11.1.2.3/x",
            "postgres://a@db.example/x?sslmode=verify-full&sslmode=disable",
        ] {
            assert!(!is_verified(bad, &trusted), "{bad}");
        }
    }
}
