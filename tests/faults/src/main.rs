//! The long form: rounds of faults on real processes.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use clap::{Parser, Subcommand};
use faults::{Chance, Fault, Plan, restore, run};

/// Faults on real processes under load, with a checker. Build the service first: `cargo build --release`.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    fault: Which,
    /// Rounds
    #[arg(long, default_value_t = 20, global = true)]
    rounds: u32,
    /// Compare everything after so many rounds
    #[arg(long, default_value_t = 10, global = true)]
    check_every: u32,
    /// Nodes on the database
    #[arg(long, default_value_t = 3, global = true)]
    nodes: usize,
    /// Shoppers at work
    #[arg(long, default_value_t = 8, global = true)]
    shoppers: usize,
    /// Shoppers without idempotency keys
    #[arg(long, default_value_t = 2, global = true)]
    keyless: usize,
    /// Readers that follow the list of payments
    #[arg(long, default_value_t = 1, global = true)]
    readers: usize,
    /// Every so many pauses one is longer than a lease; 0: none
    #[arg(long, default_value_t = 10, global = true)]
    past_lease_every: u32,
    /// What chance begins with [default: another one each time]
    #[arg(long, global = true)]
    seed: Option<u64>,
}

#[derive(Subcommand, Clone, Copy)]
enum Which {
    /// Nodes are killed with SIGKILL
    Kills,
    /// The one node of an embedded database is killed with SIGKILL
    EmbeddedKills,
    /// An embedded database is brought back to a backup that was made while events were delivered
    Restores,
    /// Nodes are stopped with SIGSTOP, and go on later
    Pauses,
    /// Connections to the database are cut between COMMIT and its answer
    Cuts,
    /// The database's server is killed and is away for longer than the nodes wait for it
    Outages,
    /// The database's server is killed and its synchronous standby promoted
    Failovers,
}

fn main() {
    let arguments = Arguments::parse();
    let fault = match arguments.fault {
        Which::Kills => Fault::Kills,
        // A restore begins with a kill of the one node.
        Which::EmbeddedKills | Which::Restores => Fault::EmbeddedKills,
        Which::Pauses => Fault::Pauses,
        Which::Cuts => Fault::Cuts,
        Which::Outages => Fault::Outages,
        Which::Failovers => Fault::Failovers,
    };
    let plan = Plan {
        fault,
        rounds: arguments.rounds,
        check_every: arguments.check_every,
        nodes: arguments.nodes.max(1),
        shoppers: arguments.shoppers.max(1),
        keyless: arguments.keyless,
        readers: arguments.readers,
        past_lease_every: arguments.past_lease_every,
        seed: arguments.seed.unwrap_or_else(Chance::fresh_seed),
    };
    println!("{plan:?}");
    if matches!(arguments.fault, Which::Restores) {
        println!("{}", restore(&plan, &|line| println!("{line}")));
        return;
    }
    println!("{}", run(&plan, &|line| println!("{line}")));
}
