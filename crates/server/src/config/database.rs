//! `[database]`: where data lie, and how a server of databases is spoken to.

use std::{path::PathBuf, time::Duration};

use db::Lanes;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::{Hidden, IpRange, reader::Reader};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);

/// `[database]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Database {
    /// The directory of the embedded databases, the key file, the lock and the command socket.
    pub data_dir: PathBuf,
    /// A PostgreSQL server in place of the embedded databases.
    pub url: Option<Hidden>,
    /// The store's schema there; the vault's and the simulator's begin with it.
    pub schema: String,
    /// Connections that commit the store's changes.
    pub writers: u64,
    /// Connections for point reads, each shared by many.
    pub readers: u64,
    /// Connections for what may take long.
    pub scanners: u64,
    /// The connections for claims and sweeps. Not configured.
    pub lanes: Lanes,
    /// How long opening a connection may take.
    pub connect_timeout: Duration,
    /// How long a statement may take.
    pub statement_timeout: Duration,
    /// How long work waits for a server that is away before it is refused.
    pub patience: Duration,
    /// Whether statements of a kind that wait at the same moment are sent as one.
    pub bundles: bool,
    /// How far this machine's clock may be from the server's.
    pub max_clock_skew: Duration,
    /// Networks in which a server of databases is believed without a check of its certificate.
    pub trusted_network: Vec<IpRange>,
    /// Whether a start on a PostgreSQL server brings its tables up to date, where its role may.
    pub migrate_at_start: bool,
    /// Whether data are to be moved: no node, but a command that looks for nodes. Not configured.
    pub moves: bool,
}

impl Database {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let url = address(reader, "database.url");
        let url = with_password(reader, url, "database.password_file");
        let schema = reader.take("database.schema", "pointsman".to_owned());
        if !is_schema(&schema) {
            reader.refuse(
                "database.schema",
                "must be 1 to 40 lower-case letters, digits and `_`, beginning with a letter and not with `pg_`, and not `information_schema`",
            );
        }
        let most = 64;
        Self {
            data_dir: reader.take("database.data_dir", PathBuf::from("./pointsman-data")),
            url,
            schema,
            writers: reader.within("database.writers", 2, &(1..=most)),
            readers: reader.within("database.readers", 4, &(1..=most)),
            scanners: reader.within("database.scanners", 2, &(1..=most)),
            lanes: Lanes::Both,
            connect_timeout: reader.within(
                "database.connect_timeout",
                5 * SECOND,
                &(SECOND / 10..=MINUTE),
            ),
            statement_timeout: reader.within(
                "database.statement_timeout",
                15 * SECOND,
                &(SECOND..=10 * MINUTE),
            ),
            patience: reader.within(
                "database.patience",
                10 * SECOND,
                &(Duration::ZERO..=10 * MINUTE),
            ),
            max_clock_skew: reader.within(
                "database.max_clock_skew",
                5 * SECOND,
                &(Duration::ZERO..=MINUTE),
            ),
            bundles: reader.take("database.bundles", true),
            trusted_network: reader.take("database.trusted_network", Vec::new()),
            migrate_at_start: reader.take("database.migrate_at_start", true),
            moves: false,
        }
    }

    /// For a command, which is over soon: no more connections than are needed.
    pub fn be_brief(&mut self) {
        (self.writers, self.readers, self.scanners) = (1, 1, 1);
        self.lanes = Lanes::SweepsClaim;
    }
}

/// An address of PostgreSQL. What is refused is not repeated: it may hold a password.
pub(super) fn address(reader: &mut Reader, name: &'static str) -> Option<Hidden> {
    let url: Hidden = reader.take_optional(name)?;
    let is_postgres = ["postgres://", "postgresql://"]
        .iter()
        .any(|scheme| url.expose().starts_with(scheme));
    if !is_postgres {
        reader.refuse(name, "must be a postgres:// address");
    }
    Some(url)
}

/// The address with the password that a file holds, so that it stands in neither configuration nor environment.
pub(super) fn with_password(
    reader: &mut Reader,
    url: Option<Hidden>,
    name: &'static str,
) -> Option<Hidden> {
    let Some(path) = reader.path(name) else {
        return url;
    };
    let password = match std::fs::read_to_string(&path) {
        Ok(text) => text.trim_end_matches(['\r', '\n']).to_owned(),
        Err(error) => {
            reader.refuse(name, &format!("{} can't be read: {error}", path.display()));
            return url;
        }
    };
    let put = url
        .as_ref()
        .and_then(|url| put_password(url.expose(), &password));
    if put.is_none() {
        reader.refuse(
            name,
            "needs an address with a user and without a password, such as postgres://pointsman@db.example/pointsman",
        );
    }
    put.map(Hidden::new).or(url)
}

fn put_password(url: &str, password: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?']).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    if user.is_empty() || user.contains(':') {
        return None;
    }
    let after = rest.strip_prefix(user)?;
    let encoded = utf8_percent_encode(password, NON_ALPHANUMERIC);
    Some(format!("{scheme}://{user}:{encoded}{after}"))
}

fn is_schema(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    // PostgreSQL cuts names at 63 bytes, and ours get endings.
    name.len() <= 40
        && name.bytes().all(fits)
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && !name.starts_with("pg_")
        && name != "information_schema"
}

#[cfg(test)]
mod tests {
    use super::put_password;

    #[test]
    fn a_password_is_put_behind_the_user() {
        assert_eq!(
            put_password("postgres://me@db:5/x?sslmode=require", "a:/@ é").as_deref(),
            Some("postgres://me:a%3A%2F%40%20%C3%A9@db:5/x?sslmode=require")
        );
        for bad in [
            "postgres://me:old@db/x",
            "postgres://db/x",
            "postgres://@db/x",
        ] {
            assert_eq!(put_password(bad, "p"), None, "{bad}");
        }
    }
}
