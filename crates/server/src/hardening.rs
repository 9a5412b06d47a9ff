//! What keeps the process's memory from being written to disk: it holds the vault's keys and, for moments, card numbers.

use rustix::{
    io,
    process::{Resource, Rlimit, setrlimit},
};

/// Forbids core dumps: by a limit of nothing, and on Linux by a mark that keeps other processes of the same user out too
/// (no `ptrace`, and `/proc/PID` is root's).
///
/// Source: prctl(2), `PR_SET_DUMPABLE`; core(5): a dump that goes to a program is not bound by the limit, only by the mark.
///
/// Errors: the system's.
pub(crate) fn forbid_dumps() -> io::Result<()> {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none)?;
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_forbids_dumps_has_none() {
        forbid_dumps().unwrap();
        let limit = rustix::process::getrlimit(Resource::Core);
        assert_eq!((limit.current, limit.maximum), (Some(0), Some(0)));
        #[cfg(target_os = "linux")]
        assert_eq!(
            rustix::process::dumpable_behavior().unwrap(),
            rustix::process::DumpableBehavior::NotDumpable
        );
    }
}
