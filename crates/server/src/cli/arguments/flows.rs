//! Commands about flows.

use crate::admin::FlowText;
use clap::{Args, Subcommand};
use std::path::PathBuf;

use super::Location;

#[derive(Subcommand)]
pub(in crate::cli) enum Flows {
    /// Check documents, without a server; the status is 1 when one has a fault
    Check {
        /// Documents in YAML or JSON
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// The configuration file of the server that they are for: whether it has a table of card ranges decides what is warned of
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
    /// Save a document as the next version of a flow: a draft
    Import(ImportFlow),
    /// Print a flow's document
    #[command(disable_version_flag = true)]
    Export(ExportFlow),
    /// List flows
    List {
        /// The team's id or name; the first team when absent
        #[arg(long)]
        team: Option<String>,
        #[command(flatten)]
        place: Location,
    },
    /// Let new payments run under a version of a flow
    #[command(disable_version_flag = true)]
    Publish {
        /// The flow's id
        id: String,
        /// The version [default: the last one saved]
        #[arg(long)]
        version: Option<u32>,
        /// The team's id or name; the first team when absent
        #[arg(long)]
        team: Option<String>,
        #[command(flatten)]
        place: Location,
    },
    /// Let payments that name no flow run under this one
    SetDefault {
        /// The flow's id
        id: String,
        /// The team's id or name; the first team when absent
        #[arg(long)]
        team: Option<String>,
        #[command(flatten)]
        place: Location,
    },
    /// Remove a flow; what began under it runs on
    Delete {
        /// The flow's id
        id: String,
        /// The team's id or name; the first team when absent
        #[arg(long)]
        team: Option<String>,
        #[command(flatten)]
        place: Location,
    },
    /// Say what a flow would do, without charging anything
    #[command(disable_version_flag = true)]
    Try {
        /// The flow's id
        id: String,
        /// What the payment is, such as '{"payment": {"amount": 1200, "currency": "EUR"}}'
        #[arg(long, default_value = "{}", value_name = "JSON")]
        facts: String,
        /// The version [default: the last one saved]
        #[arg(long)]
        version: Option<u32>,
        /// The team's id or name; the first team when absent
        #[arg(long)]
        team: Option<String>,
        #[command(flatten)]
        place: Location,
    },
    /// Print the JSON Schema of documents, for editors
    Schema,
}

/// What `flow import` takes.
#[derive(Args)]
pub(in crate::cli) struct ImportFlow {
    /// The document, in YAML or JSON
    #[arg(value_name = "FILE")]
    pub(in crate::cli) file: PathBuf,
    /// The flow's id [default: the file's name without its ending]
    #[arg(long)]
    pub(in crate::cli) id: Option<String>,
    /// Let new payments run under it at once
    #[arg(long)]
    pub(in crate::cli) publish: bool,
    /// The team's id or name; the first team when absent
    #[arg(long)]
    pub(in crate::cli) team: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) place: Location,
}

/// What `flow export` takes.
#[derive(Args)]
pub(in crate::cli) struct ExportFlow {
    /// The flow's id
    pub(in crate::cli) id: String,
    /// The version [default: the last one saved]
    #[arg(long)]
    pub(in crate::cli) version: Option<u32>,
    /// Write it into a file instead
    #[arg(long, short, value_name = "FILE")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// How it is written [default: as the file's ending says, else yaml]
    #[arg(long, value_enum)]
    pub(in crate::cli) format: Option<FlowText>,
    /// The team's id or name; the first team when absent
    #[arg(long)]
    pub(in crate::cli) team: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) place: Location,
}
