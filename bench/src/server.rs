//! A server of our own for a measurement: a sandbox in a fresh directory, on a free port, gone with the measurement.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, bail};
use tempfile::TempDir;

/// The secret key of the server that was started.
pub(crate) const KEY: &str = "sk_test_bench";
const LISTENING: &str = "pointsman listening on http://";

/// A server that ends when it is dropped.
pub(crate) struct Server {
    child: Child,
    /// `127.0.0.1:41234`
    pub(crate) host: String,
    _directory: TempDir,
}

impl Server {
    /// Starts the program at `path`, by default the one that was built beside this one.
    pub(crate) fn start(path: Option<&Path>) -> anyhow::Result<Self> {
        let path = path.map_or_else(beside_this_program, |path| Ok(path.to_owned()))?;
        if !path.exists() {
            bail!(
                "no server at {}: build it with `cargo build --release -p server`, or name it with --server",
                path.display()
            );
        }
        let directory = tempfile::Builder::new().prefix("pointsman-bench-").tempdir()?;
        let mut child = Command::new(&path)
            .args(["serve", "--sandbox", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(directory.path().join("data"))
            .env("POINTSMAN_ACCESS_TOKEN", KEY)
            .env("POINTSMAN_LOG__LEVEL", "error")
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("can't start {}", path.display()))?;
        let stdout = child.stdout.take();
        let mut server = Self { child, host: String::new(), _directory: directory };
        let stdout = stdout.context("the server has no standard output")?;
        for line in BufReader::new(stdout).lines() {
            if let Some(host) = line?.strip_prefix(LISTENING) {
                host.trim().clone_into(&mut server.host);
                return Ok(server);
            }
        }
        bail!("the server ended without listening")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its data goes too: nothing is lost by not asking nicely.
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

fn beside_this_program() -> anyhow::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(format!("pointsman{}", std::env::consts::EXE_SUFFIX)))
}
