//! Commands about guarded pages.

use clap::{Args, Subcommand};

use super::Location;

#[derive(Subcommand)]
pub(in crate::cli) enum Pages {
    /// Make a guarded page, or change one
    Save {
        /// The page's id; a new one is made when absent
        #[arg(long)]
        id: Option<String>,
        /// What people call it
        #[arg(long)]
        name: String,
        /// Its address, such as <https://shop.example/checkout>
        #[arg(long)]
        url: String,
        #[command(flatten)]
        team: OfTeam,
    },
    /// List guarded pages with the scripts of their inventories
    List {
        /// Print one JSON array
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        team: OfTeam,
    },
    /// Remove a guarded page with what was reported of it
    Delete(OnePage),
    /// Put a script into a page's inventory; one of the same address, or of the same hash, is replaced
    Authorise {
        /// The page's id
        #[arg(value_name = "PAGE")]
        id: String,
        /// The script's address; one that ends with / stands for all scripts below it
        #[arg(long, value_name = "URL", required_unless_present = "hash")]
        address: Option<String>,
        /// The hash of its content as the attribute integrity has it, such as sha384-…; alone for a script that stands in the page
        #[arg(long)]
        hash: Option<String>,
        /// Why the page needs it
        #[arg(long)]
        purpose: String,
        /// Who authorises it
        #[arg(long)]
        by: String,
        #[command(flatten)]
        team: OfTeam,
    },
    /// Take a script out of a page's inventory
    Withdraw {
        /// The page's id
        #[arg(value_name = "PAGE")]
        id: String,
        /// The script's address, or its hash where it has no address
        #[arg(value_name = "SCRIPT")]
        source: String,
        #[command(flatten)]
        team: OfTeam,
    },
    /// Print the headers and script tags for a page
    Policy(OnePage),
    /// List what browsers report of a page, those kinds first that came last
    Violations {
        /// The page's id
        #[arg(value_name = "PAGE")]
        id: String,
        /// Print one JSON array
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        team: OfTeam,
    },
    /// Fetch a page with its scripts and compare it with the inventory; the status is 1 when something is new, changed or open
    Check {
        /// The page's address, with a query where it needs one
        url: String,
        /// The id of the page whose inventory counts [default: the page of this address]
        #[arg(long, value_name = "PAGE")]
        page: Option<String>,
        /// Compare later looks with the headers and contents that are found now
        #[arg(long)]
        accept: bool,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        team: OfTeam,
    },
}

#[derive(Args)]
pub(in crate::cli) struct OnePage {
    /// The page's id
    #[arg(value_name = "PAGE")]
    pub(in crate::cli) id: String,
    #[command(flatten)]
    pub(in crate::cli) team: OfTeam,
}

#[derive(Args)]
pub(in crate::cli) struct OfTeam {
    /// The team's id or name; the first team when absent
    #[arg(long)]
    pub(in crate::cli) team: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) place: Location,
}
