//! Servers of our own for a measurement: each in a fresh directory, on a free port, gone with the measurement.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, bail};
use tempfile::TempDir;

use crate::floor;

/// The secret key of the server that was started.
pub(crate) const KEY: &str = "sk_test_bench_of_the_service";
const LISTENING: &str = "pointsman listening on http://";

/// A server that ends when it is dropped.
pub(crate) struct Server {
    child: Child,
    /// `127.0.0.1:41234`
    pub(crate) host: String,
    /// Goes with it.
    directory: Option<TempDir>,
}

/// The memory that a process holds, in KiB.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Memory {
    /// All of it.
    pub(crate) resident: u64,
    /// Of that, what is no part of a file such as the program's own.
    pub(crate) own: u64,
}

impl Server {
    /// Starts the service at `path`, by default the one that was built next to this one; on the PostgreSQL server at
    /// `database`, else on files.
    pub(crate) fn start(path: Option<&Path>, database: Option<&str>) -> anyhow::Result<Self> {
        let directory = tempfile::Builder::new()
            .prefix("pointsman-bench-")
            .tempdir()?;
        let mut server = Self::start_in(&directory.path().join("data"), path, database)?;
        server.directory = Some(directory);
        Ok(server)
    }

    /// The same on the data in a directory, which stay.
    pub(crate) fn start_in(
        data: &Path,
        path: Option<&Path>,
        database: Option<&str>,
    ) -> anyhow::Result<Self> {
        let path = path.map_or_else(alongside_this_program, |path| Ok(path.to_owned()))?;
        if !path.exists() {
            bail!(
                "no server at {}: build it with `cargo build --release -p server`, or name it with --server",
                path.display()
            );
        }
        let mut command = Command::new(&path);
        command
            .args(["serve", "--sandbox", "--listen", "127.0.0.1:0"])
            .env("POINTSMAN_ACCESS_TOKEN", KEY)
            .env("POINTSMAN_LOG__LEVEL", "error");
        if let Some(url) = database {
            command.args(["--database-url", url]);
        }
        Self::listening(command.arg("--data-dir").arg(data), LISTENING)
    }

    /// Starts the floor; on the PostgreSQL server at `database`, in groups or one by one, else on files.
    pub(crate) fn floor(database: Option<(&str, bool)>) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("floor");
        match database {
            None => {}
            Some((url, one_by_one)) => {
                command.args(["--database-url", url]);
                command.args(one_by_one.then_some("--one-by-one"));
            }
        }
        let directory = tempfile::Builder::new()
            .prefix("pointsman-bench-")
            .tempdir()?;
        let mut server = Self::listening(
            command.arg("--data-dir").arg(directory.path().join("data")),
            floor::LISTENING,
        )?;
        server.directory = Some(directory);
        Ok(server)
    }

    /// Waits until it says where it listens.
    fn listening(command: &mut Command, says: &str) -> anyhow::Result<Self> {
        let program = command.get_program().to_owned();
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("can't start {}", program.display()))?;
        let stdout = child.stdout.take();
        let mut server = Self {
            child,
            host: String::new(),
            directory: None,
        };
        let stdout = stdout.context("the server has no standard output")?;
        for line in BufReader::new(stdout).lines() {
            if let Some(host) = line?.strip_prefix(says) {
                host.trim().clone_into(&mut server.host);
                return Ok(server);
            }
        }
        bail!("the server ended without listening")
    }

    /// The processor time that its process has used; zero where the system does not tell it.
    pub(crate) fn spent(&self) -> Duration {
        spent_by(self.child.id()).map_or(Duration::ZERO, |(_, spent)| spent)
    }
}

impl Server {
    /// The processor time that its threads have used, to the microsecond; zero where the system does not tell it.
    pub(crate) fn spent_by_threads(&self) -> Duration {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.child.id()));
        let each = threads
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|thread| {
                let schedule = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
                schedule.split_whitespace().next()?.parse::<u64>().ok()
            });
        Duration::from_nanos(each.sum())
    }

    /// The memory of its process; nothing where the system does not tell it.
    pub(crate) fn memory(&self) -> Memory {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))
            .unwrap_or_default();
        let kib = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.split_whitespace().next())
                .and_then(|kib| kib.parse().ok())
                .unwrap_or_default()
        };
        Memory {
            resident: kib("VmRSS:"),
            own: kib("RssAnon:"),
        }
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        let pid = i32::try_from(self.child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw)
            .context("no process")?;
        rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
        let ended = self.child.wait()?;
        if ended.success() {
            Ok(())
        } else {
            bail!("the server ended with {ended}")
        }
    }
}

/// A process's parent and the processor time that it has used up, where the system tells it.
pub(crate) fn spent_by(process: u32) -> Option<(u32, Duration)> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the program's name, which may hold blanks, come the state, the parent and more.
    let mut after = stat.rsplit_once(')')?.1.split_whitespace();
    let parent = after.nth(1)?.parse().ok()?;
    let ticks: u64 = after
        .skip(9)
        .take(2)
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum();
    // Linux counts in hundredths of a second, whatever its clock does.
    Some((parent, Duration::from_millis(ticks.saturating_mul(10))))
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its data goes too: nothing is lost by not asking nicely.
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

fn alongside_this_program() -> anyhow::Result<PathBuf> {
    Ok(std::env::current_exe()?
        .with_file_name(format!("pointsman{}", std::env::consts::EXE_SUFFIX)))
}
