//! A PostgreSQL server for a measurement, with its own settings for durability.

use std::{
    io::{BufRead, BufReader},
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, bail};

use crate::server::spent_by;

/// A server that ends when it is dropped, with all that it holds.
pub(crate) struct Postgres {
    shell: Child,
    /// The process that all others of the server are children of.
    main: u32,
    /// `postgres://…`
    pub(crate) url: String,
}

impl Postgres {
    /// Starts a server on a free port of this machine.
    pub(crate) fn start() -> anyhow::Result<Self> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        // PostgreSQL refuses to run as root.
        let root = Command::new("id").arg("-u").output()?.stdout.trim_ascii() == b"0";
        let mut command = if root {
            Command::new("setpriv")
        } else {
            Command::new("bash")
        };
        if root {
            command.args([
                "--reuid=postgres",
                "--regid=postgres",
                "--clear-groups",
                "bash",
            ]);
        }
        let mut shell = command
            .args([
                "-c",
                include_str!("postgres.sh"),
                "postgres.sh",
                &port.to_string(),
            ])
            .env("LC_ALL", "C")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("can't start a PostgreSQL server")?;
        let mut line = String::new();
        BufReader::new(shell.stdout.take().context("no standard output")?).read_line(&mut line)?;
        let url = format!("postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable");
        let main = line
            .trim()
            .strip_prefix("ready ")
            .and_then(|main| main.parse().ok());
        let server = Self {
            shell,
            main: main.unwrap_or_default(),
            url,
        };
        if main.is_some() {
            Ok(server)
        } else {
            bail!("the PostgreSQL server does not start")
        }
    }

    /// The processor time that its processes have used up, those that have ended not among them. Zero where the system
    /// does not tell it.
    pub(crate) fn spent(&self) -> Duration {
        let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        numbers
            .filter_map(spent_by)
            .filter(|(parent, _)| *parent == self.main)
            .map(|(_, spent)| spent)
            .sum()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}
