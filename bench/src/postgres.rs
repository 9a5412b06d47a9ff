//! A PostgreSQL server for a measurement, with its own settings for durability.

use std::{
    io::{BufRead, BufReader},
    net::TcpListener,
    process::{Child, Command, Stdio},
};

use anyhow::{Context, bail};

/// A server that ends when it is dropped, with all that it holds.
pub(crate) struct Postgres {
    shell: Child,
    /// `postgres://…`
    pub(crate) url: String,
}

impl Postgres {
    /// Starts a server on a free port of this machine.
    pub(crate) fn start() -> anyhow::Result<Self> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        // PostgreSQL refuses to run as root.
        let root = Command::new("id").arg("-u").output()?.stdout.trim_ascii() == b"0";
        let mut command = if root { Command::new("setpriv") } else { Command::new("bash") };
        if root {
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "bash"]);
        }
        let mut shell = command
            .args(["-c", include_str!("postgres.sh"), "postgres.sh", &port.to_string()])
            .env("LC_ALL", "C")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("can't start a PostgreSQL server")?;
        let mut line = String::new();
        BufReader::new(shell.stdout.take().context("no standard output")?).read_line(&mut line)?;
        let url = format!("postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable");
        let server = Self { shell, url };
        if line.trim() == "ready" { Ok(server) } else { bail!("the PostgreSQL server does not start") }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}
