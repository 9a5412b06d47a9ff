//! A processor that is played on this machine by `pointsman-lab`, in its own wire format.

use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Command, Stdio},
};

use serde_json::Value;

use crate::{binary, http::Request};

/// A process that answers as a processor does. It ends with this value.
pub struct Processor {
    process: Child,
    address: SocketAddr,
}

impl Processor {
    /// Starts one on a free port, with faults as its command line takes them.
    #[track_caller]
    pub fn start(name: &str, faults: &[&str]) -> Self {
        let lab = match std::env::var_os("POINTSMAN_LAB") {
            Some(given) => given.into(),
            None => binary().with_file_name("pointsman-lab"),
        };
        assert!(
            lab.exists(),
            "{} is missing: build it first with `cargo build -p lab`",
            lab.display()
        );
        let mut command = Command::new(lab);
        command.args(["processor", name, "--listen", "127.0.0.1:0"]);
        for fault in faults {
            command.args(["--fault", fault]);
        }
        command.stdout(Stdio::piped()).stdin(Stdio::null());
        let mut process = command.spawn().expect("the simulator starts");
        let output = process.stdout.take().expect("its output is read");
        let mut line = String::new();
        BufReader::new(output)
            .read_line(&mut line)
            .expect("it says where it listens");
        let address = line.trim().strip_prefix("listening at http://");
        let address = address.and_then(|address| address.parse().ok());
        let address = address.unwrap_or_else(|| panic!("no address: {line}"));
        Self { process, address }
    }

    /// Where it listens, as a setting of a connection.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends a form, as the account's owner or as the simulator's own desk.
    #[track_caller]
    pub fn post(&self, path: &str, form: &str) -> Value {
        let reply = Request::new("POST", path)
            .header("Authorization", "Bearer sk_test_1")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body(form.as_bytes())
            .send(self.address);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        serde_json::from_str(&reply.text()).expect("a JSON answer")
    }

    /// Presses a button of a page for shoppers; where it leads.
    #[track_caller]
    pub fn press(&self, url: &str, form: &str) -> String {
        let path = url
            .strip_prefix(&self.url())
            .unwrap_or_else(|| panic!("no page of the simulator: {url}"));
        let reply = Request::new("POST", path)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body(form.as_bytes())
            .send(self.address);
        assert_eq!(reply.status, 302, "{}", reply.text());
        reply.header("location").expect("a way back").to_owned()
    }

    /// Its books: what was charged and given back.
    #[track_caller]
    pub fn books(&self) -> Value {
        let reply = Request::new("GET", "/_sim/books").send(self.address);
        assert_eq!(reply.status, 200, "{}", reply.text());
        serde_json::from_str(&reply.text()).expect("books in JSON")
    }
}

impl Drop for Processor {
    fn drop(&mut self) {
        let _ended_already = self.process.kill();
        let _reaped = self.process.wait();
    }
}
