//! Commands that use a server's public API, as a merchant's program does.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Which server is asked, and with which key.
#[derive(Args)]
pub(in crate::cli) struct Access {
    /// The server's address
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub(in crate::cli) server: String,
    /// A file with a secret key; the key in `POINTSMAN_ACCESS_TOKEN` when absent
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) key_file: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(in crate::cli) enum Events {
    /// Make an event of this kind happen in a sandbox, by a payment of the simulator's
    Trigger {
        /// Such as payment.captured; without it the kinds are listed that can be triggered
        #[arg(value_name = "KIND")]
        kind: Option<String>,
        #[command(flatten)]
        access: Access,
    },
}

/// Flags of `listen`.
#[derive(Args)]
pub(in crate::cli) struct Listen {
    /// Events of this kind alone, such as payment.captured or payment.*; may be given several times
    #[arg(long, value_name = "KIND")]
    pub(in crate::cli) kind: Vec<String>,
    /// Send each event to this address too, signed like a delivery; once, with no further try
    #[arg(long, value_name = "URL")]
    pub(in crate::cli) forward_to: Option<String>,
    /// Sign what is forwarded with this secret, so that the program need not learn a new one at each start
    #[arg(
        long,
        value_name = "whsec_…",
        requires = "forward_to",
        env = "POINTSMAN_FORWARD_SECRET",
        hide_env_values = true
    )]
    pub(in crate::cli) secret: Option<String>,
    /// Begin behind this cursor; with what happens from now on when absent
    #[arg(long, value_name = "CURSOR")]
    pub(in crate::cli) after: Option<String>,
    /// Begin with the first event that there is
    #[arg(long, conflicts_with = "after")]
    pub(in crate::cli) from_start: bool,
    /// Print the body of each delivery, a line each, with the event's cursor as the member `cursor`
    #[arg(long)]
    pub(in crate::cli) json: bool,
    #[command(flatten)]
    pub(in crate::cli) access: Access,
}
