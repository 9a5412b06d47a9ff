//! What the operating system says of this process, in the names that Prometheus' own client libraries use.

use std::fmt::Write as _;
use std::fs;

/// Ticks of a second in `/proc`: the same on every Linux that Rust runs on (`USER_HZ`, proc(5)).
const TICKS: f64 = 100.0;
/// Bytes of a kibibyte, the unit of `/proc/self/status`.
const KIB: u64 = 1024;

/// The families as text; empty where there is no `/proc`.
pub(super) fn render() -> String {
    let mut out = String::new();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let boot = fs::read_to_string("/proc/stat").unwrap_or_default();
    if let Some(seconds) = cpu_seconds(&stat) {
        family(
            &mut out,
            "process_cpu_seconds_total",
            "counter",
            "Processor time used, in user and kernel mode.",
            seconds,
        );
    }
    let sizes = [
        (
            "process_resident_memory_bytes",
            "VmRSS:",
            "Memory of the process that is in RAM.",
        ),
        (
            "process_virtual_memory_bytes",
            "VmSize:",
            "Addresses that the process has mapped.",
        ),
    ];
    for (name, field, help) in sizes {
        if let Some(kib) = number_after(&status, field) {
            family(&mut out, name, "gauge", help, kib.saturating_mul(KIB));
        }
    }
    if let Some(threads) = number_after(&status, "Threads:") {
        let help = "Threads of the process.";
        family(&mut out, "process_threads", "gauge", help, threads);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        let help = "Open files, sockets included.";
        // One of them is the directory that is being read.
        let open = open.count().saturating_sub(1);
        family(&mut out, "process_open_fds", "gauge", help, open);
    }
    if let Some(most) = number_after(&limits, "Max open files") {
        let help = "Files that the process may have open.";
        family(&mut out, "process_max_fds", "gauge", help, most);
    }
    if let Some(start) = start_seconds(&stat, &boot) {
        family(
            &mut out,
            "process_start_time_seconds",
            "gauge",
            "When the process began, in seconds since 1970.",
            start,
        );
    }
    out
}

fn family(out: &mut String, name: &str, measure: &str, help: &str, value: impl std::fmt::Display) {
    // Writing to a text does not fail.
    let _ = writeln!(
        out,
        "# HELP {name} {help}\n# TYPE {name} {measure}\n{name} {value}\n"
    );
}

fn number_after(text: &str, field: &str) -> Option<u64> {
    let (_, rest) = text.split_once(field)?;
    rest.split_whitespace().next()?.parse().ok()
}

/// The fields of `/proc/self/stat` behind the name, which may hold anything: the first is the third of proc(5).
fn fields(stat: &str) -> Option<Vec<&str>> {
    let (_, rest) = stat.rsplit_once(')')?;
    Some(rest.split_whitespace().collect())
}

fn cpu_seconds(stat: &str) -> Option<f64> {
    let fields = fields(stat)?;
    let ticks = |place: usize| fields.get(place)?.parse::<u32>().ok().map(f64::from);
    let (user, system) = (ticks(11)?, ticks(12)?);
    Some(seconds(user, system))
}

fn start_seconds(stat: &str, boot: &str) -> Option<f64> {
    let fields = fields(stat)?;
    let ticks: u32 = fields.get(19)?.parse().ok()?;
    let booted = u32::try_from(number_after(boot, "btime ")?).ok()?;
    Some(moment(booted, ticks))
}

#[expect(clippy::float_arithmetic, reason = "a measurement, not money")]
fn seconds(user: f64, system: f64) -> f64 {
    (user + system) / TICKS
}

#[expect(clippy::float_arithmetic, reason = "a measurement, not money")]
fn moment(booted: u32, ticks: u32) -> f64 {
    f64::from(booted) + f64::from(ticks) / TICKS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_does_not_shift_the_fields() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 9 0 0 0 150 50 0 0 20 0 9 0 1000 1 2";
        assert_eq!(cpu_seconds(stat), Some(2.0));
        assert_eq!(
            start_seconds(stat, "cpu 1\nbtime 1700000000\n"),
            Some(1_700_000_010.0)
        );
    }

    #[test]
    fn this_process_has_all_of_it() {
        let text = render();
        for name in [
            "process_cpu_seconds_total",
            "process_resident_memory_bytes",
            "process_virtual_memory_bytes",
            "process_threads",
            "process_open_fds",
            "process_max_fds",
            "process_start_time_seconds",
        ] {
            assert!(text.contains(&format!("\n{name} ")), "{name}: {text}");
        }
    }
}
