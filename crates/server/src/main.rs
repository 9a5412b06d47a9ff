//! The binary `pointsman`.

use std::process::ExitCode;

/// Holds less memory under load than the system's allocator, and is faster.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    server::cli::run()
}
