//! Commands about payment links.

use clap::{Args, Subcommand};

use super::Location;

#[derive(Subcommand)]
pub(in crate::cli) enum Links {
    /// Make a link, and print its address; the customer pays there
    Create(CreateLink),
    /// List links, the newest first
    List {
        /// How many at most
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=100))]
        first: u16,
        /// The team's id or name; the first team when absent
        #[arg(long)]
        team: Option<String>,
        #[command(flatten)]
        place: Location,
    },
    /// Show a link with the payments that were made by it
    Show {
        /// The link's id
        id: String,
        /// The team's id or name; the first team when absent
        #[arg(long)]
        team: Option<String>,
        #[command(flatten)]
        place: Location,
    },
    /// End a link: nobody can begin to pay by it any more
    #[command(alias = "disable")]
    End {
        /// The link's id
        id: String,
        /// The team's id or name; the first team when absent
        #[arg(long)]
        team: Option<String>,
        #[command(flatten)]
        place: Location,
    },
}

#[derive(Args)]
pub(in crate::cli) struct CreateLink {
    /// How much, in minor units: 5099 is 50.99 EUR
    #[arg(long, value_parser = minor_units)]
    pub(in crate::cli) amount: i64,
    /// The currency, such as EUR
    #[arg(long)]
    pub(in crate::cli) currency: String,
    /// What it is for, as the customer reads it
    #[arg(long)]
    pub(in crate::cli) description: Option<String>,
    /// Your order
    #[arg(long)]
    pub(in crate::cli) order_id: Option<String>,
    /// The flow that its payments run under; the team's default when absent
    #[arg(long)]
    pub(in crate::cli) flow: Option<String>,
    /// The intent that it pays, instead of one of its own
    #[arg(long)]
    pub(in crate::cli) intent: Option<String>,
    /// When it ends: a duration such as 7d, or a time such as 2026-12-31T12:00:00Z
    #[arg(long)]
    pub(in crate::cli) expires: Option<String>,
    /// Where the customer goes back to
    #[arg(long, value_name = "URL")]
    pub(in crate::cli) return_url: Option<String>,
    /// Take any number of payments by it, instead of one
    #[arg(long)]
    pub(in crate::cli) many: bool,
    /// The team's id or name; the first team when absent
    #[arg(long)]
    pub(in crate::cli) team: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) place: Location,
}

/// Reads an amount in minor units.
fn minor_units(text: &str) -> Result<i64, &'static str> {
    text.parse()
        .map_err(|_| "give a whole number of minor units: 5099 is 50.99 EUR")
}

#[cfg(test)]
mod tests {
    use super::minor_units;

    #[test]
    fn an_amount_with_a_point_is_explained() {
        assert_eq!(minor_units("5099"), Ok(5099));
        for wrong in ["50.99", "50,99", "", "x"] {
            assert!(minor_units(wrong).unwrap_err().contains("minor units"));
        }
    }
}
