//! The log on standard error: one line for each event, with the request that caused it. It never holds a body or a secret.
//!
//! Lines are our own and not those of `tracing_subscriber::fmt`, since each must be a JSON object without duplicate names,
//! a reader that is slow must not slow payments down, and a flood of equal warnings must not hide the others.

mod flood;
mod layer;
mod line;
mod writer;

use std::{
    io::IsTerminal,
    panic,
    sync::{Arc, OnceLock},
};

use tracing::Level;
use tracing_subscriber::{EnvFilter, layer::SubscriberExt, registry::Registry};

use self::{
    flood::Flood,
    layer::{Lines, repeated_line},
    line::{Fields, Form, Head},
    writer::{Weight, Writer},
};
use crate::config::{Log, LogFormat, no_color};

/// The target of the line that each request gets: `log.level = "info,access=off"` is without them.
pub const ACCESS: &str = "access";

/// The log of this process, once it has begun.
static STARTED: OnceLock<Started> = OnceLock::new();

struct Started {
    form: Form,
    writer: Arc<Writer>,
    flood: Arc<Flood>,
}

/// Starts logging. Later calls change nothing.
pub fn start(log: &Log) {
    STARTED.get_or_init(|| {
        let form = Form {
            format: log.format,
            colour: std::io::stderr().is_terminal() && !no_color(),
        };
        let flood = Arc::new(Flood::default());
        let counted = Arc::clone(&flood);
        let writer = Writer::start(move || logged(form, &counted, false));
        let filter = EnvFilter::try_new(&log.level).unwrap_or_else(|_| EnvFilter::new("info"));
        let lines = Lines {
            form,
            writer: Arc::clone(&writer),
            flood: Arc::clone(&flood),
        };
        // An error means that somebody else logs in this process: a test.
        let _ =
            tracing::subscriber::set_global_default(Registry::default().with(filter).with(lines));
        panic::set_hook(Box::new(|panic| {
            // The message may quote what was being worked on, so the place alone is logged.
            let place = panic
                .location()
                .map(ToString::to_string)
                .unwrap_or_default();
            tracing::error!(place, "a defect: the program panicked");
        }));
        Started {
            form,
            writer,
            flood,
        }
    });
}

/// Writes out what waits, before the process ends.
pub fn finish() {
    if let Some(log) = STARTED.get() {
        for line in logged(log.form, &log.flood, true) {
            log.writer.take(&line, Weight::Warning);
        }
        log.writer.flush();
    }
}

/// Why the process ends, as a line of this format. For a command that ends before, or whether or not, logging has begun.
pub fn fatal(format: LogFormat, why: &str) -> String {
    if format == LogFormat::Text {
        return format!("pointsman: {why}\n");
    }
    let form = Form {
        format,
        colour: false,
    };
    let head = Head {
        level: Level::ERROR,
        target: "pointsman",
        message: why,
    };
    let mut line = String::new();
    form.line(&mut line, head, &Fields::default(), std::iter::empty());
    line
}

fn logged(form: Form, flood: &Flood, all: bool) -> Vec<String> {
    let ended = flood.ended(all);
    ended
        .iter()
        .map(|repeated| repeated_line(form, repeated))
        .collect()
}
