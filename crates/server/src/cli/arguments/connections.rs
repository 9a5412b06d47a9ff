//! Commands about connections.

use clap::{Args, Subcommand};

use super::OfTeam;
use crate::admin::ImportWord;

#[derive(Subcommand)]
pub(in crate::cli) enum Connections {
    /// List what can be connected, with the fields of its credentials
    Processors(OfTeam),
    /// Make a connection; credentials are asked for, or come from a file, standard input or the environment
    Add(AddConnection),
    /// List connections, with the addresses for their notifications
    List(OfTeam),
    /// Ask the processor of a connection about its account; the status is 1 unless it accepts the credentials
    Test(OneConnection),
    /// Give fields of a connection's credentials new values; the secret of notifications before counts for 24 hours more
    Rotate(RotateConnection),
    /// Have the processor of a connection send its notifications here, by its API: needs a public https address
    Register(OneConnection),
    /// Let new payments be sent to a connection again
    Enable(OneConnection),
    /// Let no new payment be sent to a connection; what was sent there is still looked after
    Disable(OneConnection),
    /// Remove a connection that nothing needs, with its credentials
    Delete(OneConnection),
}

#[derive(Args)]
pub(in crate::cli) struct AddConnection {
    /// The processor, as `connection processors` lists it
    #[arg(value_name = "PROCESSOR")]
    pub(in crate::cli) processor: String,
    /// The connection's id in flows and lists; one is made up when absent
    #[arg(long)]
    pub(in crate::cli) id: Option<String>,
    /// What people call it [default: the processor's name]
    #[arg(long)]
    pub(in crate::cli) name: Option<String>,
    /// Its settings, a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub(in crate::cli) settings: String,
    /// What becomes of payments that the processor reports and that were not made here
    #[arg(long)]
    pub(in crate::cli) imports: Option<ImportWord>,
    #[command(flatten)]
    pub(in crate::cli) source: CredentialSource,
    #[command(flatten)]
    pub(in crate::cli) of: OfTeam,
}

#[derive(Args)]
pub(in crate::cli) struct RotateConnection {
    /// The connection's id
    pub(in crate::cli) id: String,
    /// End the secret of notifications before now; nothing is asked for unless credentials are given
    #[arg(long)]
    pub(in crate::cli) end_previous: bool,
    #[command(flatten)]
    pub(in crate::cli) source: CredentialSource,
    #[command(flatten)]
    pub(in crate::cli) of: OfTeam,
}

/// Where credentials come from. Never from an argument, which other processes of the machine can read.
#[derive(Args)]
pub(in crate::cli) struct CredentialSource {
    /// A file with the credentials, a JSON object of texts; - is standard input [default: `POINTSMAN_CREDENTIAL_<FIELD>`, or a question at the terminal]
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) credentials: Option<std::path::PathBuf>,
    /// Don't ask the processor about the account before anything is kept
    #[arg(long)]
    pub(in crate::cli) skip_probe: bool,
}

#[derive(Args)]
pub(in crate::cli) struct OneConnection {
    /// The connection's id
    pub(in crate::cli) id: String,
    #[command(flatten)]
    pub(in crate::cli) of: OfTeam,
}
