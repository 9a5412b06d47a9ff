//! Commands about webhook endpoints.

use clap::{Args, Subcommand};

use super::Location;
use crate::admin::ResumeWord;

#[derive(Subcommand)]
pub(in crate::cli) enum Webhooks {
    /// Make an endpoint, to which events are sent, or change one; the secret of a new one is shown once
    Save(SaveWebhook),
    /// List endpoints
    List {
        /// The team's id or name; the first team when absent
        #[arg(long)]
        team: Option<String>,
        #[command(flatten)]
        place: Location,
    },
    /// Give an endpoint a new secret, shown once; the one before signs as well for 24 hours
    Rotate(OneWebhook),
    /// Remove an endpoint
    Delete(OneWebhook),
    /// Send a test to an endpoint and say what came of it
    Test(OneWebhook),
}

#[derive(Args)]
pub(in crate::cli) struct SaveWebhook {
    /// The endpoint's id; a new one is made when absent
    #[arg(long)]
    pub(in crate::cli) id: Option<String>,
    /// Its address
    #[arg(long)]
    pub(in crate::cli) url: String,
    /// A kind of event such as payment.captured, or a group such as payment.*; may be repeated; all when absent
    #[arg(long = "kind")]
    pub(in crate::cli) kinds: Vec<String>,
    /// Whether events are sent to it
    #[arg(long)]
    pub(in crate::cli) enabled: Option<bool>,
    /// From where one that was disabled goes on
    #[arg(long)]
    pub(in crate::cli) resume: Option<ResumeWord>,
    /// The team's id or name; the first team when absent
    #[arg(long)]
    pub(in crate::cli) team: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) place: Location,
}

#[derive(Args)]
pub(in crate::cli) struct OneWebhook {
    /// The endpoint's id
    pub(in crate::cli) id: String,
    /// The team's id or name; the first team when absent
    #[arg(long)]
    pub(in crate::cli) team: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) place: Location,
}
