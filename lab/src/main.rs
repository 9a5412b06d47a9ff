//! The binary `pointsman-lab`: it exercises the service and never serves.

mod command;

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// The service's own allocator, without the wiping of what is freed: no card number of anybody comes here.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    command::run()
}
