//! The configuration: a TOML file, overridden by `POINTSMAN_SECTION__KEY` variables, overridden by flags.
//!
//! It is read and checked whole at start. Every setting is documented in `pointsman.example.toml`, which a test reads and
//! compares with the defaults here. This is the one place that reads the environment.

mod address;
mod attachments;
mod audit;
mod database;
mod outbound;
mod quotas;
mod reader;
mod risks;
mod sections;
mod setting;
mod sources;
mod tls;
mod wallets;
mod webhooks;

use domain::caller::Mode;
use engine::OrderIds;

pub use address::{IpRange, Origin};
pub use attachments::{Attachments, Bucket};
pub use audit::Audit;
pub use database::Database;
pub use outbound::Outbound;
pub use reader::Problems;
use reader::Reader;
pub use risks::Risks;
pub use sections::{
    Books, Cards, Geo, Jobs, Limits, Log, LogFormat, Recovery, Routing, Server, Vault,
};
use setting::words;
pub use setting::{Bytes, Hidden};
pub use sources::{Sources, no_color};
pub use tls::TlsFiles;
pub use wallets::Wallets;
pub use webhooks::Webhooks;

/// Begins every secret key of test mode.
const TEST_KEY: &str = "sk_test_";

/// All settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Whether money is real.
    pub mode: Mode,
    /// Whether the sandbox and its simulator are there.
    pub sandbox: Sandbox,
    /// Whether a restored copy is to be served. A flag, not configured.
    pub after_restore: bool,
    /// Whether the whole installation is in another database of a server now. A flag, not configured.
    pub moved_whole: bool,
    /// The sandbox's books.
    pub books: Books,
    /// The secret key that the sandbox's first start uses instead of a random one.
    pub access_token: Option<Hidden>,
    /// Under which names wallets are shown.
    pub wallet_names: WalletNames,
    /// HTTP.
    pub server: Server,
    /// Where data lies.
    pub database: Database,
    /// What a request may cost, and how long things live.
    pub limits: Limits,
    /// What browsers' credentials may do.
    pub quotas: engine::QuotaLimits,
    /// What is known of cards by their first digits.
    pub cards: Cards,
    /// Where addresses are.
    pub geo: Geo,
    /// When unknown outcomes are looked up.
    pub recovery: Recovery,
    /// When a connection that fails is left out.
    pub routing: Routing,
    /// Keys and life times of card data.
    pub vault: Vault,
    /// Background work.
    pub jobs: Jobs,
    /// The audit trail.
    pub audit: Audit,
    /// Files that merchants keep with their payments.
    pub attachments: Attachments,
    /// Keys at the wallets.
    pub wallets: Wallets,
    /// Events that are sent to merchants' servers.
    pub webhooks: Webhooks,
    /// Calls to others than processors.
    pub outbound: Outbound,
    /// What is logged, and how.
    pub log: Log,
    /// What live mode is allowed to do though it is unsafe.
    pub risks: Risks,
}

/// Whether the sandbox is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sandbox {
    /// With the simulator, its books and a seeded team.
    Open,
    /// Without.
    Absent,
}

/// Under which names wallets and such methods are shown. Both are always accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WalletNames {
    /// The interface's own: `WALLETA_PAY`.
    Specified,
    /// Those that everybody knows: `GOOGLE_PAY`.
    Public,
}

words!(WalletNames, "`specified` or `public`", "specified" => Specified, "public" => Public);
words!(OrderIds, "`equal` or `luhn`", "equal" => Equal, "luhn" => Luhn);
words!(Mode, "`test` or `live`", "test" => Test, "live" => Live);

impl Settings {
    /// Reads and checks everything.
    ///
    /// # Errors
    /// Every problem at once, each with the setting's name and where it was given.
    pub fn load(sources: Sources, sandbox: Sandbox) -> Result<Self, Problems> {
        let mut reader = sources.reader();
        let settings = Self::read(&mut reader, sandbox);
        reader.finish()?;
        Ok(settings)
    }

    /// The form of the log, also where the other settings are wrong.
    pub fn log_format(sources: Sources) -> LogFormat {
        sources.reader().take("log.format", LogFormat::Text)
    }

    fn read(reader: &mut Reader, sandbox: Sandbox) -> Self {
        let mode = mode(reader, sandbox);
        let database = Database::read(reader);
        let limits = Limits::read(reader, mode);
        Self {
            mode,
            sandbox,
            after_restore: false,
            moved_whole: false,
            books: Books::read(reader),
            access_token: access_token(reader, sandbox),
            wallet_names: reader.take("wallet_names", WalletNames::Specified),
            server: Server::read(reader, mode),
            quotas: quotas::read(reader, limits.requests_per_second.is_some()),
            limits,
            cards: Cards::read(reader),
            geo: Geo::read(reader),
            recovery: Recovery::read(reader),
            routing: Routing::read(reader),
            vault: Vault::read(reader, &database),
            jobs: Jobs::read(reader),
            audit: Audit::read(reader),
            attachments: Attachments::read(reader, mode),
            wallets: Wallets::read(reader, mode),
            webhooks: Webhooks::read(reader),
            outbound: Outbound::read(reader, mode),
            log: Log::read(reader),
            risks: Risks::read(reader),
            database,
        }
    }

    /// The key file: where it is configured, else in the data directory.
    pub fn key_file(&self) -> std::path::PathBuf {
        self.vault
            .key_file
            .clone()
            .unwrap_or_else(|| self.database.data_dir.join("vault.keys"))
    }
}

fn mode(reader: &mut Reader, sandbox: Sandbox) -> Mode {
    let given: Option<Mode> = reader.take_optional("mode");
    match sandbox {
        Sandbox::Absent => given.unwrap_or(Mode::Live),
        Sandbox::Open => {
            if given == Some(Mode::Live) {
                reader.refuse("mode", "must not be `live` together with --sandbox");
            }
            Mode::Test
        }
    }
}

fn access_token(reader: &mut Reader, sandbox: Sandbox) -> Option<Hidden> {
    let token: Hidden = reader.take_optional("access_token")?;
    // A person may choose it, and others may reach the sandbox: it must not be guessed.
    let long_enough = |secret: &str| (16..=128).contains(&secret.len());
    let letters = |secret: &str| {
        secret
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    let secret = token.expose().strip_prefix(TEST_KEY);
    if sandbox == Sandbox::Absent {
        reader.refuse(
            "access_token",
            "is for the sandbox alone; make keys with `pointsman key create`",
        );
    } else if !secret.is_some_and(|secret| long_enough(secret) && letters(secret)) {
        reader.refuse(
            "access_token",
            "must be `sk_test_` and 16 to 128 letters, digits, `_` or `-`",
        );
    }
    Some(token)
}

#[cfg(test)]
mod tests;
