//! Commands and flags.

mod api;
mod connections;
mod flows;
mod links;
mod pages;
mod webhooks;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use domain::{audit::Act, rights::Scope};

pub(super) use api::{Access, Events, Listen};
pub(super) use connections::{
    AddConnection, Connections, CredentialSource, OneConnection, RotateConnection,
};
pub(super) use flows::{ExportFlow, Flows, ImportFlow};
pub(super) use links::{CreateLink, Links};
pub(super) use pages::{OfTeam, Pages};
pub(super) use webhooks::{OneWebhook, Webhooks};

use crate::{
    admin::{KeyKind, TeamChanges},
    config::Sources,
};

/// Pointsman: one interface to several payment processors, with a vault for cards.
#[derive(Parser)]
#[command(name = "pointsman", version, about, propagate_version = true)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Serve the API
    Serve(Serve),
    /// Show the life of real payments in a fresh sandbox, then keep serving it
    Demo(Demo),
    /// Print the GraphQL schema
    Schema,
    /// Check what `serve` with the same flags would refuse: configuration, keys, data directory and databases
    Check(Check),
    /// Teams
    #[command(subcommand)]
    Team(Teams),
    /// API keys
    #[command(subcommand)]
    Key(Keys),
    /// Flows: what a team's payments run under
    #[command(subcommand)]
    Flow(Flows),
    /// Connections: a team's accounts at processors
    #[command(subcommand)]
    Connection(Connections),
    /// Payment links: addresses that are sent to customers, who pay there
    #[command(subcommand)]
    Link(Links),
    /// Webhook endpoints: where a team's events are sent
    #[command(subcommand)]
    Webhook(Webhooks),
    /// Guarded pages: pages of yours on which customers pay, and the scripts that may run there
    #[command(subcommand)]
    Page(Pages),
    /// The vault of card data
    #[command(subcommand)]
    Vault(Vaults),
    /// The audit trail: who did what
    #[command(subcommand)]
    Audit(Audits),
    /// Print events as they happen, and forward them to a program on this machine
    Listen(Listen),
    /// Events, through a server's API
    #[command(subcommand)]
    Events(Events),
    /// Tell a payment's story in plain words: what was tried where, what is proven, what comes next
    Explain(Explain),
    /// Copy the embedded databases, also while a server runs, or look through a copy
    Backup(Backup),
    /// Make an installation of a backup, in a data directory that has none
    Restore(Restore),
    /// Make the tables, or bring them up to date, apart from serving
    Upgrade(Upgrade),
    /// Move everything to PostgreSQL, or back, while no server runs
    Migrate(Migrate),
}

#[derive(Subcommand)]
pub(super) enum Teams {
    /// Make a team
    Create {
        /// What people call it
        #[arg(long)]
        name: String,
        #[command(flatten)]
        place: Location,
    },
    /// List teams with their ids
    List {
        #[command(flatten)]
        place: Location,
    },
    /// Accept no key of a team any more; its data stay, and payments under way are carried on
    Close {
        /// The team's id or name
        #[arg(value_name = "TEAM")]
        team: String,
        #[command(flatten)]
        place: Location,
    },
    /// Accept the keys of a closed team again
    Reopen {
        /// The team's id or name
        #[arg(value_name = "TEAM")]
        team: String,
        #[command(flatten)]
        place: Location,
    },
    /// Change what a team has set, and print all of it; what is not named stays
    Set {
        #[command(flatten)]
        changes: TeamSettings,
        #[command(flatten)]
        place: Location,
    },
}

/// Flags of `team set`.
#[derive(Args)]
pub(super) struct TeamSettings {
    /// The team's id or name; the first team when absent
    #[arg(long)]
    team: Option<String>,
    /// What people call it
    #[arg(long)]
    name: Option<String>,
    /// Where its logo is, an https address
    #[arg(long, value_name = "URL")]
    logo: Option<String>,
    /// An origin whose pages may call the API from a browser, such as <https://shop.example>; may be given several times
    #[arg(long, value_name = "ORIGIN")]
    allowed_origin: Vec<String>,
    /// A host that browsers may send customers back to, such as shop.example or *.shop.example; several times
    #[arg(long, value_name = "HOST")]
    return_host: Vec<String>,
    /// A scheme of an app of the team's own, such as shopapp; several times
    #[arg(long, value_name = "SCHEME")]
    return_scheme: Vec<String>,
    /// Whether secret keys see the fingerprints of numbers
    #[arg(long, value_name = "BOOL")]
    fingerprint: Option<bool>,
    /// A setting that is to be as if it had never been set; several times
    #[arg(long, value_name = "SETTING", value_parser = ["logo", "allowed-origin", "return-host", "return-scheme"])]
    clear: Vec<String>,
}

impl From<TeamSettings> for TeamChanges {
    fn from(flags: TeamSettings) -> Self {
        Self {
            team: flags.team,
            name: flags.name,
            logo: flags.logo,
            allowed_origins: flags.allowed_origin,
            return_hosts: flags.return_host,
            return_schemes: flags.return_scheme,
            fingerprint: flags.fingerprint,
            clear: flags.clear,
        }
    }
}

#[derive(Subcommand)]
pub(super) enum Keys {
    /// Make a key and print it; it is shown only then
    Create {
        /// The team's id or name; the first team when absent
        #[arg(long)]
        team: Option<String>,
        /// secret for your server, public for browsers
        #[arg(long, value_enum)]
        kind: KeyKind,
        /// What people call it [default: its kind]
        #[arg(long, default_value = "", hide_default_value = true)]
        name: String,
        /// When it ends: after a time such as 90d or 12h, with a day such as 2027-01-31 (UTC), or at an RFC 3339 time [default: never]
        #[arg(long, value_name = "WHEN")]
        expires: Option<String>,
        /// What a secret key may do, of payments, refunds, read, tokenise and manage, with commas between them [default: everything]
        #[arg(long, value_name = "SCOPES", value_delimiter = ',', value_parser = scope)]
        scope: Vec<Scope>,
        #[command(flatten)]
        place: Location,
    },
    /// List keys
    List {
        /// The team's id or name; every team when absent
        #[arg(long)]
        team: Option<String>,
        #[command(flatten)]
        place: Location,
    },
    /// Make a key like another one, print it, and end the other one after a while
    Rotate {
        /// The other key's id, as `key list` shows it
        id: String,
        /// When the other key ends: now, or as --expires is written
        #[arg(long, value_name = "WHEN", default_value = "24h")]
        old_ends: String,
        /// When the new key ends, as for `key create` [default: after as long as the other was made for]
        #[arg(long, value_name = "WHEN")]
        expires: Option<String>,
        #[command(flatten)]
        place: Location,
    },
    /// End a key; no request with it passes from now on
    Revoke {
        /// The key's id, as `key list` shows it
        id: String,
        #[command(flatten)]
        place: Location,
    },
}

fn scope(text: &str) -> Result<Scope, String> {
    Scope::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Scope::ALL.iter().map(|scope| scope.code()).collect();
        format!("must be one of {}", names.join(", "))
    })
}

#[derive(Args)]
pub(super) struct Explain {
    /// The payment's id, such as payments:01a206e1-cb37-767a-93b0-b03517f14ba8
    #[arg(value_name = "PAYMENT")]
    pub(super) payment: String,
    /// The team's id or name; every team when absent
    #[arg(long)]
    pub(super) team: Option<String>,
    #[command(flatten)]
    pub(super) place: Location,
}

#[derive(Subcommand)]
pub(super) enum Audits {
    /// List entries, oldest first within each team
    List {
        /// The team's id or name; every team and the installation when absent
        #[arg(long)]
        team: Option<String>,
        /// From this time on: a day such as 2026-11-22 (UTC), an RFC 3339 time, or so long ago, such as 24h or 7d
        #[arg(long, value_name = "WHEN")]
        since: Option<String>,
        /// Entries of this act alone, such as key.created
        #[arg(long, value_name = "ACT", value_parser = act)]
        act: Option<Act>,
        /// Print each entry as a line of JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: Location,
    },
    /// Write the whole trail into a file, with its chains: a line of JSON for each entry
    Export {
        /// The file, which must not be there yet
        #[arg(long, value_name = "FILE")]
        to: PathBuf,
        /// The team's id or name; the whole trail when absent
        #[arg(long)]
        team: Option<String>,
        #[command(flatten)]
        place: Location,
    },
    /// Verify the trail in the database, or an exported file; the status is 1 when a chain is broken
    Verify {
        /// An exported file, verified without the databases
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// The vault's keys, for the keyed hashes of a file [default: those of the configuration, if they are there]
        #[arg(long, value_name = "FILE", requires = "file")]
        key_file: Option<PathBuf>,
        /// The team's id or name; the whole trail when absent
        #[arg(long, conflicts_with = "file")]
        team: Option<String>,
        /// Print the result as one JSON document
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: Location,
    },
}

fn act(text: &str) -> Result<Act, String> {
    Act::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Act::ALL.iter().map(|act| act.code()).collect();
        format!("must be one of {}", names.join(", "))
    })
}

#[derive(Subcommand)]
pub(super) enum Vaults {
    /// Seal every record under a new key, also while a server runs
    Rotate {
        #[command(flatten)]
        place: Location,
    },
}

/// Flags of `check`: those of `serve`.
#[derive(Args)]
pub(super) struct Check {
    /// Print one JSON array of {area, name, status, message}; status is ok, note, warning or problem
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) serve: Serve,
}

/// Flags of `serve`, and of `check`.
#[derive(Args)]
pub(super) struct Serve {
    /// Test mode with a simulated processor; needs no configuration
    #[arg(long)]
    pub(super) sandbox: bool,
    /// Where to listen [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    pub(super) listen: Option<String>,
    /// Serve a restored copy: what is sent for payments from before is looked up at its processor first
    #[arg(long)]
    pub(super) after_restore: bool,
    /// The whole installation is in another PostgreSQL database now, and nothing was lost on the way: after `pg_upgrade`
    #[arg(long, conflicts_with = "after_restore")]
    pub(super) moved_whole: bool,
    #[command(flatten)]
    pub(super) place: Location,
}

/// Flags of `backup`.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Backup {
    #[command(subcommand)]
    pub(super) verify: Option<Verify>,
    /// An empty directory, or one that is not there yet. The key file is not copied: keep it elsewhere
    #[arg(long, value_name = "DIR", required = true)]
    pub(super) to: Option<PathBuf>,
    #[command(flatten)]
    pub(super) place: Location,
}

#[derive(Subcommand)]
pub(super) enum Verify {
    /// Look through a backup, or a restored database: whether it opens, and whether its databases fit each other
    Verify {
        /// The backup; without it the PostgreSQL database that is configured
        #[arg(value_name = "DIR")]
        dir: Option<PathBuf>,
        /// The vault's keys, to open every sealed record; a sandbox's data need them less than yours
        #[arg(long, value_name = "FILE")]
        key_file: Option<PathBuf>,
        /// Open one of so many sealed records
        #[arg(long, value_name = "N", default_value_t = 1)]
        one_in: u64,
        /// The installation on PostgreSQL is a sandbox: its books are looked at too
        #[arg(long)]
        sandbox: bool,
        #[command(flatten)]
        place: Location,
    },
}

/// Flags of `restore`.
#[derive(Args)]
pub(super) struct Restore {
    /// The backup
    #[arg(long, value_name = "DIR")]
    pub(super) from: PathBuf,
    /// The vault's keys of the backup's time, to be copied too
    #[arg(long, value_name = "FILE")]
    pub(super) key_file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) place: Location,
}

/// Flags of `upgrade`.
#[derive(Args)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub(super) struct Upgrade {
    /// Tell what is to be done, and do nothing
    #[arg(long, group = "what")]
    pub(super) dry_run: bool,
    /// Do it, also while nodes on PostgreSQL serve; the role of the address must own the tables
    #[arg(long, group = "what")]
    pub(super) apply: bool,
    /// The installation is a sandbox: its simulator's books too
    #[arg(long)]
    pub(super) sandbox: bool,
    #[command(flatten)]
    pub(super) place: Location,
}

/// Flags of `demo`.
#[derive(Args)]
pub(super) struct Demo {
    /// End after the story; the status is 0 only if every step came out right
    #[arg(long)]
    pub(super) exit: bool,
    /// Where to listen; the demo's shop is at the next port of localhost [default: 127.0.0.1:8080 with the shop at localhost:8081,
    /// or any free ports]
    #[arg(long, value_name = "ADDR")]
    pub(super) listen: Option<String>,
}

/// Flags of `migrate`.
#[derive(Args)]
pub(super) struct Migrate {
    /// What is moved: sqlite:DIR or postgres://…
    #[arg(long, value_name = "PLACE")]
    pub(super) from: String,
    /// Where to; must be empty, or what an earlier run began [default: the configured database.url]
    #[arg(long, value_name = "PLACE")]
    pub(super) to: Option<String>,
    /// Move nothing: let what was begun be served from its old place again
    #[arg(long, conflicts_with = "to")]
    pub(super) give_up: bool,
    /// With --give-up: also when everything has moved. By this you say that the target is stopped and will never be served again:
    /// nothing looks whether that is so
    #[arg(long, requires = "give_up")]
    pub(super) abandon_target: bool,
    /// The configuration file, see pointsman.example.toml
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
}

impl Migrate {
    /// The sources of settings. What is for a server's first start alone is left out.
    pub(super) fn sources(&self) -> Sources {
        Location {
            config: self.config.clone(),
            data_dir: None,
            database_url: None,
        }
        .sources_alongside()
    }
}

/// Where configuration and data are.
#[derive(Args, Clone)]
pub(super) struct Location {
    /// The configuration file, see pointsman.example.toml
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Where the embedded databases and the vault's keys lie [default: ./pointsman-data]
    #[arg(long, value_name = "DIR")]
    pub(super) data_dir: Option<PathBuf>,
    /// A PostgreSQL server in place of the embedded databases
    #[arg(long, value_name = "URL")]
    pub(super) database_url: Option<String>,
}

impl Location {
    /// The sources of settings: file, environment, and these flags.
    pub(super) fn sources(&self) -> Sources {
        let mut sources = Sources::of_process();
        sources.file.clone_from(&self.config);
        if let Some(dir) = &self.data_dir {
            sources.flags.push((
                "database.data_dir",
                dir.to_string_lossy().into_owned(),
                "--data-dir",
            ));
        }
        if let Some(url) = &self.database_url {
            sources
                .flags
                .push(("database.url", url.clone(), "--database-url"));
        }
        sources
    }

    /// The sources for a command while the server runs: what only the server's first start needs is left out.
    pub(super) fn sources_alongside(&self) -> Sources {
        let mut sources = self.sources();
        sources
            .environment
            .retain(|(name, _)| name != "POINTSMAN_ACCESS_TOKEN");
        sources
    }
}

#[cfg(test)]
mod tests;
